// RUN: weft-opt %s -attn-to-plan -split-input-file | FileCheck %s

// A forward over packed rows: LSE is -inf where no sequence is, O is 0.
module attributes {weft.target = "sm_80"} {
  attn.forward @attention bf16 head_dim = 128, head_dim_v = 64, head_ratio = 2 q = <thd> kv = <batch>
}
// CHECK-LABEL: module attributes
// CHECK-SAME: weft.align = 16 : i64
// CHECK-SAME: weft.kv = #attn.side<batch>, weft.q = #attn.side<thd>
// CHECK: attn.forward @attention
// CHECK: plan.kernel @forward forward of @attention schedule <rows = 128, columns = 64, stages = 2>
// CHECK-SAME: contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>, #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>, #plan.operand<"lse", out, [valid]>]
// CHECK: plan.func @forward_plan(
// CHECK-SAME: %query: !plan.buffer<bf16, q, heads_q, 128, valid = defined> {weft.name = "query"}
// CHECK-SAME: %value: !plan.buffer<bf16, kv, heads_kv, 64, valid = defined> {weft.name = "value"}
// CHECK-SAME: %out: !plan.buffer<bf16, q, heads_q, 64> {weft.name = "out"}
// CHECK-SAME: %lse: !plan.buffer<f32, q, heads_q, 1> {weft.name = "lse"}
// CHECK: %[[BATCH:.*]] = plan.size batch
// CHECK: %[[ROWS:.*]] = plan.size rows_q
// CHECK: %[[TILES:.*]] = arith.ceildivsi %[[ROWS]], %c128
// CHECK: %[[SLOTS:.*]] = arith.addi %[[TILES]], %[[BATCH]]
// CHECK: %[[HEADS:.*]] = plan.size heads_q
// CHECK: %[[CTAS:.*]] = arith.muli %[[SLOTS]], %[[HEADS]]
// CHECK: %[[OUT:.*]], %[[LSE:.*]] = plan.launch @forward grid(%[[CTAS]]) in(%query, %key, %value : {{.*}}) out(%out, %lse
// CHECK: %[[O:.*]] = plan.fill %[[OUT]], 0.000000e+00 on [gap, tail]
// CHECK: %[[L:.*]] = plan.fill %[[LSE]], 0xFFF0000000000000 on [gap, tail]
// CHECK: plan.return %[[O]], %[[L]]

// -----

// Rows in batches without padding: nothing lies outside, nothing is filled.
module attributes {weft.target = "sm_80"} {
  attn.forward @attention f16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch, padded>
}
// CHECK-LABEL: module attributes
// CHECK: plan.func @forward_plan(
// CHECK-SAME: %out: !plan.buffer<f16, q, heads_q, 64, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>
// CHECK: %[[BATCH:.*]] = plan.size batch
// CHECK: %[[TILES:.*]] = arith.ceildivsi %{{.*}}, %c128
// CHECK: arith.muli %[[BATCH]], %[[TILES]]
// CHECK: plan.launch @forward
// CHECK-NOT: plan.fill
// CHECK: plan.return

// -----

// As many key heads as query heads: one variant.
module attributes {weft.target = "sm_90a"} {
  attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> deterministic
}
// CHECK-LABEL: module attributes
// CHECK-SAME: weft.deterministic
// CHECK-NOT: _split
// CHECK: plan.func @backward(
// CHECK: %delta = plan.reserve "delta" bytes
// CHECK: %lse_log2 = plan.reserve "lse_log2" bytes
// CHECK: %[[DELTA:.*]], %[[LSE:.*]] = plan.launch @delta {{.*}} in(%out, %d_out, %lse : {{.*}}) out(%delta, %lse_log2
// CHECK: %[[DK:.*]], %[[DV:.*]] = plan.launch @dkdv {{.*}} in(%query, %key, %value, %d_out, %[[LSE]], %[[DELTA]] : {{.*}}) out(%d_key, %d_value
// CHECK: %[[DQ:.*]] = plan.launch @dq {{.*}} in(%query, %key, %value, %d_out, %[[LSE]], %[[DELTA]] : {{.*}}) out(%d_query
// CHECK: plan.release %[[DELTA]]
// CHECK: plan.release %[[LSE]]
// CHECK: plan.return %[[DQ]], %[[DK]], %[[DV]]

// -----

