// RUN: weft-opt %s -split-input-file -warp-carry-products -canonicalize -cse | FileCheck %s
// RUN: sed -e 's/128/64/g' -e 's/warps = 8/warps = 4/' %s | weft-opt -split-input-file -warp-carry-products | FileCheck %s --check-prefix=ALONE

// A warpgroup alone takes no turns; the sums are carried all the same.
// ALONE-NOT: warp.{{take|pass}}_turn
// ALONE-LABEL: warp.func @one_sum(
// ALONE: warp.await {{.*}}, 1
// ALONE-NOT: warp.{{take|pass}}_turn

// One sum is carried while it is under way: the next step's products are issued
// beside it, its tile goes back at their first wait, and the last one's behind
// the loop. Consumers take turns between the two waits.

// CHECK-LABEL: warp.func @one_sum(
// CHECK: %[[NONE:.*]] = warp.settled
// CHECK: %[[SUM:.*]] = scf.for %[[J:.*]] = %[[C0:.*]] to %[[LAST:.*]] step %{{.*}} iter_args(%[[DQ:.*]] = %[[NONE]])
// CHECK: %[[K:.*]] = warp.receive %[[KEYS:.*]] :
// CHECK: %[[S:.*]] = warp.issue %[[Q:.*]], %[[K]] transposed
// CHECK: %[[V:.*]] = warp.receive %[[VALUES:.*]] :
// CHECK: %[[DP:.*]] = warp.issue %{{.*}}, %[[V]] transposed
// CHECK: warp.take_turn
// CHECK: warp.await %[[S]], 1
// CHECK: %[[LATER:.*]] = arith.cmpi sgt, %[[J]], %[[C0]]
// CHECK: scf.if %[[LATER]] {
// CHECK-NEXT: warp.consumed %[[KEYS]] age 1
// CHECK: warp.pass_turn
// CHECK: warp.await %[[DP]], 0
// CHECK: warp.consumed %[[VALUES]] :
// CHECK: %[[NEXT:.*]] = warp.issue %{{.*}}, %[[K]], %[[DQ]]
// CHECK-NEXT: scf.yield %[[NEXT]]
// CHECK: warp.await %[[SUM]], 0
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[LAST]], %[[C0]]
// CHECK: scf.if %[[ANY]] {
// CHECK-NEXT: warp.consumed %[[KEYS]] :

// Two sums are waited for at the step's end, and then both tiles go back.

// CHECK-LABEL: warp.func @two_sums(
// CHECK: scf.for
// CHECK: %[[S:.*]] = warp.issue %{{.*}}, %[[Q:.*]] transposed
// CHECK: %[[DP:.*]] = warp.issue %{{.*}}, %[[DO:.*]] transposed
// CHECK: warp.take_turn
// CHECK: warp.await %[[S]], 1
// CHECK: %[[DV:.*]] = warp.issue %{{.*}}, %[[DO]], %{{.*}}
// CHECK: warp.pass_turn
// CHECK: warp.await %[[DP]], 1
// CHECK: %[[DK:.*]] = warp.issue %{{.*}}, %[[Q]], %{{.*}}
// CHECK: warp.await %[[DV]], 1
// CHECK-NEXT: warp.consumed %[[D_OUTS:.*]] :
// CHECK: warp.await %[[DK]], 0
// CHECK-NEXT: warp.consumed
// CHECK-NEXT: scf.yield

// A ring of one slot: its tile cannot stay into the next step.

// CHECK-LABEL: warp.func @one_slot(
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = warp.issue %{{.*}}, %{{.*}}, %{{.*}} :
// CHECK-NEXT: warp.await %[[SUM]], 0

// No other product: nothing in the next step would say that the sum is done.

// CHECK-LABEL: warp.func @sum_alone(
// CHECK: scf.for
// CHECK: %[[SUM:.*]] = warp.issue
// CHECK-NEXT: warp.await %[[SUM]], 0
// CHECK-NEXT: warp.consumed

