// RUN: weft-opt %s -split-input-file -pass-pipeline='builtin.module(warp.func(warp-pipeline))' | FileCheck %s

// Two stages: one step ahead, then wait, barrier, put, commit in each step. The
// tile outside the loop is covered by the loop's wait. What the copies need is
// computed again for the step ahead.

// CHECK-LABEL: warp.func @two_stages(
// CHECK-NEXT: %[[RESIDENT:.*]] = warp.ring : <1, <64, 64, bf16>>
// CHECK-NEXT: %[[RING:.*]] = warp.ring : <2, <32, 64, bf16>>
// CHECK: %[[ROWS_Q:.*]] = tile.rows
// CHECK: warp.put %[[RESIDENT]][%{{.*}}], %{{.*}}[%[[ROWS_Q]], %{{.*}}]
// CHECK-NEXT: warp.commit
// CHECK-NOT: warp.wait
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %[[FIRST:[^ ]+]], %[[LAST:[^ ]+]] : i64
// CHECK-NEXT: scf.if %[[ANY]] {
// CHECK: %[[ROW0:.*]] = arith.muli %[[FIRST]], %[[C32:.*]] : i64
// CHECK: %[[ROWS0:.*]] = tile.rows %{{.*}}, %[[ROW0]]
// CHECK-NEXT: warp.put %[[RING]][%{{.*}}], %{{.*}}[%[[ROWS0]], %{{.*}}]
// CHECK-NEXT: }
// CHECK-NEXT: warp.commit
// CHECK: scf.for %[[J:[^ ]+]] = %[[FIRST]] to %[[LAST]] step %{{.*}} iter_args(%[[ACC:[^ ]+]] = %{{.*}}, %[[SLOT:.*]] = %[[C0:.*]]) -> (tensor<64x32xf32, #warp.acc>, i64)
// CHECK-NEXT: warp.wait 0
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: %[[BEFORE:.*]] = arith.subi %[[SLOT]], %[[C1:.*]] : i64
// CHECK-NEXT: %[[IS_FIRST:.*]] = arith.cmpi eq, %[[SLOT]], %[[C0]]
// CHECK-NEXT: %[[FREE:.*]] = arith.select %[[IS_FIRST]], %[[LAST_SLOT:.*]], %[[BEFORE]]
// CHECK-NEXT: %[[AHEAD:.*]] = arith.addi %[[J]], %{{.*}} : i64
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[AHEAD]], %[[LAST]] : i64
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK-NEXT: %[[ROW1:.*]] = arith.muli %[[AHEAD]], %[[C32]] : i64
// CHECK-NEXT: %[[ROWS1:.*]] = tile.rows %{{.*}}, %[[ROW1]]
// CHECK-NEXT: warp.put %[[RING]][%[[FREE]]], %{{.*}}[%[[ROWS1]], %{{.*}}]
// CHECK-NEXT: }
// CHECK-NEXT: warp.commit
// CHECK: %[[K:.*]] = warp.get %[[RING]][%[[SLOT]]]
// CHECK: %[[Q:.*]] = warp.get %[[RESIDENT]][%{{.*}}]
// CHECK: warp.mma %[[Q]], %[[K]] transposed
// CHECK: %[[NEXT:.*]] = arith.addi %[[SLOT]], %[[C1]] : i64
// CHECK-NEXT: %[[WRAPS:.*]] = arith.cmpi eq, %[[SLOT]], %[[LAST_SLOT]] : i64
// CHECK-NEXT: %[[SLOT1:.*]] = arith.select %[[WRAPS]], %[[C0]], %[[NEXT]] : i64
// CHECK-NEXT: scf.yield %{{.*}}, %[[SLOT1]]
// CHECK-NEXT: }
// CHECK-NEXT: warp.wait 0
// CHECK-NEXT: warp.return
warp.func @two_stages(%query: !tile.buffer<bf16, q, heads_q, 64>, %key: !tile.buffer<bf16, kv, heads_kv, 64>,
                      %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.0> : tensor<64x32xf32, #warp.acc>
  %rows = tile.rows %sequence, %tile : <q, 64>
  %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, bf16>
  %r = scf.for %j = %first to %last step %c1 iter_args(%acc = %zero) -> (tensor<64x32xf32, #warp.acc>) : i64 {
    %row = arith.muli %j, %c32 : i64
    %rows_j = tile.rows %sequence, %row : <kv, 32>
    %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
    %s = warp.mma %q, %k transposed, %acc : !warp.shared<64, 64, bf16>, <32, 64, bf16> -> tensor<64x32xf32, #warp.acc>
    scf.yield %s : tensor<64x32xf32, #warp.acc>
  }
  warp.return
}

// -----

// Three stages: two steps before the loop, one group may be under way. The loop
// is inside another one, so a barrier protects its slots.

