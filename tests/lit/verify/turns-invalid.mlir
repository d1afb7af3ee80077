// RUN: weft-opt %s -split-input-file -verify-diagnostics -verify-contracts

// Turns that do not come, or come twice.

// Without tickets the point that is waited for may wait for a place on the GPU.
!x = !tile.buffer<f32, q, heads_q, 16>
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
plan.kernel @k dq of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", ordered, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>]
tile.func @k_body(%x: !x {weft.name = "x"}, %sum: !sum {weft.name = "sum"},
                  %turns: !turns {weft.name = "turns"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
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
    // expected-error @below {{body of @k waits for its turn at 'turns', but the point waited for may never begin: take points by tile.ticket}}
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// The last key tile first: points of low numbers wait for those of high ones.
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
  %behind = arith.subi %tiles, %c1 : i64
  %turn = arith.subi %behind, %tile : i64
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body of @k may wait at 'turns' for a point of a higher number: n_q = 1, n_k = 65}}
    tile.ordered_add %a, %sum[%rows, %head] turn %turn of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// Both query heads of two have turn 0.
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
    // expected-error @below {{body of @k gives one turn at a counter of 'turns' to two points, one of them: n_q = 1, n_k = 65}}
    tile.ordered_add %a, %sum[%rows, %head] turn %c0 of %c1 by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// The first key tile adds nothing.
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
  %any = arith.cmpi sgt, %tile, %c0 : i64
  scf.if %any {
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body of @k leaves out a turn at 'turns', so that later ones never come and it is not set to 0 again: n_q = 1, n_k = 1, heads_q = 1, row = 0, head = 0, turn = 0}}
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  }
  tile.return
}

// -----

// A number of turns of which the points know nothing together.
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
  %own = arith.addi %tile, %c1 : i64
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body of @k counts turns at 'turns' to a number that is not one of lengths and heads alone, so that points may not agree on it}}
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %own by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// Two numbers.
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
  %more = arith.addi %tiles, %c1 : i64
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body of @k counts turns at 'turns' to another number than before}}
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %more by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// A turn behind the last.
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
  %next = arith.addi %tile, %c1 : i64
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body of @k may take a turn at 'turns' that is none of 0 to count - 1: n_k = 1, tile = 0}}
    tile.ordered_add %a, %sum[%rows, %head] turn %next of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// One tile for all turns of a loop.
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
  scf.for %again = %c0 to %c64 step %c1 : i64 {
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body of @k takes two turns at a counter of 'turns' at one point: n_q = 65, n_k = 65}}
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  }
  tile.return
}

// -----

// The same twice.
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
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body of @k takes two turns at a counter of 'turns' at one point: n_q = 1, n_k = 1}}
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// A tile that the sequence does not have.
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
  scf.for %i = %c0 to %tiles step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body @k_body may take a turn at 'turns' for a tile past the sequence's last, as with n_q = 0, n_k = 1}}
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// Half of a tile.
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
  %c32 = arith.constant 32 : i64
  %halves = arith.floordivsi %n_q, %c32 : i64
  scf.for %i = %c0 to %halves step %c1 : i64 {
    %first = arith.muli %i, %c32 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body @k_body may take a turn at 'turns' for rows that begin inside of a tile, as with n_q = 64}}
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// A head that the counters do not have.
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
  %next = arith.addi %head, %c1 : i64
  scf.for %i = %c0 to %tiles_q step %c1 : i64 {
    %first = arith.muli %i, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
    // expected-error @below {{body @k_body may take a turn at 'turns' for a head past the counter's last, as with}}
    tile.ordered_add %a, %sum[%rows, %next] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// Another access than the contract says.
!x = !tile.buffer<f32, q, heads_q, 16>
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
plan.kernel @k dq of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", acc, [valid], rounded = 64>,
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
    // expected-error @below {{body of @k adds in turn to 'sum', which is 'acc' in its contract}}
    tile.ordered_add %a, %sum[%rows, %head] turn %tile of %tiles by %turns : tensor<64x16xf32>, !sum, !tile.rows<q, 64>, !turns
  }
  tile.return
}

// -----

