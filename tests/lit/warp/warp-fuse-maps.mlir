// RUN: weft-opt %s -split-input-file -pass-pipeline='builtin.module(warp.func(warp-fuse-maps))' | FileCheck %s

// One map per shape and layout between two products or reductions; an expanded
// vector is an input, a run-time scalar is seen from outside, a constant is
// inside.

// CHECK-LABEL: warp.func @softmax(
// CHECK-SAME: %[[SCALE:[^:]+]]: f32)
// CHECK: %[[S:.*]] = warp.mma
// CHECK-NEXT: %[[T:.*]] = warp.map(%[[S]]) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %{{.*}}: i64, %{{.*}}: i64):
// CHECK-NEXT: %[[Y:.*]] = arith.mulf %[[X]], %[[SCALE]] : f32
// CHECK-NEXT: warp.yield %[[Y]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: %[[MAX:.*]] = warp.reduce max %[[T]]
// CHECK-NEXT: %[[M:.*]] = warp.map(%[[MAX]]) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-NEXT: arith.maxnumf %[[X]], %[[ZERO]] : f32
// CHECK: %[[P:.*]] = warp.map(%[[T]], %[[M]]) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %{{.*}}: i64, %{{.*}}: i64):
// CHECK-NEXT: %[[D:.*]] = arith.subf %[[X]], %[[Y]] fastmath<contract> : f32
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[D]] : f32
// CHECK-NEXT: warp.yield %[[E]] : f32
// CHECK: warp.reduce sum %[[P]]
// CHECK-NEXT: warp.pack %[[P]]
warp.func @softmax(%a: !warp.shared<64, 64, bf16>, %rows: !tile.rows<q, 64>, %lse: !tile.buffer<f32, q, heads_q, 1>, %scale: f32)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  %zero_r = arith.constant dense<0.0> : tensor<64xf32, #warp.row>
  %scales = tensor.splat %scale : tensor<64x64xf32, #warp.acc>
  %s = warp.mma %a, %a transposed, %zero : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  %t = arith.mulf %s, %scales : tensor<64x64xf32, #warp.acc>
  %max = warp.reduce max %t : tensor<64x64xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  %m = arith.maxnumf %max, %zero_r : tensor<64xf32, #warp.row>
  %e = warp.expand %m : tensor<64xf32, #warp.row> -> tensor<64x64xf32, #warp.acc>
  %d = arith.subf %t, %e fastmath<contract> : tensor<64x64xf32, #warp.acc>
  %p = math.exp2 %d : tensor<64x64xf32, #warp.acc>
  %sum = warp.reduce sum %p : tensor<64x64xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  %pack = warp.pack %p : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
  %o = warp.mma %pack, %a, %zero : tensor<64x64xbf16, #warp.operand>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  warp.store %sum, %lse[%rows, %c0] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
  warp.store %m, %lse[%rows, %c0] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}

// -----

// A mask is computed where it is used, from the element's row and column, even
// if its parts stand outside the branch; no tile of i1 or i64 is left.

// CHECK-LABEL: warp.func @mask(
// CHECK-SAME: %[[FIRST:[^:]*]]: i64, %[[J:[^:]*]]: i64, %[[N:[^:]*]]: i64
// CHECK-NOT: xi64
// CHECK-NOT: xi1
// CHECK: %[[S:.*]] = warp.load
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[M:.*]] = warp.map(%[[S]])
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32, %[[ROW:.*]]: i64, %[[COLUMN:.*]]: i64):
// CHECK-NEXT: %[[JJ:.*]] = arith.addi %[[J]], %[[COLUMN]] : i64
// CHECK-NEXT: %[[II:.*]] = arith.addi %[[FIRST]], %[[ROW]] : i64
// CHECK-NEXT: %[[CAUSAL:.*]] = arith.cmpi sle, %[[JJ]], %[[II]] : i64
// CHECK-NEXT: %[[EXISTS:.*]] = arith.cmpi slt, %[[JJ]], %[[N]] : i64
// CHECK-NEXT: %[[KEEP:.*]] = arith.andi %[[CAUSAL]], %[[EXISTS]] : i1
// CHECK-NEXT: %[[INF:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: %[[Y:.*]] = arith.select %[[KEEP]], %[[X]], %[[INF]] : f32
// CHECK-NEXT: warp.yield %[[Y]] : f32
// CHECK: scf.yield %[[M]]
// CHECK: scf.yield %[[S]]
warp.func @mask(%x: !tile.buffer<f32, q, heads_q, 64>, %rows: !tile.rows<q, 64>, %first: i64, %j: i64, %n: i64, %cut: i1)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 64> align = 16 {
  %s = warp.load %x[%rows, %j] : <f32, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32, #warp.acc>
  %inf = arith.constant dense<0xFF800000> : tensor<64x64xf32, #warp.acc>
  %i_t = warp.coordinates %first dim = 0 : tensor<64x64xi64, #warp.acc>
  %j_t = warp.coordinates %j dim = 1 : tensor<64x64xi64, #warp.acc>
  %n_t = tensor.splat %n : tensor<64x64xi64, #warp.acc>
  %causal = arith.cmpi sle, %j_t, %i_t : tensor<64x64xi64, #warp.acc>
  %exists = arith.cmpi slt, %j_t, %n_t : tensor<64x64xi64, #warp.acc>
  %keep = arith.andi %causal, %exists : tensor<64x64xi1, #warp.acc>
  %m = scf.if %cut -> (tensor<64x64xf32, #warp.acc>) {
    %y = arith.select %keep, %s, %inf : tensor<64x64xi1, #warp.acc>, tensor<64x64xf32, #warp.acc>
    scf.yield %y : tensor<64x64xf32, #warp.acc>
  } else {
    scf.yield %s : tensor<64x64xf32, #warp.acc>
  }
  warp.store %m, %x[%rows, %j] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 64>
  warp.return
}

