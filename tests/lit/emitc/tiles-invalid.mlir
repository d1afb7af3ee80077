// What the writer of CUDA C++ does not know of tiles, copies and products.
// RUN: weft-opt %s -warp-to-emitc -split-input-file -verify-diagnostics

warp.func @carried(%a: !tile.buffer<f32, q, heads_q, 16> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{a loop or condition cannot hand on '!tile.rows<q, 64>'}}
  %last = scf.for %i = %c0 to %c1 step %c1 iter_args(%r = %rows) -> (!tile.rows<q, 64>) : i64 {
    scf.yield %r : !tile.rows<q, 64>
  }
  warp.return
}

// -----

warp.func @whole_tiles(%a: !tile.buffer<f32, q, heads_q, 16> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{does not work on tiles element by element}}
  %tile = tensor.empty() : tensor<64x16xf32, #warp.acc>
  warp.store %tile, %a[%rows, %c0] : tensor<64x16xf32, #warp.acc>, <f32, q, heads_q, 16>, <q, 64>
  warp.return
}

// -----

warp.func @load_columns(%a: !tile.buffer<f32, q, heads_q, 4> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{loads columns by 8, not those of '!tile.buffer<f32, q, heads_q, 4>'}}
  %tile = warp.load %a[%rows, %c0] : <f32, q, heads_q, 4>, <q, 64> -> tensor<64x16xf32, #warp.acc>
  warp.return
}

// -----

warp.func @store_columns(%a: !tile.buffer<f32, q, heads_q, 4> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #warp.acc>
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{stores columns by 8, not those of '!tile.buffer<f32, q, heads_q, 4>'}}
  warp.store %zero, %a[%rows, %c0] : tensor<64x16xf32, #warp.acc>, <f32, q, heads_q, 4>, <q, 64>
  warp.return
}

// -----

warp.func @put_columns(%a: !tile.buffer<bf16, q, heads_q, 4> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %ring = warp.ring : <1, <64, 16, bf16>>
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{copies 8 elements of 16 bits at a time, from '!tile.buffer<bf16, q, heads_q, 4>' to '!warp.shared<64, 16, bf16>'}}
  warp.put %ring[%c0], %a[%rows, %c0] : <1, <64, 16, bf16>>, <bf16, q, heads_q, 4>, <q, 64>
  warp.return
}

// -----

// The rows of a warp are a multiple of 16.
// expected-error @below {{has a register tile 'tensor<64x16xf32, #warp.acc>' that its 8 warps cannot hold; give it a layout of the warp dialect and 16 rows a warp}}
warp.func @too_few_rows(%a: !tile.buffer<f32, q, heads_q, 16> {weft.name = "a"})
    grid <q, 128, heads_q> schedule <rows = 128, warps = 8> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %tile = warp.load %a[%rows, %c0] : <f32, q, heads_q, 16>, <q, 64> -> tensor<64x16xf32, #warp.acc>
  warp.return
}

// -----

warp.func @not_splat(%a: !tile.buffer<f32, q, heads_q, 1> {weft.name = "a"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  // expected-error @below {{a tile constant must have one value everywhere}}
  %t = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32, #warp.row>
  %rows = tile.rows %c0, %c0 : <q, 16>
  warp.store %t, %a[%rows, %c0] : tensor<16xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 16>
  warp.return
}

// -----

warp.func @double() grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  // expected-error @below {{no constant of type 'f64'; i1, i64, f32, f16 and bf16 are known}}
  %x = arith.constant 1.0 : f64
  warp.return
}

// -----

warp.func @half() grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %x = arith.constant 1.0 : bf16
  // expected-error @below {{f16 and bf16 are only extended, rounded and selected; compute in f32}}
  %y = arith.addf %x, %x : bf16
  warp.return
}

// -----

warp.func @unsigned() grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %sequence, %tile, %head, %exists = warp.point
  // expected-error @below {{integers are signed: compare them so}}
  %y = arith.cmpi ult, %tile, %head : i64
  warp.return
}

// -----

warp.func @padded_ring() grid <q, 128, heads_q>
    schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  // expected-error @below {{has tiles of 768 bytes; swizzled tiles are a multiple of 1024: take a multiple of 8 rows}}
  %ring = warp.ring : <1, <16, 16, bf16>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %k = warp.receive %ring : <1, <16, 16, bf16>> -> <16, 16, bf16>
    }
  }
  warp.return
}

// -----

warp.func @send_workspace(%a: !tile.buffer<bf16, q, heads_q, 64, packed> {weft.name = "a"})
    grid <q, 128, heads_q>
    schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %ring = warp.ring : <1, <128, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %rows = tile.rows %s, %t : <q, 128>
      // expected-error @below {{copies up to 256 rows of a tensor of the call, not '!tile.buffer<bf16, q, heads_q, 64, packed>' to '!warp.shared<128, 64, bf16, swizzled>'}}
      warp.send %ring, %a[%rows, %h] : <1, <128, 64, bf16, swizzled>>, <bf16, q, heads_q, 64, packed>, <q, 128>
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
    }
  }
  warp.return
}