// Grouped-query heads: first the variant that splits a group over CTAs, guarded,
// then the one that walks it.
module attributes {weft.target = "sm_80"} {
  attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 4 q = <thd> kv = <thd, padded>
}
// CHECK-LABEL: module attributes
// CHECK-NOT: weft.deterministic
// CHECK: plan.kernel @dkdv_split dkdv
// CHECK-SAME: #plan.operand<"d_key_partial", out, [valid]>, #plan.operand<"d_value_partial", out, [valid]>
// CHECK: plan.kernel @reduce_dk reduce
// CHECK-SAME: contract [#plan.operand<"d_key_partial", in, [valid]>, #plan.operand<"d_key", out, [valid]>]
// CHECK: plan.kernel @dkdv dkdv
// CHECK: plan.func @backward_split(
// CHECK: %[[TILES:.*]] = arith.muli %{{.*}}, %heads_kv
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %[[TILES]], %sm_count
// CHECK: plan.guard %[[FEW]]
// CHECK: plan.reserve "d_key_partial" {{.*}} : <f32, kv, heads_q, 64>
// CHECK: %[[DKP:.*]], %[[DVP:.*]] = plan.launch @dkdv_split
// CHECK: plan.launch @reduce_dk grid(%{{.*}}) in(%[[DKP]] : {{.*}}) out(%d_key
// CHECK: plan.release %[[DKP]]
// CHECK: plan.launch @reduce_dv grid(%{{.*}}) in(%[[DVP]] : {{.*}}) out(%d_value
// CHECK: plan.release %[[DVP]]
// CHECK: plan.launch @dq
// CHECK: plan.fill {{.*}} on [gap, tail]
// CHECK: plan.func @backward(
// CHECK-NOT: plan.guard
// CHECK-NOT: partial
// CHECK: plan.launch @dkdv grid

// -----

// Accumulators of dK and dV do not fit together: a kernel each, and in the split
// variant one partial is gone before the next one is reserved.
module attributes {weft.target = "sm_86"} {
  attn.backward @attention bf16 head_dim = 256, head_dim_v = 256, head_ratio = 8 q = <batch> kv = <batch>
}
// CHECK-LABEL: module attributes
// CHECK: plan.kernel @dv_split dv
// CHECK-SAME: contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>, #plan.operand<"d_out", in, [valid]>, #plan.operand<"lse_log2", in, [valid]>, #plan.operand<"d_value_partial", out, [valid]>]
// CHECK: plan.func @backward_split(
// CHECK: plan.launch @dk_split
// CHECK: plan.launch @reduce_dk
// CHECK: plan.release
// CHECK: plan.reserve "d_value_partial"
// CHECK: plan.launch @dv_split
// CHECK: plan.launch @reduce_dv
// CHECK: plan.launch @dq
// CHECK: plan.func @backward(
// CHECK: plan.launch @dk grid
// CHECK: plan.launch @dv grid
// CHECK: plan.launch @dq grid

// -----

// Warpgroup products where the target has them and rows are aligned for bulk
// copies.
module attributes {weft.target = "sm_90a"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
}
// CHECK-LABEL: module attributes
// CHECK: plan.kernel @forward {{.*}} mma = warpgroup

// -----

module attributes {weft.target = "sm_90a"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> align = 2
}
// CHECK-LABEL: module attributes
// CHECK: plan.kernel @forward
// CHECK-NOT: warpgroup
// CHECK: plan.func

// -----

// Where a table has a schedule for it, one kernel makes all gradients; dQ is a
// sum that its points add to, so the sum starts from zeros.
module attributes {weft.target = "sm_90a", weft.tuning = "{\22rows\22: [{\22kernel\22: \22dqkv\22, \22head_dim\22: 128, \22head_dim_v\22: 128, \22mask\22: \22any\22, \22schedules\22: [\22rows = 128, columns = 64, warps = 8, stages = 2, mma = warpgroup, persistent = true\22]}]}"} {
  attn.backward @attention bf16 head_dim = 128, head_dim_v = 128, head_ratio = 1 q = <batch> kv = <batch>
}
// CHECK: plan.kernel @dqkv dqkv of @attention
// CHECK-SAME: #plan.operand<"d_query_sum", acc, [valid]{{.*}}>, #plan.operand<"d_key", out, [valid]>, #plan.operand<"d_value", out, [valid]>]
// CHECK: plan.kernel @convert convert of @attention
// CHECK: %[[SUM:.*]] = plan.reserve "d_query_sum"
// CHECK: %[[ZEROS:.*]] = plan.memset %[[SUM]], 0.000000e+00
// CHECK: %[[ADDED:.*]], %{{.*}}, %{{.*}} = plan.launch @dqkv
// CHECK-SAME: acc(%[[ZEROS]]
// CHECK: %[[DQ:.*]] = plan.launch @convert grid(%{{.*}}) in(%[[ADDED]]
// CHECK: plan.release %[[ADDED]]
// CHECK: plan.return %[[DQ]]

