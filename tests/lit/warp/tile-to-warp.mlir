// RUN: weft-opt %s -split-input-file -tile-to-warp | FileCheck %s

// The tiles of a product go through shared memory or stay as an operand, other
// tiles are accumulators, vectors follow their uses.

// CHECK-LABEL: warp.func @forward_body(
// CHECK-SAME: {weft.name = "query"}
// CHECK-SAME: ) grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2> align = 16 attributes {weft.kv = 2 : i64, weft.q = 1 : i64} {
// CHECK-NEXT: %[[SEQUENCE:.*]], %[[TILE:.*]], %[[HEAD:.*]], %[[EXISTS:.*]] = warp.point
// CHECK-NEXT: scf.if %[[EXISTS]] {
// CHECK: %[[ROWS:.*]] = tile.rows %[[SEQUENCE]]
// CHECK: %[[Q:.*]] = warp.fetch %{{.*}}[%[[ROWS]], %[[HEAD]]] : {{.*}} -> <64, 64, bf16>
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>)
// CHECK: %[[K:.*]] = warp.fetch {{.*}} -> <32, 64, bf16>
// CHECK: %[[S:.*]] = warp.mma %[[Q]], %[[K]] transposed, %{{.*}} : !warp.shared<64, 64, bf16>, <32, 64, bf16> -> tensor<64x32xf32, #warp.acc>
// CHECK: warp.reduce max %[[S]] : tensor<64x32xf32, #warp.acc> -> tensor<64xf32, #warp.row>
// CHECK: warp.expand %{{.*}} : tensor<64xf32, #warp.row> -> tensor<64x32xf32, #warp.acc>
// CHECK: %[[P:.*]] = arith.subf %{{.*}}, %{{.*}} : tensor<64x32xf32, #warp.acc>
// CHECK-NOT: arith.truncf
// CHECK: %[[A:.*]] = warp.pack %[[P]] : tensor<64x32xf32, #warp.acc> -> tensor<64x32xbf16, #warp.operand>
// CHECK: %[[V:.*]] = warp.fetch
// CHECK: warp.mma %[[A]], %[[V]], %{{.*}} : tensor<64x32xbf16, #warp.operand>, <32, 64, bf16> -> tensor<64x64xf32, #warp.acc>
// CHECK: arith.truncf %{{.*}} : tensor<64x64xf32, #warp.acc> to tensor<64x64xbf16, #warp.acc>
// CHECK: warp.store %{{.*}}, %{{.*}}[%[[ROWS]], %[[HEAD]]] : tensor<64x64xbf16, #warp.acc>
// CHECK: warp.store %{{.*}} : tensor<64xf32, #warp.row>
// CHECK-NEXT: }
// CHECK-NEXT: warp.return
tile.func @forward_body(%query: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"},
                        %key: !tile.buffer<bf16, kv, heads_kv, 64> {weft.name = "key"},
                        %out: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "out"},
                        %lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"})
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2>
    attributes {weft.align = 16 : i64, weft.q = 1 : i64, weft.kv = 2 : i64} {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %zero_s = arith.constant dense<0.0> : tensor<64x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero_r = arith.constant dense<0.0> : tensor<64xf32>
  %length = tile.length kv %sequence
  %end = arith.ceildivsi %length, %c32 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : <q, 64>
  %q = tile.load %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  %r:2 = scf.for %j = %c0 to %end step %c1 iter_args(%acc = %zero_o, %m = %zero_r) -> (tensor<64x64xf32>, tensor<64xf32>) : i64 {
    %j_first = arith.muli %j, %c32 : i64
    %rows_j = tile.rows %sequence, %j_first : <kv, 32>
    %k = tile.load %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> tensor<32x64xbf16>
    %s = tile.dot %q, %k transposed, %zero_s : tensor<64x64xbf16>, tensor<32x64xbf16> -> tensor<64x32xf32>
    %m0 = tile.reduce max %s : tensor<64x32xf32> -> tensor<64xf32>
    %m1 = arith.maxnumf %m0, %m : tensor<64xf32>
    %e = tile.expand %m1 dim = 1 : tensor<64xf32> -> tensor<64x32xf32>
    %p = arith.subf %s, %e : tensor<64x32xf32>
    %pb = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xbf16>
    %v = tile.load %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> tensor<32x64xbf16>
    %acc1 = tile.dot %pb, %v, %acc : tensor<64x32xbf16>, tensor<32x64xbf16> -> tensor<64x64xf32>
    scf.yield %acc1, %m1 : tensor<64x64xf32>, tensor<64xf32>
  }
  %o = arith.truncf %r#0 : tensor<64x64xf32> to tensor<64x64xbf16>
  tile.store %o, %out[%rows, %head] : tensor<64x64xbf16>, <bf16, q, heads_q, 64>, <q, 64>
  tile.store %r#1, %lse[%rows, %head] : tensor<64xf32>, <f32, q, heads_q, 1>, <q, 64>
  tile.return
}

