// Every op of the dialect, printed and parsed again.
// RUN: weft-opt %s | weft-opt | FileCheck %s

// CHECK-LABEL: warp.func @ops(
// CHECK-SAME: %{{.*}}: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"}
// CHECK-SAME: ) grid <q, 64, heads_q> descending schedule <rows = 64, columns = 32, stages = 2> align = 16 attributes {weft.note = 1 : i64} {
warp.func @ops(%query: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"},
               %lse: !tile.buffer<f32, q, heads_q, 1>,
               %sums: !tile.buffer<f32, q, heads_q, 64, packed>,
               %scale: f32)
    grid <q, 64, heads_q> descending schedule <rows = 64, columns = 32, warps = 4, stages = 2> align = 16
    attributes {weft.note = 1 : i64} {
  %c0 = arith.constant 0 : i64
  // CHECK: %[[RING:.*]] = warp.ring : <2, <64, 64, bf16>>
  %ring = warp.ring : <2, <64, 64, bf16>>
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %[[EXISTS:.*]] = warp.point
  %sequence, %tile, %head, %exists = warp.point
  // CHECK: scf.if %[[EXISTS]]
  scf.if %exists {
    %rows = tile.rows %sequence, %c0 : <q, 64>
    // CHECK: warp.fetch %{{.*}}[%{{.*}}, %{{.*}}] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, bf16>
    %a = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, bf16>
    // CHECK: warp.put %[[RING]][%{{.*}}], %{{.*}}[%{{.*}}, %{{.*}}] : <2, <64, 64, bf16>>, <bf16, q, heads_q, 64>, <q, 64>
    warp.put %ring[%c0], %query[%rows, %head] : <2, <64, 64, bf16>>, <bf16, q, heads_q, 64>, <q, 64>
    // CHECK-NEXT: warp.commit
    warp.commit
    // CHECK-NEXT: warp.wait 1
    warp.wait 1
    // CHECK-NEXT: warp.barrier
    warp.barrier
    // CHECK-NEXT: warp.get %[[RING]][%{{.*}}] : <2, <64, 64, bf16>> -> <64, 64, bf16>
    %b = warp.get %ring[%c0] : <2, <64, 64, bf16>> -> <64, 64, bf16>
    // CHECK: warp.load %{{.*}}[%{{.*}}, %{{.*}}] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16, #warp.acc>
    %0 = warp.load %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16, #warp.acc>
    // CHECK: warp.load %{{.*}}[%{{.*}}, %{{.*}}] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.column>
    %1 = warp.load %lse[%rows, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.column>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
    // CHECK: warp.mma %{{.*}}, %{{.*}} transposed, %{{.*}} : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
    %2 = warp.mma %a, %b transposed, %zero : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
    // CHECK: warp.pack %{{.*}} : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
    %3 = warp.pack %2 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
    // CHECK: warp.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x64xbf16, #warp.operand>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
    %4 = warp.mma %3, %b, %2 : tensor<64x64xbf16, #warp.operand>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
    // CHECK: warp.reduce max %{{.*}} : tensor<64x64xf32, #warp.acc> -> tensor<64xf32, #warp.row>
    %5 = warp.reduce max %4 : tensor<64x64xf32, #warp.acc> -> tensor<64xf32, #warp.row>
    // CHECK: warp.expand %{{.*}} : tensor<64xf32, #warp.column> -> tensor<64x64xf32, #warp.acc>
    %6 = warp.expand %1 : tensor<64xf32, #warp.column> -> tensor<64x64xf32, #warp.acc>
    // CHECK: warp.coordinates %{{.*}} dim = 1 : tensor<64x64xi64, #warp.acc>
    %7 = warp.coordinates %c0 dim = 1 : tensor<64x64xi64, #warp.acc>
    // CHECK: warp.map(%{{.*}}, %{{.*}}) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
    // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: i64, %{{.*}}: i64):
    %8 = warp.map(%4, %5) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
    ^bb0(%x: f32, %y: f32, %row: i64, %column: i64):
      %d = arith.subf %x, %y : f32
      %e = arith.mulf %d, %scale : f32
      // CHECK: warp.yield %{{.*}} : f32
      warp.yield %e : f32
    }
    // CHECK: warp.store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
    warp.store %5, %lse[%rows, %head] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
    // CHECK: warp.add %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64, packed>, <q, 64>
    warp.add %8, %sums[%rows, %head] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64, packed>, <q, 64>
    // CHECK: warp.fill %{{.*}}[%{{.*}}, %{{.*}}], 0xFFF0000000000000 : <f32, q, heads_q, 1>
    warp.fill %lse[%c0, %head], 0xFFF0000000000000 : <f32, q, heads_q, 1>
  }
  // CHECK: warp.return
  warp.return
}
