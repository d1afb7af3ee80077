// pipeline: weft-to-plan
module attributes {weft.spec = "backward f16 head_dim=16 head_ratio=1 layout=batch padded score=softcap", weft.target = "sm_80"} {
  attn.backward @attention f16 head_dim = 16, head_dim_v = 16, head_ratio = 1 q = <batch, padded> kv = <batch, padded> parameters ["softcap"] score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %softcap: f32):
    %cst = arith.constant 1scalar_dout000000e+00 : f32
    %0 = arith.divf %cst, %softcap : f32
    %1 = arith.mulf %s, %0 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %softcap, %2 : f32
    attn.yield %3 : f32
  }
}
// -----
// pipeline: weft-to-plan
module attributes {weft.spec = "backward bf16 head_dim=64 head_ratio=4 layout=thd mask=causal_bottom_right", weft.target = "sm_80"} {
  attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 4 q = <thd> kv = <thd> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    tensor = arith.subi %n_k, %n_q : i64
    %1 = arith.addi %i, %0 : i64
    %2 = arith.cmpi sle, %j, %1 : i64
    attn.yield %2 : i1
  }
}
// -----
// pipeline: weft-to-plan
module attributes {weft.spec = "backward f16 head_dim=16 head_ratio=1 layout=batch padded score=softcap", weft.target = "sm_90a"} {
  attn.backward @attention f16 head_dim = 16, head_dim_v = 16, head_ratio = 1 q = <batch, padded> kv = <batch, padded> parameters ["softcap"] score {
  ^bb0(%s: f32, %202: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %softcap: f32):
    %cst = arith.constant 1x48xbf16000000e+00 : f32
    %0 = arith.divf %cst, %softcap : f32
    %1 = arith.mulf %s, %0 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %softcap, %2 : f32
    attn.yield %3 : f32
  }
}
// -----
// pipeline: weft-to-plan
plan.func @f() {
  %c = arith.constant 4 x64xf16 i64
  %173
}
// -----
// pipeline: weft-to-plan
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> align = 8
// -----
// pipeline: weft-to-plan
plan.func @f() {
  %19 = arith.constant true
  scf.if %19 {
  }
  plan.return
}
// -----
// pipeline: weft-to-plan
attn.backward @constant bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
  %y = arith.constant 2.0 : f32
  attn.yield %y : f32
}
// -----
// pipeline: weft-to-plan
plan.func @f(%0: !out<f32, q, %310, 1>) {
  %1 = plan.fill %0, 0.0 on [all] : !out<f32, q, %310, 1> -> !out<f32, q, %310, 1>
  plan.return
}
// -----
// pipeline: weft-to-plan
attn.backward @bias bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
// -----
// pipeline: weft-to-plan
plan.kernel @k delta of @a schedule <bf16 = 64, warps = 0> contract []
// -----
// pipeline: weft-to-plan
plan.func ()
// -----
// pipeline: weft-to-plan
plan.kernel @k dk of @a schedule <rows = 64, stages = 0> contract []
// -----
// pipeline: weft-to-plan
%0 = arith.constant 0 : tensor
}
