// RUN: weft-opt %s -tile-fix-reference -canonicalize -cse | FileCheck %s

// The first tile goes before the loop; the loop subtracts its maxima. The mask
// is applied to products, with the infinity that the factor makes -inf of.

// CHECK-LABEL: tile.func @walk(
// CHECK-DAG: %[[LIMIT:.*]] = arith.constant dense<0x49800000> : tensor<128xf32>
// CHECK-DAG: %[[MIN:.*]] = arith.constant 1.17549435E-38 : f32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f32
// CHECK-DAG: %[[MINUS:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG: %[[PLUS:.*]] = arith.constant 0x7F800000 : f32
// CHECK-DAG: %[[NO_SUM:.*]] = arith.constant dense<0.000000e+00> : tensor<128xf32>
// CHECK-DAG: %[[NO_MAX:.*]] = arith.constant dense<0xFF800000> : tensor<128xf32>
// CHECK-DAG: %[[NO_OUT:.*]] = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
// CHECK: %[[IS_ZERO:.*]] = arith.cmpf oeq, %scale, %[[ZERO]]
// CHECK: %[[FACTOR:.*]] = arith.select %[[IS_ZERO]], %[[MIN]], %scale
// CHECK: %[[POSITIVE:.*]] = arith.cmpf ogt, %[[FACTOR]], %[[ZERO]]
// CHECK: %[[HIDDEN:.*]] = arith.select %[[POSITIVE]], %[[MINUS]], %[[PLUS]]
// CHECK: %[[ANY:.*]] = arith.cmpi slt, %window_left, %window_right
// CHECK: %{{.*}}:3 = scf.if %[[ANY]]
// CHECK:   tile.rows %{{.*}}, %window_left
// CHECK:   %[[S0:.*]] = tile.dot
// CHECK:   %[[M0:.*]] = scf.if
// CHECK:     %[[HIDDEN_T:.*]] = tensor.splat %[[HIDDEN]]
// CHECK:     %[[X0:.*]] = arith.select %{{.*}}, %[[S0]], %[[HIDDEN_T]]
// CHECK:     scf.yield %[[X0]]
// CHECK:   } else {
// CHECK:     scf.yield %[[S0]]
// CHECK:   %[[FACTORS:.*]] = tensor.splat %[[FACTOR]]
// CHECK:   %[[T0:.*]] = arith.mulf %[[M0]], %[[FACTORS]]
// CHECK:   %[[MAX0:.*]] = tile.reduce max %[[T0]]
// CHECK:   arith.cmpf oeq, %[[MAX0]], %[[NO_MAX]]
// CHECK:   %[[P0:.*]] = math.exp2
// CHECK:   %[[SUM0:.*]] = tile.reduce sum %[[P0]]
// CHECK:   %[[PB0:.*]] = arith.truncf %[[P0]]
// CHECK:   %[[O0:.*]] = tile.dot %[[PB0]], %{{.*}}, %[[NO_OUT]]
// CHECK:   %[[SECOND:.*]] = arith.addi %window_left, %{{.*}} : i64
// CHECK:   scf.for %{{.*}} = %[[SECOND]] to %window_right {{.*}} iter_args(%[[O:.*]] = %[[O0]], %[[M:.*]] = %[[MAX0]], %[[L:.*]] = %[[SUM0]])
// CHECK:     %[[T:.*]] = arith.mulf %{{.*}}, %[[FACTORS]]
// CHECK:     %[[ME:.*]] = tile.expand %[[M]] dim = 1
// CHECK:     %[[D:.*]] = arith.subf %[[T]], %[[ME]]
// CHECK:     %[[P:.*]] = math.exp2 %[[D]]
// CHECK:     %[[SUM:.*]] = tile.reduce sum %[[P]]
// CHECK:     %[[PB:.*]] = arith.truncf %[[P]]
// Unordered: what is no number takes the full step too.
// CHECK:     %[[LARGE:.*]] = arith.cmpf uge, %[[SUM]], %[[LIMIT]]
// CHECK:     %[[REDO:.*]] = tile.any %[[LARGE]]
// CHECK:     %[[R:.*]]:4 = scf.if %[[REDO]]
// CHECK:       %[[P1:.*]], %[[M1:.*]], %[[L1:.*]], %[[F:.*]] = tile.softmax_step %[[T]], %[[M]], %[[L]]
// CHECK:       %[[FE:.*]] = tile.expand %[[F]] dim = 1
// CHECK:       %[[O1:.*]] = arith.mulf %[[O]], %[[FE]]
// CHECK:       %[[PB1:.*]] = arith.truncf %[[P1]]
// CHECK:       scf.yield %[[PB1]], %[[O1]], %[[M1]], %[[L1]]
// CHECK:     } else {
// CHECK:       %[[L2:.*]] = arith.addf %[[L]], %[[SUM]]
// CHECK:       scf.yield %[[PB]], %[[O]], %[[M]], %[[L2]]
// CHECK:     %[[O2:.*]] = tile.dot %[[R]]#0, %{{.*}}, %[[R]]#1
// CHECK:     scf.yield %[[O2]], %[[R]]#2, %[[R]]#3
// CHECK: } else {
// CHECK:   scf.yield %[[NO_OUT]], %[[NO_MAX]], %[[NO_SUM]]
tile.func @walk(%query: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"},
                %key: !tile.buffer<bf16, kv, heads_kv, 64> {weft.name = "key"},
                %value: !tile.buffer<bf16, kv, heads_kv, 64> {weft.name = "value"},
                %out: !tile.buffer<f32, q, heads_q, 64> {weft.name = "out"},
                %lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"},
                %scale: f32 {weft.name = "scale"},
                %window_left: i64 {weft.name = "window_left"},
                %window_right: i64 {weft.name = "window_right"})
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup> {
  %c1 = arith.constant 1 : i64
  %zero_s = arith.constant dense<0.0> : tensor<128x32xf32>
  %zero_o = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128xf32>
  %minus_infinity = arith.constant dense<0xFF800000> : tensor<128xf32>
  %minus_infinity_s = arith.constant dense<0xFF800000> : tensor<128x32xf32>
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 128>
  %q = tile.load %query[%rows, %head] : !tile.buffer<bf16, q, heads_q, 64>, !tile.rows<q, 128> -> tensor<128x64xbf16>
  %factors = tensor.splat %scale : tensor<128x32xf32>
  %r:3 = scf.for %t = %window_left to %window_right step %c1
      iter_args(%acc = %zero_o, %m = %minus_infinity, %l = %none) -> (tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>) : i64 {
    %rows_k = tile.rows %sequence, %t : !tile.rows<kv, 32>
    %k = tile.load %key[%rows_k, %head] : !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32> -> tensor<32x64xbf16>
    %s = tile.dot %q, %k transposed, %zero_s : tensor<128x64xbf16>, tensor<32x64xbf16> -> tensor<128x32xf32>
    %scaled = arith.mulf %s, %factors : tensor<128x32xf32>
    %cut = arith.cmpi sgt, %t, %tile : i64
    %scores = scf.if %cut -> (tensor<128x32xf32>) {
      %i = tile.coordinates %tile dim = 0 : tensor<128x32xi64>
      %j = tile.coordinates %t dim = 1 : tensor<128x32xi64>
      %keep = arith.cmpi sle, %j, %i : tensor<128x32xi64>
      %x = arith.select %keep, %scaled, %minus_infinity_s : tensor<128x32xi1>, tensor<128x32xf32>
      scf.yield %x : tensor<128x32xf32>
    } else {
      scf.yield %scaled : tensor<128x32xf32>
    }
    %p, %m1, %l1, %rescale = tile.softmax_step %scores, %m, %l : tensor<128x32xf32>, tensor<128xf32>
    %pb = arith.truncf %p : tensor<128x32xf32> to tensor<128x32xbf16>
    %rescale_t = tile.expand %rescale dim = 1 : tensor<128xf32> -> tensor<128x64xf32>
    %acc0 = arith.mulf %acc, %rescale_t : tensor<128x64xf32>
    %v = tile.load %value[%rows_k, %head] : !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32> -> tensor<32x64xbf16>
    %acc1 = tile.dot %pb, %v, %acc0 : tensor<128x32xbf16>, tensor<32x64xbf16> -> tensor<128x64xf32>
    scf.yield %acc1, %m1, %l1 : tensor<128x64xf32>, tensor<128xf32>, tensor<128xf32>
  }
  tile.store %r#0, %out[%rows, %head] : tensor<128x64xf32>, !tile.buffer<f32, q, heads_q, 64>, !tile.rows<q, 128>
  tile.store %r#1, %lse[%rows, %head] : tensor<128xf32>, !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 128>
  tile.store %r#2, %lse[%rows, %head] : tensor<128xf32>, !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 128>
  tile.return
}
