// RUN: weft-opt %s -plan-merge-fills -split-input-file -verify-diagnostics

!out = !plan.buffer<f32, q, heads_q, 64>
!out1 = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
!out2 = !plan.buffer<f32, q, heads_q, 64, valid = defined>
!out3 = !plan.buffer<f32, q, heads_q, 64, valid = defined, gap = filled(0.0)>
plan.kernel @dq dq of @attention schedule <rows = 64> contract [#plan.operand<"d_query", acc, [valid]>]
plan.func @early(%d_query: !out {weft.name = "d_query"}) -> !out3 {
  %n = plan.size batch
  // expected-error @below {{of 'd_query' cannot join the fills of its plan: what it returns is used before the last of them; put the fills of a plan after its launches}}
  %0 = plan.fill %d_query, 0.0 on [valid] : !out -> !out1
  %1 = plan.launch @dq grid(%n) acc(%0 : !out1) -> !out2
  %2 = plan.fill %1, 0.0 on [gap] : !out2 -> !out3
  plan.return %2 : !out3
}

// -----

!out = !plan.buffer<f32, q, heads_q, 64>
!out1 = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
plan.func @alone(%d_query: !out {weft.name = "d_query"}) -> !out1 {
  // expected-error @below {{stands in a plan without a launch, which would name the problem}}
  %0 = plan.fill %d_query, 0.0 on [valid] : !out -> !out1
  plan.return %0 : !out1
}