// A counter that nobody counts in.
!x = !tile.buffer<f32, q, heads_q, 16>
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
plan.kernel @k dq of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", acc, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"tickets", counter, [all]>]
// expected-error @below {{body of @k never counts in 'turns', which is 'counter' in its contract}}
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
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %c0 : !tile.rows<q, 64>
  %a = tile.load %x[%rows, %head] : !x, !tile.rows<q, 64> -> tensor<64x16xf32>
  tile.add %a, %sum[%rows, %head] : tensor<64x16xf32>, !sum, !tile.rows<q, 64>
  tile.return
}

// -----

// Tickets are of one counter, not of the rows.
!x = !tile.buffer<f32, q, heads_q, 16>
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
plan.kernel @k dq of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", ordered, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"tickets", counter, [valid]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %sum: !sum {weft.name = "sum"},
                  %turns: !turns {weft.name = "turns"}, %tickets: !tickets {weft.name = "tickets"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  // expected-error @below {{body of @k counts in 'tickets' on all, but its contract says valid}}
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

// What counts is no sum.
!x = !tile.buffer<f32, q, heads_q, 16>
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
plan.kernel @k dq of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", ordered, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"tickets", acc, [all]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %sum: !sum {weft.name = "sum"},
                  %turns: !turns {weft.name = "turns"}, %tickets: !tickets {weft.name = "tickets"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  // expected-error @below {{body of @k counts in 'tickets', which is 'acc' in its contract}}
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

// Two tickets for one point.
!x = !tile.buffer<f32, q, heads_q, 16>
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
plan.kernel @k dq of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", ordered, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"tickets", counter, [all]>]
// expected-error @below {{body of @k takes 2 tickets for one point}}
tile.func @k_body(%x: !x {weft.name = "x"}, %sum: !sum {weft.name = "sum"},
                  %turns: !turns {weft.name = "turns"}, %tickets: !tickets {weft.name = "tickets"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %other, %tile1, %head1 = tile.ticket %tickets : !tickets
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

// Behind the last arrival, but of another group.
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
      // expected-error @below {{body of @k may read 'partial' where no point that has arrived wrote:}}
      %p = tile.load %partial[%rows, %i] : !partial, !tile.rows<kv, 64> -> tensor<64x16xf32>
      %u = arith.addf %t, %p : tensor<64x16xf32>
      scf.yield %u : tensor<64x16xf32>
    }
    %r = arith.truncf %s : tensor<64x16xf32> to tensor<64x16xbf16>
    tile.store %r, %dk[%rows, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
  }
  tile.return
}
}

// -----

// What is read back was stored behind the arrival.
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
  %true = arith.constant true
  scf.if %true {
    tile.store %a, %partial[%rows, %head] : tensor<64x16xf32>, !partial, !tile.rows<kv, 64>
  }
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %ratio : !arrivals, !tile.rows<kv, 64>
  scf.if %last {
    %s = scf.for %i = %c0 to %ratio step %c1 iter_args(%t = %zero) -> (tensor<64x16xf32>) : i64 {
      %other = arith.addi %base, %i : i64
      // expected-error @below {{body of @k reads 'partial', which is 'out' in its contract: only behind a last arrival that every point passes after its stores may it be read back}}
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

// -----

// Three of the four arrive.
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
  %five = arith.constant 5 : i64
  tile.store %a, %partial[%rows, %head] : tensor<64x16xf32>, !partial, !tile.rows<kv, 64>
  // expected-error @below {{body of @k leaves out a turn at 'arrivals', so that later ones never come and it is not set to 0 again:}}
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %five : !arrivals, !tile.rows<kv, 64>
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

// -----

// Which rows are written depends on who is last.
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
  %step = arith.muli %member, %c64 : i64
  %own = arith.addi %first, %step : i64
  %far = tile.rows %sequence, %own : !tile.rows<kv, 64>
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %ratio : !arrivals, !tile.rows<kv, 64>
  scf.if %last {
    %s = scf.for %i = %c0 to %ratio step %c1 iter_args(%t = %zero) -> (tensor<64x16xf32>) : i64 {
      %other = arith.addi %base, %i : i64
      %p = tile.load %partial[%rows, %other] : !partial, !tile.rows<kv, 64> -> tensor<64x16xf32>
      %u = arith.addf %t, %p : tensor<64x16xf32>
      scf.yield %u : tensor<64x16xf32>
    }
    %r = arith.truncf %s : tensor<64x16xf32> to tensor<64x16xbf16>
    // expected-error @below {{body of @k writes to 'd_key' at a place that depends on which point is the last to arrive:}}
    tile.store %r, %dk[%far, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
  }
  tile.return
}
}

// -----

// A condition behind the arrival.
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
  %few = arith.cmpi slt, %member, %c1 : i64
  scf.if %last {
    %r = arith.truncf %a : tensor<64x16xf32> to tensor<64x16xbf16>
    scf.if %few {
      // expected-error @below {{body of @k writes to 'd_key' behind a last arrival in a loop or under another condition, so that it may depend on the point}}
      tile.store %r, %dk[%rows, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
    }
  }
  tile.return
}
}

// -----

// A turn that is waited for, and one that is not: who arrives does not wait for
// who adds, and takes the turn away.
!x = !tile.buffer<f32, kv, heads_q, 16>
!sum = !tile.buffer<f32, kv, heads_kv, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
module attributes {weft.head_ratio = 2 : i64} {
plan.kernel @k dk of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", ordered, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"tickets", counter, [all]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %sum: !sum {weft.name = "sum"},
                  %turns: !turns {weft.name = "turns"}, %tickets: !tickets {weft.name = "tickets"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.ticket %tickets : !tickets
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
  %group = arith.divsi %head, %c2 : i64
  %base = arith.muli %group, %c2 : i64
  %member = arith.subi %head, %base : i64
  %a = tile.load %x[%rows, %head] : !x, !tile.rows<kv, 64> -> tensor<64x16xf32>
  %adds = arith.cmpi slt, %member, %c1 : i64
  scf.if %adds {
    tile.ordered_add %a, %sum[%rows, %group] turn %member of %c2 by %turns : tensor<64x16xf32>, !sum, !tile.rows<kv, 64>, !turns
  }
  %arrives = arith.cmpi sge, %member, %c1 : i64
  scf.if %arrives {
    // expected-error @below {{body of @k takes turns at 'turns' that are waited for and such that are not; give each kind counters of its own}}
    %last = tile.last_arrival %turns[%rows, %group] turn %member of %c2 : !turns, !tile.rows<kv, 64>
  }
  tile.return
}
}

// -----

// Each of two counters orders its adds, but nothing those of one and the other.
!x = !tile.buffer<f32, kv, heads_q, 16>
!sum = !tile.buffer<f32, kv, heads_kv, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
module attributes {weft.head_ratio = 2 : i64} {
plan.kernel @k dk of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", ordered, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"others", counter, [valid], rounded = 64>,
              #plan.operand<"tickets", counter, [all]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %sum: !sum {weft.name = "sum"}, %turns: !turns {weft.name = "turns"},
                  %others: !turns {weft.name = "others"}, %tickets: !tickets {weft.name = "tickets"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.ticket %tickets : !tickets
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
  %group = arith.divsi %head, %c2 : i64
  %base = arith.muli %group, %c2 : i64
  %member = arith.subi %head, %base : i64
  %a = tile.load %x[%rows, %head] : !x, !tile.rows<kv, 64> -> tensor<64x16xf32>
  %one = arith.cmpi slt, %member, %c1 : i64
  scf.if %one {
    tile.ordered_add %a, %sum[%rows, %group] turn %c0 of %c1 by %turns : tensor<64x16xf32>, !sum, !tile.rows<kv, 64>, !turns
  }
  %other = arith.cmpi sge, %member, %c1 : i64
  scf.if %other {
    %second = arith.subi %member, %c1 : i64
    // expected-error @below {{body of @k adds in turn to 'sum' by 'others' and elsewhere by 'turns', between which there is no order}}
    tile.ordered_add %a, %sum[%rows, %group] turn %second of %c1 by %others : tensor<64x16xf32>, !sum, !tile.rows<kv, 64>, !turns
  }
  tile.return
}
}

// -----

// Of a pair the later one may be last, and waits for the pair behind it.
!x = !tile.buffer<f32, kv, heads_q, 16>
!sum = !tile.buffer<f32, kv, heads_kv, 16, packed, rounded = 64>
!turns = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>
!tickets = !tile.buffer<i32, none, one, 1, packed>
module attributes {weft.head_ratio = 2 : i64} {
plan.kernel @k dk of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"sum", ordered, [valid], rounded = 64>,
              #plan.operand<"turns", counter, [valid], rounded = 64>, #plan.operand<"arrivals", counter, [valid], rounded = 64>,
              #plan.operand<"tickets", counter, [all]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %sum: !sum {weft.name = "sum"}, %turns: !turns {weft.name = "turns"},
                  %arrivals: !turns {weft.name = "arrivals"}, %tickets: !tickets {weft.name = "tickets"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.ticket %tickets : !tickets
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
  %group = arith.divsi %head, %c2 : i64
  %base = arith.muli %group, %c2 : i64
  %member = arith.subi %head, %base : i64
  %a = tile.load %x[%rows, %head] : !x, !tile.rows<kv, 64> -> tensor<64x16xf32>
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %c2 : !turns, !tile.rows<kv, 64>
  scf.if %last {
    // expected-error @below {{body of @k takes a turn at 'turns' behind a last arrival, where it is open which point it is}}
    tile.ordered_add %a, %sum[%rows, %group] turn %member of %c1 by %turns : tensor<64x16xf32>, !sum, !tile.rows<kv, 64>, !turns
  }
  tile.return
}
}

// -----

// What is read behind an arrival must be there whichever point is last.
!x = !tile.buffer<f32, kv, heads_q, 16>
!arrivals = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>
!dk = !tile.buffer<bf16, kv, heads_kv, 16>
module attributes {weft.head_ratio = 2 : i64} {
plan.kernel @k dk of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"arrivals", counter, [valid], rounded = 64>,
              #plan.operand<"d_key", out, [valid]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %arrivals: !arrivals {weft.name = "arrivals"}, %dk: !dk {weft.name = "d_key"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
  %group = arith.divsi %head, %c2 : i64
  %base = arith.muli %group, %c2 : i64
  %member = arith.subi %head, %base : i64
  %back = arith.muli %member, %c64 : i64
  %before = arith.subi %first, %back : i64
  %far = tile.rows %sequence, %before : !tile.rows<kv, 64>
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %c2 : !arrivals, !tile.rows<kv, 64>
  scf.if %last {
    // expected-error @below {{body @k_body may read 'x' on rows before the sequence's first, as with}}
    %a = tile.load %x[%far, %base] : !x, !tile.rows<kv, 64> -> tensor<64x16xf32>
    %r = arith.truncf %a : tensor<64x16xf32> to tensor<64x16xbf16>
    tile.store %r, %dk[%rows, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
  }
  tile.return
}
}

// -----

// The point of the CTA's own number is not that of its ticket.
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
  %s, %t, %h = tile.ticket %tickets : !tickets
  // expected-error @below {{body of @k takes a ticket and this besides, which gives another point}}
  %sequence, %tile, %head = tile.point
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

// Whoever is last, and the first as well.
!x = !tile.buffer<f32, kv, heads_q, 16>
!arrivals = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>
!dk = !tile.buffer<bf16, kv, heads_kv, 16>
module attributes {weft.head_ratio = 2 : i64} {
plan.kernel @k dk of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"arrivals", counter, [valid], rounded = 64>,
              #plan.operand<"d_key", out, [valid]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %arrivals: !arrivals {weft.name = "arrivals"}, %dk: !dk {weft.name = "d_key"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
  %group = arith.divsi %head, %c2 : i64
  %base = arith.muli %group, %c2 : i64
  %member = arith.subi %head, %base : i64
  %a = tile.load %x[%rows, %base] : !x, !tile.rows<kv, 64> -> tensor<64x16xf32>
  %r = arith.truncf %a : tensor<64x16xf32> to tensor<64x16xbf16>
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %c2 : !arrivals, !tile.rows<kv, 64>
  scf.if %last {
    tile.store %r, %dk[%rows, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
  }
  %isFirst = arith.cmpi slt, %member, %c1 : i64
  scf.if %isFirst {
    // expected-error @below {{body of @k may write an element of 'd_key' at two points of its grid, one of them:}}
    tile.store %r, %dk[%rows, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
  }
  tile.return
}
}

// -----

// The tile that the last point has loaded is another's each time.
!x = !tile.buffer<f32, kv, heads_q, 16>
!arrivals = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>
!dk = !tile.buffer<bf16, kv, heads_kv, 16>
module attributes {weft.head_ratio = 2 : i64} {
plan.kernel @k dk of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"arrivals", counter, [valid], rounded = 64>,
              #plan.operand<"d_key", out, [valid]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %arrivals: !arrivals {weft.name = "arrivals"}, %dk: !dk {weft.name = "d_key"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
  %group = arith.divsi %head, %c2 : i64
  %base = arith.muli %group, %c2 : i64
  %member = arith.subi %head, %base : i64
  %a = tile.load %x[%rows, %head] : !x, !tile.rows<kv, 64> -> tensor<64x16xf32>
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %c2 : !arrivals, !tile.rows<kv, 64>
  scf.if %last {
    // expected-error @below {{body of @k uses behind a last arrival what a point computed before, and which point it is is open}}
    %r = arith.truncf %a : tensor<64x16xf32> to tensor<64x16xbf16>
    tile.store %r, %dk[%rows, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
  }
  tile.return
}
}

// -----

// The same, loaded behind the arrival.
!x = !tile.buffer<f32, kv, heads_q, 16>
!arrivals = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>
!dk = !tile.buffer<bf16, kv, heads_kv, 16>
module attributes {weft.head_ratio = 2 : i64} {
plan.kernel @k dk of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"arrivals", counter, [valid], rounded = 64>,
              #plan.operand<"d_key", out, [valid]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %arrivals: !arrivals {weft.name = "arrivals"}, %dk: !dk {weft.name = "d_key"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
  %group = arith.divsi %head, %c2 : i64
  %base = arith.muli %group, %c2 : i64
  %member = arith.subi %head, %base : i64
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %c2 : !arrivals, !tile.rows<kv, 64>
  scf.if %last {
    // expected-error @below {{body of @k computes behind a last arrival what depends on which point it is:}}
    %a = tile.load %x[%rows, %head] : !x, !tile.rows<kv, 64> -> tensor<64x16xf32>
    %r = arith.truncf %a : tensor<64x16xf32> to tensor<64x16xbf16>
    tile.store %r, %dk[%rows, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
  }
  tile.return
}
}

// -----

// A number of the point's in a tile: its member, as a condition.
!x = !tile.buffer<f32, kv, heads_q, 16>
!arrivals = !tile.buffer<i32, kv, heads_kv, 1, packed, rounded = 64>
!dk = !tile.buffer<bf16, kv, heads_kv, 16>
module attributes {weft.head_ratio = 2 : i64} {
plan.kernel @k dk of @attention schedule <rows = 64>
    contract [#plan.operand<"x", in, [valid]>, #plan.operand<"arrivals", counter, [valid], rounded = 64>,
              #plan.operand<"d_key", out, [valid]>]
tile.func @k_body(%x: !x {weft.name = "x"}, %arrivals: !arrivals {weft.name = "arrivals"}, %dk: !dk {weft.name = "d_key"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<kv, 64>
  %group = arith.divsi %head, %c2 : i64
  %base = arith.muli %group, %c2 : i64
  %member = arith.subi %head, %base : i64
  %last = tile.last_arrival %arrivals[%rows, %group] turn %member of %c2 : !arrivals, !tile.rows<kv, 64>
  scf.if %last {
    %a = tile.load %x[%rows, %base] : !x, !tile.rows<kv, 64> -> tensor<64x16xf32>
    // expected-error @below {{body of @k computes behind a last arrival what depends on which point it is:}}
    %isFirst = arith.cmpi slt, %member, %c1 : i64
    %b = arith.select %isFirst, %zero, %a : tensor<64x16xf32>
    %r = arith.truncf %b : tensor<64x16xf32> to tensor<64x16xbf16>
    tile.store %r, %dk[%rows, %group] : tensor<64x16xbf16>, !dk, !tile.rows<kv, 64>
  }
  tile.return
}
}
