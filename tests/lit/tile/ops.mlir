// RUN: weft-opt %s | FileCheck %s
// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s -mlir-print-op-generic | weft-opt | FileCheck %s

// What is printed can be read again; names say what values hold.

// CHECK-LABEL: tile.func @attention_body(
// CHECK-SAME: %query: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"},
// CHECK-SAME: %key: !tile.buffer<bf16, kv, heads_kv, 40> {weft.name = "key"},
// CHECK-SAME: %d_out: !tile.buffer<bf16, q, heads_q, 40, uniform> {weft.name = "d_out"},
// CHECK-SAME: %lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"},
// CHECK-SAME: %sums: !tile.buffer<f32, kv, heads_q, 40, packed> {weft.name = "sums"},
// CHECK-SAME: %scale: f32 {weft.name = "scale"},
// CHECK-SAME: %window_left: i64 {weft.name = "window_left"})
// CHECK-SAME: grid <q, 32, heads_q> schedule <rows = 32, columns = 16, warps = 2, stages = 2>
// CHECK-SAME: attributes {weft.align = 16 : i64} {
tile.func @attention_body(%0: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"},
                          %1: !tile.buffer<bf16, kv, heads_kv, 40> {weft.name = "key"},
                          %2: !tile.buffer<bf16, q, heads_q, 40, uniform> {weft.name = "d_out"},
                          %3: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"},
                          %4: !tile.buffer<f32, kv, heads_q, 40, packed> {weft.name = "sums"},
                          %5: f32 {weft.name = "scale"},
                          %6: i64 {weft.name = "window_left"})
    grid <q, 32, heads_q> schedule <rows = 32, columns = 16, warps = 2, stages = 2>
    attributes {weft.align = 16 : i64} {
  // CHECK: %sequence, %tile, %head = tile.point
  %sequence, %tile, %head = tile.point
  // CHECK: %n_q = tile.length q %sequence
  // CHECK: %n_k = tile.length kv %sequence
  %n_q = tile.length q %sequence
  %n_k = tile.length kv %sequence
  // CHECK: %rows_q = tile.rows %sequence, %tile : <q, 32>
  // CHECK: %rows_k = tile.rows %sequence, %n_k : <kv, 16>
  %a = tile.rows %sequence, %tile : !tile.rows<q, 32>
  %b = tile.rows %sequence, %n_k : !tile.rows<kv, 16>
  // CHECK: %query_tile = tile.load %query[%rows_q, %head] : <bf16, q, heads_q, 40>, <q, 32> -> tensor<32x48xbf16>
  // CHECK: %key_tile = tile.load %key[%rows_k, %head]
  // CHECK: %d_out_tile = tile.load %d_out[%rows_q, %head]
  // CHECK: %lse_tile = tile.load %lse[%rows_q, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 32> -> tensor<32xf32>
  %q = tile.load %0[%a, %head] : !tile.buffer<bf16, q, heads_q, 40>, !tile.rows<q, 32> -> tensor<32x48xbf16>
  %k = tile.load %1[%b, %head] : !tile.buffer<bf16, kv, heads_kv, 40>, !tile.rows<kv, 16> -> tensor<16x48xbf16>
  %do = tile.load %2[%a, %head] : !tile.buffer<bf16, q, heads_q, 40, uniform>, !tile.rows<q, 32> -> tensor<32x48xbf16>
  %lse = tile.load %3[%a, %head] pad 0x7FF0000000000000 : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 32> -> tensor<32xf32>
  %zero = arith.constant dense<0.0> : tensor<32x16xf32>
  // CHECK: tile.dot %query_tile, %key_tile transposed, %{{.*}} : tensor<32x48xbf16>, tensor<16x48xbf16> -> tensor<32x16xf32>
  %s = tile.dot %q, %k transposed, %zero : tensor<32x48xbf16>, tensor<16x48xbf16> -> tensor<32x16xf32>
  // CHECK: tile.dot %query_tile transposed, %query_tile, %{{.*}} : tensor<32x48xbf16>, tensor<32x48xbf16> -> tensor<48x48xf32>
  %square = arith.constant dense<0.0> : tensor<48x48xf32>
  %turned = tile.dot %q transposed, %q, %square : tensor<32x48xbf16>, tensor<32x48xbf16> -> tensor<48x48xf32>
  // CHECK: %row = tile.coordinates %tile dim = 0 : tensor<32x16xi64>
  // CHECK: %column = tile.coordinates %n_k dim = 1 : tensor<32x16xi64>
  %i = tile.coordinates %tile dim = 0 : tensor<32x16xi64>
  %j = tile.coordinates %n_k dim = 1 : tensor<32x16xi64>
  %large = arith.cmpf ogt, %s, %s : tensor<32x16xf32>
  // CHECK: tile.any %{{.*}} : tensor<32x16xi1>
  %any = tile.any %large : tensor<32x16xi1>
  // CHECK: tile.reduce max %{{.*}} : tensor<32x16xf32> -> tensor<32xf32>
  %m = tile.reduce max %s : tensor<32x16xf32> -> tensor<32xf32>
  // CHECK: %p, %max, %sum, %rescale = tile.softmax_step %{{.*}}, %{{.*}}, %lse_tile : tensor<32x16xf32>, tensor<32xf32>
  %p, %m1, %l1, %r = tile.softmax_step %s, %m, %lse : tensor<32x16xf32>, tensor<32xf32>
  // CHECK: tile.expand %rescale dim = 1 : tensor<32xf32> -> tensor<32x48xf32>
  %e = tile.expand %r dim = 1 : tensor<32xf32> -> tensor<32x48xf32>
  // CHECK: tile.store %max, %lse[%rows_q, %head] : tensor<32xf32>, <f32, q, heads_q, 1>, <q, 32>
  tile.store %m1, %3[%a, %head] : tensor<32xf32>, !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 32>
  %x = arith.constant dense<1.0> : tensor<16x48xf32>
  // CHECK: tile.add %{{.*}}, %sums[%rows_k, %head] : tensor<16x48xf32>, <f32, kv, heads_q, 40, packed>, <kv, 16>
  tile.add %x, %4[%b, %head] : tensor<16x48xf32>, !tile.buffer<f32, kv, heads_q, 40, packed>, !tile.rows<kv, 16>
  // CHECK: tile.return
  tile.return
}

