// RUN: weft-opt %s -split-input-file -verify-diagnostics -tile-to-warp

tile.func @softmax(%x: !tile.buffer<f32, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %s = arith.constant dense<0.0> : tensor<64x64xf32>
  %m = arith.constant dense<0.0> : tensor<64xf32>
  // expected-error @below {{has no lowering to warps; run the pass tile-expand-softmax first}}
  %p, %m1, %l, %r = tile.softmax_step %s, %m, %m : tensor<64x64xf32>, tensor<64xf32>
  tile.return
}

// -----

tile.func @foreign() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-error @below {{has no lowering to warps}}
  %y = tensor.cast %x : tensor<64x64xf32> to tensor<?x64xf32>
  tile.return
}

// -----

// expected-error @below {{needs one tile.point or tile.ticket at the top of its body}}
tile.func @point() grid <q, 64, heads_q> schedule <rows = 64> {
  tile.return
}

// -----

tile.func @vector(%x: !tile.buffer<f32, q, heads_q, 1> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  // expected-error @below {{vector is used along rows and along columns; load or compute it once for each}}
  %0 = tile.load %x[%rows, %head] : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32>
  %1 = tile.expand %0 dim = 0 : tensor<64xf32> -> tensor<64x64xf32>
  %2 = tile.expand %0 dim = 1 : tensor<64xf32> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.func @reduced(%x: !tile.buffer<f32, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %0 = tile.load %x[%rows, %head] : <f32, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32>
  // expected-error @below {{vector is used along rows and along columns}}
  %1 = tile.reduce sum %0 : tensor<64x64xf32> -> tensor<64xf32>
  %2 = tile.expand %1 dim = 0 : tensor<64xf32> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.func @constant() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  // expected-error @below {{tile is a constant of unequal elements; only splats can be held in registers}}
  %0 = arith.constant dense<[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<16xf32>
  tile.return
}

// -----

tile.func @shape() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  // expected-error @below {{#warp.acc needs static sizes that are multiples of (16, 8), not (64, 12)}}
  %0 = arith.constant dense<0.0> : tensor<64x12xf32>
  tile.return
}

// -----

tile.func @rank() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  // expected-error @below {{'tensor<2x16x16xf32>' is neither a vector nor a tile of two dimensions}}
  %0 = arith.constant dense<0.0> : tensor<2x16x16xf32>
  tile.return
}

// -----

tile.func @computed_a(%x: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = tile.load %x[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  %1 = arith.addf %0, %0 : tensor<64x64xbf16>
  // expected-error @below {{operand a is computed; only a loaded tile or a rounded (arith.truncf) f32 tile can be operand a}}
  %2 = tile.dot %1, %0, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.func @computed_b(%x: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = tile.load %x[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  %1 = arith.addf %0, %0 : tensor<64x64xbf16>
  // expected-error @below {{operand b is computed; only a loaded tile can be operand b}}
  %2 = tile.dot %0, %1, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.func @padded(%x: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = tile.load %x[%rows, %head] pad 1.0 : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  // expected-error @below {{operand a is loaded with a pad other than 0; a tile in shared memory is padded with zeros}}
  %2 = tile.dot %0, %0, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

// CTAs of several points have no tickets.
tile.func @turns_body(%tickets: !tile.buffer<i32, none, one, 1, packed> {weft.name = "tickets"})
    grid <q, 64, heads_q> schedule <rows = 64, columns = 64, warps = 4, mma = warpgroup> {
  // expected-error @below {{takes turns in a schedule of warpgroups, whose CTAs have no order; give the kernel mma = warp}}
  %sequence, %tile, %head = tile.ticket %tickets : !tile.buffer<i32, none, one, 1, packed>
  tile.return
}

// -----

tile.func @read_back_body(%x: !tile.buffer<bf16, q, heads_q, 16, packed> {weft.name = "x"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.load %x[%rows, %head] : !tile.buffer<bf16, q, heads_q, 16, packed>, !tile.rows<q, 64> -> tensor<64x16xbf16>
  // expected-error @below {{multiplies a tile that the kernel itself stores; copies to shared memory do not wait for an arrival}}
  %b = tile.dot %a, %a transposed, %zero : tensor<64x16xbf16>, tensor<64x16xbf16> -> tensor<64x64xf32>
  tile.store %a, %x[%rows, %head] : tensor<64x16xbf16>, !tile.buffer<bf16, q, heads_q, 16, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

tile.func @turned_by_warps(%x: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = tile.load %x[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  // expected-error @below {{turns operand a; only warpgroups do (mma = warpgroup), a rounded (arith.truncf) f32 tile}}
  %2 = tile.dot %0 transposed, %0, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}

// -----

tile.func @turned_and_scaled(%x: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "x"},
                             %sum: !tile.buffer<f32, q, heads_q, 64, packed> {weft.name = "sum"})
    grid <q, 128, heads_q> schedule <rows = 128, columns = 64, warps = 8, mma = warpgroup> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 128>
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %0 = tile.load %x[%rows, %head] : <bf16, q, heads_q, 64>, <q, 128> -> tensor<128x64xbf16>
  %1 = tile.dot %0, %0 transposed, %zero : tensor<128x64xbf16>, tensor<128x64xbf16> -> tensor<128x128xf32>
  %2 = arith.truncf %1 : tensor<128x128xf32> to tensor<128x128xbf16>
  // expected-error @below {{turns operand a; such a product starts from zero, and all that may be done with it is tile.add}}
  %3 = tile.dot %2 transposed, %0, %none : tensor<128x128xbf16>, tensor<128x64xbf16> -> tensor<128x64xf32>
  %4 = arith.addf %3, %3 : tensor<128x64xf32>
  tile.add %4, %sum[%rows, %head] : tensor<128x64xf32>, <f32, q, heads_q, 64, packed>, <q, 128>
  tile.return
}
