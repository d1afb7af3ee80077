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

// Roles, rings with barriers, products under way.

// CHECK-LABEL: warp.func @roles(
// CHECK-SAME: schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup, value_stages = 3, persistent = true>
warp.func @roles(%key: !tile.buffer<bf16, kv, heads_kv, 64>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup, value_stages = 3, persistent = true> align = 16 {
  // CHECK: %[[RING:.*]] = warp.ring : <2, <32, 64, bf16, swizzled>>
  %ring = warp.ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>
  %query = warp.ring : !warp.ring<1, !warp.shared<128, 64, bf16, swizzled>>
  // CHECK: warp.roles registers(24, 240) producer {
  warp.roles registers(24, 240) producer {
    // CHECK-NEXT: warp.points balanced by_warp {
    warp.points balanced by_warp {
    ^bb0(%sequence: i64, %tile: i64, %head: i64):
      %rows = tile.rows %sequence, %tile : !tile.rows<kv, 32>
      // CHECK: warp.send %[[RING]], %{{.*}}[%{{.*}}, %{{.*}}] : <2, <32, 64, bf16, swizzled>>, <bf16, kv, heads_kv, 64>, <kv, 32>
      warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32>
    }
  // CHECK: } consumer {
  } consumer {
    // CHECK-NEXT: warp.points {
    warp.points {
    ^bb0(%sequence: i64, %tile: i64, %head: i64):
      %q = warp.receive %query : !warp.ring<1, !warp.shared<128, 64, bf16, swizzled>> -> !warp.shared<128, 64, bf16, swizzled>
      // CHECK: %[[K:.*]] = warp.receive %[[RING]] : <2, <32, 64, bf16, swizzled>> -> <32, 64, bf16, swizzled>
      %k = warp.receive %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16, swizzled>
      // CHECK: %[[S:.*]] = warp.issue %{{.*}}, %[[K]] transposed : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> <tensor<128x32xf32, #warp.acc>>
      %s = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16, swizzled> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
      // CHECK: %[[T:.*]] = warp.await %[[S]], 0 : <tensor<128x32xf32, #warp.acc>>
      %t = warp.await %s, 0 : !warp.pending<tensor<128x32xf32, #warp.acc>>
      // CHECK: warp.clear_rows %[[K]], %{{.*}} : <32, 64, bf16, swizzled>
      warp.clear_rows %k, %tile : !warp.shared<32, 64, bf16, swizzled>
      // CHECK: %[[M:.*]]:2 = warp.map(%[[T]]) : (tensor<128x32xf32, #warp.acc>) -> (tensor<128x32xbf16, #warp.operand>, tensor<128xf32, #warp.partial>) {
      %m:2 = warp.map(%t) : (tensor<128x32xf32, #warp.acc>) -> (tensor<128x32xbf16, #warp.operand>, tensor<128xf32, #warp.partial>) {
      ^bb0(%x: f32, %row: i64, %column: i64):
        %r = arith.truncf %x : f32 to bf16
        warp.yield %r, %x : bf16, f32
      }
      %zero = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
      // CHECK: %[[DONE:.*]] = warp.settled %{{.*}} : tensor<128x64xf32, #warp.acc>
      %done = warp.settled %zero : tensor<128x64xf32, #warp.acc>
      // CHECK: warp.issue %[[M]]#0, %[[K]], %[[DONE]] : tensor<128x32xbf16, #warp.operand>, <32, 64, bf16, swizzled>, !warp.pending<tensor<128x64xf32, #warp.acc>> -> <tensor<128x64xf32, #warp.acc>>
      %o = warp.issue %m#0, %k, %done : tensor<128x32xbf16, #warp.operand>, !warp.shared<32, 64, bf16, swizzled>, !warp.pending<tensor<128x64xf32, #warp.acc>> -> !warp.pending<tensor<128x64xf32, #warp.acc>>
      // CHECK: %[[SUM:.*]] = warp.combine %[[M]]#1 : tensor<128xf32, #warp.partial> -> tensor<128xf32, #warp.row>
      %sum = warp.combine %m#1 : tensor<128xf32, #warp.partial> -> tensor<128xf32, #warp.row>
      // CHECK: warp.expand %[[SUM]] : tensor<128xf32, #warp.row> -> tensor<128xf32, #warp.partial>
      %spread = warp.expand %sum : tensor<128xf32, #warp.row> -> tensor<128xf32, #warp.partial>
      %large = arith.cmpf ogt, %m#1, %spread : tensor<128xf32, #warp.partial>
      // CHECK: warp.any %{{.*}} : tensor<128xi1, #warp.partial>
      %any = warp.any %large : tensor<128xi1, #warp.partial>
      %acc = warp.await %o, 0 : !warp.pending<tensor<128x64xf32, #warp.acc>>
      // CHECK: warp.consumed %[[RING]] : <2, <32, 64, bf16, swizzled>>
      warp.consumed %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>
      warp.consumed %query : !warp.ring<1, !warp.shared<128, 64, bf16, swizzled>>
    }
  }
  warp.return
}

// CHECK-LABEL: warp.func @turns(
warp.func @turns(%sum: !tile.buffer<f32, q, heads_q, 64, packed, rounded = 64>,
                 %turns: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>,
                 %tickets: !tile.buffer<i32, none, one, 1, packed>)
    grid <kv, 64, heads_q> schedule <rows = 64> align = 16 {
  // CHECK: warp.await_launches
  warp.await_launches
  // CHECK: %{{.*}} = warp.ticket %{{.*}} : <i32, none, one, 1, packed>
  %sequence, %tile, %head, %exists = warp.ticket %tickets : !tile.buffer<i32, none, one, 1, packed>
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 64>
  // CHECK: warp.load %{{.*}} unclipped : <f32, q, heads_q, 64, packed, rounded = 64>
  %x = warp.load %sum[%rows, %head] unclipped : !tile.buffer<f32, q, heads_q, 64, packed, rounded = 64>, !tile.rows<q, 64> -> tensor<64x64xf32, #warp.acc>
  // CHECK: warp.ordered_add %{{.*}}, %{{.*}} turn %{{.*}} of %{{.*}} by %{{.*}} : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64, packed, rounded = 64>, <q, 64>, <i32, q, heads_q, 1, packed, rounded = 64>
  warp.ordered_add %x, %sum[%rows, %head] turn %tile of %head by %turns : tensor<64x64xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 64, packed, rounded = 64>, !tile.rows<q, 64>, !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
  warp.return
}
