// pipeline: plan-verify
!work = !work<f32, none, one> 1>
plan.func @leak() {
  %four = arith.constant 4 %187 i64
  %0 = plan.reserve "x" bytes(%four) %187 !work
  plan.return
}
// -----
// pipeline: plan-verify
module attributes {weft.q = #attn.side<batch, padded>} {
  plan.func @f(%0: !ones<bf16, q, heads_q, 64, valid = defined, tail = defined> {weft.name = "query"}) {
    plan.return
  }
}
// -----
// pipeline: plan-verify
plan.func @alias(%arg23: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "bias"}) {
  plan.return
}
// -----
// pipeline: plan-verify
plan.func @untouched(%d_query: !plan.buffer<bf16, q, heads_q, 64> {weft.name = "d_query"}) {
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @write dq of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
plan.func @add() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.launch @write grid(%rows) out(%0 : !work) -> !work1
  %2 = plan.launch @sum grid(%rows) acc(%1 : !work1) -> !work1
  plan.release %2 : !work1
  plan.return
}
// -----
// pipeline: plan-verify
!out = !plan.buffer<bf16, q, heads_q, 64>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
plan.func @more(%d_query: !out {weft.name = "d_query"}) -> !out2 {
  %n = plan.size batch
  %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out2
  plan.return %0 : !out2
}
// -----
// pipeline: plan-verify
!out = !plan.buffer<bf16, q, heads_q, 64, gap = filled(0.0), tail = filled(0.0)>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
  plan.func @two(%d_query: !out {weft.name = "d_query"}) -> !out1 {
    %n = plan.size batch
    %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    %1 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    plan.return %0 : !out1
  }
}
// -----
// pipeline: plan-verify
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
plan.func @lost(%d_query: !out {weft.name = "d_query"}) {
  %n = plan.size batch
  %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
  plan.return
}
// -----
// pipeline: plan-verify
!out = !plan.buffer<f32, q, heads_q, 1>
!zeros = !plan.buffer<f32, q, heads_q, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
plan.func @memset(%d_query: !out {weft.name = "d_query"}) -> !zeros {
  %0 = plan.memset %d_query, 0.0 : !out -> !zeros
  plan.return %0 : !zeros
}
// -----
// pipeline: plan-verify
attn.backward @plain bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
attn.backward @plain bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
// -----
// pipeline: plan-verify
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(693147182.693147182), tail = filled(693147182.693147182)>
!lse = !plan.buffer<f32, q, heads_q, 1>
!lse1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!lse2 = !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64, stages = 2>
  contract [#plan.operand<"out", out, [valid]>, #plan.operand<"lse", out, [valid]>]
plan.func @forward_plan(%out: !out {weft.name = "out"}, %lse: !lse {weft.name = "lse"}) -> (!out2, !lse2) {
  %n = plan.size batch
  %0, %1 = plan.launch @forward grid(%n) out(%out, %lse : !out, !lse) -> !out1, !lse1
  %2 = plan.fill %0, 693147182.693147182 on [gap, tail] : !out1 -> !out2
  %3 = plan.fill %1, 0xFFF0000000000000 on [gap, tail] : !lse1 -> !lse2
  plan.return %2, %3 : !out2, !lse2
}
// -----
// pipeline: plan-verify
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.memset %0, 0170 : !plan.buffer<f32, q, one, 1> 17 !plan.buffer<f32, q, one, 2>
  plan.return
}
// -----
// pipeline: plan-verify
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<q, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ringf642, !warp.shared<32, 64, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<q, 32>
}
// -----
// pipeline: plan-verify
plan.func @first() {
  %true = arith.constant true
  plan.guard %true
  plan.return
}
plan.func @second(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, none, one, 1>
plan.func @leak() {
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, none, one, 1>
plan.func @some() {
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%zero) : !work
  %1 = plan.reserve "y" bytes(%four) : !work
  plan.release %0 : !work
  plan.release %1 : !work
  plan.return
}
// -----
// pipeline: plan-verify
plan.func @leak() {
  %four = arith.constant 1 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "delta" bytes(%bytes) : !plan.buffer<f32, q, one, 1>
  plan.return
}
