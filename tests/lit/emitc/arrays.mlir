// RUN: weft-opt %s -warp-to-emitc | weft-translate --weft-to-cuda | FileCheck %s

// Two tiles that a loop swaps: both are kept whole, by one more array.

// CHECK-LABEL: weft_swap(
// CHECK:   float [[A:[a-z_0-9]+]][8];
// CHECK:   float [[B:[a-z_0-9]+]][8];
// CHECK:   for (int64_t step = 0; step < 3; ++step) {
// CHECK:     float kept[8];
// CHECK:       kept[e] = [[X:[a-z_0-9]+]][e];
// CHECK:       [[X]][e] = [[Y:[a-z_0-9]+]][e];
// CHECK:       [[Y]][e] = kept[e];
warp.func @swap_body(%in: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "in"},
                     %out: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "out"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c64 = arith.constant 64 : i64
  %one = arith.constant dense<1.0> : tensor<64x16xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %x = warp.load %in[%rows, %head] : !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64> -> tensor<64x16xf32, #warp.acc>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %one) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>) : i64 {
    scf.yield %b, %a : tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>
  }
  warp.store %r#0, %out[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
  warp.return
}
