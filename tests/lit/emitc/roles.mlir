// Roles, barrier rings and asynchronous products as CUDA C++.
// RUN: weft-opt %s -warp-to-emitc | weft-translate -weft-to-cuda | FileCheck %s

// Each group of products is one statement: a fence, the steps, the end.
// CHECK-LABEL: product_m64n128k64_bf16_shared_transposed_from_zero(float *d, uint32_t a, uint32_t b)
// CHECK: mov.b64 a, {%64, 0x40000040}
// CHECK: mov.b64 b, {%65, 0x40000040}
// CHECK: wgmma.fence
// CHECK: setp.ne.b32 adds, 0, 0
// CHECK: add.s64 a_step, a, 0;
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16
// CHECK: b_step, adds, 1, 1, 0, 0;
// CHECK: setp.ne.b32 adds, 1, 0
// CHECK: add.s64 a_step, a, 2;
// CHECK: wgmma.commit_group

// CHECK: __launch_bounds__(384, 1)
// CHECK-NEXT: weft_f(
// CHECK-NEXT: const __grid_constant__ tensor_map query_map
// CHECK: ring_init<2>(query_barriers, 1, 2);
// CHECK: if (group == 0) {
// CHECK: release_registers<24>();
// CHECK: ring_send<2, 128, 1>({{.*}}, &query_next, query_map,
// CHECK: } else {
// CHECK: take_registers<240>();
// CHECK: const uint32_t query_tile = ring_receive<2, 16384>({{.*}}, &query_next);
// CHECK: product_m64n128k64_bf16_shared_transposed_from_zero(&s[0], a_place, b_place);
// CHECK: products_wait<0>();
// CHECK-NEXT: settle<64>(&s[0]);
// CHECK: ring_give_back<2, 0>(query_barriers, &query_held,
warp.func @f_body(%q: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"},
                  %out: !tile.buffer<f32, q, heads_q, 128> {weft.name = "out"})
    grid <q, 128, heads_q>
    schedule <rows = 128, columns = 128, warps = 8, stages = 2, mma = warpgroup, persistent = true>
    align = 16 attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %ring = warp.ring : !warp.ring<2, !warp.shared<128, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %c128 = arith.constant 128 : i64
      %first = arith.muli %t, %c128 : i64
      %rows = tile.rows %s, %first : !tile.rows<q, 128>
      warp.send %ring, %q[%rows, %h] : !warp.ring<2, !warp.shared<128, 64, bf16, swizzled>>, !tile.buffer<bf16, q, heads_q, 64>, !tile.rows<q, 128>
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %c128 = arith.constant 128 : i64
      %first = arith.muli %t, %c128 : i64
      %rows = tile.rows %s, %first : !tile.rows<q, 128>
      %k = warp.receive %ring : !warp.ring<2, !warp.shared<128, 64, bf16, swizzled>> -> !warp.shared<128, 64, bf16, swizzled>
      %p = warp.issue %k, %k transposed : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<128, 64, bf16, swizzled> -> !warp.pending<tensor<128x128xf32, #warp.acc>>
      %a = warp.await %p, 0 : !warp.pending<tensor<128x128xf32, #warp.acc>>
      warp.consumed %ring : !warp.ring<2, !warp.shared<128, 64, bf16, swizzled>>
      warp.store %a, %out[%rows, %h] : tensor<128x128xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 128>, !tile.rows<q, 128>
    }
  }
  warp.return
}

// Units of two slots, a long tile and a short one, walked a group of heads at a
// time.

// CHECK-LABEL: weft_g(
// CHECK: const uint32_t pair = points > ctas ? 2 : 1;
// CHECK: const uint32_t steps = unit_steps(units * heads, pair, cta, ctas);
// CHECK: for (uint32_t step = 0; step < steps; ++step) {
// CHECK: const uint32_t cta_2 = cta_index_here();
// CHECK: const uint32_t together = heads_together({{.*}}, {{.*}} * 256, 16777216);
// CHECK: unit_head({{.*}}, together)
// CHECK: const uint32_t slot = unit_number({{.*}}, together) * pair_2 + step % pair_2;
// CHECK: if (slot < slots_2) {
warp.func @g_body(%k: !tile.buffer<bf16, kv, heads_q, 128> {weft.name = "key"},
                  %out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"})
    grid <q, 128, heads_q> descending
    schedule <rows = 128, columns = 128, warps = 8, stages = 1, mma = warpgroup, persistent = true>
    align = 16 attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %ring = warp.ring : !warp.ring<1, !warp.shared<128, 128, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points balanced {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %c0 = arith.constant 0 : i64
      %rows = tile.rows %s, %c0 : !tile.rows<kv, 128>
      warp.send %ring, %k[%rows, %h] : !warp.ring<1, !warp.shared<128, 128, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_q, 128>, !tile.rows<kv, 128>
    }
  } consumer {
    warp.points balanced {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %k0 = warp.receive %ring : !warp.ring<1, !warp.shared<128, 128, bf16, swizzled>> -> !warp.shared<128, 128, bf16, swizzled>
      warp.consumed %ring : !warp.ring<1, !warp.shared<128, 128, bf16, swizzled>>
    }
  }
  warp.return
}

// Tiles are copied by one thread, values of rows by a warp of their own; rings
// that are filled and emptied in turn share a cursor. Consumers take turns.