// -----

// A vector that is spread over rows is a column; a constant may be both. A tile
// that is multiplied and worked on element by element is in both places. The
// end of the loop does not move with the tile of the queries.

// CHECK-LABEL: warp.func @columns(
// CHECK-SAME: schedule <rows = 64, columns = 32> align = 2 {
// CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<64xf32, #warp.row>
// CHECK-DAG: arith.constant dense<2.000000e+00> : tensor<64xf32, #warp.column>
// CHECK: %[[SHARED:.*]] = warp.fetch %{{.*}} -> <64, 64, bf16>
// CHECK: %[[TILE:.*]] = warp.load %{{.*}} -> tensor<64x64xbf16, #warp.acc>
// CHECK: warp.load %{{.*}} pad 0x7FF0000000000000 : {{.*}} -> tensor<64xf32, #warp.column>
// CHECK: arith.mulf %{{.*}} : tensor<64xf32, #warp.column>
// CHECK: warp.expand %{{.*}} : tensor<64xf32, #warp.column> -> tensor<64x64xf32, #warp.acc>
// CHECK: arith.extf %[[TILE]] : tensor<64x64xbf16, #warp.acc> to tensor<64x64xf32, #warp.acc>
// CHECK: warp.mma %[[SHARED]], %[[SHARED]] transposed
// CHECK: warp.coordinates %{{.*}} dim = 0 : tensor<64x64xi64, #warp.acc>
// CHECK: warp.reduce sum
// CHECK: arith.mulf %{{.*}} : tensor<64xf32, #warp.row>
// CHECK: warp.add %{{.*}} : tensor<64xf32, #warp.row>
tile.func @columns(%key: !tile.buffer<bf16, kv, heads_kv, 64> {weft.name = "key"},
                   %lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"},
                   %sums: !tile.buffer<f32, kv, heads_kv, 1> {weft.name = "sums"})
    grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %two = arith.constant dense<2.0> : tensor<64xf32>
  %rows = tile.rows %sequence, %tile : <kv, 64>
  %rows_q = tile.rows %sequence, %tile : <q, 64>
  %k = tile.load %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> tensor<64x64xbf16>
  %l = tile.load %lse[%rows_q, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32>
  %l2 = arith.mulf %l, %two : tensor<64xf32>
  %e = tile.expand %l2 dim = 0 : tensor<64xf32> -> tensor<64x64xf32>
  %kf = arith.extf %k : tensor<64x64xbf16> to tensor<64x64xf32>
  %x = arith.addf %kf, %e : tensor<64x64xf32>
  %s = tile.dot %k, %k transposed, %x : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  %i = tile.coordinates %c0 dim = 0 : tensor<64x64xi64>
  %f = arith.sitofp %i : tensor<64x64xi64> to tensor<64x64xf32>
  %y = arith.addf %s, %f : tensor<64x64xf32>
  %r = tile.reduce sum %y : tensor<64x64xf32> -> tensor<64xf32>
  %r2 = arith.mulf %r, %two : tensor<64xf32>
  tile.add %r2, %sums[%rows, %head] : tensor<64xf32>, <f32, kv, heads_kv, 1>, <kv, 64>
  tile.return
}

// -----

// A causal mask: the key loop ends later for later tiles of queries.

// CHECK-LABEL: warp.func @causal() grid <q, 64, heads_q> descending uneven schedule
tile.func @causal() grid <q, 64, heads_q> schedule <rows = 64, columns = 64> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %length = tile.length kv %sequence
  %next = arith.addi %tile, %c1 : i64
  %end = arith.minsi %next, %length : i64
  scf.for %j = %c0 to %end step %c1 : i64 {
  }
  tile.return
}

// -----

// A window: every tile of queries has about as many keys.

