// RUN: weft-opt %s -split-input-file -plan-to-tile -canonicalize -cse | FileCheck %s

attn.backward @attention f16 head_dim = 64, head_dim_v = 64, head_ratio = 3
    q = #attn.side<batch> kv = #attn.side<batch>
    parameters ["softcap"] score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %cap: f32):
    %x = arith.mulf %s, %cap : f32
    %y = math.tanh %x : f32
    attn.yield %y : f32
  } derivative {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %cap: f32):
    %x = arith.mulf %s, %cap : f32
    %y = math.tanh %x : f32
    %z = arith.mulf %y, %y : f32
    %one = arith.constant 1.0 : f32
    %slope = arith.subf %one, %z : f32
    %d = arith.mulf %slope, %cap : f32
    attn.yield %d : f32
  }
plan.kernel @dq dq of @attention schedule <rows = 64, columns = 32, stages = 2>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"lse_log2", in, [valid]>, #plan.operand<"delta", in, [valid]>,
              #plan.operand<"d_query", out, [valid]>]

// CHECK-LABEL: tile.func @dq_body(
// CHECK-SAME: %scale: f32 {weft.name = "scale"}, %softcap: f32 {weft.name = "softcap"})
// CHECK-SAME: grid <q, 64, heads_q>
// CHECK: %[[HEAD_KV:.*]] = arith.divsi %head
// CHECK: %query_tile = tile.load %query[%rows_q, %head]
// CHECK: %d_out_tile = tile.load %d_out[%rows_q, %head]
// CHECK: %lse_log2_tile = tile.load %lse_log2[%rows_q, %head] pad 0x7FF0000000000000
// CHECK: %delta_tile = tile.load %delta[%rows_q, %head]
// CHECK: %[[END:.*]] = scf.for {{.*}} iter_args(%[[DQ:.*]] =
// CHECK:   %key_tile = tile.load %key[%rows_k, %[[HEAD_KV]]]
// CHECK:   %[[S:.*]] = tile.dot %query_tile, %key_tile transposed
// CHECK:   %[[SCALE:.*]] = tensor.splat %scale
// CHECK:   %[[SCALED:.*]] = arith.mulf %[[S]], %[[SCALE]]
// CHECK:   %[[CAP:.*]] = tensor.splat %softcap
// CHECK:   %[[X:.*]] = arith.mulf %[[SCALED]], %[[CAP]]
// CHECK:   %[[TANH:.*]] = math.tanh %[[X]]
// CHECK:   %[[BASE2:.*]] = arith.mulf %[[TANH]]
// CHECK:   tile.expand %{{.*}} dim = 1
// CHECK:   %[[EXP:.*]] = math.exp2
// Masked behind the exponential: P is 0 there.
// CHECK:   %[[P:.*]] = scf.if
// CHECK:     arith.select %{{.*}}, %[[EXP]]
// CHECK:   %value_tile = tile.load %value[%rows_k, %[[HEAD_KV]]]
// CHECK:   %[[DP:.*]] = tile.dot %d_out_tile, %value_tile transposed
// CHECK:   %[[DELTA:.*]] = tile.expand %delta_tile dim = 1
// CHECK:   %[[DIFF:.*]] = arith.subf %[[DP]], %[[DELTA]]
// CHECK:   %[[DS:.*]] = arith.mulf %[[P]], %[[DIFF]]
// The derivative takes the scaled score too; cse finds the common part.
// CHECK:   %[[SQUARE:.*]] = arith.mulf %[[TANH]], %[[TANH]]
// CHECK:   %[[SLOPE:.*]] = arith.subf %{{.*}}, %[[SQUARE]]
// CHECK:   %[[DERIVATIVE:.*]] = arith.mulf %[[SLOPE]], %[[CAP]]
// CHECK:   %[[DS_SCALED:.*]] = arith.mulf %[[DS]], %[[DERIVATIVE]]
// CHECK:   %[[DS16:.*]] = arith.truncf %[[DS_SCALED]]
// CHECK:   %[[NEXT:.*]] = tile.dot %[[DS16]], %key_tile, %[[DQ]]
// CHECK:   scf.yield %[[NEXT]]
// CHECK: %[[SCALE_D:.*]] = tensor.splat %scale : tensor<64x64xf32>
// CHECK: %[[DQ_SCALED:.*]] = arith.mulf %[[END]], %[[SCALE_D]]
// CHECK: %[[DQ16:.*]] = arith.truncf %[[DQ_SCALED]]
// CHECK: tile.store %[[DQ16]], %d_query[%rows_q, %head]