warp.func @one_sum(%q: !warp.shared<128, 64, bf16, swizzled>, %keys: !warp.ring<2, <32, 64, bf16, swizzled>>,
    %values: !warp.ring<2, <32, 64, bf16, swizzled>>, %out: !tile.buffer<f32, q, heads_q, 64>, %rows: !tile.rows<q, 128>, %last: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
  %r = scf.for %j = %c0 to %last step %c1 iter_args(%dq = %none) -> (tensor<128x64xf32, #warp.acc>) : i64 {
    %k = warp.receive %keys : <2, <32, 64, bf16, swizzled>> -> <32, 64, bf16, swizzled>
    %0 = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> <tensor<128x32xf32, #warp.acc>>
    %s = warp.await %0, 0 : <tensor<128x32xf32, #warp.acc>>
    %v = warp.receive %values : <2, <32, 64, bf16, swizzled>> -> <32, 64, bf16, swizzled>
    %1 = warp.issue %q, %v transposed : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> <tensor<128x32xf32, #warp.acc>>
    %dp = warp.await %1, 0 : <tensor<128x32xf32, #warp.acc>>
    warp.consumed %values : <2, <32, 64, bf16, swizzled>>
    %ds = arith.mulf %s, %dp : tensor<128x32xf32, #warp.acc>
    %a = warp.pack %ds : tensor<128x32xf32, #warp.acc> -> tensor<128x32xbf16, #warp.operand>
    %2 = warp.issue %a, %k, %dq : tensor<128x32xbf16, #warp.operand>, <32, 64, bf16, swizzled>, tensor<128x64xf32, #warp.acc> -> <tensor<128x64xf32, #warp.acc>>
    %dq1 = warp.await %2, 0 : <tensor<128x64xf32, #warp.acc>>
    warp.consumed %keys : <2, <32, 64, bf16, swizzled>>
    scf.yield %dq1 : tensor<128x64xf32, #warp.acc>
  }
  warp.store %r, %out[%rows, %c0] : tensor<128x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 128>
  warp.return
}

// -----

warp.func @two_sums(%q: !warp.shared<128, 64, bf16, swizzled>, %keys: !warp.ring<2, <32, 64, bf16, swizzled>>,
    %values: !warp.ring<2, <32, 64, bf16, swizzled>>, %out: !tile.buffer<f32, q, heads_q, 64>, %rows: !tile.rows<q, 128>, %last: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
  %r:2 = scf.for %j = %c0 to %last step %c1 iter_args(%dk = %none, %dv = %none) -> (tensor<128x64xf32, #warp.acc>, tensor<128x64xf32, #warp.acc>) : i64 {
    %k = warp.receive %keys : <2, <32, 64, bf16, swizzled>> -> <32, 64, bf16, swizzled>
    %0 = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> <tensor<128x32xf32, #warp.acc>>
    %s = warp.await %0, 0 : <tensor<128x32xf32, #warp.acc>>
    %p = warp.pack %s : tensor<128x32xf32, #warp.acc> -> tensor<128x32xbf16, #warp.operand>
    %v = warp.receive %values : <2, <32, 64, bf16, swizzled>> -> <32, 64, bf16, swizzled>
    %1 = warp.issue %p, %v, %dv : tensor<128x32xbf16, #warp.operand>, <32, 64, bf16, swizzled>, tensor<128x64xf32, #warp.acc> -> <tensor<128x64xf32, #warp.acc>>
    %dv1 = warp.await %1, 0 : <tensor<128x64xf32, #warp.acc>>
    %2 = warp.issue %q, %v transposed : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> <tensor<128x32xf32, #warp.acc>>
    %dp = warp.await %2, 0 : <tensor<128x32xf32, #warp.acc>>
    warp.consumed %values : <2, <32, 64, bf16, swizzled>>
    %ds = arith.mulf %s, %dp : tensor<128x32xf32, #warp.acc>
    %a = warp.pack %ds : tensor<128x32xf32, #warp.acc> -> tensor<128x32xbf16, #warp.operand>
    %3 = warp.issue %a, %k, %dk : tensor<128x32xbf16, #warp.operand>, <32, 64, bf16, swizzled>, tensor<128x64xf32, #warp.acc> -> <tensor<128x64xf32, #warp.acc>>
    %dk1 = warp.await %3, 0 : <tensor<128x64xf32, #warp.acc>>
    warp.consumed %keys : <2, <32, 64, bf16, swizzled>>
    scf.yield %dk1, %dv1 : tensor<128x64xf32, #warp.acc>, tensor<128x64xf32, #warp.acc>
  }
  warp.store %r#0, %out[%rows, %c0] : tensor<128x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 128>
  warp.store %r#1, %out[%rows, %c0] : tensor<128x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 128>
  warp.return
}

