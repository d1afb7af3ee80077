// RUN: weft-opt %s -plan-merge-fills -split-input-file -verify-diagnostics | FileCheck %s

// CHECK: plan.kernel @fill fill of @attention schedule <rows = 256>
// CHECK-SAME: contract [#plan.operand<"out", out, [gap, tail], 0.000000e+00>, #plan.operand<"lse", out, [gap, tail], 0xFFF0000000000000>]
// CHECK: plan.func @forward_plan(
// CHECK: %[[OUT:.*]], %[[LSE:.*]] = plan.launch @forward
// CHECK: %[[ROWS:.*]] = arith.maxsi %rows_q, %rows_kv
// CHECK: %[[TILES:.*]] = arith.ceildivsi %[[ROWS]], %c256
// CHECK: %[[CTAS:.*]] = arith.muli %[[TILES]], %heads_q
// CHECK-NOT: plan.fill
// CHECK: %[[O:.*]], %[[L:.*]] = plan.launch @fill grid(%[[CTAS]]) out(%[[OUT]], %[[LSE]] :
// CHECK: plan.return %[[O]], %[[L]]
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!lse = !plan.buffer<f32, q, heads_q, 1>
!lse1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!lse2 = !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64, stages = 2>
  contract [#plan.operand<"out", out, [valid]>, #plan.operand<"lse", out, [valid]>]
plan.func @forward_plan(%out: !out {weft.name = "out"}, %lse: !lse {weft.name = "lse"}) -> (!out2, !lse2) {
  %n = plan.size batch
  %0, %1 = plan.launch @forward grid(%n) out(%out, %lse : !out, !lse) -> !out1, !lse1
  %2 = plan.fill %0, 0.0 on [gap, tail] : !out1 -> !out2
  %3 = plan.fill %1, 0xFFF0000000000000 on [gap, tail] : !lse1 -> !lse2
  plan.return %2, %3 : !out2, !lse2
}

// -----

// Equal fills of two variants share a kernel, others do not.
// CHECK: plan.kernel @fill fill
// CHECK: plan.kernel @fill_1 fill
// CHECK: plan.func @one(
// CHECK: plan.launch @fill grid
// CHECK: plan.func @two(
// CHECK: plan.launch @fill grid
// CHECK: plan.func @three(
// CHECK: plan.launch @fill_1 grid
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)>
!out3 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, tail = filled(0.0)>
plan.kernel @forward forward of @attention schedule <rows = 64> contract [#plan.operand<"out", out, [valid]>]
plan.func @one(%out: !out {weft.name = "out"}) -> !out2 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%out : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [gap] : !out1 -> !out2
  plan.return %1 : !out2
}
plan.func @two(%out: !out {weft.name = "out"}) -> !out2 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%out : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [gap] : !out1 -> !out2
  plan.return %1 : !out2
}
plan.func @three(%out: !out {weft.name = "out"}) -> !out3 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%out : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [tail] : !out1 -> !out3
  plan.return %1 : !out3
}