// CHECK-LABEL: warp.func @three_stages(
// CHECK: %[[RING:.*]] = warp.ring : <3, <32, 64, bf16>>
// CHECK: scf.for %[[H:[^ ]+]] =
// CHECK-NEXT: warp.barrier
// CHECK: arith.cmpi slt, %[[FIRST:[^ ]+]], %[[LAST:[^ ]+]] : i64
// CHECK: warp.put %[[RING]][%[[C0:.*]]], %{{.*}}[%{{.*}}, %[[H]]]
// CHECK: warp.commit
// CHECK: %[[SECOND:.*]] = arith.addi %[[FIRST]], %[[STEP:.*]] : i64
// CHECK: arith.cmpi slt, %[[SECOND]], %[[LAST]] : i64
// CHECK: warp.put %[[RING]][%[[C1:.*]]], %{{.*}}[%{{.*}}, %[[H]]]
// CHECK: warp.commit
// CHECK: %[[DISTANCE:.*]] = arith.muli %[[STEP]], %{{.*}} : i64
// CHECK: scf.for %[[J:[^ ]+]] = %[[FIRST]] to %[[LAST]] step %[[STEP]]
// CHECK-NEXT: warp.wait 1
// CHECK-NEXT: warp.barrier
// CHECK: %[[AHEAD:.*]] = arith.addi %[[J]], %[[DISTANCE]] : i64
// CHECK: arith.cmpi slt, %[[AHEAD]], %[[LAST]] : i64
// CHECK: warp.put
// CHECK: warp.commit
warp.func @three_stages(%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 3> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c0 = arith.constant 0 : i64
  %c4 = arith.constant 4 : i64
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #warp.acc>
  scf.for %h = %c0 to %c4 step %c4 : i64 {
    scf.for %j = %first to %last step %c32 : i64 {
      %rows_j = tile.rows %sequence, %j : <kv, 32>
      %k = warp.fetch %key[%rows_j, %h] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
      %s = warp.mma %k, %k transposed, %zero : !warp.shared<32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
    }
  }
  warp.return
}

// -----

// One stage: no step ahead.

// CHECK-LABEL: warp.func @one_stage(
// CHECK: %[[RING:.*]] = warp.ring : <1, <32, 64, bf16>>
// CHECK: scf.for
// CHECK-NOT: scf.if
// CHECK: warp.barrier
// CHECK: warp.put %[[RING]]
// CHECK-NEXT: warp.commit
// CHECK-NEXT: warp.wait 0
// CHECK-NEXT: warp.barrier
// CHECK: warp.get %[[RING]]
warp.func @one_stage(%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 1> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #warp.acc>
  scf.for %j = %first to %last step %c32 : i64 {
    %rows_j = tile.rows %sequence, %j : <kv, 32>
    %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
    %s = warp.mma %k, %k transposed, %zero : !warp.shared<32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
  }
  warp.return
}

// -----

// Tiles that are tested one by one: the test is made ahead as well, and every
// step commits its group whatever it says.

// CHECK-LABEL: warp.func @tested(
// CHECK: scf.for %[[J:[^ ]+]] =
// CHECK-NEXT: warp.wait 0
// CHECK: %[[AHEAD:.*]] = arith.addi %[[J]]
// CHECK: scf.if
// CHECK-NEXT: %[[EMPTY:.*]] = arith.cmpi eq, %[[AHEAD]], %{{.*}} : i64
// CHECK-NEXT: %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT: %[[KEPT:.*]] = arith.xori %[[EMPTY]], %[[TRUE]] : i1
// CHECK-NEXT: scf.if %[[KEPT]] {
// CHECK-NEXT: tile.rows %{{.*}}, %[[AHEAD]]
// CHECK-NEXT: warp.put
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK-NEXT: warp.commit
// CHECK: } else {
// CHECK: warp.get
warp.func @tested(%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #warp.acc>
  scf.for %j = %first to %last step %c32 : i64 {
    %empty = arith.cmpi eq, %j, %tile : i64
    scf.if %empty {
    } else {
      %rows_j = tile.rows %sequence, %j : <kv, 32>
      %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
      %s = warp.mma %k, %k transposed, %zero : !warp.shared<32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
    }
  }
  warp.return
}

// -----

// Rows that hang on what the loop carries cannot be known ahead: the copy stays
// where it is, behind a barrier, since its slot may still be read.

// CHECK-LABEL: warp.func @carried(
// CHECK: scf.for
// CHECK-NEXT: %[[ROWS:.*]] = tile.rows
// CHECK-NEXT: %[[SLOT:.*]] = arith.constant 0
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.put %{{.*}}[%[[SLOT]]], %{{.*}}[%[[ROWS]], %{{.*}}]
// CHECK-NEXT: warp.commit
// CHECK-NEXT: warp.wait 0
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.get
warp.func @carried(%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #warp.acc>
  %r = scf.for %j = %first to %last step %c32 iter_args(%at = %first) -> i64 : i64 {
    %rows_j = tile.rows %sequence, %at : <kv, 32>
    %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
    %s = warp.mma %k, %k transposed, %zero : !warp.shared<32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
    %next = arith.addi %at, %j : i64
    scf.yield %next : i64
  }
  warp.return
}

// -----

// Outside loops: one wait serves the tiles that precede it, a later tile has its
// own.

// CHECK-LABEL: warp.func @resident(
// CHECK: %[[R0:.*]] = warp.ring
// CHECK-NEXT: %[[R1:.*]] = warp.ring
// CHECK-NEXT: %[[R2:.*]] = warp.ring
// CHECK: warp.put %[[R0]]
// CHECK-NEXT: warp.commit
// CHECK: warp.put %[[R1]]
// CHECK-NEXT: warp.commit
// CHECK-NEXT: warp.wait 0
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: %[[A:.*]] = warp.get %[[R0]]
// CHECK-NEXT: %[[B:.*]] = warp.get %[[R1]]
// CHECK-NEXT: warp.mma %[[A]], %[[B]]
// CHECK: warp.put %[[R2]]
// CHECK-NEXT: warp.commit
// CHECK-NEXT: warp.wait 0
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: %[[C:.*]] = warp.get %[[R2]]
// CHECK-NEXT: warp.mma %[[A]], %[[C]]
warp.func @resident(%key: !tile.buffer<bf16, kv, heads_kv, 64>)
    grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  %rows = tile.rows %sequence, %tile : <kv, 64>
  %a = warp.fetch %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %b = warp.fetch %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %0 = warp.mma %a, %b, %zero : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  %c = warp.fetch %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %1 = warp.mma %a, %c, %0 : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  warp.return
}
