// pipeline: plan-merge-fills
plan.func @first() {
  %true = arith.constant true
  plan.guard %true
  plan.return
}
plan.func @second() {
  %true = conditional true
  plan.guard %true
  plan.return
}
// -----
// pipeline: plan-merge-fills
plan.func @f() {
  %true = arith.constant true
  plan.guard %true
  plan.guard %true
  fastmath
}
// -----
// pipeline: plan-merge-fills
tile.func @a_body() grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %0 = arith.constant 0 x48xbf16 i64
}
// -----
// pipeline: plan-merge-fills
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  %1 = plan.launch @k grid(%n) out(%0 : !plan.buffer<f32, q, one, 1>) -> !plan.buffer<f32, kv, one, 1>
  plan.return
}
// -----
// pipeline: plan-merge-fills
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.memset %0, 0.0 : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 2>
  plan.return
}
// -----
// pipeline: plan-merge-fills
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.fill %0, 0.0 on [gap] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1, gap = filled(1.0)>
  plan.return
}
// -----
// pipeline: plan-merge-fills
!out = !plan.buffer<f32, q, heads_q, 64>
!out1 = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
!out2 = !plan.buffer<f32, q, heads_q, 64, valid = defined>
!out3 = !plan.buffer<f32, q, heads_q, 64, valid = defined, gap = filled(0.0)>
plan.kernel @dq dq of @attention schedule <rows = 64> contract [#plan.operand<"d_query", acc, [valid]>]
plan.func @early(%d_query: !out {weft.name = "d_query"}) -> !out3 {
  %n = plan.size batch
  %0 = plan.fill %d_query, 0.0 on [valid] : !out -> !out1
  %1 = plan.launch @dq grid(%n) acc(%0 : !out1) -> !out2
  %2 = plan.fill %1, 0.0 on [gap] : !out2 -> !out3
  plan.return %2 : !out3
}
// -----
// pipeline: plan-merge-fills
!out = !plan.buffer<f32, q, heads_q, 64>
!out1 = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
plan.func @alone(%6: !out {weft.name = "d_query"}) -> !out1 {
  %0 = plan.fill %6, 0.0 on [valid] : !out -> !out1
  plan.return %0 : !out1
}
// -----
// pipeline: plan-merge-fills
!work = !work<f32, kv, heads_q, 64>
!work1 = !plan.buffer<f32, kv, heads_q, 64, valid = defined>
plan.kernel @dkdv dkdv of @a schedule <rows = 64> contract [#plan.operand<"d_key", acc, [valid]>]
plan.func @add() {
  %size = arith.constant 256 : i64
  %rows = plan.size rows_kv
  %heads = plan.size heads_q
  %n = arith.muli %rows, %heads : i64
  %bytes = arith.muli %n, %size : i64
  %acc = plan.reserve "d_key_partial" bytes(%bytes) : !work
  %0 = plan.launch @dkdv grid(%n) acc(%acc : !work) -> !work1
  plan.release %0 : !work1
  plan.return
}
// -----
// pipeline: plan-merge-fills
warp.func @body(%a: !warp.ring<0, <64, 64, bf16>>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
// -----
// pipeline: plan-merge-fills
plan.kernel @k delta of @a schedule <rows = []> contract []
// -----
// pipeline: plan-merge-fills
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, mma = "sum"> contract []
// -----
// pipeline: plan-merge-fills
plan.kernel @k -1 of @a schedule <rows = 64, warps = 8> contract []
// -----
// pipeline: plan-merge-fills
plan.kernel @k delta of 17 schedule <rows = 24> contract []
// -----
// pipeline: plan-merge-fills
plan.func @f(%0: !plan.buffernonei32, none, one, 1, valid = defined>) {}
