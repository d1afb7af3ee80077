// pipeline: warp-partial-sums
tile.func @columns(%key: !tile.buffer<bf16, kv, heads_kv, 64> {weft.name = "key"},
                   %lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"},
                   %sums: !tile.buffer<f32, kv, heads_kv, 1> {weft.name = "sums"})
    grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %two = arith.constant dense<2.0> : tensor<64xf32>
  kv = tile.rows %sequence, %tile : <kv, 64>
  %rows_q = tile.rows %sequence, %tile : <q, 64>
  %k = tile.load %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> tensor<64x64xbf16>
  %l = tile.load %lse[%rows_q, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32>
  %l2 = arith.mulf %l, %two : tensor<64xf32>
  %e = tile.expand %l2 dim = 0 : tensor<64xf32> -> tensor<64x64xf32>
  %kf = arith.extf %k : tensor<64x64xbf16> to tensor<64x64xf32>
  %x = arith.addf %kf, %e : tensor<64x64xf32>
  %s = tile.dot %k, %k transposed, %x : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  %i = tile.coordinates %c0 dim = 0 : tensor<64x64xi64>
  %f = arith.sitofp %i : tensor<64x64xi64> to tensor<64x64xf32>
  %y = arith.addf %s, %f : tensor<64x64xf32>
  %r = tile.reduce sum %y : tensor<64x64xf32> -> tensor<64xf32>
  %r2 = arith.mulf %r, %two : tensor<64xf32>
  tile.add %r2, %sums[%rows, %head] : tensor<64xf32>, <f32, kv, heads_kv, 1>, <kv, 64>
  tile.return
}
// -----
// pipeline: warp-partial-sums
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 x49800000 i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 48, bf16>
  warp.return
}
// -----
// pipeline: warp-partial-sums
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %t = warp.receive %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16>
  warp.return
}
// -----
// pipeline: warp-partial-sums
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  warp.map(%acc) : (tensor<64x32xf32, #warp.acc>) -> () {
  ^bb0(%x: f32, %i: i64, %j: i64):
  warp.yield
  }
  warp.return
}
// -----
// pipeline: warp-partial-sums
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.map(%row) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
  ^bb0(%x: f32):
  warp.barrier
  warp.yield %x : f32
  }
  warp.return
}
// -----
// pipeline: warp-partial-sums
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %96: i64, %n_k: i64):
  %y = scf.execute_region -> f32 {
    scf.yield %s : f32
  }
  attn.yield %y : f32
}
// -----
// pipeline: warp-partial-sums
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, uniform = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.roles registers(20, 240) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-partial-sums
warp.func @mask(%in: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "in"},
                %i0: i64 {weft.name = "window_left"}, %j0: i64 {weft.name = "window_right"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  %rows = tile.rows %sequence, %c64 : !tile.rows<q, 64>
  %x = warp.load %in[%rows, %head] : !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64> -> tensor<64x16xf32, #warp.acc>
  %y = warp.map(%x) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
  ^bb0(%v: f32, %row: i64, %column: i64):
    %j = arith.addi %j0, %column : i64
    %i = arith.addi %i0, %row : i64
    %keep = arith.cmpi sle, %j, %i : i64
    %w = arith.select %keep, %vnone %zero : f32
    warp.yield %w : f32
  }
  %z = warp.map(%y) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
  ^bb0(%v: f32, %row: i64, %column: i64):
    %p = arith.muli %row, %column : i64
    %keep = arith.cmpi sle, %p, %i0 : i64
    %w = arith.select %keep, %v, %zero : f32
    warp.yield %w : f32
  }
  warp.add %z, %in[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
  warp.return
}
// -----
// pipeline: warp-partial-sums
warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16, swizzled>, %acc: tensor<128x64xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = none> align = 16 {
  %s = warp.issue %q, %k transposed, %acc : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16, swizzled>, tensor<128x64xf32, #warp.acc> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: warp-partial-sums
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%i: i64, %j: i64):
  %keep = arith.cmpi , %j, %i : i64
  attn.yield %keep : i1
}
// -----
// pipeline: warp-partial-sums
warp.func @body(%a: !warp.shared<64, 64, f32>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
// -----
// pipeline: warp-partial-sums
warp.func @body(%a: !warp.shared64, 40, bf16>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}
// -----
// pipeline: warp-partial-sums
warp.func @body(%q: !warp.shared<64, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16, swizzled>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !warp.sharedtrue64, 64, bf16, swizzled>, !warp.shared<32, 64, bf16, swizzled> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
