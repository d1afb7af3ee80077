// RUN: weft-opt %s -tile-to-warp -warp-to-emitc | weft-translate --weft-to-cuda | FileCheck %s

// Points that take turns: the number of the point, an add when its turn has
// come, and what the last to arrive does.

// CHECK-LABEL: weft_in_turn(
// CHECK:      float *sum,
// CHECK-NEXT: int32_t *turns,
// CHECK-NEXT: int32_t *tickets,
// CHECK:      // the point of the grid whose number is next
// CHECK-NEXT: const uint32_t ticket = take_ticket(tickets);
// CHECK:      const int64_t head = static_cast<int64_t>(ticket / slots);
// CHECK:      // a slot past its sequence's tiles has nothing to do
// CHECK:      // wait for this tile's turn at sum
// CHECK-NEXT: await_turn(turns_rows, tile);
// CHECK:      // add to sum
// CHECK:      atomic_add(
// CHECK:      end_turn(turns_rows, tile, {{.*}});
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
tile.func @in_turn_body(%sum: !sum {weft.name = "sum"}, %turns: !turns {weft.name = "turns"}, %tickets: !tickets {weft.name = "tickets"})
    grid <kv, 64, heads_q> schedule <rows = 64>
    attributes {weft.q = #attn.side<thd>, weft.kv = #attn.side<thd>} {
  %sequence, %tile, %head = tile.ticket %tickets : !tickets
  %c0 = arith.constant 0 : i64
  %c64 = arith.constant 64 : i64
  %n_k = tile.length kv %sequence
  %tiles = arith.ceildivsi %n_k, %c64 : i64
  %rows = tile.rows %sequence, %c0 : !tile.rows<q, 64>
  %one = arith.constant dense<1.0> : tensor<64x16xf32>
  tile.ordered_add %one, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  tile.return
}

// CHECK-LABEL: weft_arrive(
// CHECK:      // whether this CTA is the last to arrive at its tile
// CHECK-NEXT: const bool is_last = arrive_last(arrivals_rows, 4);
// CHECK:      if (is_last) {
// CHECK:        // store out
!arrivals = !tile.buffer<i32, q, heads_kv, 1, packed, rounded = 64>
!out = !tile.buffer<f32, q, heads_kv, 16>
tile.func @arrive_body(%arrivals: !arrivals {weft.name = "arrivals"}, %out: !out {weft.name = "out"})
    grid <q, 64, heads_q> schedule <rows = 64>
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %sequence, %tile, %head = tile.point
  %c4 = arith.constant 4 : i64
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %group = arith.divsi %head, %c4 : i64
  %member = arith.remsi %head, %c4 : i64
  %one = arith.constant dense<1.0> : tensor<64x16xf32>
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %c4 : !arrivals, !tile.rows<q, 64>
  scf.if %last {
    tile.store %one, %out[%rows, %group] : tensor<64x16xf32>, !out, !tile.rows<q, 64>
  }
  tile.return
}

// The launches before this one: nothing is read before they are done.
// CHECK-LABEL: weft_early(
// CHECK:      // the launches before this one are done
// CHECK-NEXT: await_launches();
// CHECK:      cta_index()
warp.func @early_body(%x: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "x"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<thd>, weft.kv = #attn.side<thd>} {
  warp.await_launches
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : <q, 64>
    %zero = arith.constant dense<0.0> : tensor<64xf32, #warp.row>
    warp.store %zero, %x[%rows, %head] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1, packed>, <q, 64>
  }
  warp.return
}
