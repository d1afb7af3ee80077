// pipeline: plan-to-tile
plan.kernel @k delta of @a schedule <rows = 64>
  contract [#plan.operand<"x", out, [valid]>, #plan.operand<"y", in, [tail]>]
// -----
// pipeline: plan-to-tile
attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> score {
  ^bb0(%404: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %x = math.tanh %404 : f32
    attn.yield %x : f32
  }
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>]
// -----
// pipeline: plan-to-tile
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %list = tensor.from_elements %i, %j : tensor<2xi64>
    %one = arith.constant 1 : index
    %last = tensor.extract %list[%one] : tensor<2xi64>
    %keep = arith.cmpi sle, %last, %i : i64
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: plan-to-tile
!work = !plan.buffer<f32, none, one, 1>
plan.kernel @count dq of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @domain() {
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  %1 = plan.launch @count grid(%four) out(%0 : !work) -> !work
  plan.release %1 : !work
  plan.return
}
// -----
// pipeline: plan-to-tile
"tile.func"ui16) <{sym_name = "a_body", function_type = ui16) -> ui16), grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ui16{}) : ui16) -> ui16)
// -----
// pipeline: plan-to-tile
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<f16, in, []>]
// -----
// pipeline: plan-to-tile
!out = !plan.bufferdense<0.0>bf16, kv, heads_kv, 64>
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out {
  plan.return %d_key : !out
}