// -----

warp.func @wide_product(%a: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "a"}, %b: !tile.buffer<bf16, kv, heads_kv, 64> {weft.name = "b"})
    grid <q, 128, heads_q>
    schedule <rows = 128, columns = 256, warps = 8, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %q = warp.ring : <1, <128, 64, bf16, swizzled>>
  %k = warp.ring : <1, <272, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %x = warp.receive %q : <1, <128, 64, bf16, swizzled>> -> <128, 64, bf16, swizzled>
      %y = warp.receive %k : <1, <272, 64, bf16, swizzled>> -> <272, 64, bf16, swizzled>
      // expected-error @below {{has 128 rows for 8 warps, 272 columns and 64 to add over; a warpgroup multiplies 64 rows and up to 256 columns}}
      %p = warp.issue %x, %y transposed : !warp.shared<128, 64, bf16, swizzled>, <272, 64, bf16, swizzled> -> <tensor<128x272xf32, #warp.acc>>
      %d = warp.await %p, 0 : <tensor<128x272xf32, #warp.acc>>
    }
  }
  warp.return
}

// -----

warp.func @shared_accumulator()
    grid <q, 128, heads_q>
    schedule <rows = 128, columns = 128, warps = 8, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %q = warp.ring : <1, <128, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %x = warp.receive %q : <1, <128, 64, bf16, swizzled>> -> <128, 64, bf16, swizzled>
      %p = warp.issue %x, %x transposed : !warp.shared<128, 64, bf16, swizzled>, <128, 64, bf16, swizzled> -> <tensor<128x128xf32, #warp.acc>>
      // expected-error @below {{adds to an accumulator under way that something else still needs}}
      %r = warp.issue %x, %x transposed, %p : !warp.shared<128, 64, bf16, swizzled>, <128, 64, bf16, swizzled>, !warp.pending<tensor<128x128xf32, #warp.acc>> -> <tensor<128x128xf32, #warp.acc>>
      %u = warp.issue %x, %x transposed, %p : !warp.shared<128, 64, bf16, swizzled>, <128, 64, bf16, swizzled>, !warp.pending<tensor<128x128xf32, #warp.acc>> -> <tensor<128x128xf32, #warp.acc>>
      %d = warp.await %r, 0 : <tensor<128x128xf32, #warp.acc>>
      %e = warp.await %u, 0 : <tensor<128x128xf32, #warp.acc>>
    }
  }
  warp.return
}

// -----

warp.func @through_constant(%q: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "q"}, %out: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "out"},
    %x: f32 {weft.name = "scale"})
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %ring = warp.ring : <2, <128, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %rows = tile.rows %s, %t : <q, 128>
      warp.send %ring, %q[%rows, %h] : <2, <128, 64, bf16, swizzled>>, <bf16, q, heads_q, 64>, <q, 128>
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %rows = tile.rows %s, %t : <q, 128>
      %k = warp.receive %ring : <2, <128, 64, bf16, swizzled>> -> <128, 64, bf16, swizzled>
      %p = warp.issue %k, %k transposed : !warp.shared<128, 64, bf16, swizzled>, <128, 64, bf16, swizzled> -> <tensor<128x128xf32, #warp.acc>>
      %v = arith.constant dense<1.0> : tensor<128x64xbf16, #warp.acc>
      // expected-error @below {{goes through shared memory from 16 computed rows of each consumer warp to a tensor of the call with rows aligned to 16 bytes; leave `through` out}}
      warp.store %v, %out[%rows, %h] through %k : tensor<128x64xbf16, #warp.acc>, <bf16, q, heads_q, 64>, <q, 128>, !warp.shared<128, 64, bf16, swizzled>
      warp.consumed %ring : <2, <128, 64, bf16, swizzled>>
    }
  }
  warp.return
}

// -----

warp.func @vectors_first() grid <q, 128, heads_q>
    schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %values = warp.ring : <1, <32, 1, f32>>
  // expected-error @below {{of tiles comes before those of vectors, whose slots are no multiple of 1024 bytes}}
  %tiles = warp.ring : <1, <32, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %k = warp.receive %values : <1, <32, 1, f32>> -> <32, 1, f32>
      %l = warp.receive %tiles : <1, <32, 64, bf16, swizzled>> -> <32, 64, bf16, swizzled>
    }
  }
  warp.return
}

// -----

warp.func @uniform_vector(%x: !tile.buffer<f32, q, heads_q, 1, uniform> {weft.name = "x"})
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %values = warp.ring : <1, <32, 1, f32>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %rows = tile.rows %s, %t : <q, 32>
      // expected-error @below {{copies vectors of rows, not '!tile.buffer<f32, q, heads_q, 1, uniform>'}}
      warp.send %values, %x[%rows, %h] : <1, <32, 1, f32>>, <f32, q, heads_q, 1, uniform>, <q, 32>
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %k = warp.receive %values : <1, <32, 1, f32>> -> <32, 1, f32>
    }
  }
  warp.return
}
