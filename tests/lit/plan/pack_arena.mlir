// RUN: weft-opt %s -plan-pack-arena -plan-verify | FileCheck %s

// One behind the other while both live; what is free is taken again.
!f = !plan.buffer<f32, q, heads_q, 1>
!g = !plan.buffer<f32, kv, heads_q, 64>
// CHECK-LABEL: plan.func @reuse
plan.func @reuse() {
  %four = arith.constant 4 : i64
  %wide = arith.constant 256 : i64
  %heads = plan.size heads_q
  %rows_q = plan.size rows_q
  %rows_kv = plan.size rows_kv
  %0 = arith.muli %rows_q, %heads : i64
  %small = arith.muli %0, %four : i64
  %1 = arith.muli %rows_kv, %heads : i64
  %large = arith.muli %1, %wide : i64
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : i64
  // CHECK: plan.reserve "a" bytes(%[[SMALL:.*]]) offset(%[[ZERO]])
  %a = plan.reserve "a" bytes(%small) : !f
  // CHECK: %[[BLOCKS:.*]] = arith.ceildivsi %[[SMALL]], %c256
  // CHECK: %[[SIZE:.*]] = arith.muli %[[BLOCKS]], %c256
  // CHECK: %[[END:.*]] = arith.addi %[[ZERO]], %[[SIZE]]
  // CHECK: plan.reserve "b" bytes(%[[LARGE:.*]]) offset(%[[END]])
  %b = plan.reserve "b" bytes(%large) : !g
  plan.release %b : !g
  // CHECK: plan.reserve "c" bytes(%[[LARGE]]) offset(%[[END]])
  %c = plan.reserve "c" bytes(%large) : !g
  plan.release %a : !f
  // Behind c, though a has left a hole.
  // CHECK: %[[BLOCKS_C:.*]] = arith.ceildivsi %[[LARGE]], %c256
  // CHECK: %[[SIZE_C:.*]] = arith.muli %[[BLOCKS_C]], %c256
  // CHECK: %[[END_C:.*]] = arith.addi %[[END]], %[[SIZE_C]]
  // CHECK: plan.reserve "d" bytes(%[[SMALL]]) offset(%[[END_C]])
  %d = plan.reserve "d" bytes(%small) : !f
  plan.release %c : !g
  plan.release %d : !f
  // CHECK: arith.constant 0 : i64
  // CHECK-NEXT: plan.reserve "e"
  %e = plan.reserve "e" bytes(%small) : !f
  plan.release %e : !f
  plan.return
}
