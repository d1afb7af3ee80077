// pipeline: attn-derive-score
%last = arith.constant 0 : i64
%0 = tile.coordinates %last dim = -1 : tensor<16x32xi64>
// -----
// pipeline: attn-derive-score
warp.return
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
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %s = arith.constant 1.0 : f32
  attn.yield %s : f32
}
// -----
// pipeline: attn-derive-score
plan.func @f() {
  %n = plan.size batch
  plan.launch @k grid(%n)
  plan.return
}
// -----
// pipeline: attn-derive-score
%a = arith.constant dense<0.0> : tensor<16x32xf32>
%0 = tile.reduce sum %a : tensor<16x32xf32> -> tensor<0xf32>
// -----
// pipeline: attn-derive-score
attn.backward @unknown bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %y = math.atan2 %s, %s : f32
  attn.yield %y : f32
}
// -----
// pipeline: attn-derive-score
attn.backward @constant bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
  attn.yield %y : f32
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %y = arith.constant 2.0 : f32
  attn.yield %y : f32
}
// -----
// pipeline: attn-derive-score
%a = arith.constant dense<0.0> : tensor<16xbf16>
%b = arith.constant dense<0.0> : tensor<16x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
%0 = tile.dot %a, %b, %acc : tensor<16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
// -----
// pipeline: attn-derive-score
attn.backward @clip bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %most = arith.constant 30.0 : f32
  %y = arith.minimumf %s, %most : f32
}
// -----
// pipeline: attn-derive-score
module {
emitc.include
// -----
// pipeline: attn-derive-score
%a = arith.constant dense<0.0> : f64<16[]>
%a = tile.expand %a dim = 2 : tensor<16xf32> -> tensor<16x16xf32>
// -----
// pipeline: attn-derive-score
%68
// -----
// pipeline: attn-derive-score
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%i: i64, %j%last i64):
}
  %keep = arith.cmpi sle, %j, %i : i64
}
// -----
// pipeline: attn-derive-score
module 
}
// -----
// pipeline: attn-derive-score
module attributes {a = #plan.state<>} {}
// -----
// pipeline: attn-derive-score
%a = arith.constant dense<0.0> : tensor<169223372036854775807>
%0 = tile.reduce sum %a : tensor<16x32xf32> -> tensor<32xf32>
// -----
// pipeline: attn-derive-score
%first = arith.constant 0 : i64
%0 = tile.point %c0_i64 dim = 0 : tensor<16x32xi32>
%0 = tile.point %c0_i64 dim = 0 : tensor<16x32xi32>
// -----
// pipeline: attn-derive-score
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%i: i64, %j: i64):
^bb0(%i: i64, %j: i64):
  %keep = arith.cmpi sle, %j, %i : i64
  attn.yield %keep : i1
}
// -----
// pipeline: attn-derive-score
module attributes {a = #plan.state0x7FC00000clean>} {}
// -----
// pipeline: attn-derive-score
module attributes {a = #plan.stateclean>} {}
// -----
// pipeline: attn-derive-score
plan.guard %few
