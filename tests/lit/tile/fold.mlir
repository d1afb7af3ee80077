// RUN: weft-opt %s -canonicalize | FileCheck %s

// CHECK-LABEL: tile.func @expand_body
tile.func @expand_body(%0: !tile.buffer<f32, q, heads_q, 16> {weft.name = "out"})
    grid <q, 32, heads_q> schedule <rows = 32, warps = 2> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 32>
  // A vector of one value is a tile of one value.
  // CHECK: %[[ZERO:.*]] = arith.constant dense<2.000000e+00> : tensor<32x16xf32>
  // CHECK-NOT: tile.expand
  // CHECK: tile.store %[[ZERO]]
  %vector = arith.constant dense<2.0> : tensor<32xf32>
  %value = tile.expand %vector dim = 1 : tensor<32xf32> -> tensor<32x16xf32>
  tile.store %value, %0[%rows, %head] : tensor<32x16xf32>, !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 32>
  // What nobody uses goes, loads too; stores stay.
  // CHECK-NOT: tile.load
  // CHECK-NOT: tile.length
  %n = tile.length q %sequence
  %unused = tile.load %0[%rows, %head] : !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 32> -> tensor<32x16xf32>
  // CHECK: tile.return
  tile.return
}
