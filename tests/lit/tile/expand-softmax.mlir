// RUN: weft-opt %s -tile-expand-softmax | FileCheck %s

// CHECK-LABEL: tile.func @step_body
// CHECK-SAME: %scores: !tile.buffer<f32, q, heads_q, 16>
tile.func @step_body(%0: !tile.buffer<f32, q, heads_q, 16> {weft.name = "scores"},
                     %1: !tile.buffer<f32, q, heads_q, 1> {weft.name = "max"},
                     %2: !tile.buffer<f32, q, heads_q, 1> {weft.name = "sum"},
                     %3: !tile.buffer<f32, q, heads_q, 1> {weft.name = "rescale"})
    grid <q, 32, heads_q> schedule <rows = 32, warps = 2> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 32>
  // CHECK: %[[S:.*]] = tile.load %scores
  // CHECK: %[[M:.*]] = tile.load %max
  // CHECK: %[[L:.*]] = tile.load %sum
  %s = tile.load %0[%rows, %head] : !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 32> -> tensor<32x16xf32>
  %m = tile.load %1[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 32> -> tensor<32xf32>
  %l = tile.load %2[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 32> -> tensor<32xf32>
  // CHECK: %[[TILE_MAX:.*]] = tile.reduce max %[[S]] : tensor<32x16xf32> -> tensor<32xf32>
  // CHECK: %[[NEW_MAX:.*]] = arith.maxnumf %[[M]], %[[TILE_MAX]]
  // A row that has seen no key: differences are taken from 0.
  // CHECK: %[[INF:.*]] = arith.constant dense<0xFF800000> : tensor<32xf32>
  // CHECK: %[[EMPTY:.*]] = arith.cmpf oeq, %[[NEW_MAX]], %[[INF]]
  // CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<32xf32>
  // CHECK: %[[REF:.*]] = arith.select %[[EMPTY]], %[[ZERO]], %[[NEW_MAX]]
  // CHECK: %[[D:.*]] = arith.subf %[[M]], %[[REF]]
  // CHECK: %[[RESCALE:.*]] = math.exp2 %[[D]]
  // CHECK: %[[E:.*]] = tile.expand %[[REF]] dim = 1
  // CHECK: %[[X:.*]] = arith.subf %[[S]], %[[E]]
  // CHECK: %[[P:.*]] = math.exp2 %[[X]]
  // CHECK: %[[OLD:.*]] = arith.mulf %[[L]], %[[RESCALE]]
  // CHECK: %[[TILE_SUM:.*]] = tile.reduce sum %[[P]]
  // CHECK: %[[NEW_SUM:.*]] = arith.addf %[[OLD]], %[[TILE_SUM]]
  // CHECK-NOT: tile.softmax_step
  %p, %m1, %l1, %r = tile.softmax_step %s, %m, %l : tensor<32x16xf32>, tensor<32xf32>
  // CHECK: tile.store %[[P]], %scores
  // CHECK: tile.store %[[NEW_MAX]], %max
  // CHECK: tile.store %[[NEW_SUM]], %sum
  // CHECK: tile.store %[[RESCALE]], %rescale
  tile.store %p, %0[%rows, %head] : tensor<32x16xf32>, !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 32>
  tile.store %m1, %1[%rows, %head] : tensor<32xf32>, !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 32>
  tile.store %l1, %2[%rows, %head] : tensor<32xf32>, !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 32>
  tile.store %r, %3[%rows, %head] : tensor<32xf32>, !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 32>
  tile.return
}
