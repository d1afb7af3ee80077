// RUN: weft-opt %s -warp-to-emitc | weft-translate --weft-to-cuda | FileCheck %s

// Packed rows whose sequence a warp looks for: in the producer all lanes walk
// and one of them copies, values of rows that come in one piece too. Vectors
// that lanes copy one by one are the second warp's. Two CTAs share a
// multiprocessor.

// CHECK: #include "weft/search.cuh"
// CHECK: __launch_bounds__(256, 2)
// CHECK-NEXT: weft_f(
// CHECK: ring_init<1>(query_barriers, 1, 1);
// CHECK: if (group == 0) {
// CHECK: release_registers<24>();
// CHECK: // one warp: tiles
// CHECK-NEXT: if (thread_{{[0-9]+}} / 32 == 0) {
// CHECK: for (uint32_t point = cta;
// CHECK: const int32_t [[LANE:lane.*]] = thread_{{[0-9]+}} % 32;
// CHECK: sequence = sequence_of_slot_by_warp(cu_seqlens_q, rows_q, batch, 64, {{.*}}, [[LANE]]);
// CHECK: if (exists) {
// CHECK: ring_send_by_warp<1, 64, 1>(
// CHECK: const float *lse_rows =
// CHECK: if (lane{{.*}} == 0) {
// CHECK-NEXT: ring_send_piece<1, 256>(
// CHECK-NEXT: }
// CHECK-NEXT: ring_advance<1>(
// CHECK-NOT: ring_send_vector
// CHECK: // one warp: values of rows
// CHECK-NEXT: if (thread_{{[0-9]+}} / 32 == 1) {
// CHECK: for (uint32_t point = cta;
// CHECK: sequence_of_slot_by_warp(
// CHECK: if (exists) {
// CHECK-NOT: ring_send_by_warp
// CHECK: ring_send_vector<1, 64>(
// CHECK: // the consumers
// CHECK-NEXT: take_registers<232>();
// CHECK: for (uint32_t point = cta;
// CHECK: sequence_of_slot_by_warp(
// CHECK: if (exists) {
// CHECK: ring_receive<1, 8192>(
!queries = !warp.ring<1, !warp.shared<64, 64, bf16, swizzled>>
!values = !warp.ring<1, !warp.shared<64, 1, f32>>
warp.func @f_body(%q: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"},
                  %lse: !tile.buffer<f32, q, heads_q, 1, fragments, rounded = 64> {weft.name = "lse"},
                  %delta: !tile.buffer<f32, q, heads_q, 1> {weft.name = "delta"})
    grid <q, 64, heads_q>
    schedule <rows = 64, columns = 64, mma = warpgroup, persistent = true, ctas_per_sm = 2>
    align = 16 attributes {weft.q = #attn.side<thd>, weft.kv = #attn.side<thd>} {
  %queries = warp.ring : !queries
  %pieces = warp.ring : !values
  %vectors = warp.ring : !values
  warp.roles registers(24, 232) producer {
    warp.points by_warp {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %c64 = arith.constant 64 : i64
      %first = arith.muli %t, %c64 : i64
      %rows = tile.rows %s, %first : !tile.rows<q, 64>
      warp.send %queries, %q[%rows, %h] : !queries, !tile.buffer<bf16, q, heads_q, 64>, !tile.rows<q, 64>
      warp.send %pieces, %lse[%rows, %h] : !values, !tile.buffer<f32, q, heads_q, 1, fragments, rounded = 64>, !tile.rows<q, 64>
      warp.send %vectors, %delta[%rows, %h] : !values, !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64>
    }
  } consumer {
    warp.points by_warp {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %k = warp.receive %queries : !queries -> !warp.shared<64, 64, bf16, swizzled>
      %a = warp.receive %pieces : !values -> !warp.shared<64, 1, f32>
      %b = warp.receive %vectors : !values -> !warp.shared<64, 1, f32>
      warp.consumed %queries : !queries
      warp.consumed %pieces : !values
      warp.consumed %vectors : !values
    }
  }
  warp.return
}
