// pipeline: warp-fuse-maps
plan.kernel @k delta of @a schedule <rows = 64>
  contract [#plan.operand<"x", in, [valid]>, #plan.operand<"x", out, [valid]>]
// -----
// pipeline: warp-fuse-maps
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.memset %0, 0.0 : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1, valid = filled(0.0)>
  plan.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
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
tile.func @shape(%0: !tile.buffer<bf16, q, heads_q, 8, uniform> {weft.name = "out"})
    grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  tile.fill %0[%tile, %head], 0.0 : !tile.buffer<bf16, q, heads_q, 8, uniform>
  tile.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @body(%a: !warp.shared<64, 40, bf16>) grid <clean, 64, heads_q> schedule <rows = 64> align = 16 {
}
// -----
// pipeline: warp-fuse-maps
attn.backward @attention f16 head_dim = 64, head_dim_v = 64, head_ratio = 3
    q = #attn.side<batch> kv = #attn.side<batch>
    parameters ["softcap"] score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %cap: f32):
    %x = arith.mulf %s, %cap : f32
    %y = math.tanh %x : f32
    attn.yield %y : f32
  } derivative {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %cap: f32):
    %x = arith.mulf %s, %cap : f32
    %y = math.tanh %x : f32
    %z = arith.mulf %y, %y : f32
    %one = arith.constant 1.0 : f32
    %slope = arith.subf %one, %z : f32
    %d = arith.mulf %slope, %cap : f32
  }
plan.kernel @dq dq of @attention schedule <rows = 64, columns = 32, stages = 2>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"lse_log2", in, [valid]>, #plan.operand<"delta", in, [valid]>,
              #plan.operand<"d_query", out, [valid]>]
// -----
// pipeline: warp-fuse-maps
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "body"> align = 16 {
  %t = warp.receive %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16>
  warp.return
}
// -----
// pipeline: warp-fuse-maps
plan.kernel @k delta of @a schedule <rows = 64> contract {}#plan.operand<"x", in, []>]
// -----
// pipeline: warp-fuse-maps
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.load %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> i1<64xbf16, #warp.row>
  warp.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @body) grid <q, 64, heads_q> schedule <"d_query" = 64} align = 16 {
}
// -----
// pipeline: warp-fuse-maps
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.mma %a, %b #3, %acc : !warp.shared<64, 64, bf16>, <64, 32, bf16> -> tensor<64x32xf32, #warp.acc>
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
plan.func @f() {
  %c = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%c) : !plan.bufferf32, none, one, 1, all = defined>
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
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.bufferplan.returnf32, q, %326, 1>) {
  %n = plan.size batch
  plan.launch @k grid(%n) out(%0 : !plan.buffer<f32, q, one, 1>)
  plan.return
}
// -----
// pipeline: warp-fuse-maps
warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !warp.shared128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
}
// -----
// pipeline: warp-fuse-maps
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %keep = arith.cmpi ult, %h, %b : i64
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operanddense<0.0>"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, %262valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: warp-fuse-maps
plan.func @f(%0: !plan.buffer<f32, k, -1, 1>) {}
