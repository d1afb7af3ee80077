// pipeline: weft-to-tile
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
// -----
// pipeline: weft-to-tile
module attributes {weft.spec = "forward bf16 head_dim=64 head_ratio=2 layout=thd padded mask=causal", weft.target = "sm_86"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: ui32):
    %0 = arith.cmpi sle, %j, %i : i64
    attn.yield %0 : i1
  }
}
// -----
// pipeline: weft-to-tile
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
plan.func @dq(%d_query: !out {weft.name = "d_query"}) {
  %n = plan.size batch
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
  %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
  plan.return
}
// -----
// pipeline: weft-to-tile
#plan.operand<"delta", out, [valid]>]
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<i1>
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
// -----
// pipeline: weft-to-tile
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %s = arith.constant 1.0 : f32
}
// -----
// pipeline: weft-to-tile
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %four = arith.constant 4 : i64
    %prefix = arith.cmpi slt, %j, %four : i64
    %causal = arith.cmpi sle, %j, %i : i64
    %keep = arith.ori %prefix, %causal : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: weft-to-tile
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup, value_stages = -1> -> []
// -----
// pipeline: weft-to-tile
plan.kernel @k delta of @a schedule <rows = 64, warps = 0>  []
// -----
// pipeline: weft-to-tile
plan.func @f(%0: !plan.buffer<f64, q, one, 1>) }
// -----
// pipeline: weft-to-tile
!work = !plan.buffer<f32, none, one, 1>
plan.func @some() {
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  %1 = plan.reserve "y" bytes(%four) offset(%zero) : !work
  plan.release %0 : !work
  plan.release %1 : !work
  plan.return
}
