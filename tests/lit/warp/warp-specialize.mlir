// RUN: weft-opt %s -split-input-file -warp-specialize -canonicalize -cse | FileCheck %s

// A ring a buffer: one slot outside loops, else the schedule's; both tiles of
// a buffer share one. The producer keeps what decides on fetches alone. Rows
// of %value past the end are cleared, since the next sequence's may be there.

// CHECK-LABEL: warp.func @walk(
// CHECK: %[[Q:.*]] = warp.ring : <1, <128, 64, bf16, swizzled>>
// CHECK: %[[K:.*]] = warp.ring : <2, <32, 64, bf16, swizzled>>
// CHECK: %[[V:.*]] = warp.ring : <3, <32, 64, bf16, swizzled>>
// CHECK-NOT: warp.point
// CHECK: warp.roles registers(24, 240) producer {
// CHECK-NEXT: warp.points {
// CHECK-NEXT: ^bb0(%[[SEQUENCE:.*]]: i64, %[[TILE:.*]]: i64, %[[HEAD:.*]]: i64):
// CHECK-NEXT:   %[[ROWS:.*]] = tile.rows %[[SEQUENCE]], %[[TILE]] : <q, 128>
// CHECK-NEXT:   warp.send %[[Q]], %arg0[%[[ROWS]], %[[HEAD]]]
// CHECK-NEXT:   %[[ANY:.*]] = arith.cmpi
// CHECK-NEXT:   scf.if %[[ANY]] {
// CHECK-NEXT:     %[[ROWS0:.*]] = tile.rows %[[SEQUENCE]], %arg5 : <kv, 32>
// CHECK-NEXT:     warp.send %[[K]], %arg1[%[[ROWS0]], %[[HEAD]]]
// CHECK-NEXT:     scf.for %[[J:.*]] = %arg5 to %arg6 step
// CHECK-NEXT:       %[[ROWS_J:.*]] = tile.rows %[[SEQUENCE]], %[[J]] : <kv, 32>
// CHECK-NEXT:       warp.send %[[K]], %arg1[%[[ROWS_J]], %[[HEAD]]]
// CHECK-NEXT:       warp.send %[[V]], %arg2[%[[ROWS_J]], %[[HEAD]]]
// CHECK-NEXT:     }
// CHECK-NEXT:   }
// CHECK-NEXT: }
// CHECK-NEXT: } consumer {
// CHECK-NEXT: warp.points {
// CHECK-NEXT: ^bb0(%[[SEQUENCE:.*]]: i64, %[[TILE:.*]]: i64, %[[HEAD:.*]]: i64):
// CHECK:        %[[QT:.*]] = warp.receive %[[Q]]
// CHECK-NEXT:   scf.if
// CHECK-NEXT:     %[[K0:.*]] = warp.receive %[[K]]
// CHECK-NEXT:     %[[P0:.*]] = warp.issue %[[QT]], %[[K0]] transposed :
// CHECK-NEXT:     %[[S0:.*]] = warp.await %[[P0]], 0
// CHECK-NEXT:     warp.consumed %[[K]]
// CHECK:          scf.for %[[J:.*]] = {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}) -> (tensor<128x64xf32, #warp.acc>)
// CHECK:            %[[KT:.*]] = warp.receive %[[K]]
// CHECK-NEXT:       %[[PS:.*]] = warp.issue %[[QT]], %[[KT]] transposed :
// CHECK-NEXT:       %[[S:.*]] = warp.await %[[PS]], 0
// CHECK-NEXT:       warp.consumed %[[K]]
// CHECK-NEXT:       %[[A:.*]] = warp.pack %[[S]]
// CHECK-NEXT:       %[[VT:.*]] = warp.receive %[[V]]
// CHECK-NEXT:       %[[LENGTH:.*]] = tile.length kv %[[SEQUENCE]]
// CHECK-NEXT:       %[[HELD:.*]] = arith.subi %[[LENGTH]], %[[J]]
// CHECK-NEXT:       %[[PARTIAL:.*]] = arith.cmpi slt, %[[HELD]], %c32_i64
// CHECK-NEXT:       scf.if %[[PARTIAL]] {
// CHECK-NEXT:         warp.clear_rows %[[VT]], %[[HELD]]
// CHECK-NEXT:       }
// CHECK-NEXT:       %[[PO:.*]] = warp.issue %[[A]], %[[VT]], %[[ACC]] :
// CHECK-NEXT:       %[[O:.*]] = warp.await %[[PO]], 0
// CHECK-NEXT:       warp.consumed %[[V]]
// CHECK-NEXT:       scf.yield %[[O]]
// CHECK:        warp.consumed %[[Q]]
warp.func @walk(%query: !tile.buffer<bf16, q, heads_q, 64>, %key: !tile.buffer<bf16, kv, heads_q, 64>,
                %value: !tile.buffer<bf16, kv, heads_q, 64>, %out: !tile.buffer<f32, q, heads_q, 64>,
                %scores: !tile.buffer<f32, q, heads_q, 32>, %first: i64, %last: i64)
    grid <q, 128, heads_q> descending schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup, value_stages = 3> align = 16
    attributes {weft.kv = #attn.side<thd>} {
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #warp.acc>
  %zero_o = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile : <q, 128>
    %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 128> -> <128, 64, bf16, swizzled>
    %any = arith.cmpi slt, %first, %tile : i64
    scf.if %any {
      %rows_0 = tile.rows %sequence, %first : <kv, 32>
      %k0 = warp.fetch %key[%rows_0, %head] : <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
      %s0 = warp.mma %q, %k0 transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> tensor<128x32xf32, #warp.acc>
      warp.store %s0, %scores[%rows, %head] : tensor<128x32xf32, #warp.acc>, <f32, q, heads_q, 32>, <q, 128>
      %o = scf.for %j = %first to %last step %c1 iter_args(%acc = %zero_o) -> (tensor<128x64xf32, #warp.acc>) : i64 {
        %rows_j = tile.rows %sequence, %j : <kv, 32>
        %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
        %v = warp.fetch %value[%rows_j, %head] : <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
        %s = warp.mma %q, %k transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> tensor<128x32xf32, #warp.acc>
        %a = warp.pack %s : tensor<128x32xf32, #warp.acc> -> tensor<128x32xbf16, #warp.operand>
        %acc1 = warp.mma %a, %v, %acc : tensor<128x32xbf16, #warp.operand>, <32, 64, bf16, swizzled> -> tensor<128x64xf32, #warp.acc>
        scf.yield %acc1 : tensor<128x64xf32, #warp.acc>
      }
      warp.store %o, %out[%rows, %head] : tensor<128x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 128>
    }
  }
  warp.return
}

