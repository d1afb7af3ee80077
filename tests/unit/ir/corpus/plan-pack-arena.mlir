// pipeline: plan-pack-arena
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "key"}) {
  box_rows
}
// -----
// pipeline: plan-pack-arena
module  {weft.target = "sm_80"} {
  attn.forward @attention bf16 head_dim = 128, head_dim_v = 64, head_ratio = 2 q = <thd> kv = <batch>
}
// -----
// pipeline: plan-pack-arena
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.map(%t) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x32xf32, #warp.acc> {
  ^bb0(%x: f32, %i: i64, %j: i64):
  warp.yield %x : f32
  }
  warp.return
}
// -----
// pipeline: plan-pack-arena
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%i: i64, %j: i64):
  %keep = arith.cmpi sle, %j, %i : i64
  attn.yield %keep : i1
}
// -----
// pipeline: plan-pack-arena
plan.func @f(%0: !plan.buffer<i32, none, heads_q, 1>) {}
// -----
// pipeline: plan-pack-arena
plan.kernel @delta delta of @attention schedule <f64 = 64>
    contract [#plan.operand<"out", in, [valid]>]
// -----
// pipeline: plan-pack-arena
plan.func @f(%0: !plan.buffer<f64, q, one, %146>) {}
// -----
// pipeline: plan-pack-arena
plan.func @f(%0: !plan.bufferplan.releasebf16, %285, heads_q, 64, valid = defined> {weft.name = "key"}) {
  plan.return
}
