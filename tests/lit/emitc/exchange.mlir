// RUN: weft-opt %s -weft-to-plan -weft-to-tile -weft-to-warp -weft-to-emitc | weft-translate --weft-to-cuda | FileCheck %s

// The kernel of all gradients: dS from warpgroup to warpgroup, LSE and delta in
// one piece each, dQ in fragments through shared memory.

// What the readers want of each row, where they want it, of whole tiles.
// CHECK-LABEL: weft_delta(
// CHECK:      // store delta
// CHECK:      vector_place(own_row + slot_row_step(e))

// CHECK-LABEL: weft_dqkv(
// CHECK:      const uint32_t exchange_ring = shared + 32768;
// A dS comes from every warp of the consumers, a vector from one thread.
// CHECK:      ring_init<2>(exchange_barriers, 8, 2);
// CHECK:      ring_init<2>(lse_log2_barriers, 1, 256);
// CHECK:      // one thread: tiles
// CHECK:      ring_send_piece<2, 256>(lse_log2_ring, lse_log2_barriers, &query_next, lse_log2_rows);
// CHECK-NOT:  one warp: values
// CHECK:      // the consumers
// CHECK:      const int32_t warp = warp_uniform(
// CHECK:      ring_cursor exchange_fill = {0, 0};
// All tiles are cleared: what a row of them holds may reach every row of dQ.
// CHECK:      clear_rows<128, 2, 256>(key_tile,
// CHECK:      clear_rows<128, 2, 256>(value_tile,
// CHECK:      for (int32_t step
// CHECK:        ring_receive_when<2, 16384>(exchange_ring, exchange_barriers, &exchange_next, test{{.*}});
// CHECK:        product_m64n64k128_bf16_shared_from_zero(&[[DQ:.*]][0], a_place, b_place);
// CHECK:        ring_held_or_next<2, 16384, 1>(query_ring, query_barriers, &query_next, [[SECOND:test.*]]);
// CHECK:        if ([[SECOND]]) {
// CHECK:          ring_deposit<2, 64, 2>(exchange_ring, exchange_barriers, &exchange_fill, &{{.*}}[0], warp, lane);
// CHECK:          ring_advance<2>(&exchange_fill);
// CHECK:          const uint32_t staged = {{.*}} + static_cast<uint32_t>(warp) * 4096;
// CHECK:          stage_fragments<32>(staged, &[[DQ]][0], {{.*}});
// CHECK:        // add to d_query_sum
// CHECK:          add_staged<64, 4096>(lane_d_query_sum, staged{{.*}});
// CHECK:        ring_give_back_vector<2, 0>(lse_log2_barriers, &query_next);
// Rows of V are one warpgroup's own, those of K are not: results go through V.
// CHECK:      // store d_key by 16 bytes
// CHECK:        = value_tile + static_cast<uint32_t>(warp_row) * 128;
// CHECK:      // shared memory stays until it has been read
// CHECK:      adds_done();

// CHECK-LABEL: weft_convert(
// CHECK:      load_fragments<128, 4096>(&d_query_sum_tile[0], lane_d_query_sum);
module attributes {weft.target = "sm_90a"} {
  attn.backward @attention bf16 head_dim = 128, head_dim_v = 128, head_ratio = 1 q = <thd> kv = <thd>
}
