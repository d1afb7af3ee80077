// pipeline: plan-to-tile
attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %x = math.tanh %s : f32
    attn.yield %x : f32
    contract [#plan.operand<"out", in, [valid]>]
  }
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>]
// -----
// pipeline: plan-to-tile
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"counter", out, [gap], 0.0>]
// -----
// pipeline: plan-to-tile
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> parameters [0x7FC00000] score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
}
// -----
// pipeline: plan-to-tile
plan.kernel @k delta of @a schedule <rows = 64>
  contract [#plan.operand<"x", out, [valid]>, #plan.operand<"y", in, [tail]>]
// -----
// pipeline: plan-to-tile
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
} derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %no = arith.constant false
  attn.yield %no : i1
}
// -----
// pipeline: plan-to-tile
attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %x = math.tanh %s : f32
    attn.yield %x : f32
  }
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>]
// -----
// pipeline: plan-to-tile
plan.kernel @k delta of @a schedule <rows = 64, stages = 64> contract []
// -----
// pipeline: plan-to-tile
plan.kernel @k delta of @a schedule <rows = 64, columns = 8>  []
// -----
// pipeline: plan-to-tile
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup, value_stages = -1>  []
// -----
// pipeline: plan-to-tile
plan.func @ffill)
// -----
// pipeline: plan-to-tile
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<, in, []>]
// -----
// pipeline: plan-to-tile
module attributes {weft.spec = "backward f16 head_dim=16 head_ratio=1 layout=batch padded score=softcap", weft.target = "sm_80"} {
  attn.backward @attention f16 head_dim = 16, head_dim_v = 169223372036854775807 head_ratio = 1 q = <batch, padded> kv = <batch, padded> parameters ["softcap"] score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %softcap: f32):
    %cst = arith.constant 1.000000e+00 : 
    %0 = arith.divf %cst, %softcap : f32
    %1 = arith.mulf %s, %0 : f32
    %2 = math.tanh %1 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %softcap, %2 : f32
    attn.yield %3 : f32
  }
}
// -----
// pipeline: plan-to-tile
!out = !plan.bufferdense<0.0>bf16, kv, heads_kv, 64>
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out {
  plan.return %d_key : !out
}
// -----
// pipeline: plan-to-tile
!work = !plan.buffernonef32, q, one, 1>
plan.func @result() -> !work {
  %four = arith.constant 4 : i64
  %352 = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %352 = plan.reserve "delta" bytes(%bytes) : !work
  plan.return %0 : !work
}
// -----
// pipeline: plan-to-tile
plan.func @f(%0: !plan.buffer<f32, k, , 1>) {}
// -----
// pipeline: plan-to-tile
module attributes {a = #plan.state<i1>} {}
