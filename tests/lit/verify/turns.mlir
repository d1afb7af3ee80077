// RUN: weft-opt %s -split-input-file -verify-contracts | FileCheck %s
// RUN: weft-opt %s -split-input-file -tile-to-warp -verify-contracts | FileCheck %s

// Points that take turns.

// Each key tile adds to every query tile, the first key tile first.
// CHECK-LABEL: plan.kernel @k
// CHECK-SAME: ordered
!x = !tile.buffer<f32, q, heads_q, 16>
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
plan.kernel @k dq of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", ordered, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"tickets", counter, [all]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %sum: !sum {weft.name = "sum"},
                  %turns: !turns {weft.name = "turns"}, %tickets: !tickets {weft.name = "tickets"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.ticket %tickets : !tickets
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i64
  %n_q = tile.length q %sequence
  %n_k = tile.length kv %sequence
  %tiles_q = arith.ceildivsi %n_q, %c64 : i64
  %tiles = arith.ceildivsi %n_k, %c64 : i64
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// The query heads of a group hand their sums to the one that arrives last.
// CHECK-LABEL: plan.kernel @k
// CHECK-SAME: "arrivals", counter
!x = !tile.buffer<f32, kv, heads_q, 16>
!partial = !tile.buffer<f32, kv, heads_q, 16, packed>
!arrivals = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>
!dk = !tile.buffer<bf16, kv, heads_kv, 16>
module attributes {weft.head_ratio = 4 : i64} {
plan.kernel @k dk of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"arrivals", counter, [valid], rounded = 64>,
              #plan.operand<"partial", out, [valid]>, #plan.operand<"d_key", out, [valid]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %arrivals: !arrivals {weft.name = "arrivals"},
                  %partial: !partial {weft.name = "partial"}, %dk: !dk {weft.name = "d_key"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %ratio = arith.constant 4 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
  %group = arith.divsi %head, %ratio : i64
  %base = arith.muli %group, %ratio : i64
  %member = arith.subi %head, %base : i64
  %a = tile.load %x[%rows, %head] : !x, !tile.rows<kv, 64> -> tensor<64x16xf32>
  tile.store %a, %partial[%rows, %head] : tensor<64x16xf32>, !partial, !tile.rows<kv, 64>
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %ratio : !arrivals, !tile.rows<kv, 64>
  scf.if %last {
    %s = scf.for %i = %c0 to %ratio step %c1 iter_args(%t = %zero) -> (tensor<64x16xf32>) : i64 {
      %other = arith.addi %base, %i : i64
      %p = tile.load %partial[%rows, %other] : !partial, !tile.rows<kv, 64> -> tensor<64x16xf32>
      %u = arith.addf %t, %p : tensor<64x16xf32>
      scf.yield %u : tensor<64x16xf32>
    }
    %r = arith.truncf %s : tensor<64x16xf32> to tensor<64x16xbf16>
    tile.store %r, %dk[%rows, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
  }
  tile.return
}
}
