// pipeline: attn-to-plan
module attributes {weft.target = "sm_90a"} {
  weft.align @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch%0 kv = <batch>
}
// -----
// pipeline: attn-to-plan
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
} derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %no = arith.constant false
  attn.yield %no : i1
}
// -----
// pipeline: attn-to-plan
%rows_q, %tile, %head = tile.point
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
%sequence = arith.constant 0 : i64
%n = tile.length none %sequence
// -----
// pipeline: attn-to-plan
%a = arith.constant dense<0.0> : tensor<16xf32>
%0 = tile.expand %a dim = 0 : tensor<16xf32> -> tensor<16x32xf32>
// -----
// pipeline: attn-to-plan
%a = arith.constant dense<0.0> : tensor<16x32xf32>
%0 = tile.reduce sum %a : tensor<16x32xf32> -> tensor<32xf32>
// -----
// pipeline: attn-to-plan
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
// pipeline: attn-to-plan
attn.backward @plain bf16 head_dim = 64, head_dim_v = 64, head_ratio = 64 q = <batch> kv = <batch>
// -----
// pipeline: attn-to-plan

// -----
// pipeline: attn-to-plan
%sequence = arith.constant 0 : i64
%n = tile.length f64 %sequence
// -----
// pipeline: attn-to-plan
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
}
// -----
// pipeline: attn-to-plan
module {
warp.store
// -----
// pipeline: attn-to-plan
%a = arith.constant dense<tensor.tensor> : tensor<16x32xf32>
%0 = tile.reduce sum %a : tensor<16x32xf32> -> tensor<32xf32>
// -----
// pipeline: attn-to-plan
%sequence, %tile, %tile = tile.point
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
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = #plan.statebatch> kv = <batch> parameters ["slope"]
// -----
// pipeline: attn-to-plan
module attributes {a = #plan.state<clean>} {}
