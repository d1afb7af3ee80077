// RUN: weft-opt %s -plan-to-tile -canonicalize -cse | FileCheck %s

// The kernels around the products.

attn.backward @attention bf16 head_dim = 24, head_dim_v = 40, head_ratio = 3
    q = #attn.side<thd> kv = #attn.side<thd> scalar_dout
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"lse", in, [valid]>, #plan.operand<"delta", out, [valid]>,
              #plan.operand<"lse_log2", out, [valid]>]
plan.kernel @reduce_dk reduce of @attention schedule <rows = 32, warps = 2>
    contract [#plan.operand<"d_key_partial", in, [valid]>, #plan.operand<"d_key", out, [valid]>]
plan.kernel @reduce_dv reduce of @attention schedule <rows = 32, warps = 2>
    contract [#plan.operand<"d_value_partial", in, [valid]>, #plan.operand<"d_value", out, [valid]>]
plan.kernel @convert convert of @attention schedule <rows = 32, warps = 2>
    contract [#plan.operand<"d_query_sum", in, [valid]>, #plan.operand<"d_query", out, [valid]>]
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"d_query", out, [gap, tail], 0.0>,
              #plan.operand<"lse", out, [gap, tail], 0xFFF0000000000000>]

// CHECK-LABEL: tile.func @delta_body(
// CHECK-SAME: %out: !tile.buffer<bf16, q, heads_q, 40>
// CHECK-SAME: %d_out: !tile.buffer<bf16, q, heads_q, 40, uniform>
// CHECK-SAME: %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"},
// CHECK-SAME: %lse_log2: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "lse_log2"}) grid <q, 64, heads_q>
// CHECK-DAG: %[[INF:.*]] = arith.constant dense<0x7F800000> : tensor<64xf32>
// CHECK-DAG: %[[MINUS_INF:.*]] = arith.constant dense<0xFF800000> : tensor<64xf32>
// CHECK: %[[O:.*]] = arith.extf %out_tile : tensor<64x48xbf16> to tensor<64x48xf32>
// CHECK: %[[DO:.*]] = arith.extf %d_out_tile : tensor<64x48xbf16> to tensor<64x48xf32>
// CHECK: %[[X:.*]] = arith.mulf %[[O]], %[[DO]]
// CHECK: %[[SUM:.*]] = tile.reduce sum %[[X]] : tensor<64x48xf32> -> tensor<64xf32>
// CHECK: tile.store %[[SUM]], %delta[%rows_q, %head]
// A row without keys has LSE = -inf; with inf its P = exp2(S - LSE) is 0.
// CHECK: %lse_tile = tile.load %lse[%rows_q, %head]
// CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %lse_tile, %[[MINUS_INF]]
// CHECK: %[[LSE:.*]] = arith.select %[[EMPTY]], %[[INF]], %lse_tile
// CHECK: %[[LOG2:.*]] = arith.mulf %[[LSE]]
// CHECK: tile.store %[[LOG2]], %lse_log2[%rows_q, %head]

// CHECK-LABEL: tile.func @reduce_dk_body(
// CHECK-SAME: %d_key_partial: !tile.buffer<f32, kv, heads_q, 24, packed>
// CHECK-SAME: %d_key: !tile.buffer<bf16, kv, heads_kv, 24>
// CHECK-SAME: grid <kv, 32, heads_kv>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i64
// CHECK: %[[FIRST:.*]] = arith.muli %head, %[[C3]]
// CHECK: %[[END:.*]] = scf.for %[[G:.*]] = %[[C0]] to %[[C3]] step %{{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (tensor<32x32xf32>)
// CHECK:   %[[HEAD:.*]] = arith.addi %[[FIRST]], %[[G]]
// CHECK:   %d_key_partial_tile = tile.load %d_key_partial[%rows_k, %[[HEAD]]]
// CHECK:   %[[NEXT:.*]] = arith.addf %[[SUM]], %d_key_partial_tile
// CHECK:   scf.yield %[[NEXT]]
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[END]]
// CHECK: tile.store %[[ROUNDED]], %d_key[%rows_k, %head]

// CHECK-LABEL: tile.func @reduce_dv_body(
// CHECK: tile.load %d_value_partial{{.*}} -> tensor<32x48xf32>
// CHECK: tile.store %{{.*}}, %d_value[%rows_k, %head]

// CHECK-LABEL: tile.func @convert_body(
// CHECK-SAME: %d_query_sum: !tile.buffer<f32, q, heads_q, 24, packed>
// CHECK-SAME: %scale: f32
// CHECK-SAME: grid <q, 32, heads_q>
// CHECK: %[[SUM:.*]] = tile.load %d_query_sum[%rows_q, %head] : {{.*}} -> tensor<32x32xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[SUM]]
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[SCALED]]
// CHECK: tile.store %[[ROUNDED]], %d_query[%rows_q, %head]

// CHECK-LABEL: tile.func @fill_body(
// CHECK-SAME: grid <held, 64, heads_q>
// CHECK: %[[FIRST:.*]] = arith.muli %tile
// CHECK: tile.fill %d_query[%[[FIRST]], %head], 0.000000e+00
// CHECK: tile.fill %lse[%[[FIRST]], %head], 0xFFF0000000000000
