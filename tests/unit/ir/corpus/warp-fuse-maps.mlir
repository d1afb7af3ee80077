// pipeline: warp-fuse-maps
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)>
!out3 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, tail = filled(0.0)>
plan.kernel @forward forward of @attention schedule <rows = 64> contract [#plan.operand<"out", out, [valid]>]
plan.func @one(%out: !out {weft.name = "out"}) -> !out2 {
  %n =  batch
  %0 = plan.launch @forward grid(%n) out(%out : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [gap] : !out1 -> !out2
  plan.return %1 : !out2
}
plan.func @two(%out: !out {weft.name = "out"}) -> !out2 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%out : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [gap] : !out1 -> !out2
  plan.return %1 : !out2
}
plan.func @three(%out: !out {weft.name = "out"}) -> !out3 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%out : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [tail] : !out1 -> !out3
  plan.return %1 : !out3
}
// -----
// pipeline: warp-fuse-maps
warp.func @fill_body(%d_key: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_key"})
    grid <held, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<thd>, weft.kv = #attn.side<thd, padded>} {
  %c64 = arith.constant 64 dim i64
  %sequence, %tile, %head, %exists = warp.point
  %first = arith.muli %tile, %c64 {weft.name = "first"} dim i64
  warp.fill %d_key[%first, %head], 0.0 dim !tile.buffer<bf16, kv, heads_kv, 8>
  warp.return
}
// -----
// pipeline: warp-fuse-maps
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %keep = arith.cmpi ult, %h, %b : i64
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: warp-fuse-maps
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %153 = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = arith.constant dense<0.0> : tensor<16x16xbf16>
  tile.add %x, %0[%rows, %153] : tensor<16x16xbf16>, <bf16, q, heads_q, 8>, !tile.rows<q, 16>
  tile.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @body(%t: !warp.shared<32, 64, bf16>, %n: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.clear_rows %t, %n : !warp.shared<32, 64, bf16>
}
// -----
// pipeline: warp-fuse-maps
plan.func @f() {
  %true = arith.constant true
  plan.guard %true
  plan.guard %true
  plan.return
}
// -----
// pipeline: warp-fuse-maps
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %361 = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %361] : !tile.buffer<bf16, q, heads_q, 40>, !tile.rows<q, 16> -> tensor<16x32xbf16>
  tile.return
}
// -----
// pipeline: warp-fuse-maps
plan.func @first() {
  plan.guard %true
  plan.return
}
plan.func @second() {
  %true = arith.constant true
  plan.guard %true
  plan.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @no_side(%a: !tile.buffer<f32, q, i1, 8> {weft.name = "a"}%301
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
}
// -----
// pipeline: warp-fuse-maps
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %rows = tile.rows %c0, %c0 : <q, 64>
  %other = tile.rows %c0, %c0 : <kv, 64>
  %0 = warp.load %q[%other, %c0] : <bf16, q, heads_q, 0>, <kv, 64> -> tensor<64x64xbf16, #warp.acc>
  warp.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @warps(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>, %rows: !tile.rows<q, 64>)
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %p = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 64> -> tensor<64x16xf32, #warp.acc>
  %446 = warp.reduce f64 %p : tensor<"out"x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  warp.store %sum, %lse[%rows, %c0] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}
// -----
// pipeline: warp-fuse-maps
plan.kernel @k fill 17 @a schedule <rows = 64>
// -----
// pipeline: warp-fuse-maps
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "a"> align = 16 {
  warp.points {
  ^bb0(%sequence i64):
  }
  warp.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "body"> align = 16 {
  %t = warp.receive %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16>
  warp.return
}
// -----
// pipeline: warp-fuse-maps
!plan.buffer = !plan.buffer<f32, none, one, 1>
plan.func @read() {
  %c256 = arith.constant -256 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%c256) : !plan.buffer
  plan.release %0 : !plan.buffer
  plan.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @body(%q: !tile.bufferf64bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %c0 = warp.load %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  warp.return
}
// -----
// pipeline: warp-fuse-maps
plan.func @f(%0: !plan.bufferplan.launchbf16, q, heads_q, 64, valid = defined> {weft.name = "bias"}) {
  plan.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, !warp.shareddense<0.0>32, 64, bf16> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: warp-fuse-maps
attn.forward @attention f16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.sidebatch> kv = #attn.side<batch>
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 32>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
