// RUN: weft-opt %s -split-input-file -plan-launch-early | FileCheck %s

// The second launch, but not the one behind a memset, nor any where the target
// has no such launches.

!x = !plan.buffer<f32, q, heads_q, 1>
!x0 = !plan.buffer<f32, q, heads_q, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!x1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!x2 = !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.target = "sm_90a"} {
  plan.kernel @write delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
  plan.kernel @add dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
  // CHECK-LABEL: plan.func @f
  plan.func @f() {
    %n = plan.size batch
    %0 = plan.reserve "x" bytes(%n) : !x
    // CHECK: plan.launch @write grid(%batch) out
    %1 = plan.launch @write grid(%n) out(%0 : !x) -> !x1
    // CHECK: plan.launch @write grid(%batch) early out
    %2 = plan.launch @write grid(%n) out(%1 : !x1) -> !x1
    plan.release %2 : !x1
    %3 = plan.reserve "y" bytes(%n) : !x
    %4 = plan.memset %3, 0.0 : !x -> !x0
    // CHECK: plan.launch @add grid(%batch) acc
    %5 = plan.launch @add grid(%n) acc(%4 : !x0) -> !x2
    // CHECK: plan.launch @add grid(%batch) early acc
    %6 = plan.launch @add grid(%n) acc(%5 : !x2) -> !x2
    plan.release %6 : !x2
    plan.return
  }
}

// -----

!x = !plan.buffer<f32, q, heads_q, 1>
!x1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
module attributes {weft.target = "sm_80"} {
  plan.kernel @write delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
  // CHECK-LABEL: plan.func @older
  // CHECK-NOT: early
  plan.func @older() {
    %n = plan.size batch
    %0 = plan.reserve "x" bytes(%n) : !x
    %1 = plan.launch @write grid(%n) out(%0 : !x) -> !x1
    %2 = plan.launch @write grid(%n) out(%1 : !x1) -> !x1
    plan.release %2 : !x1
    plan.return
  }
}