// -----

// A batch without padding ends where its tensor does: the copy clips there. A
// persistent kernel whose work grows with the tile deals it out longest first.

// CHECK-LABEL: warp.func @balanced(
// CHECK: warp.roles registers(32, 160) producer {
// CHECK-NEXT: warp.points balanced {
// CHECK-NEXT: ^bb0(%{{.*}}: i64, %{{.*}}: i64, %[[HEAD:.*]]: i64):
// CHECK: scf.for
// CHECK: %[[ODD:.*]] = arith.remsi
// CHECK: %[[TAKEN:.*]] = arith.cmpi eq, %[[ODD]]
// CHECK: scf.if %[[TAKEN]] {
// CHECK: } else {
// CHECK: warp.send
// CHECK: } consumer {
// CHECK-NEXT: warp.points balanced {
// CHECK-NOT: warp.clear_rows
// CHECK: warp.return
warp.func @balanced(%value: !tile.buffer<bf16, kv, heads_q, 64>, %out: !tile.buffer<f32, q, heads_q, 64>, %last: i64,
                    %p: !tile.buffer<f32, q, heads_q, 32>)
    grid <q, 192, heads_q> descending uneven schedule <rows = 192, columns = 32, warps = 12, stages = 2, mma = warpgroup, persistent = true> align = 16
    attributes {weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %zero = arith.constant dense<0.0> : tensor<192x64xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile : <q, 192>
    scf.for %j = %c0 to %last step %c1 : i64 {
      %odd = arith.remsi %j, %c2 : i64
      %taken = arith.cmpi eq, %odd, %c1 : i64
      scf.if %taken {
        warp.store %zero, %out[%rows, %head] : tensor<192x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 192>
      } else {
        %s = warp.load %p[%rows, %j] : <f32, q, heads_q, 32>, <q, 192> -> tensor<192x32xf32, #warp.acc>
        %a = warp.pack %s : tensor<192x32xf32, #warp.acc> -> tensor<192x32xbf16, #warp.operand>
        %rows_j = tile.rows %sequence, %j : <kv, 32>
        %v = warp.fetch %value[%rows_j, %head] : <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
        %o = warp.mma %a, %v, %zero : tensor<192x32xbf16, #warp.operand>, <32, 64, bf16, swizzled> -> tensor<192x64xf32, #warp.acc>
        warp.store %o, %out[%rows, %head] : tensor<192x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 192>
      }
    }
  }
  warp.return
}

