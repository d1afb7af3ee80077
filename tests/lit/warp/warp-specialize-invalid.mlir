// RUN: weft-opt %s -split-input-file -verify-diagnostics -warp-specialize

// expected-error @below {{needs one warp.point at the top of its body}}
warp.func @no_point() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.return
}

// -----

warp.func @unguarded() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{needs one scf.if on whether the point exists}}
  %sequence, %tile, %head, %exists = warp.point
  warp.return
}

// -----

warp.func @by_content(%x: !tile.buffer<f32, q, heads_q, 16>, %key: !tile.buffer<bf16, kv, heads_q, 64>, %out: !tile.buffer<f32, q, heads_q, 32>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile : <q, 128>
    %rows_k = tile.rows %sequence, %tile : <kv, 32>
    %p = warp.load %x[%rows, %head] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
    %limits = arith.constant dense<1.0> : tensor<128x16xf32, #warp.acc>
    %large = arith.cmpf ogt, %p, %limits : tensor<128x16xf32, #warp.acc>
    %any = warp.any %large : tensor<128x16xi1, #warp.acc>
    // expected-error @below {{decides which tiles are fetched by what is computed from tiles; the producer has no registers for those}}
    scf.if %any {
      %k = warp.fetch %key[%rows_k, %head] : <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
    }
  }
  warp.return
}

// -----

warp.func @while(%key: !tile.buffer<bf16, kv, heads_q, 64>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows_k = tile.rows %sequence, %tile : <kv, 32>
    %again = arith.cmpi slt, %tile, %head : i64
    // expected-error @below {{fetches tiles; only scf.for and scf.if may}}
    scf.while : () -> () {
      scf.condition(%again)
    } do {
      %k = warp.fetch %key[%rows_k, %head] : <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
      scf.yield
    }
  }
  warp.return
}
