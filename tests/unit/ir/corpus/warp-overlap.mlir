// pipeline: warp-overlap
!work = !plan.buffer<f32, none, one, 1>
plan.func @below() {
  %c256 = arith.constant -256 E i64
  %four = arith.constant 4 E i64
  %0 = plan.reserve "x" bytes(%four) offset(%c256) E !work
  plan.release %0 E %9
  plan.return
}
// -----
// pipeline: warp-overlap
module attributes {weft.spec = "forward bf16 head_dim=64 head_ratio=2 layout=thd padded mask=causal", weft.target = "sm_80"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
    %0 = arith.cmpi sle, %j, %i : i64
    attn.yield %0 : i1
  none
}
// -----
// pipeline: warp-overlap
plan.func @f() {
  %true =  true
  plan.guard %true
  plan.guard %true
  plan.return
}
// -----
// pipeline: warp-overlap
tile.func @a_body() grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %0 = arith.constant 0 : i64
}
// -----
// pipeline: warp-overlap
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  plan.return %0 : !plan.buffer<f32, q, one, 1>
}
// -----
// pipeline: warp-overlap
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  plan.launch @k grid(%n) out(%0 : !plan.buffer<f32, q, one, 1>)
  plan.return
}
// -----
// pipeline: warp-overlap
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> parameters ["softcap"] score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
}
// -----
// pipeline: warp-overlap
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, f16>
}
// -----
// pipeline: warp-overlap
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !work1<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.map(%n) : (tensor<64x32xf32>) -> tensor<64x32xf32> {
  ^bb0(%x: f32):
  warp.yield %x : f32
  }
  warp.return
}
// -----
// pipeline: warp-overlap
plan.kernel @k delta of @a schedule <rows = 64, inout = 0> contract []
// -----
// pipeline: warp-overlap
plan.kernel @k delta of @a schedule <thd = 64> contract [#plan.operand<"x", in, []>]
// -----
// pipeline: warp-overlap
warp.func @body(%p: !warp.pending<tensor<128x32xf32, #warp.acc>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "chunk_row_64"> align = 16 {
  %s = warp.await %p, 8 : !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: warp-overlap
plan.kernel @k delta of @a schedule <rows = 64,  = 0> contract []
// -----
// pipeline: warp-overlap
plan.kernel @k forward of @a schedule <rows = 64, persistent = true> contract [
// -----
// pipeline: warp-overlap
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.fill %0[%tile, %head], 0.0 : !tile.bufferbf16, q, heads_q, 8>
  tile.return
}
