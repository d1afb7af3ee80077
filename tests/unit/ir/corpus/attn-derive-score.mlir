// pipeline: attn-derive-score
%last = arith.constant 0 : i64
%0 = tile.coordinates %last dim = -1 : tensor<16x32xi64>
// -----
// pipeline: attn-derive-score
module attributes {weft.spec = "backward f16 head_dim=16 head_ratio=1 layout=batch padded score=softcap", weft.target = "sm_86"} {
  attn.backward @attention f16 head_dim = 16, head_dim_v = 16, head_ratio = 1 q = <batch, padded> kv = <batch, padded> parameters ["softcap"] score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %softcap: f32):
    %cst = arith.constant 1.000000e+00 : f32
    %0 = arith.divf %cst, %softcap : f32
    %1 = arith.mulf %s, %0 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %softcap, %2 : f32
    attn.yield %3 : f32
  }
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %softcap: f32):
}
// -----
// pipeline: attn-derive-score
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %134 = arith.divsi %i, %n_q : i64
  %keep = arith.cmpi sle, %j, %134 : i64
  attn.yield %keep : i1
}
// -----
// pipeline: attn-derive-score
%a = arith.constant dense<0.0> : tensor<16x16xf16>
%b = arith.constant dense<0.0> : tensor<16x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
%0 = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
// -----
// pipeline: attn-derive-score
plan.func @f() {
  %n = plan.size batch
  plan.launch @k grid(%n)
  plan.return
}
// -----
// pipeline: attn-derive-score
%s = warp.map(%p) : (!ones<128x32xf32, #warp.acc>) -> !ones<128x32xf32, #warp.operand> {
  ^bb0(%x: f32, %row: i64, %column: i64):
    warp.yield %x : f32
  ^bb0(%x: f32, %row: i64, %column: i64):
  }
  warp.return
}
// -----
// pipeline: attn-derive-score
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
} derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %no = arith.constant false
}
// -----
// pipeline: attn-derive-score
module {
emitc.include
// -----
// pipeline: attn-derive-score
%first = arith.constant 0 : i64
%0 = tile.coordinates %first dim = -1 : tensor<16>
// -----
// pipeline: attn-derive-score
module attributes {a = #plan.state<>} {}
// -----
// pipeline: attn-derive-score
%a = arith.constant dense<0.0> : tensor<169223372036854775807>
%0 = tile.reduce sum %a : tensor<16x32xf32> -> tensor<32xf32>
// -----
// pipeline: attn-derive-score
module attributes {a = #plan.state0x7FC00000clean>} {}
// -----
// pipeline: attn-derive-score
module attributes {a = #plan.stateclean>} {}
// -----
// pipeline: attn-derive-score
plan.guard %few
