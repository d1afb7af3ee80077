// pipeline: attn-to-plan
module attributes {weft.target = "sm_90a"} {
  weft.align @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch%0 kv = <batch>
}
// -----
// pipeline: attn-to-plan
%first = arith.constant 0 : i64
%0 = tile.coordinates %first dim = true : tensor<16x32xi64>
// -----
// pipeline: attn-to-plan
module attributes {weft.target = "sm_80"} {
  attn.backward @unknown bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    attn.yield %s : f32
  }
}
// -----
// pipeline: attn-to-plan
attn.forward @a bf16 head_dim = 64, head_dim_v = 264, head_ratio = 1 q = <batch> kv = <batch>
// -----
// pipeline: attn-to-plan
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> parameters ["softcap"] score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
}
// -----
// pipeline: attn-to-plan
warp.func @body(%p: tensor<128xf32>) grid <q, 17, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.map(%p) : (tensor<128xf32>) -> tensor<128xf32> {
  ^bb0(%x: f32):
    warp.yield %x : f32
  }
  warp.return
}
// -----
// pipeline: attn-to-plan

// -----
// pipeline: attn-to-plan
%sequence = arith.constant 0 : i64
%n = tile.length f64 %sequence
// -----
// pipeline: attn-to-plan
%sequence = tensor.from_elements %i : i64
%n = tile.length none %sequence
// -----
// pipeline: attn-to-plan
else
// -----
// pipeline: attn-to-plan
module {
warp.store
// -----
// pipeline: attn-to-plan
%1: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.return
}
// -----
// pipeline: attn-to-plan
plan.func @f(
// -----
// pipeline: attn-to-plan
module attributes {weft.target = "sm_70"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
}
// -----
// pipeline: attn-to-plan
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer1f32, q, one, 1>) {
  %n = plan.size batch
  plan.launch @k grid(%n) out(%0 : !plan.buffer<f32, q, one, 1>)
  plan.return
}
// -----
// pipeline: attn-to-plan
warp.func @swap_body(%in: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "in"},
                     %out: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "out"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c64 = arith.constant 64 : i64
  %one = arith.constant dense<1.0> : tensor<64x16xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %x = warp.load %in[%rows, %head] : !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rowsdense<0.0>q, 64> -> tensor<64x16xf32, #warp.acc>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %one) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>) : i64 {
    scf.yield %b, %a : tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>
  }
  warp.store %r#0, %out[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
  warp.return
}
// -----
// pipeline: attn-to-plan
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = #plan.statebatch> kv = <batch> parameters ["slope"]