// -----

// Adds have no order: not where the result has to be the same bits every time.
module attributes {weft.target = "sm_90a", weft.tuning = "{\22rows\22: [{\22kernel\22: \22dqkv\22, \22head_dim\22: 128, \22head_dim_v\22: 128, \22mask\22: \22any\22, \22schedules\22: [\22rows = 128, columns = 64, warps = 8, stages = 2, mma = warpgroup, persistent = true\22]}]}"} {
  attn.backward @attention bf16 head_dim = 128, head_dim_v = 128, head_ratio = 1 q = <batch> kv = <batch> deterministic
}
// CHECK-NOT: plan.memset
// CHECK: plan.launch @dkdv
// CHECK: plan.launch @dq

// -----

// Packed queries, and rows of the tuning table for short ones: a plan for each
// length, the shortest first, guarded by what the host knows of the mean length,
// and the usual one for all that are left. No variant where it would be the same.
module attributes {weft.target = "sm_90a", weft.tuning = "{\22rows\22: [{\22kernel\22: \22forward\22, \22head_dim\22: 128, \22head_dim_v\22: 128, \22length\22: 200, \22schedules\22: [\22rows = 128, columns = 96, warps = 8, mma = warpgroup, persistent = true\22]}, {\22kernel\22: \22forward\22, \22head_dim\22: 128, \22head_dim_v\22: 128, \22length\22: 500, \22schedules\22: [\22rows = 128, columns = 32, warps = 8, mma = warpgroup, persistent = true\22]}, {\22kernel\22: \22forward\22, \22head_dim\22: 128, \22head_dim_v\22: 128, \22schedules\22: [\22rows = 128, columns = 32, warps = 8, mma = warpgroup, persistent = true\22]}]}"} {
  attn.forward @by_length bf16 head_dim = 128, head_dim_v = 128, head_ratio = 1 q = <thd> kv = <thd>
}
// CHECK-LABEL: attn.forward @by_length
// CHECK-NOT: _500
// CHECK: plan.kernel @forward_200 forward of @by_length schedule <rows = 128, columns = 96, warps = 8, mma = warpgroup, persistent = true>
// CHECK-NEXT: plan.kernel @forward forward of @by_length schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup, persistent = true>
// CHECK-NOT: _500
// CHECK: plan.func @forward_plan_200(
// CHECK-DAG: %[[ROWS:.*]] = plan.size rows_q
// CHECK-DAG: %[[BATCH:.*]] = plan.size batch
// CHECK: %[[MOST:.*]] = arith.muli %[[BATCH]], %c200
// CHECK: %[[SHORT:.*]] = arith.cmpi sle, %[[ROWS]], %[[MOST]]
// CHECK-NEXT: plan.guard %[[SHORT]]
// CHECK: plan.launch @forward_200 grid
// CHECK: plan.fill
// CHECK: plan.fill
// CHECK: plan.return
// CHECK-NOT: _500
// CHECK: plan.func @forward_plan(
// CHECK-NOT: plan.guard
// CHECK: plan.launch @forward grid
// CHECK: plan.return

// -----

// The built-in table: small tiles, of which a multiprocessor holds several.
module attributes {weft.target = "sm_90a"} {
  attn.forward @built_in bf16 head_dim = 128, head_dim_v = 128, head_ratio = 1 q = <thd> kv = <thd>
}
// CHECK-LABEL: attn.forward @built_in
// CHECK: plan.kernel @[[SHORT:forward_[0-9]+]] forward of @built_in schedule <rows = 64, {{.*}}, mma = warpgroup, persistent = true, ctas_per_sm = [[CTAS:[2-9]]]>
// CHECK: plan.guard
// CHECK: %[[AT_ONCE:.*]] = arith.muli %sm_count, %c[[CTAS]]
// CHECK: %[[GRID:.*]] = arith.minsi %{{.*}}, %[[AT_ONCE]]
// CHECK: plan.launch @[[SHORT]] grid(%[[GRID]])

// -----

// Queries in batches: their length is in the sizes, but there is no variant yet.
module attributes {weft.target = "sm_90a"} {
  attn.forward @in_batches bf16 head_dim = 128, head_dim_v = 128, head_ratio = 1 q = <batch> kv = <thd>
}
// CHECK-LABEL: attn.forward @in_batches
// CHECK-NOT: plan.kernel @forward_
// CHECK-NOT: plan.guard
// CHECK: plan.func @forward_plan(