// -----

warp.func @one_slot(%q: !warp.shared<128, 64, bf16, swizzled>, %keys: !warp.ring<1, <32, 64, bf16, swizzled>>,
    %values: !warp.ring<2, <32, 64, bf16, swizzled>>, %out: !tile.buffer<f32, q, heads_q, 64>, %rows: !tile.rows<q, 128>, %last: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
  %r = scf.for %j = %c0 to %last step %c1 iter_args(%dq = %none) -> (tensor<128x64xf32, #warp.acc>) : i64 {
    %k = warp.receive %keys : <1, <32, 64, bf16, swizzled>> -> <32, 64, bf16, swizzled>
    %0 = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> <tensor<128x32xf32, #warp.acc>>
    %s = warp.await %0, 0 : <tensor<128x32xf32, #warp.acc>>
    %v = warp.receive %values : <2, <32, 64, bf16, swizzled>> -> <32, 64, bf16, swizzled>
    %1 = warp.issue %q, %v transposed : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> <tensor<128x32xf32, #warp.acc>>
    %dp = warp.await %1, 0 : <tensor<128x32xf32, #warp.acc>>
    warp.consumed %values : <2, <32, 64, bf16, swizzled>>
    %ds = arith.mulf %s, %dp : tensor<128x32xf32, #warp.acc>
    %a = warp.pack %ds : tensor<128x32xf32, #warp.acc> -> tensor<128x32xbf16, #warp.operand>
    %2 = warp.issue %a, %k, %dq : tensor<128x32xbf16, #warp.operand>, <32, 64, bf16, swizzled>, tensor<128x64xf32, #warp.acc> -> <tensor<128x64xf32, #warp.acc>>
    %dq1 = warp.await %2, 0 : <tensor<128x64xf32, #warp.acc>>
    warp.consumed %keys : <1, <32, 64, bf16, swizzled>>
    scf.yield %dq1 : tensor<128x64xf32, #warp.acc>
  }
  warp.store %r, %out[%rows, %c0] : tensor<128x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 128>
  warp.return
}

// -----

warp.func @sum_alone(%q: !warp.shared<128, 64, bf16, swizzled>, %keys: !warp.ring<2, <64, 64, bf16, swizzled>>,
    %out: !tile.buffer<f32, q, heads_q, 64>, %rows: !tile.rows<q, 128>, %last: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 64, warps = 8, stages = 2, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %none = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
  %r = scf.for %j = %c0 to %last step %c1 iter_args(%sum = %none) -> (tensor<128x64xf32, #warp.acc>) : i64 {
    %k = warp.receive %keys : <2, <64, 64, bf16, swizzled>> -> <64, 64, bf16, swizzled>
    %0 = warp.issue %q, %k transposed, %sum : !warp.shared<128, 64, bf16, swizzled>, <64, 64, bf16, swizzled>, tensor<128x64xf32, #warp.acc> -> <tensor<128x64xf32, #warp.acc>>
    %1 = warp.await %0, 0 : <tensor<128x64xf32, #warp.acc>>
    warp.consumed %keys : <2, <64, 64, bf16, swizzled>>
    scf.yield %1 : tensor<128x64xf32, #warp.acc>
  }
  warp.store %r, %out[%rows, %c0] : tensor<128x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 128>
  warp.return
}