// -----

// Where two of them fit, the next point's tile comes while this one's is used.

// CHECK-LABEL: warp.func @ahead(
// CHECK: warp.ring : <2, <128, 128, bf16, swizzled>>
// CHECK: warp.ring : <2, <128, 64, bf16, swizzled>>
// CHECK-LABEL: warp.func @full(
// CHECK: warp.ring : <1, <256, 128, bf16, swizzled>>
// CHECK: warp.ring : <1, <256, 128, bf16, swizzled>>
module attributes {weft.target = "sm_90a"} {
  warp.func @ahead(%query: !tile.buffer<bf16, q, heads_q, 128>, %value: !tile.buffer<bf16, kv, heads_q, 64>)
      grid <q, 128, heads_q> schedule <rows = 128, columns = 128, warps = 8, stages = 2, mma = warpgroup, persistent = true> align = 16
      attributes {weft.kv = #attn.side<batch>} {
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %rows = tile.rows %sequence, %tile : <q, 128>
      %rows_k = tile.rows %sequence, %tile : <kv, 128>
      %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 128>, <q, 128> -> <128, 128, bf16, swizzled>
      %v = warp.fetch %value[%rows_k, %head] : <bf16, kv, heads_q, 64>, <kv, 128> -> <128, 64, bf16, swizzled>
    }
    warp.return
  }
  warp.func @full(%query: !tile.buffer<bf16, q, heads_q, 128>, %key: !tile.buffer<bf16, kv, heads_q, 128>)
      grid <q, 256, heads_q> schedule <rows = 256, columns = 256, warps = 16, stages = 1, mma = warpgroup, persistent = true> align = 16
      attributes {weft.kv = #attn.side<batch>} {
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %rows = tile.rows %sequence, %tile : <q, 256>
      %rows_k = tile.rows %sequence, %tile : <kv, 256>
      %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 128>, <q, 256> -> <256, 128, bf16, swizzled>
      %k = warp.fetch %key[%rows_k, %head] : <bf16, kv, heads_q, 128>, <kv, 256> -> <256, 128, bf16, swizzled>
    }
    warp.return
  }
}

// -----

// A store goes through the tile of its rows that nothing reads any more, if the
// next point's has a slot of its own; the tile goes back behind it.

module attributes {weft.target = "sm_90a"} {
// CHECK-LABEL: warp.func @through(
// CHECK: %[[Q:.*]] = warp.ring : <2, <128, 64, bf16, swizzled>>
// CHECK: consumer {
// CHECK: %[[QT:.*]] = warp.receive %[[Q]]
// CHECK: warp.issue %[[QT]]
// CHECK-NOT: warp.consumed %[[Q]]
// CHECK: warp.store %{{.*}}, %arg2[%{{.*}}, %{{.*}}] through %[[QT]] :
// CHECK-NEXT: warp.consumed %[[Q]]
warp.func @through(%query: !tile.buffer<bf16, q, heads_q, 64>, %key: !tile.buffer<bf16, kv, heads_q, 64>,
                   %out: !tile.buffer<bf16, q, heads_q, 32>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup, persistent = true> align = 16
    attributes {weft.kv = #attn.side<batch>} {
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #warp.acc>
  %c0 = arith.constant 0 : i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile : <q, 128>
    %keys = tile.rows %sequence, %c0 : <kv, 32>
    %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 128> -> <128, 64, bf16, swizzled>
    %k = warp.fetch %key[%keys, %head] : <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
    %s = warp.mma %q, %k transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <32, 64, bf16, swizzled> -> tensor<128x32xf32, #warp.acc>
    %o = arith.truncf %s : tensor<128x32xf32, #warp.acc> to tensor<128x32xbf16, #warp.acc>
    warp.store %o, %out[%rows, %head] : tensor<128x32xbf16, #warp.acc>, <bf16, q, heads_q, 32>, <q, 128>
  }
  warp.return
}
}

// -----

// CTAs that share a multiprocessor share its memory and its registers: a second
// slot has room in half of it, not in a third.

