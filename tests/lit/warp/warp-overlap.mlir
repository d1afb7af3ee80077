// RUN: weft-opt %s -warp-specialize -canonicalize -cse -warp-overlap -cse | FileCheck %s
// RUN: sed 's/ = arith.constant 1 : i64/ = arith.constant 2 : i64/' %s | weft-opt -warp-specialize -canonicalize -cse -warp-overlap | FileCheck %s --check-prefix=WIDE

// The second product of a step is issued beside the first one of the next; O is
// pending from step to step, and waited for in the rare branch alone. Steps go
// in pairs, of which the last may have one: then its P is in the other registers
// when the last product is issued.

// A loop of wider steps stays as it is.

// WIDE-LABEL: warp.func @kernel(
// WIDE: scf.for
// WIDE-NOT: warp.settled

// CHECK-LABEL: warp.func @kernel(
// CHECK: %[[Q:.*]] = warp.ring : <1
// CHECK: %[[K:.*]] = warp.ring : <2
// CHECK: %[[V:.*]] = warp.ring : <3
// CHECK: } consumer {
// CHECK: scf.if
// CHECK:   warp.receive %[[K]]
// CHECK:   warp.issue
// CHECK:   warp.await %{{.*}}, 0
// CHECK:   warp.consumed %[[K]]
// CHECK:   %[[P0:.*]] = warp.pack
// CHECK-NOT: warp.receive %[[V]]
// CHECK:   %[[NONE:.*]] = warp.settled
// CHECK:   %[[UNUSED:.*]] = ub.poison : tensor<128x16xbf16, #warp.operand>
// CHECK:   %[[PAIRS:.*]]:3 = scf.for %[[J:.*]] = %[[FIRST:.*]] to %[[END:.*]] step %c2_i64 iter_args(%[[P:.*]] = %[[P0]], %[[O:.*]] = %[[NONE]], %{{.*}} = %[[UNUSED]])
// CHECK:     %[[LATER:.*]] = arith.cmpi sgt, %[[J]], %[[FIRST]]
// CHECK:     %[[KT:.*]] = warp.receive %[[K]]
// CHECK:     %[[PS:.*]] = warp.issue %{{.*}}, %[[KT]] transposed :
// CHECK:     %[[BEFORE:.*]] = arith.subi %[[J]], %c1_i64
// CHECK:     %[[VT:.*]] = warp.receive %[[V]]
// CHECK:     %[[HELD:.*]] = arith.subi %{{.*}}, %[[BEFORE]]
// CHECK:     scf.if
// CHECK-NEXT:  warp.clear_rows %[[VT]], %[[HELD]]
// CHECK:     %[[PO:.*]] = warp.issue %[[P]], %[[VT]], %[[O]] :
// CHECK:     %[[S:.*]] = warp.await %[[PS]], 1
// CHECK:     warp.consumed %[[K]]
// CHECK:     scf.if %[[LATER]] {
// CHECK:       warp.consumed %[[V]]
// CHECK:     %[[PN:.*]] = warp.pack %[[S]]
// CHECK:     %[[X:.*]]:2 = scf.if
// CHECK:       %[[ACC:.*]] = warp.await %[[PO]], 0
// CHECK:       %[[ACC1:.*]] = arith.addf %[[ACC]], %[[ACC]]
// CHECK:       %[[DONE:.*]] = warp.settled %[[ACC1]]
// CHECK:       scf.yield %{{.*}}, %[[DONE]]
// CHECK:     } else {
// CHECK:       scf.yield %[[PN]], %[[PO]]
// CHECK:     %[[SECOND:.*]] = arith.addi %[[J]], %c1_i64
// CHECK:     %[[HAS_SECOND:.*]] = arith.cmpi slt, %[[SECOND]], %[[END]]
// CHECK:     %[[REST:.*]]:2 = scf.if %[[HAS_SECOND]]
// CHECK:       warp.issue %{{.*}} transposed :
// CHECK:       warp.issue %[[X]]#0, %{{.*}}, %[[X]]#1 :
// CHECK:       warp.await %{{.*}}, 1
// CHECK:       warp.consumed %[[K]]
// CHECK-NEXT:  warp.consumed %[[V]]
// CHECK:     } else {
// CHECK:       scf.yield %[[P]], %[[X]]#1
// CHECK:     scf.yield %[[REST]]#0, %[[REST]]#1, %[[X]]#0
// CHECK:   %[[ODD:.*]] = arith.cmpi ne
// CHECK:   %[[HAS_STEPS:.*]] = arith.cmpi sgt
// CHECK:   scf.if %[[ODD]]
// CHECK:     %[[LAST:.*]] = warp.issue %[[PAIRS]]#2, %{{.*}}, %[[PAIRS]]#1 :
// CHECK:     warp.await %[[LAST]], 0
// CHECK-NEXT: warp.consumed %[[V]]
// CHECK-NEXT: warp.consumed %[[V]]
// CHECK:   } else {
// CHECK:     %[[LAST:.*]] = warp.issue %[[PAIRS]]#0, %{{.*}}, %[[PAIRS]]#1 :
// CHECK:     warp.await %[[LAST]], 0
// CHECK-NEXT: scf.if %[[HAS_STEPS]] {
// CHECK-NEXT:  warp.consumed %[[V]]
// CHECK-NEXT: }
// CHECK-NEXT: warp.consumed %[[V]]
warp.func @kernel(%query: !tile.buffer<bf16, q, heads_q, 64>, %key: !tile.buffer<bf16, kv, heads_q, 64>,
                  %value: !tile.buffer<bf16, kv, heads_q, 64>, %out: !tile.buffer<f32, q, heads_q, 64>, %last: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, stages = 2, mma = warpgroup, value_stages = 3> align = 16
    attributes {weft.kv = #attn.side<thd>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %limit = arith.constant dense<2.0> : tensor<128x16xf32, #warp.acc>
  %zero = arith.constant dense<0.0> : tensor<128x16xf32, #warp.acc>
  %zero_o = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile : <q, 128>
    %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 128> -> <128, 64, bf16, swizzled>
    %any = arith.cmpi slt, %c0, %last : i64
    %r = scf.if %any -> (tensor<128x64xf32, #warp.acc>) {
      %rows_0 = tile.rows %sequence, %c0 : <kv, 16>
      %k0 = warp.fetch %key[%rows_0, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
      %s0 = warp.mma %q, %k0 transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <16, 64, bf16, swizzled> -> tensor<128x16xf32, #warp.acc>
      %p0 = warp.pack %s0 : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
      %v0 = warp.fetch %value[%rows_0, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
      %o0 = warp.mma %p0, %v0, %zero_o : tensor<128x16xbf16, #warp.operand>, <16, 64, bf16, swizzled> -> tensor<128x64xf32, #warp.acc>
      %o = scf.for %j = %c1 to %last step %c1 iter_args(%acc = %o0) -> (tensor<128x64xf32, #warp.acc>) : i64 {
        %rows_j = tile.rows %sequence, %j : <kv, 16>
        %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
        %s = warp.mma %q, %k transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <16, 64, bf16, swizzled> -> tensor<128x16xf32, #warp.acc>
        %large = arith.cmpf ogt, %s, %limit : tensor<128x16xf32, #warp.acc>
        %redo = warp.any %large : tensor<128x16xi1, #warp.acc>
        %p = warp.pack %s : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
        %x:2 = scf.if %redo -> (tensor<128x16xbf16, #warp.operand>, tensor<128x64xf32, #warp.acc>) {
          %doubled = arith.addf %s, %s : tensor<128x16xf32, #warp.acc>
          %p1 = warp.pack %doubled : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
          %acc1 = arith.addf %acc, %acc : tensor<128x64xf32, #warp.acc>
          scf.yield %p1, %acc1 : tensor<128x16xbf16, #warp.operand>, tensor<128x64xf32, #warp.acc>
        } else {
          scf.yield %p, %acc : tensor<128x16xbf16, #warp.operand>, tensor<128x64xf32, #warp.acc>
        }
        %v = warp.fetch %value[%rows_j, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
        %acc2 = warp.mma %x#0, %v, %x#1 : tensor<128x16xbf16, #warp.operand>, <16, 64, bf16, swizzled> -> tensor<128x64xf32, #warp.acc>
        scf.yield %acc2 : tensor<128x64xf32, #warp.acc>
      }
      scf.yield %o : tensor<128x64xf32, #warp.acc>
    } else {
      scf.yield %zero_o : tensor<128x64xf32, #warp.acc>
    }
    warp.store %r, %out[%rows, %head] : tensor<128x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 128>
  }
  warp.return
}
