// RUN: weft-opt %s -split-input-file -warp-partial-sums | FileCheck %s

// Parts are carried, added and scaled; the sum is made where it is asked for.

// CHECK-LABEL: warp.func @carried(
// CHECK: %[[FIRST:.*]] = warp.reduce sum %{{.*}} -> tensor<128xf32, #warp.partial>
// CHECK: %[[L:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[FIRST]]) -> (tensor<128xf32, #warp.partial>)
// CHECK:   %[[SUM:.*]] = warp.reduce sum %{{.*}} -> tensor<128xf32, #warp.partial>
// CHECK:   %[[LIMIT:.*]] = arith.constant dense<1.024000e+03> : tensor<128xf32, #warp.partial>
// CHECK:   %[[LARGE:.*]] = arith.cmpf uge, %[[SUM]], %[[LIMIT]] : tensor<128xf32, #warp.partial>
// CHECK:   %[[REDO:.*]] = warp.any %[[LARGE]] : tensor<128xi1, #warp.partial>
// CHECK:   scf.if %[[REDO]] -> (tensor<128xf32, #warp.partial>)
// CHECK:     %[[F:.*]] = warp.expand %{{.*}} : tensor<128xf32, #warp.row> -> tensor<128xf32, #warp.partial>
// CHECK:     arith.mulf %[[OLD]], %[[F]] : tensor<128xf32, #warp.partial>
// CHECK:   } else {
// CHECK:     arith.addf %[[OLD]], %[[SUM]] : tensor<128xf32, #warp.partial>
// CHECK: %[[ALL:.*]] = warp.combine %[[L]] : tensor<128xf32, #warp.partial> -> tensor<128xf32, #warp.row>
// CHECK: math.log2 %[[ALL]]
// CHECK: warp.store %[[ALL]]
warp.func @carried(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
                   %rows: !tile.rows<q, 128>, %n: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %limit = arith.constant dense<1024.0> : tensor<128xf32, #warp.row>
  %first = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %l0 = warp.reduce sum %first : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%old = %l0) -> (tensor<128xf32, #warp.row>) : i64 {
    %p = warp.load %x[%rows, %j] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
    %sum = warp.reduce sum %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
    %large = arith.cmpf uge, %sum, %limit : tensor<128xf32, #warp.row>
    %redo = warp.any %large : tensor<128xi1, #warp.row>
    %new = scf.if %redo -> (tensor<128xf32, #warp.row>) {
      %factor = warp.load %lse[%rows, %j] : <f32, q, heads_q, 1>, <q, 128> -> tensor<128xf32, #warp.row>
      %scaled = arith.mulf %old, %factor : tensor<128xf32, #warp.row>
      scf.yield %scaled : tensor<128xf32, #warp.row>
    } else {
      %more = arith.addf %old, %sum : tensor<128xf32, #warp.row>
      scf.yield %more : tensor<128xf32, #warp.row>
    }
    scf.yield %new : tensor<128xf32, #warp.row>
  }
  %log = math.log2 %l : tensor<128xf32, #warp.row>
  warp.store %log, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %l, %lse[%rows, %c1] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
}

// -----

// A branch without keys gives zeros. A sum that meets what is no sum is made
// first: in a product of sums, beside a value of its own, as a plain maximum.

// CHECK-LABEL: warp.func @met(
// CHECK: %[[SUM:.*]] = warp.reduce sum %{{.*}} -> tensor<128xf32, #warp.partial>
// CHECK: %[[ALL:.*]] = warp.combine %[[SUM]]
// CHECK: %[[R:.*]]:2 = scf.if %{{.*}} -> (tensor<128xf32, #warp.partial>, tensor<128xf32, #warp.row>)
// CHECK:   scf.yield %[[SUM]], %[[ALL]]
// CHECK: } else {
// CHECK:   %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<128xf32, #warp.partial>
// CHECK:   scf.yield %[[ZERO]], %{{.*}}
// CHECK: %[[ALL1:.*]] = warp.combine %[[R]]#0
// CHECK: arith.mulf %[[ALL1]], %[[ALL]] : tensor<128xf32, #warp.row>
// CHECK: warp.reduce max %{{.*}} -> tensor<128xf32, #warp.row>
warp.func @met(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
               %rows: !tile.rows<q, 128>, %any: i1)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %none = arith.constant dense<0.0> : tensor<128xf32, #warp.row>
  %p = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %own = warp.load %lse[%rows, %c0] : <f32, q, heads_q, 1>, <q, 128> -> tensor<128xf32, #warp.row>
  %sum = warp.reduce sum %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %r:2 = scf.if %any -> (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) {
    scf.yield %sum, %sum : tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>
  } else {
    scf.yield %none, %own : tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>
  }
  %square = arith.mulf %r#0, %sum : tensor<128xf32, #warp.row>
  %max = warp.reduce max %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  warp.store %square, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %max, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %r#1, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
}

// -----

// Other schedules are left alone.

// CHECK-LABEL: warp.func @warps(
// CHECK: warp.reduce sum %{{.*}} -> tensor<64xf32, #warp.row>
warp.func @warps(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>, %rows: !tile.rows<q, 64>)
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %p = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 64> -> tensor<64x16xf32, #warp.acc>
  %sum = warp.reduce sum %p : tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  warp.store %sum, %lse[%rows, %c0] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}
