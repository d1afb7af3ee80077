// RUN: weft-opt %s -split-input-file -verify-diagnostics

%sequence = arith.constant 0 : i64
// expected-error@+1 {{'tile.length' op is of q or kv}}
%n = tile.length none %sequence

// -----

tile.func @a_body() grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  // expected-error@+1 {{'tile.rows' op needs a sequence, and a point of a 'held' grid belongs to none}}
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<f32, kv, heads_kv, 8> {weft.name = "key"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  // expected-error@+1 {{'tile.load' op takes rows of 'q' in a buffer of 'kv'}}
  %x = tile.load %0[%rows, %head] : !tile.buffer<f32, kv, heads_kv, 8>, !tile.rows<q, 16> -> tensor<16x16xf32>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  // expected-error@+1 {{'tile.load' op tile of 'f16' and buffer of 'bf16'}}
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16> -> tensor<16x16xf16>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  // expected-error@+1 {{'tile.load' op tile 'tensor<32x16xbf16>' does not have 16 rows}}
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16> -> tensor<32x16xbf16>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  // expected-error@+1 {{'tile.load' op tile 'tensor<16x32xbf16>' does not hold the buffer's 40 columns}}
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 40>, !tile.rows<q, 16> -> tensor<16x32xbf16>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  // expected-error@+1 {{'tile.load' op result #0 must be statically shaped tensor of any type values, but got 'tensor<16x?xbf16>'}}
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 40>, !tile.rows<q, 16> -> tensor<16x?xbf16>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{'tile.store' op tile of 'f32' and buffer of 'bf16'}}
  tile.store %x, %0[%rows, %head] : tensor<16x16xf32>, !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<f32, q, heads_q, 8, uniform> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = arith.constant dense<0.0> : tensor<16x16xf32>
  // expected-error@+1 {{'tile.store' op writes to a uniform buffer, whose elements are all one}}
  tile.store %x, %0[%rows, %head] : tensor<16x16xf32>, !tile.buffer<f32, q, heads_q, 8, uniform>, !tile.rows<q, 16>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = arith.constant dense<0.0> : tensor<16x16xbf16>
  // expected-error@+1 {{'tile.add' op adds f32 only, not 'bf16'}}
  tile.add %x, %0[%rows, %head] : tensor<16x16xbf16>, !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  // expected-error@+1 {{'tile.fill' op is over the rows held: the grid has to be 'held'}}
  tile.fill %0[%tile, %head], 0.0 : !tile.buffer<bf16, q, heads_q, 8>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8, uniform> {weft.name = "out"})
    grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  // expected-error@+1 {{'tile.fill' op writes to a uniform buffer, whose elements are all one}}
  tile.fill %0[%tile, %head], 0.0 : !tile.buffer<bf16, q, heads_q, 8, uniform>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  // expected-error@+1 {{'tile.load' op is unclipped, and rows past a sequence's end are another's; only of a rounded buffer are they its own}}
  %x = tile.load %0[%rows, %head] unclipped : !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16> -> tensor<16x16xbf16>
  tile.return
}

// -----

tile.func @a_body(%0: !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16> {weft.name = "sum"})
    grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  // expected-error@+1 {{'tile.fill' op is over the rows held, and '!tile.buffer<f32, q, heads_q, 8, packed, rounded = 16>' rounds its rows up; use plan.memset}}
  tile.fill %0[%tile, %head], 0.0 : !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16>
  tile.return
}

// -----

tile.func @fragments(%x: !tile.buffer<f32, q, heads_q, 1, fragments, rounded = 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 32>
  // expected-error @below {{reaches whole tiles of a buffer in fragments: a multiple of 64 rows, not 32}}
  %0 = tile.load %x[%rows, %head] unclipped : <f32, q, heads_q, 1, fragments, rounded = 64>, <q, 32> -> tensor<32xf32>
  tile.return
}
