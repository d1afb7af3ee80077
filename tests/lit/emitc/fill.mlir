// RUN: weft-opt %s -warp-to-emitc | weft-translate --weft-to-cuda | FileCheck %s

// Rows of no sequence; all of them where the offsets are out of order.

// CHECK-LABEL: weft_fill(
// CHECK-NEXT:   uint16_t *d_key,
// CHECK-NEXT:   int64_t d_key_row_stride,
// CHECK-NEXT:   int64_t d_key_head_stride,
// CHECK-NEXT:   const int32_t *cu_seqlens_kv,
// CHECK-NEXT:   const int32_t *cu_seqlens_kv_padded,
// CHECK:   const bool in_order_kv = cta_all(starts_in_order(cu_seqlens_kv_padded, rows_kv, batch, thread, 128));
// CHECK:   if (head < heads_kv && first < rows_kv) {
// CHECK-NEXT: for (int32_t r = warp * 32; r < 64; r += 128) {
// CHECK-NEXT:   const int64_t begin = first + r;
// CHECK-NEXT:   const int64_t mine = begin + lane;
// CHECK:        is_unused_row(cu_seqlens_kv_padded, cu_seqlens_kv, rows_kv, batch, mine)
// CHECK:        const uint32_t lanes = lanes_where(mine < rows_kv && unused);
// CHECK-NEXT:   if (lanes != 0) {
// CHECK-NEXT:     for (int32_t i = 0; i < 32; ++i) {
// CHECK-NEXT:       if (is_lane_of(lanes, i)) {
// CHECK-NEXT:         const int64_t row = begin + i;
// CHECK:              for (int32_t column = lane; column < 8; column += 32) {
// CHECK-NEXT:           target[column] = {{.*}}0{{.*}};
warp.func @fill_body(%d_key: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_key"})
    grid <held, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<thd>, weft.kv = #attn.side<thd, padded>} {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  %first = arith.muli %tile, %c64 {weft.name = "first"} : i64
  warp.fill %d_key[%first, %head], 0.0 : !tile.buffer<bf16, kv, heads_kv, 8>
  warp.return
}

// Without padding every row between the first start and the last is used.

// CHECK-LABEL: weft_fill_unpadded(
// CHECK: is_outside_row(cu_seqlens_kv, rows_kv, batch, mine)
warp.func @fill_unpadded_body(%d_key: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_key"})
    grid <held, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<thd>, weft.kv = #attn.side<thd>} {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  %first = arith.muli %tile, %c64 {weft.name = "first"} : i64
  warp.fill %d_key[%first, %head], 0.0 : !tile.buffer<bf16, kv, heads_kv, 8>
  warp.return
}

// A padded batch without rows has no sequence to divide by the length of, while
// the other side has rows and CTAs.

// CHECK-LABEL: weft_fill_batch(
// CHECK:      if (head < heads_kv && first < rows_kv) {
// CHECK:        padded_length(seqlens_kv, seqlen_kv,
warp.func @fill_batch_body(%d_key: !tile.buffer<bf16, kv, heads_kv, 8> {weft.name = "d_key"})
    grid <held, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch, padded>} {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  %first = arith.muli %tile, %c64 {weft.name = "first"} : i64
  warp.fill %d_key[%first, %head], 0.0 : !tile.buffer<bf16, kv, heads_kv, 8>
  warp.return
}
