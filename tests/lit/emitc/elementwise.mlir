// RUN: weft-opt %s -warp-to-emitc | weft-translate --weft-to-cuda | FileCheck %s

// Loads, maps, reductions and stores: a sum of squares per row.

// CHECK-LABEL: __launch_bounds__(128, 1)
// CHECK-NEXT: weft_squares(
// CHECK-NEXT:   const uint16_t *out,
// CHECK-NEXT:   int64_t out_batch_stride,
// CHECK-NEXT:   int64_t out_row_stride,
// CHECK-NEXT:   int64_t out_head_stride,
// CHECK-NEXT:   float *delta,
// CHECK-NEXT:   int64_t batch,
// CHECK-NEXT:   int64_t seqlen_q,
// CHECK-NEXT:   int64_t rows_q) {
// The 16 columns of the tile past the buffer's 8 are not read.
// CHECK:   uint32_t out_tile[4];
// CHECK:   // load out
// CHECK:   for (int32_t e = 0; e < 8; e += 2) {
// CHECK:     out_tile[e / 2] = load_word_or(lane_out + (row * out_row_stride + column), row < left && column < 8, 0);
// CHECK:   for (int32_t e = 0; e < 8; ++e) {
// CHECK-NEXT: const float x = widen_bf16(half_of(out_tile[e / 2], e));
// CHECK-NEXT: tile_2[e] = x * x;
// CHECK:     row_sum[r] = row_sum[r] + tile_2[e];
// CHECK:     row_sum[r] = quad_sum(row_sum[r]);
// Workspace is [heads][rows held][columns].
// CHECK:   float *delta_base = delta + (head * rows_q + sequence * seqlen_q);
// CHECK:   // store delta
// CHECK:     if (row < left && lane % 4 == 0) {
// CHECK-NEXT:  store(pointer, row_sum[e]);
warp.func @squares_body(%out: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"},
                        %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %o = warp.load %out[%rows, %head] : !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 64> -> tensor<64x16xbf16, #warp.acc>
    %x = warp.map(%o) : (tensor<64x16xbf16, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
    ^bb0(%v: bf16, %row: i64, %column: i64):
      %w = arith.extf %v : bf16 to f32
      %s = arith.mulf %w, %w : f32
      warp.yield %s : f32
    }
    %sum = warp.reduce sum %x : tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
    warp.store %sum, %delta[%rows, %head] : tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  warp.return
}
