// RUN: weft-opt %s -warp-to-emitc | weft-translate --weft-to-cuda | FileCheck %s

// Workspace of which each sequence has tiles of 64 rows to itself. Whole tiles
// are added to and loaded without a question.

// CHECK-LABEL: weft_packed(
// CHECK:      const int64_t rows_q_in_64 = (rows_q / 64 + batch) * 64;
// CHECK:      sum + head * rows_q_in_64 * 16;
// CHECK:      const int64_t start_q_in_64 = first_slot(cu_seqlens_q, rows_q, 64, sequence) * 64;
// CHECK:      // load sum
// CHECK:      const int64_t row_q_in_64 = start_q_in_64 + first;
// CHECK:      load_pair_or({{.*}}, true, {{.*}});
// CHECK-NOT:  if (
// CHECK:      // add to total
// CHECK-NOT:  if (
// CHECK:      atomic_add(
// CHECK:      // store delta
// CHECK:      rows_within(ceil_div({{.*}}, 64) * 64, first, 64)
warp.func @packed_body(%sum: !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64> {weft.name = "sum"},
                       %total: !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64> {weft.name = "total"},
                       %delta: !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<thd>, weft.kv = #attn.side<thd>} {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 {weft.name = "first"} : i64
    %rows = tile.rows %sequence, %first : <q, 64>
    %a = warp.load %sum[%rows, %head] unclipped : <f32, q, heads_q, 16, packed, rounded = 64>, <q, 64> -> tensor<64x16xf32, #warp.acc>
    warp.add %a, %total[%rows, %head] unclipped : tensor<64x16xf32, #warp.acc>, <f32, q, heads_q, 16, packed, rounded = 64>, <q, 64>
    warp.store %a, %delta[%rows, %head] : tensor<64x16xf32, #warp.acc>, <f32, q, heads_q, 16, packed, rounded = 64>, <q, 64>
  }
  warp.return
}

// CHECK-LABEL: weft_batch(
// CHECK:      const int64_t rows_q_in_32 = batch * ceil_div(seqlen_q, 32) * 32;
// CHECK:      sum + (head * rows_q_in_32 + sequence * (ceil_div(seqlen_q, 32) * 32)) * 16;
// CHECK:      // load sum
// CHECK:      rows_within(ceil_div(length_q, 32) * 32, first, 64)
warp.func @batch_body(%sum: !tile.buffer<f32, q, heads_q, 16, packed, rounded = 32> {weft.name = "sum"},
                      %out: !tile.buffer<f32, q, heads_q, 16> {weft.name = "out"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch, padded>, weft.kv = #attn.side<batch>} {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 {weft.name = "first"} : i64
    %rows = tile.rows %sequence, %first : <q, 64>
    %a = warp.load %sum[%rows, %head] : <f32, q, heads_q, 16, packed, rounded = 32>, <q, 64> -> tensor<64x16xf32, #warp.acc>
    warp.store %a, %out[%rows, %head] : tensor<64x16xf32, #warp.acc>, <f32, q, heads_q, 16>, <q, 64>
  }
  warp.return
}
