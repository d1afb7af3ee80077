// RUN: weft-opt %s -split-input-file -warp-pack-maps | FileCheck %s

// CHECK-LABEL: warp.func @softmax(
// CHECK: %[[R:.*]]:3 = warp.map(%{{.*}}) : (tensor<128x16xf32, #warp.acc>) -> (tensor<128xf32, #warp.partial>, tensor<128x16xbf16, #warp.operand>, tensor<128x16xf32, #warp.acc>) {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: i64, %{{.*}}: i64):
// CHECK-NEXT:   %[[E:.*]] = math.exp2 %[[X]]
// CHECK-NEXT:   %[[T:.*]] = arith.addf %[[X]], %[[X]]
// CHECK-NEXT:   %[[P:.*]] = arith.truncf %[[E]] : f32 to bf16
// CHECK-NEXT:   warp.yield %[[E]], %[[P]], %[[T]] : f32, bf16, f32
// CHECK-NOT: warp.pack
// CHECK-NOT: warp.reduce sum
// CHECK: warp.reduce max %[[R]]#2
// CHECK: warp.issue %[[R]]#1
// CHECK: warp.combine %[[R]]#0
warp.func @softmax(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
                   %rows: !tile.rows<q, 128>, %v: !warp.shared<16, 64, bf16, swizzled>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %s = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %m:2 = warp.map(%s) : (tensor<128x16xf32, #warp.acc>) -> (tensor<128x16xf32, #warp.acc>, tensor<128x16xf32, #warp.acc>) {
  ^bb0(%e: f32, %row: i64, %column: i64):
    %p = math.exp2 %e : f32
    %t = arith.addf %e, %e : f32
    warp.yield %p, %t : f32, f32
  }
  %sum = warp.reduce sum %m#0 : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.partial>
  %a = warp.pack %m#0 : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
  %max = warp.reduce max %m#1 : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %o = warp.issue %a, %v : tensor<128x16xbf16, #warp.operand>, <16, 64, bf16, swizzled> -> !warp.pending<tensor<128x64xf32, #warp.acc>>
  %all = warp.combine %sum : tensor<128xf32, #warp.partial> -> tensor<128xf32, #warp.row>
  warp.store %all, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %max, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
}

// -----

// A tile that something else needs stays beside what is made of it.

// CHECK-LABEL: warp.func @needed(
// CHECK: %[[R:.*]]:2 = warp.map({{.*}} -> (tensor<128x16xf32, #warp.acc>, tensor<128x16xf16, #warp.operand>)
// CHECK: warp.store %[[R]]#0
warp.func @needed(%x: !tile.buffer<f32, q, heads_q, 16>, %rows: !tile.rows<q, 128>, %v: !warp.shared<16, 64, f16, swizzled>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %s = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %m = warp.map(%s) : (tensor<128x16xf32, #warp.acc>) -> tensor<128x16xf32, #warp.acc> {
  ^bb0(%e: f32, %row: i64, %column: i64):
    %p = math.exp2 %e : f32
    warp.yield %p : f32
  }
  %a = warp.pack %m : tensor<128x16xf32, #warp.acc> -> tensor<128x16xf16, #warp.operand>
  warp.store %m, %x[%rows, %c0] : tensor<128x16xf32, #warp.acc>, <f32, q, heads_q, 16>, <q, 128>
  %o = warp.issue %a, %v : tensor<128x16xf16, #warp.operand>, <16, 64, f16, swizzled> -> !warp.pending<tensor<128x64xf32, #warp.acc>>
  warp.return
}