// CHECK-LABEL: tile.func @fill_body(%d_key: !tile.buffer<f16, kv, heads_kv, 8> {weft.name = "d_key"}) grid <held, 64, heads_q> schedule <rows = 64> {
tile.func @fill_body(%0: !tile.buffer<f16, kv, heads_kv, 8> {weft.name = "d_key"})
    grid <held, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  // CHECK: tile.fill %d_key[%tile, %head], 0.000000e+00 : <f16, kv, heads_kv, 8>
  tile.fill %0[%tile, %head], 0.0 : !tile.buffer<f16, kv, heads_kv, 8>
  tile.return
}

// CHECK-LABEL: tile.func @rounded_body(%sum: !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16> {weft.name = "sum"})
tile.func @rounded_body(%0: !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16> {weft.name = "sum"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %a = tile.rows %sequence, %tile : !tile.rows<q, 16>
  // CHECK: %sum_tile = tile.load %sum[%rows_q, %head] unclipped : <f32, q, heads_q, 8, packed, rounded = 16>, <q, 16> -> tensor<16x16xf32>
  %x = tile.load %0[%a, %head] unclipped : !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16>, !tile.rows<q, 16> -> tensor<16x16xf32>
  // CHECK: tile.add %sum_tile, %sum[%rows_q, %head] unclipped : tensor<16x16xf32>, <f32, q, heads_q, 8, packed, rounded = 16>, <q, 16>
  tile.add %x, %0[%a, %head] unclipped : tensor<16x16xf32>, !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16>, !tile.rows<q, 16>
  tile.return
}

// CHECK-LABEL: tile.func @turns_body(
// CHECK-SAME: %turns: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16> {weft.name = "turns"}
// CHECK-SAME: %tickets: !tile.buffer<i32, none, one, 1, packed> {weft.name = "tickets"}
tile.func @turns_body(%0: !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16> {weft.name = "sum"},
                      %1: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16> {weft.name = "turns"},
                      %2: !tile.buffer<i32, none, one, 1, packed> {weft.name = "tickets"})
    grid <kv, 16, heads_q> schedule <rows = 16, warps = 1> {
  // CHECK: %sequence, %tile, %head = tile.ticket %tickets : <i32, none, one, 1, packed>
  %b, %t, %h = tile.ticket %2 : !tile.buffer<i32, none, one, 1, packed>
  %a = tile.rows %b, %t : !tile.rows<q, 16>
  %x = arith.constant dense<1.0> : tensor<16x16xf32>
  // CHECK: tile.ordered_add %{{.*}}, %sum[%rows_q, %head] turn %tile of %head by %turns : tensor<16x16xf32>, <f32, q, heads_q, 8, packed, rounded = 16>, <q, 16>, <i32, q, heads_q, 1, packed, rounded = 16>
  tile.ordered_add %x, %0[%a, %h] turn %t of %h by %1 : tensor<16x16xf32>, !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16>, !tile.rows<q, 16>, !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>
  // CHECK: tile.last_arrival %turns[%rows_q, %head] turn %tile of %head : <i32, q, heads_q, 1, packed, rounded = 16>, <q, 16>
  %last = tile.last_arrival %1[%a, %h] turn %t of %h : !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>, !tile.rows<q, 16>
  tile.return
}
