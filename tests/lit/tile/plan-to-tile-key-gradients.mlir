// RUN: weft-opt %s -split-input-file -plan-to-tile -canonicalize -cse | FileCheck %s

attn.backward @attention bf16 head_dim = 8, head_dim_v = 8, head_ratio = 2
    q = #attn.side<thd> kv = #attn.side<thd>
plan.kernel @dkdv dkdv of @attention schedule <rows = 64, columns = 32, stages = 2>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"lse_log2", in, [valid]>, #plan.operand<"delta", in, [valid]>,
              #plan.operand<"d_key", out, [valid]>, #plan.operand<"d_value", out, [valid]>]
plan.kernel @dkdv_split dkdv of @attention schedule <rows = 64, columns = 32, stages = 2>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"lse_log2", in, [valid]>, #plan.operand<"delta", in, [valid]>,
              #plan.operand<"d_key_partial", out, [valid]>,
              #plan.operand<"d_value_partial", out, [valid]>]

// The group's heads are walked inside. A sequence without queries makes no
// turn, and stores zeros.
// CHECK-LABEL: tile.func @dkdv_body(
// CHECK-SAME: %lse_log2: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "lse_log2"},
// CHECK-SAME: %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"},
// CHECK-SAME: grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32, stages = 2>
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : i64
// CHECK-DAG: %[[C32:.*]] = arith.constant 32 : i64
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x16xf32>
// CHECK: %rows_k = tile.rows %sequence, %{{.*}} : <kv, 64>
// CHECK: %key_tile = tile.load %key[%rows_k, %head]
// CHECK: %value_tile = tile.load %value[%rows_k, %head]
// CHECK: %[[FIRST_HEAD:.*]] = arith.muli %head, %[[C2]]
// CHECK: %[[END:.*]]:2 = scf.for %[[G:.*]] = %[[C0]] to %[[C2]] step %[[C1]] iter_args(%[[DK0:.*]] = %[[ZERO]], %[[DV0:.*]] = %[[ZERO]])
// CHECK:   %[[HEAD:.*]] = arith.addi %[[FIRST_HEAD]], %[[G]]
// CHECK:   %[[TILES:.*]] = arith.ceildivsi %n_q, %[[C32]]
// CHECK:   %[[INNER:.*]]:2 = scf.for %[[T:.*]] = %[[C0]] to %[[TILES]] step %[[C1]] iter_args(%[[DK:.*]] = %[[DK0]], %[[DV:.*]] = %[[DV0]])
// CHECK:     %rows_q = tile.rows %sequence, %{{.*}} : <q, 32>
// CHECK:     %query_tile = tile.load %query[%rows_q, %[[HEAD]]]
// Keys are the rows; neither side's end needs a mask.
// CHECK:     %[[S:.*]] = tile.dot %key_tile, %query_tile transposed, %{{.*}} -> tensor<64x32xf32>
// CHECK:     %[[BASE2:.*]] = arith.mulf %[[S]]
// CHECK-NOT: scf.if
// Queries past the end, and those without a key, have P = exp2(-inf).
// CHECK:     %lse_log2_tile = tile.load %lse_log2[%rows_q, %[[HEAD]]] pad 0x7FF0000000000000
// CHECK:     %[[LSE_TILE:.*]] = tile.expand %lse_log2_tile dim = 0
// CHECK:     %[[X:.*]] = arith.subf %[[BASE2]], %[[LSE_TILE]]
// CHECK:     %[[P:.*]] = math.exp2 %[[X]]
// CHECK:     %d_out_tile = tile.load %d_out[%rows_q, %[[HEAD]]]
// CHECK:     %[[P16:.*]] = arith.truncf %[[P]]
// CHECK:     %[[DV1:.*]] = tile.dot %[[P16]], %d_out_tile, %[[DV]]
// CHECK:     %[[DP:.*]] = tile.dot %value_tile, %d_out_tile transposed
// CHECK:     %delta_tile = tile.load %delta[%rows_q, %[[HEAD]]]
// CHECK:     %[[DELTA:.*]] = tile.expand %delta_tile dim = 0
// CHECK:     %[[DIFF:.*]] = arith.subf %[[DP]], %[[DELTA]]
// CHECK:     %[[DS:.*]] = arith.mulf %[[P]], %[[DIFF]]
// CHECK:     %[[DS16:.*]] = arith.truncf %[[DS]]
// CHECK:     %[[DK1:.*]] = tile.dot %[[DS16]], %query_tile, %[[DK]]
// CHECK:     scf.yield %[[DK1]], %[[DV1]]
// CHECK:   scf.yield %[[INNER]]#0, %[[INNER]]#1
// CHECK: %[[SCALE:.*]] = tensor.splat %scale : tensor<64x16xf32>
// CHECK: %[[DK_SCALED:.*]] = arith.mulf %[[END]]#0, %[[SCALE]]
// CHECK: %[[DK16:.*]] = arith.truncf %[[DK_SCALED]]
// CHECK: tile.store %[[DK16]], %d_key[%rows_k, %head]
// CHECK: %[[DV16:.*]] = arith.truncf %[[END]]#1
// CHECK: tile.store %[[DV16]], %d_value[%rows_k, %head]