// CHECK: weft_values(
// CHECK: ring_init<2>(query_barriers, 1, 2);
// CHECK: ring_init<2>(lse_barriers, 32, 256);
// CHECK: release_registers<40>();
// CHECK: // one thread: tiles
// CHECK: ring_cursor query_next = {0, 0};
// CHECK-NOT: ring_send_vector
// CHECK: ring_send<2, 64, 1>(
// CHECK: ring_advance<2>(&query_next);
// CHECK: // one warp: values of rows
// CHECK: / 32 == 1) {
// CHECK-NOT: ring_send<
// CHECK: ring_send_vector<2, 64>({{.*}}, lse_barriers, &lse_next, {{.*}}, INFINITY,
// CHECK: take_registers<232>();
// CHECK: >= 128) {
// CHECK-NEXT: pass_turn<2>(1);
// CHECK: const uint32_t query_tile = ring_receive<2, 8192>(
// CHECK-NOT: ring_advance
// CHECK: take_turn<2>(
// CHECK: const uint32_t lse_tile = ring_receive<2, 256>({{.*}}, lse_barriers, &query_next);
// CHECK-NEXT: ring_advance<2>(&query_next);
// CHECK: read_columns<64>(&vector[0], lse_tile,
// CHECK: ring_give_back_vector<2, 1>(lse_barriers, &query_next)
// CHECK: pass_turn<2>(
// CHECK: ring_give_back<2, 1>(query_barriers, &query_next,
warp.func @values_body(%k: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"},
                       %l: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "lse"},
                       %out: !tile.buffer<f32, q, heads_q, 64> {weft.name = "out"})
    grid <q, 128, heads_q>
    schedule <rows = 128, columns = 64, warps = 8, stages = 2, mma = warpgroup, persistent = true>
    align = 16 attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %tiles = warp.ring : !warp.ring<2, !warp.shared<64, 64, bf16, swizzled>>
  %values = warp.ring : !warp.ring<2, !warp.shared<64, 1, f32>>
  warp.roles registers(40, 232) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %rows = tile.rows %s, %t : !tile.rows<q, 64>
      warp.send %tiles, %k[%rows, %h] : !warp.ring<2, !warp.shared<64, 64, bf16, swizzled>>, !tile.buffer<bf16, q, heads_q, 64>, !tile.rows<q, 64>
      warp.send %values, %l[%rows, %h] pad 0x7FF0000000000000 : !warp.ring<2, !warp.shared<64, 1, f32>>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %rows = tile.rows %s, %t : !tile.rows<q, 128>
      %k0 = warp.receive %tiles : !warp.ring<2, !warp.shared<64, 64, bf16, swizzled>> -> !warp.shared<64, 64, bf16, swizzled>
      warp.take_turn
      %l0 = warp.receive %values : !warp.ring<2, !warp.shared<64, 1, f32>> -> !warp.shared<64, 1, f32>
      %v = warp.read %l0 : !warp.shared<64, 1, f32> -> tensor<64xf32, #warp.column>
      %e = warp.expand %v : tensor<64xf32, #warp.column> -> tensor<128x64xf32, #warp.acc>
      warp.store %e, %out[%rows, %h] : tensor<128x64xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 64>, !tile.rows<q, 128>
      warp.consumed %values : !warp.ring<2, !warp.shared<64, 1, f32>>
      warp.pass_turn
      warp.consumed %tiles : !warp.ring<2, !warp.shared<64, 64, bf16, swizzled>>
    }
  }
  warp.return
}

// A tile of the step before goes back behind the first tile of this step: its
// slot is the one before the shared cursor's, whether the ring has received in
// this step or not.

// CHECK: weft_late(
// CHECK: const uint32_t query_tile = ring_receive<3, 8192>({{.*}}, &query_next);
// CHECK-NEXT: if (
// CHECK-NEXT: ring_give_back<3, 1>(query_barriers, &query_next,
// CHECK-NEXT: ring_give_back<3, 1>(d_out_barriers, &query_next,
// CHECK: const uint32_t d_out_tile = ring_receive<3, 8192>({{.*}}, &query_next);
// CHECK-NEXT: ring_advance<3>(&query_next);
// CHECK: ring_give_back<3, 1>(query_barriers, &query_next,
// CHECK: ring_give_back<3, 1>(d_out_barriers, &query_next,
warp.func @late_body(%k: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"},
                     %l: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "d_out"})
    grid <q, 128, heads_q>
    schedule <rows = 128, columns = 64, warps = 8, stages = 2, mma = warpgroup, persistent = true>
    align = 16 attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c4 = arith.constant 4 : i64
  %tiles = warp.ring : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>>
  %others = warp.ring : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      scf.for %i = %c0 to %c4 step %c1 : i64 {
        %rows = tile.rows %s, %i : !tile.rows<q, 64>
        warp.send %tiles, %k[%rows, %h] : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>>, !tile.buffer<bf16, q, heads_q, 64>, !tile.rows<q, 64>
        warp.send %others, %l[%rows, %h] : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>>, !tile.buffer<bf16, q, heads_q, 64>, !tile.rows<q, 64>
      }
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      scf.for %i = %c0 to %c4 step %c1 : i64 {
        %k0 = warp.receive %tiles : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>> -> !warp.shared<64, 64, bf16, swizzled>
        %later = arith.cmpi sgt, %i, %c0 : i64
        scf.if %later {
          warp.consumed %tiles age 1 : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>>
          warp.consumed %others : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>>
        }
        %l0 = warp.receive %others : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>> -> !warp.shared<64, 64, bf16, swizzled>
      }
      warp.consumed %tiles : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>>
      warp.consumed %others : !warp.ring<3, !warp.shared<64, 64, bf16, swizzled>>
    }
  }
  warp.return
}