// CHECK-LABEL: warp.func @half(
// CHECK: warp.ring : <2, <64, 256, bf16, swizzled>>
// CHECK: warp.roles registers(24, 232) producer {
// CHECK-LABEL: warp.func @third(
// CHECK: warp.ring : <1, <64, 256, bf16, swizzled>>
// CHECK: warp.roles registers(24, 136) producer {
module attributes {weft.target = "sm_90a"} {
  warp.func @half(%query: !tile.buffer<bf16, q, heads_q, 256>, %key: !tile.buffer<bf16, kv, heads_q, 64>)
      grid <q, 64, heads_q> schedule <rows = 64, columns = 64, warps = 4, stages = 2, mma = warpgroup, persistent = true, ctas_per_sm = 2> align = 16
      attributes {weft.kv = #attn.side<batch>} {
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %rows = tile.rows %sequence, %tile : <q, 64>
      %rows_k = tile.rows %sequence, %tile : <kv, 64>
      %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 256>, <q, 64> -> <64, 256, bf16, swizzled>
      %k = warp.fetch %key[%rows_k, %head] : <bf16, kv, heads_q, 64>, <kv, 64> -> <64, 64, bf16, swizzled>
    }
    warp.return
  }
  warp.func @third(%query: !tile.buffer<bf16, q, heads_q, 256>, %key: !tile.buffer<bf16, kv, heads_q, 64>)
      grid <q, 64, heads_q> schedule <rows = 64, columns = 64, warps = 4, stages = 2, mma = warpgroup, persistent = true, ctas_per_sm = 3> align = 16
      attributes {weft.kv = #attn.side<batch>} {
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %rows = tile.rows %sequence, %tile : <q, 64>
      %rows_k = tile.rows %sequence, %tile : <kv, 64>
      %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 256>, <q, 64> -> <64, 256, bf16, swizzled>
      %k = warp.fetch %key[%rows_k, %head] : <bf16, kv, heads_q, 64>, <kv, 64> -> <64, 64, bf16, swizzled>
    }
    warp.return
  }
}

// -----

// In a forward over packed queries, warps look for the sequences of points; in
// one over batches nobody has to, and gradients do it thread by thread.

// CHECK-LABEL: warp.func @packed_body(
// CHECK: producer {
// CHECK-NEXT: warp.points by_warp {
// CHECK: consumer {
// CHECK-NEXT: warp.points by_warp {
// CHECK-LABEL: warp.func @batch_body(
// CHECK: producer {
// CHECK-NEXT: warp.points {
// CHECK: consumer {
// CHECK-NEXT: warp.points {
// CHECK-LABEL: warp.func @gradient_body(
// CHECK: producer {
// CHECK-NEXT: warp.points {
// CHECK: consumer {
// CHECK-NEXT: warp.points {
module attributes {weft.target = "sm_90a", weft.q = #attn.side<thd>, weft.kv = #attn.side<batch>} {
  plan.kernel @packed forward of @a schedule <rows = 64, columns = 64, mma = warpgroup> contract []
  plan.kernel @batch forward of @a schedule <rows = 64, columns = 64, mma = warpgroup> contract []
  plan.kernel @gradient dq of @a schedule <rows = 64, columns = 64, mma = warpgroup> contract []
  warp.func @packed_body(%query: !tile.buffer<bf16, q, heads_q, 64>)
      grid <q, 64, heads_q> schedule <rows = 64, columns = 64, mma = warpgroup> align = 16 {
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %rows = tile.rows %sequence, %tile : <q, 64>
      %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, bf16, swizzled>
    }
    warp.return
  }
  warp.func @batch_body(%query: !tile.buffer<bf16, q, heads_q, 64>)
      grid <q, 64, heads_q> schedule <rows = 64, columns = 64, mma = warpgroup> align = 16
      attributes {weft.q = #attn.side<batch>} {
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %rows = tile.rows %sequence, %tile : <q, 64>
      %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, bf16, swizzled>
    }
    warp.return
  }
  warp.func @gradient_body(%query: !tile.buffer<bf16, q, heads_q, 64>)
      grid <q, 64, heads_q> schedule <rows = 64, columns = 64, mma = warpgroup> align = 16 {
    %sequence, %tile, %head, %exists = warp.point
    scf.if %exists {
      %rows = tile.rows %sequence, %tile : <q, 64>
      %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, bf16, swizzled>
    }
    warp.return
  }
}