// -----

// Expensive work is done once: %p is a result of the first map, and the second
// one takes it. Rounded tiles are extended where they are used.

// CHECK-LABEL: warp.func @once(
// CHECK: %[[A:.*]] = warp.load
// CHECK: %[[P:.*]] = warp.map(%[[A]]) : (tensor<64x64xbf16, #warp.acc>) -> tensor<64x64xf32, #warp.acc> {
// CHECK: math.exp2
// CHECK: }
// CHECK-NEXT: %[[R:.*]] = warp.reduce sum %[[P]]
// CHECK-NEXT: %[[D:.*]] = warp.map(%[[P]], %[[R]], %[[A]]) :
// CHECK-NOT: math.exp2
// CHECK: warp.store %[[D]]
warp.func @once(%x: !tile.buffer<bf16, q, heads_q, 64>, %y: !tile.buffer<f32, q, heads_q, 64>, %rows: !tile.rows<q, 64>, %h: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 64> align = 16 {
  %a = warp.load %x[%rows, %h] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16, #warp.acc>
  %f = arith.extf %a : tensor<64x64xbf16, #warp.acc> to tensor<64x64xf32, #warp.acc>
  %p = math.exp2 %f : tensor<64x64xf32, #warp.acc>
  %r = warp.reduce sum %p : tensor<64x64xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  %e = warp.expand %r : tensor<64xf32, #warp.row> -> tensor<64x64xf32, #warp.acc>
  %q = arith.divf %p, %e : tensor<64x64xf32, #warp.acc>
  %d = arith.addf %q, %f : tensor<64x64xf32, #warp.acc>
  warp.store %d, %y[%rows, %h] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 64>
  warp.return
}

// -----

// What only a later op needs waits until then; one map may have many results.
// What nothing needs goes. A splat or expansion that an op needs itself is a
// map, a constant stays one.

// CHECK-LABEL: warp.func @results(
// CHECK-SAME: %[[C:[^:]*]]: f32)
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : tensor<64x64xf32, #warp.acc>
// CHECK: %[[A:.*]] = warp.load
// CHECK-NEXT: %[[B:.*]] = warp.load
// CHECK-NEXT: %[[R:.*]]:2 = warp.map(%[[A]], %[[B]]) :
// CHECK: arith.addf
// CHECK-NEXT: %[[SUM:.*]] = arith.addf
// CHECK-NEXT: %[[DIFFERENCE:.*]] = arith.subf
// CHECK: warp.yield %[[SUM]], %[[DIFFERENCE]] : f32, f32
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[R]]#0, %{{.*}} = %[[R]]#1, %{{.*}} = %[[ZERO]])
// CHECK: %[[SPLAT:.*]] = warp.map() : () -> tensor<64x64xf32, #warp.acc> {
// CHECK-NEXT: ^bb0(%{{.*}}: i64, %{{.*}}: i64):
// CHECK-NEXT: warp.yield %[[C]] : f32
// CHECK-NEXT: }
// CHECK-NEXT: warp.store %[[SPLAT]]
warp.func @results(%x: !tile.buffer<f32, q, heads_q, 64>, %rows: !tile.rows<q, 64>, %h: i64, %c: f32)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 64> align = 16 {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  %splat = tensor.splat %c : tensor<64x64xf32, #warp.acc>
  %a = warp.load %x[%rows, %h] : <f32, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32, #warp.acc>
  %a2 = arith.addf %a, %a : tensor<64x64xf32, #warp.acc>
  %unused = arith.mulf %a, %a : tensor<64x64xf32, #warp.acc>
  %b = warp.load %x[%rows, %h] : <f32, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32, #warp.acc>
  %s = arith.addf %b, %a2 : tensor<64x64xf32, #warp.acc>
  %d = arith.subf %b, %a2 : tensor<64x64xf32, #warp.acc>
  %r:3 = scf.for %i = %h to %h step %h iter_args(%p = %s, %q = %d, %z = %zero) -> (tensor<64x64xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>) : i64 {
    scf.yield %q, %p, %z : tensor<64x64xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>
  }
  warp.store %splat, %x[%rows, %h] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 64>
  warp.store %r#0, %x[%rows, %h] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 64>
  warp.return
}