// CHECK-LABEL: warp.func @window() grid <q, 64, heads_q> schedule
tile.func @window() grid <q, 64, heads_q> schedule <rows = 64, columns = 64> {
  %sequence, %tile, %head = tile.point
  %c1 = arith.constant 1 : i64
  %end = arith.addi %tile, %c1 : i64
  scf.for %j = %tile to %end step %c1 : i64 {
  }
  tile.return
}

// -----

// Tiles of keys too: those whose walk ends later come first.

// CHECK-LABEL: warp.func @keys() grid <kv, 64, heads_kv> descending uneven schedule
tile.func @keys() grid <kv, 64, heads_kv> schedule <rows = 64, columns = 64> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  scf.for %j = %c0 to %tile step %c1 : i64 {
  }
  tile.return
}

// -----

// CHECK-LABEL: warp.func @fill(
// CHECK: warp.fill %{{.*}}[%{{.*}}, %{{.*}}], 0.000000e+00 : <f32, q, heads_q, 1>
tile.func @fill(%lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}) grid <held, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  tile.fill %lse[%tile, %head], 0.0 : <f32, q, heads_q, 1>
  tile.return
}

// -----

// Under the same mask a walk over queries begins later for later tiles of keys:
// the first ones have the most work. Whether there is any is another question.

// CHECK-LABEL: warp.func @causal_keys() grid <kv, 64, heads_kv> uneven schedule
tile.func @causal_keys() grid <kv, 64, heads_kv> schedule <rows = 64, columns = 64> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %length = tile.length q %sequence
  %any = arith.cmpi slt, %tile, %length : i64
  %end = arith.select %any, %length, %c0 : i64
  scf.for %i = %tile to %end step %c1 : i64 {
  }
  tile.return
}

// -----

// With roles, values of a step's columns come through a ring as its tiles do.

// CHECK-LABEL: warp.func @ring_of_values(
// CHECK: scf.for
// CHECK: %[[V:.*]] = warp.fetch %{{.*}}[%{{.*}}, %{{.*}}] pad 0x7FF0000000000000 : <f32, q, heads_q, 1, packed>, <q, 32> -> <32, 1, f32>
// CHECK: warp.read %[[V]] : <32, 1, f32> -> tensor<32xf32, #warp.column>
tile.func @ring_of_values(%key: !tile.buffer<bf16, kv, heads_q, 64> {weft.name = "key"},
                          %query: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"},
                          %lse: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "lse"},
                          %out: !tile.buffer<f32, kv, heads_q, 32> {weft.name = "out"})
    grid <kv, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %zero = arith.constant dense<0.0> : tensor<128x32xf32>
  %length = tile.length q %sequence
  %rows = tile.rows %sequence, %tile : <kv, 128>
  %k = tile.load %key[%rows, %head] : <bf16, kv, heads_q, 64>, <kv, 128> -> tensor<128x64xbf16>
  scf.for %i = %c0 to %length step %c1 : i64 {
    %rows_i = tile.rows %sequence, %i : <q, 32>
    %q = tile.load %query[%rows_i, %head] : <bf16, q, heads_q, 64>, <q, 32> -> tensor<32x64xbf16>
    %l = tile.load %lse[%rows_i, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1, packed>, <q, 32> -> tensor<32xf32>
    %s = tile.dot %k, %q transposed, %zero : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
    %e = tile.expand %l dim = 0 : tensor<32xf32> -> tensor<128x32xf32>
    %x = arith.subf %s, %e : tensor<128x32xf32>
    tile.store %x, %out[%rows, %head] : tensor<128x32xf32>, <f32, kv, heads_q, 32>, <kv, 128>
  }
  tile.return
}

// -----

// A kernel that may begin while the launch before it still runs waits for it.
// CHECK-LABEL: warp.func @second_body(
// CHECK:         warp.await_launches
// CHECK-NEXT:    warp.point
// CHECK-LABEL: warp.func @first_body(
// CHECK-NOT:     warp.await_launches
// CHECK:         warp.return
!x = !plan.buffer<f32, q, heads_q, 1>
!x1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
plan.kernel @second delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
tile.func @second_body(%x: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  tile.return
}
plan.kernel @first delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
tile.func @first_body(%x: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  tile.return
}
plan.func @f() {
  %n = plan.size batch
  %0 = plan.reserve "x" bytes(%n) : !x
  %1 = plan.launch @first grid(%n) out(%0 : !x) -> !x1
  %2 = plan.launch @second grid(%n) early out(%1 : !x1) -> !x1
  plan.release %2 : !x1
  plan.return
}
