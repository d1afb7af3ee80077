// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s -mlir-print-op-generic | weft-opt | FileCheck %s

// CHECK: plan.kernel @dkdv dkdv of @attention schedule <rows = 64, columns = 32, stages = 2>
// CHECK-SAME: contract [#plan.operand<"query", in, [valid]>, #plan.operand<"turn", acc, [all]>, #plan.operand<"d_key", out, [valid, gap], 5.000000e-01>]
plan.kernel @dkdv dkdv of @attention schedule <rows = 64, columns = 32, stages = 2>
  contract [#plan.operand<"query", in, [valid]>, #plan.operand<"turn", acc, [all]>, #plan.operand<"d_key", out, [valid, gap], 0.5>]

// CHECK: plan.kernel @shared forward of @attention schedule <rows = 64, columns = 64, mma = warpgroup, persistent = true, ctas_per_sm = 2>
// CHECK-NEXT: plan.kernel @alone forward of @attention schedule <rows = 64, columns = 64, mma = warpgroup>
plan.kernel @shared forward of @attention schedule <rows = 64, columns = 64, mma = warpgroup, persistent = true, ctas_per_sm = 2>
  contract []
plan.kernel @alone forward of @attention schedule <rows = 64, columns = 64, mma = warpgroup, ctas_per_sm = 1> contract []

// CHECK: plan.func @backward(%query: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}, %d_key: !plan.buffer<bf16, kv, heads_kv, 64> {weft.name = "d_key"}) -> !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(5.000000e-01), gap = filled(5.000000e-01), tail = filled(0.000000e+00)> {
plan.func @backward(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"},
                    %1: !plan.buffer<bf16, kv, heads_kv, 64> {weft.name = "d_key"})
    -> !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5), tail = filled(0.0)> {
  // CHECK: %sm_count = plan.size sm_count
  %2 = plan.size sm_count
  %c4 = arith.constant 4 : i64
  %few = arith.cmpi sle, %2, %c4 : i64
  // CHECK: plan.guard %{{.*}}
  plan.guard %few
  // CHECK: %turn = plan.reserve "turn" bytes(%c4_i64) offset(%c4_i64) : <i32, none, one, 1>
  %3 = plan.reserve "turn" bytes(%c4) offset(%c4) : !plan.buffer<i32, none, one, 1>
  // CHECK: %turn_0 = plan.memset %turn, 0.000000e+00 : <i32, none, one, 1> -> <i32, none, one, 1, all = filled(0.000000e+00)>
  %4 = plan.memset %3, 0.0 : !plan.buffer<i32, none, one, 1> -> !plan.buffer<i32, none, one, 1, all = filled(0.0)>
  // CHECK: %turn_1, %d_key_2 = plan.launch @dkdv grid(%sm_count) early in(%query : !plan.buffer<bf16, q, heads_q, 64, valid = defined>) acc(%turn_0 : !plan.buffer<i32, none, one, 1, all = filled(0.000000e+00)>) out(%d_key : !plan.buffer<bf16, kv, heads_kv, 64>) -> !plan.buffer<i32, none, one, 1, all = defined>, !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(5.000000e-01), gap = filled(5.000000e-01)>
  %5, %6 = plan.launch @dkdv grid(%2) early in(%0 : !plan.buffer<bf16, q, heads_q, 64, valid = defined>)
    acc(%4 : !plan.buffer<i32, none, one, 1, all = filled(0.0)>) out(%1 : !plan.buffer<bf16, kv, heads_kv, 64>)
    -> !plan.buffer<i32, none, one, 1, all = defined>, !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5)>
  // CHECK: %d_key_3 = plan.fill %d_key_2, 0.000000e+00 on [tail] : !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(5.000000e-01), gap = filled(5.000000e-01)> -> !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(5.000000e-01), gap = filled(5.000000e-01), tail = filled(0.000000e+00)>
  %7 = plan.fill %6, 0.0 on [tail] : !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5)> -> !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5), tail = filled(0.0)>
  // CHECK: plan.release %turn_1 : <i32, none, one, 1, all = defined>
  plan.release %5 : !plan.buffer<i32, none, one, 1, all = defined>
  // CHECK: plan.return %d_key_3
  plan.return %7 : !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5), tail = filled(0.0)>
}

// CHECK: #plan.state<undefined>
// CHECK: #plan.state<filled(0x7FF0000000000000)>
module attributes {a.before = #plan.state<undefined>, b.after = #plan.state<filled(0x7FF0000000000000)>} {}

// CHECK: plan.kernel @convert reduce of @attention schedule <rows = 64>
// CHECK-SAME: contract [#plan.operand<"sum", in, [valid], rounded = 64>, #plan.operand<"zeros", out, [valid], 0.000000e+00, rounded = 8>]
plan.kernel @convert reduce of @attention schedule <rows = 64>
  contract [#plan.operand<"sum", in, [valid], rounded = 64>, #plan.operand<"zeros", out, [valid], 0.0, rounded = 8>]

// CHECK: !plan.buffer<f32, q, heads_q, 64, rounded = 64, valid = filled(0.000000e+00)>
module attributes {a.type = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0), rounded = 64>} {}

// CHECK: plan.kernel @in_turn dq of @attention schedule <rows = 64>
// CHECK-SAME: contract [#plan.operand<"sum", ordered, [valid], rounded = 64>, #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"tickets", counter, [all]>]
plan.kernel @in_turn dq of @attention schedule <rows = 64>
  contract [#plan.operand<"sum", ordered, [valid], rounded = 64>, #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"tickets", counter, [all]>]
