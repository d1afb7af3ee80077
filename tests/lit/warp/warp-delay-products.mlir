// RUN: weft-opt %s -weft-to-plan -weft-to-tile -tile-to-warp -warp-specialize -canonicalize -cse | FileCheck %s --check-prefix=STEP
// RUN: weft-opt %s -weft-to-plan -weft-to-tile -tile-to-warp -warp-specialize -canonicalize -cse -warp-delay-products -canonicalize -cse | FileCheck %s
// RUN: weft-opt %s -weft-to-plan -weft-to-tile -tile-to-warp -warp-specialize -canonicalize -cse | sed 's/ = arith.constant 1 : i64/ = arith.constant 2 : i64/' | weft-opt -warp-delay-products | FileCheck %s --check-prefix=WIDE
// RUN: weft-opt %s -weft-to-plan -weft-to-tile -tile-to-warp -warp-specialize -canonicalize -cse | sed 's/warp.receive %5 /warp.receive %1 /' | weft-opt -warp-delay-products | FileCheck %s --check-prefix=TWICE

// All gradients in one kernel. dS is handed over in its own step before:

// STEP-LABEL: warp.func @dqkv_body(
// STEP: %[[STAGING:.*]] = warp.alloc : <64, 128, f32, fragments>
// STEP: %[[EXCHANGE:.*]] = warp.ring : <2, <64, 128, bf16, swizzled>>
// STEP: consumer
// STEP: scf.for
// STEP:   warp.issue %{{.*}} transposed
// STEP:   warp.issue %{{.*}} transposed
// STEP:   %[[DS:.*]] = warp.pack
// STEP:   warp.issue %[[DS]], %{{.*}}, %{{.*}}
// STEP:   warp.deposit %[[EXCHANGE]], %[[DS]]
// STEP:   %[[HANDED:.*]] = warp.receive %[[EXCHANGE]]
// STEP:   %[[DQ:.*]] = warp.issue %[[HANDED]], %{{.*}} -> <tensor<64x128xf32, #warp.slice>>
// STEP:   %[[SUM:.*]] = warp.await %[[DQ]], 0
// STEP:   warp.consumed %[[EXCHANGE]]
// STEP:   warp.stage %[[SUM]], %[[STAGING]]
// STEP:   warp.add_staged %[[STAGING]], %{{.*}}

// And behind, dQ comes two steps later, dK one, and dV runs on.

// CHECK-LABEL: warp.func @dqkv_body(
// CHECK: %[[STAGING:.*]] = warp.alloc : <64, 128, f32, fragments>
// CHECK: %[[EXCHANGE:.*]] = warp.ring : <2, <64, 128, bf16, swizzled>>
// CHECK: consumer
// CHECK: %[[R:.*]]:3 = scf.for %[[J:.*]] = %[[FIRST:.*]] to %[[END:.*]] step %{{.*}} iter_args(%[[DK:.*]] = %{{.*}}, %[[DV:.*]] = %{{.*}}, %[[DS:.*]] = %{{.*}}) -> (tensor<128x128xf32, #warp.acc>, !warp.pending<{{.*}}>, tensor<128x64xbf16, #warp.operand>)
// CHECK:   %[[SECOND:.*]] = arith.cmpi sgt, %[[J]], %[[FIRST]]
// CHECK:   %[[THIRD:.*]] = arith.cmpi sgt, %[[J]], %{{.*}}
// CHECK:   %[[HANDED:.*]] = warp.receive %[[EXCHANGE]] when %[[THIRD]]
// CHECK:   %[[DQ:.*]] = warp.issue %[[HANDED]], %{{.*}} -> <tensor<64x128xf32, #warp.slice>>
// CHECK:   %[[Q:.*]] = warp.held %[[QUERIES:.*]] when %[[SECOND]]
// CHECK:   %[[DK1:.*]] = warp.issue %[[DS]], %[[Q]], %[[DK]]
// CHECK:   scf.if %[[SECOND]] {
// CHECK:     warp.deposit %[[EXCHANGE]], %[[DS]]
// CHECK:   warp.receive %[[QUERIES]]
// CHECK:   %[[DV_DONE:.*]] = warp.await %[[DV]], 2
// CHECK:   %[[S:.*]] = warp.issue
// CHECK:   %[[SUM:.*]] = warp.await %[[DQ]], 2
// CHECK:   scf.if %[[THIRD]] {
// CHECK:     warp.consumed %[[EXCHANGE]]
// CHECK:     warp.stage %[[SUM]], %[[STAGING]]
// CHECK:   %[[DP:.*]] = warp.issue
// CHECK:   %[[OLD:.*]] = arith.subi %[[J]], %c2
// CHECK:   scf.if %[[THIRD]] {
// CHECK:     warp.add_staged %[[STAGING]], %{{.*}}
// CHECK:   %[[DK2:.*]] = warp.await %[[DK1]], 2
// CHECK:   scf.if %[[SECOND]] {
// CHECK:     warp.consumed %[[QUERIES]] age 1
// CHECK:   warp.take_turn
// CHECK:   warp.await %[[S]], 1
// CHECK:   math.exp2
// CHECK:   %[[DV1:.*]] = warp.issue %{{.*}}, %{{.*}}, %[[DV_DONE]]
// CHECK:   warp.pass_turn
// CHECK:   warp.await %[[DP]], 1
// CHECK:   %[[NEXT:.*]] = warp.pack
// CHECK:   scf.yield %[[DK2]], %[[DV1]], %[[NEXT]]
// CHECK: warp.await %[[R]]#1, 0
// CHECK: scf.if %{{.*}} -> (tensor<128x128xf32, #warp.acc>) {
// CHECK:   warp.deposit %[[EXCHANGE]], %[[R]]#2
// CHECK:   %[[LAST:.*]] = warp.held %[[QUERIES]] :
// CHECK:   warp.issue %[[R]]#2, %[[LAST]], %[[R]]#0
// CHECK:   scf.for
// CHECK:     warp.receive %[[EXCHANGE]] :
// CHECK:     warp.issue
// CHECK:     warp.await %{{.*}}, 0
// CHECK:     warp.stage %{{.*}}, %[[STAGING]]
// CHECK:     warp.add_staged %[[STAGING]], %{{.*}}

// The step before one of two is not the number before: such loops stay.

// WIDE-LABEL: warp.func @dqkv_body(
// WIDE: scf.for
// WIDE-NOT: warp.held

// Nor does a step that takes two tiles of one ring, which give back one.

// TWICE-LABEL: warp.func @dqkv_body(
// TWICE: scf.for
// TWICE-NOT: warp.held

module attributes {weft.target = "sm_90a"} {
  attn.backward @attention bf16 head_dim = 128, head_dim_v = 128, head_ratio = 1 q = <batch> kv = <batch>
}
