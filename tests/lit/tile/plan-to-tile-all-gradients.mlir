// RUN: weft-opt %s -plan-to-tile -canonicalize -cse | FileCheck %s

// dQ of a query tile is a sum over the points of all key tiles, so keys that do
// not exist must add nothing: they are masked, as they need not be where only
// dK and dV are made.

attn.backward @attention bf16 head_dim = 16, head_dim_v = 16, head_ratio = 1
    q = #attn.side<thd> kv = #attn.side<thd>
plan.kernel @dqkv dqkv of @attention schedule <rows = 64, columns = 32, stages = 2>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"lse_log2", in, [valid]>, #plan.operand<"delta", in, [valid]>,
              #plan.operand<"d_query_sum", acc, [valid]>,
              #plan.operand<"d_key", out, [valid]>, #plan.operand<"d_value", out, [valid]>]

// CHECK-LABEL: tile.func @dqkv_body(
// CHECK-SAME: %d_query_sum: !tile.buffer<f32, q, heads_q, 16, packed{{.*}}> {weft.name = "d_query_sum"}
// CHECK-SAME: grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32, stages = 2>
// CHECK: %n_k = tile.length kv %sequence
// CHECK: scf.for
// CHECK:   %rows_q = tile.rows %sequence, %{{.*}} : <q, 32>
// CHECK:   %[[S:.*]] = tile.dot %key_tile, %query_tile transposed, %{{.*}} -> tensor<64x32xf32>
// CHECK:   %[[PAST:.*]] = arith.cmpi sle, %n_k, %{{.*}} : i64
// CHECK:   scf.if %[[PAST]]
// CHECK:     tile.coordinates %{{.*}} dim = 0 : tensor<64x32xi64>
// CHECK:     arith.cmpi slt
// CHECK:   tile.dot %value_tile, %d_out_tile transposed
// CHECK:   %[[DS:.*]] = arith.truncf %{{.*}} : tensor<64x32xf32> to tensor<64x32xbf16>
// CHECK-DAG: %[[DK:.*]] = tile.dot %[[DS]], %query_tile, %{{.*}} -> tensor<64x16xf32>
// CHECK-DAG: %[[DQ:.*]] = tile.dot %[[DS]] transposed, %key_tile, %{{.*}} -> tensor<32x16xf32>
// CHECK:   tile.add %[[DQ]], %d_query_sum[%rows_q, %head]
