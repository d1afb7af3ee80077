// RUN: weft-opt %s -pass-pipeline='builtin.module(warp.func(warp-narrow-coordinates))' | FileCheck %s

// What is the same for all elements leaves the map, clamped; 64 bits in, 32 bits
// compared.

// CHECK-LABEL: warp.func @mask
// CHECK:       %[[DISTANCE:.*]] = arith.minsi
// CHECK:       %[[NEAR:.*]] = arith.trunci %[[DISTANCE]] : i64 to i32
// CHECK:       ^bb0(%[[X:.*]]: f32, %[[ROW:.*]]: i64, %[[COLUMN:.*]]: i64):
// CHECK-NEXT:    %[[J:.*]] = arith.trunci %[[COLUMN]] : i64 to i32
// CHECK-NEXT:    %[[I:.*]] = arith.trunci %[[ROW]] : i64 to i32
// CHECK-NEXT:    %[[END:.*]] = arith.addi %[[I]], %[[NEAR]] : i32
// CHECK-NEXT:    %[[KEEP:.*]] = arith.cmpi sle, %[[J]], %[[END]] : i32
// CHECK-NEXT:    %[[Y:.*]] = arith.select %[[KEEP]]
// CHECK-NEXT:    warp.yield %[[Y]]
// A product of coordinates stays as it is.
// CHECK:         arith.muli {{.*}} : i64
// CHECK-NEXT:    arith.cmpi sle, {{.*}} : i64
warp.func @mask(%in: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "in"},
                %i0: i64 {weft.name = "window_left"}, %j0: i64 {weft.name = "window_right"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  %rows = tile.rows %sequence, %c64 : !tile.rows<q, 64>
  %x = warp.load %in[%rows, %head] : !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64> -> tensor<64x16xf32, #warp.acc>
  %y = warp.map(%x) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
  ^bb0(%v: f32, %row: i64, %column: i64):
    %j = arith.addi %j0, %column : i64
    %i = arith.addi %i0, %row : i64
    %keep = arith.cmpi sle, %j, %i : i64
    %w = arith.select %keep, %v, %zero : f32
    warp.yield %w : f32
  }
  %z = warp.map(%y) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
  ^bb0(%v: f32, %row: i64, %column: i64):
    %p = arith.muli %row, %column : i64
    %keep = arith.cmpi sle, %p, %i0 : i64
    %w = arith.select %keep, %v, %zero : f32
    warp.yield %w : f32
  }
  warp.add %z, %in[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
  warp.return
}
