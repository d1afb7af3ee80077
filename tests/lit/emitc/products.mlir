// RUN: weft-opt %s -warp-to-emitc | weft-translate --weft-to-cuda | FileCheck %s

// Rings are ranges of shared memory, products loops around ldmatrix and mma; the
// accumulator of the loop is updated in place.

// CHECK-LABEL: weft_product(
// CHECK:   const uint32_t key_ring = shared + 5120;
// CHECK:   // copy rows of query to shared memory
// CHECK:     for (int32_t i = 0; i < 2; ++i) {
// CHECK-NEXT:  copy_chunk(place + i * 2560, source, i * 32 < left);
// CHECK-NEXT:  source = source + source_step;
// CHECK:   copy_commit();
// CHECK:   const uint16_t *key_base = key + (sequence * key_batch_stride + head * key_head_stride);
// CHECK:   float s[8];
// CHECK:   int32_t next_ring_slot = 0;
// CHECK:   for (int64_t step = 0; step < {{[a-z]+}}; ++step) {
// CHECK:     const uint32_t target = key_ring + static_cast<uint32_t>(ring_slot) * 1280;
// CHECK:     copy_wait<0>();
// CHECK:     cta_barrier();
// CHECK:     // product with the transposed tile
// CHECK:     const uint32_t a_address = anchor(shared + warp_row * 80 + block_offset<80>(lane));
// CHECK:     const uint32_t b_address = anchor(key_tile + block_offset_transposed<80>(lane));
// CHECK:     for (int32_t k = 0; k < 2; ++k) {
// CHECK:       load_matrix(&a[0], a_address + k * 32);
// CHECK:       load_matrix(&b[0], b_address + k * 32);
// CHECK-NEXT:  mma_f16(&s[0], &a[0], &b[0]);
// CHECK-NEXT:  mma_f16(&s[4], &a[0], &b[2]);
// CHECK-NOT: kept
// CHECK:     next_ring_slot = 1 - ring_slot;
// CHECK:   // add to sums
// CHECK:     atomic_add(pointer, s[e]);
warp.func @product_body(%query: !tile.buffer<f16, q, heads_q, 32> {weft.name = "query"},
                        %key: !tile.buffer<f16, kv, heads_q, 32> {weft.name = "key"},
                        %sums: !tile.buffer<f32, q, heads_q, 16> {weft.name = "sums"})
    grid <q, 64, heads_q> schedule <rows = 64, columns = 16, stages = 2> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #warp.acc>
  %q_ring = warp.ring : !warp.ring<1, !warp.shared<64, 32, f16>>
  %k_ring = warp.ring : !warp.ring<2, !warp.shared<16, 32, f16>>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %n_k = tile.length kv %sequence
    %last = arith.ceildivsi %n_k, %c16 : i64
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    warp.put %q_ring[%c0], %query[%rows, %head] : !warp.ring<1, !warp.shared<64, 32, f16>>, !tile.buffer<f16, q, heads_q, 32>, !tile.rows<q, 64>
    warp.commit
    %r:2 = scf.for %j = %c0 to %last step %c1 iter_args(%acc = %zero, %slot = %c0) -> (tensor<64x16xf32, #warp.acc>, i64) : i64 {
      %first_j = arith.muli %j, %c16 : i64
      %rows_j = tile.rows %sequence, %first_j : !tile.rows<kv, 16>
      warp.put %k_ring[%slot], %key[%rows_j, %head] : !warp.ring<2, !warp.shared<16, 32, f16>>, !tile.buffer<f16, kv, heads_q, 32>, !tile.rows<kv, 16>
      warp.commit
      warp.wait 0
      warp.barrier
      %a = warp.get %q_ring[%c0] : !warp.ring<1, !warp.shared<64, 32, f16>> -> !warp.shared<64, 32, f16>
      %b = warp.get %k_ring[%slot] : !warp.ring<2, !warp.shared<16, 32, f16>> -> !warp.shared<16, 32, f16>
      %s = warp.mma %a, %b transposed, %acc : !warp.shared<64, 32, f16>, !warp.shared<16, 32, f16> -> tensor<64x16xf32, #warp.acc>
      %next = arith.subi %c1, %slot : i64
      scf.yield %s, %next : tensor<64x16xf32, #warp.acc>, i64
    }
    warp.add %r#0, %sums[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 64>
  }
  warp.return
}