// Split over heads: a point has one query head, and its sums stay f32.
// CHECK-LABEL: tile.func @dkdv_split_body(
// CHECK-SAME: %d_key_partial: !tile.buffer<f32, kv, heads_q, 8, packed> {weft.name = "d_key_partial"},
// CHECK-SAME: %d_value_partial: !tile.buffer<f32, kv, heads_q, 8, packed> {weft.name = "d_value_partial"},
// CHECK-SAME: grid <kv, 64, heads_q>
// CHECK: %[[HEAD_KV:.*]] = arith.divsi %head, %{{.*}}
// CHECK: tile.load %key[%rows_k, %[[HEAD_KV]]]
// CHECK: %[[END:.*]]:2 = scf.for
// CHECK-NOT: scf.for
// CHECK: tile.load %query[%rows_q, %head]
// CHECK: %[[DK:.*]] = arith.mulf %[[END]]#0
// CHECK: tile.store %[[DK]], %d_key_partial[%rows_k, %head] : tensor<64x16xf32>
// CHECK: tile.store %[[END]]#1, %d_value_partial[%rows_k, %head] : tensor<64x16xf32>

// -----

// dK alone and dV alone, for heads whose two sums do not fit. Under a causal
// mask the queries start at the key tile's first position.
attn.backward @attention bf16 head_dim = 256, head_dim_v = 128, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %keep = arith.cmpi sle, %j, %i : i64
    attn.yield %keep : i1
  }
plan.kernel @dk dk of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"lse_log2", in, [valid]>, #plan.operand<"delta", in, [valid]>,
              #plan.operand<"d_key", out, [valid]>]
plan.kernel @dv dv of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"d_out", in, [valid]>, #plan.operand<"lse_log2", in, [valid]>,
              #plan.operand<"d_value", out, [valid]>]

// CHECK-LABEL: tile.func @dk_body(
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : i64
// CHECK-DAG: %[[C64:.*]] = arith.constant 64 : i64
// CHECK: %[[J0:.*]] = arith.muli %tile, %[[C64]]
// CHECK: %[[J1:.*]] = arith.minsi
// CHECK: %[[TILES:.*]] = arith.ceildivsi %n_q, %[[C64]]
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[J0]], %n_q
// CHECK: %[[LAST:.*]] = arith.select %[[INSIDE]], %[[TILES]], %[[C0]]
// CHECK: %[[T:.*]] = arith.floordivsi %[[J0]], %[[C64]]
// CHECK: %[[FIRST:.*]] = arith.maxsi %[[T]], %[[C0]]
// CHECK: %[[END:.*]] = scf.for %[[I:.*]] = %[[FIRST]] to %[[LAST]]
// CHECK:   %[[I0:.*]] = arith.muli %[[I]], %[[C64]]
// CHECK:   %[[MIXED:.*]] = arith.cmpi sgt, %[[J1]], %[[I0]]
// CHECK:   scf.if %[[MIXED]]
// CHECK:     %column = tile.coordinates %[[I0]] dim = 1
// CHECK:     %row = tile.coordinates %[[J0]] dim = 0
// CHECK:     arith.cmpi sle, %row, %column
// CHECK-NOT: tile.store {{.*}} %d_value
// CHECK: tile.store %{{.*}}, %d_key

// CHECK-LABEL: tile.func @dv_body(
// CHECK-NOT: tile.load %value
// CHECK: scf.for
// CHECK: tile.dot {{.*}} transposed
// CHECK-NOT: transposed
// CHECK: tile.store %{{.*}}, %d_value
