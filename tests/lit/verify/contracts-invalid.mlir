// RUN: weft-opt %s -split-input-file -verify-diagnostics -verify-contracts

// An early exit: a sequence without keys.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c0 = arith.constant 0 : i64
  %n_k = tile.length kv %sequence
  %any = arith.cmpi sgt, %n_k, %c0 : i64
  scf.if %any {
    // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1, n_k = 0, heads_q = 1, row = 0, head = 0}}
    tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  tile.return
}

// -----

// The same, said differently.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c0 = arith.constant 0 : i64
  %true = arith.constant true
  %n_k = tile.length kv %sequence
  %none = arith.cmpi eq, %n_k, %c0 : i64
  %any = arith.xori %none, %true : i1
  scf.if %any {
    // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1, n_k = 0}}
    tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  tile.return
}

// -----

// The last, partial tile is left out.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %n_q = tile.length q %sequence
  %end = arith.addi %first, %c64 : i64
  %whole = arith.cmpi sle, %end, %n_q : i64
  scf.if %whole {
    // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1, heads_q = 1, row = 0, head = 0}}
    tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  tile.return
}

// -----

// Half of each tile.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid], 0.0>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %half = tile.rows %sequence, %first : !tile.rows<q, 32>
  %b = arith.constant dense<0.0> : tensor<32xf32>
  // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 33, heads_q = 1, row = 32, head = 0}}
  tile.store %b, %delta[%half, %head] : tensor<32xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 32>
  tile.return
}

// -----

// One row too far.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c1 = arith.constant 1 : i64
  %next = arith.addi %first, %c1 : i64
  %shifted = tile.rows %sequence, %next : !tile.rows<q, 64>
  // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1, heads_q = 1, row = 0, head = 0}}
  tile.store %a, %delta[%shifted, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

module attributes {weft.head_ratio = 2 : i64} {
// Only the query heads that have the number of a key head.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_kv> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1, heads_q = 2, heads_kv = 1, row = 0, head = 1}}
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}
}

// -----

module attributes {weft.head_ratio = 3 : i64} {
// All but the last head of each group.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_kv> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %base = arith.muli %head, %c3 : i64
  scf.for %g = %c0 to %c2 step %c1 : i64 {
    %each = arith.addi %base, %g : i64
    // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1, heads_q = 3, heads_kv = 1, row = 0, head = 2}}
    tile.store %a, %delta[%rows, %each] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  tile.return
}
}

// -----

// Only where the tile says so.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %large = arith.cmpf ogt, %a, %a : tensor<64xf32>
  %any = tile.any %large : tensor<64xi1>
  // expected-note @below {{stores here do not count: they hang on what is not linear in lengths, heads and the point}}
  scf.if %any {
    // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1}}
    tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  tile.return
}

// -----

// A loop that may have no turn.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %n_k = tile.length kv %sequence
  %n_q = tile.length q %sequence
  %end = arith.muli %n_q, %n_k : i64
  // expected-note @below {{stores here do not count}}
  scf.for %j = %c0 to %end step %c1 : i64 {
    // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1}}
    tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  tile.return
}

// -----

// The grid of the other side.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1, n_k = 0, heads_q = 1, row = 0, head = 0}}
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// Rows before the sequence: those of the one before it.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c32 = arith.constant 32 : i64
  %early = arith.subi %first, %c32 : i64
  %shifted = tile.rows %sequence, %early : !tile.rows<q, 64>
  // expected-error @below {{body @k_body may write 'delta' on rows before the sequence's first, as with n_q = 1, tile = 0}}
  tile.store %a, %delta[%shifted, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// Rows behind the sequence: those of the next one.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body @k_body may write 'delta' on rows past the sequence's end, not clipped, as with n_q = 1, tile = 0}}
  tile.store %a, %delta[%rows, %head] unclipped : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// Another sequence.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c0 = arith.constant 0 : i64
  %other = tile.rows %c0, %first : !tile.rows<q, 64>
  // expected-error @below {{body @k_body accesses 'delta' on rows that are not those of its point's sequence}}
  tile.store %a, %delta[%other, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// A head that the buffer has not.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c1 = arith.constant 1 : i64
  %next = arith.addi %head, %c1 : i64
  // expected-error @below {{body @k_body may write 'delta' on a head past the buffer's last, as with heads_q = 1, head of the point = 0}}
  tile.store %a, %delta[%rows, %next] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// A head below the first.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c1 = arith.constant 1 : i64
  %before = arith.subi %head, %c1 : i64
  // expected-error @below {{body @k_body may write 'delta' on a head below the buffer's first, as with heads_q = 1, head of the point = 0}}
  tile.store %a, %delta[%rows, %before] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// Nothing is known of a load's head.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %n_k = tile.length kv %sequence
  // expected-error @below {{body @k_body may read 'out' on a head past the buffer's last, as with n_k = 0, heads_q = 0}}
  %b = tile.load %out[%rows, %n_k] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

module attributes {weft.head_ratio = 2 : i64} {
// Every query head of a group writes the key head.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_kv, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_kv, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %c2 = arith.constant 2 : i64
  %headKv = arith.divsi %head, %c2 : i64
  %b = tile.load %out[%rows, %headKv] : !tile.buffer<f32, q, heads_kv, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body of @k may write an element of 'delta' at two points of its grid, one of them: n_q = 1, heads_q = 2, heads_kv = 1, row = 0, head = 0, tile = 0}}
  tile.store %b, %delta[%rows, %headKv] : tensor<64xf32>, !tile.buffer<f32, q, heads_kv, 1, packed>, !tile.rows<q, 64>
  tile.return
}
}

// -----

// Tiles that overlap.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %c32 = arith.constant 32 : i64
  %near = arith.muli %tile, %c32 : i64
  %overlapping = tile.rows %sequence, %near : !tile.rows<q, 64>
  // expected-error @below {{body of @k may write an element of 'delta' at two points of its grid, one of them: n_q = 65}}
  tile.store %a, %delta[%overlapping, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// An input is written.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body of @k stores to 'out', which is 'in' in its contract}}
  tile.store %a, %out[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64>
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// A result is read.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body of @k reads 'delta', which is 'out' in its contract}}
  %b = tile.load %delta[%rows, %head] : !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64> -> tensor<64xf32>
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// A result is added to.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body of @k adds to 'delta', which is 'out' in its contract}}
  tile.add %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// A sum is stored.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", acc, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body of @k stores to 'delta', which is 'acc' in its contract}}
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// An operand that nothing reads.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid], 0.0>]
// expected-error @below {{body of @k never reads 'out', which is 'in' in its contract}}
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %b = arith.constant dense<0.0> : tensor<64xf32>
  tile.store %b, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// A result that nothing stores to.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
// expected-error @below {{body of @k never stores to 'delta', which is 'out' in its contract}}
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  
  tile.return
}

// -----

// Another domain than the body's.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid, gap]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body of @k touches 'delta' on valid, but its contract says valid, gap}}
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// Another domain than the load's.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [tail]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  // expected-error @below {{body of @k touches 'out' on valid, but its contract says tail}}
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// A value that the body does not store.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid], 0.0>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  // expected-error @below {{body of @k stores more than one value to 'delta', but its contract says 0.0}}
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// Another value.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid], 0.0>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  // expected-error @below {{body of @k stores nothing but 1.0}}
  tile.store %one, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// A value that the contract does not tell.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  // expected-error @below {{to 'delta', but its contract says no value}}
  tile.store %one, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// Operands in another order.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"delta", in, [valid]>,
              #plan.operand<"out", out, [valid]>]
// expected-error @below {{body of @k takes 'out' as operand 0, which is 'delta' in its contract}}
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// An operand too few.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>]
// expected-error @below {{body of @k takes 2 buffers, but its contract names 1 operands}}
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// A loop of another kind.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %true = arith.constant true
  scf.while : () -> () {
    scf.condition(%true)
  } do {
    // expected-error @below {{body @k_body accesses 'delta' inside a 'scf.while', which the proof cannot follow; use scf.if, scf.for, warp.points or warp.roles}}
    tile.store %a, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
    scf.yield
  }
  tile.return
}

// -----

// A buffer that is chosen.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
tile.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %a = tile.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32>
  %true = arith.constant true
  // expected-error @below {{body @k_body has a buffer in 'arith.select', which does not say how it reads or writes}}
  %either = arith.select %true, %delta, %delta : !tile.buffer<f32, q, heads_q, 1, packed>
  tile.store %a, %either[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}

// -----

// expected-error @below {{kernel @k has no body @k_body that could keep its contract}}
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]

// -----

// A fill of the key heads alone.
plan.kernel @k fill of @attention schedule <rows = 64>
    contract [#plan.operand<"lse", out, [gap, tail], 0.0>]
tile.func @k_body(%lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"})
    grid <held, 64, heads_kv> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  // expected-error @below {{body of @k leaves rows of 'lse' unwritten on gap, tail, which its contract covers: heads_q = 1, heads_kv = 0, rows_q = 1, row = 0, head = 0}}
  tile.fill %lse[%first, %head], 0.0 : !tile.buffer<f32, q, heads_q, 1>
  tile.return
}

// -----

// A fill that is not of what the contract says.
plan.kernel @k fill of @attention schedule <rows = 64>
    contract [#plan.operand<"lse", out, [valid], 0.0>]
tile.func @k_body(%lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"})
    grid <held, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  // expected-error @below {{body of @k touches 'lse' on gap, tail, but its contract says valid}}
  tile.fill %lse[%first, %head], 0.0 : !tile.buffer<f32, q, heads_q, 1>
  tile.return
}

// -----

// Rows before the first.
plan.kernel @k fill of @attention schedule <rows = 64>
    contract [#plan.operand<"lse", out, [gap, tail], 0.0>]
tile.func @k_body(%lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"})
    grid <held, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %early = arith.subi %first, %c64 : i64
  // expected-error @below {{body @k_body may write 'lse' on rows before the first that is held, as with}}
  tile.fill %lse[%early, %head], 0.0 : !tile.buffer<f32, q, heads_q, 1>
  tile.return
}

// -----

// A launch that passes keys for queries.
!keys = !plan.buffer<f32, kv, heads_q, 1>
!keys1 = !plan.buffer<f32, kv, heads_q, 1, valid = defined>
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"delta", out, [valid], 0.0>]
tile.func @k_body(%delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %zero = arith.constant dense<0.0> : tensor<64xf32>
  tile.store %zero, %delta[%rows, %head] : tensor<64xf32>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  tile.return
}
plan.func @plan(%ctas: i64, %bytes: i64) {
  %0 = plan.reserve "delta" bytes(%bytes) : !keys
  // expected-error @below {{launch of @k passes '!plan.buffer<f32, kv, heads_q, 1>' as 'delta', which its body takes for '!tile.buffer<f32, q, heads_q, 1, packed>'}}
  %1 = plan.launch @k grid(%ctas) out(%0 : !keys) -> !keys1
  plan.release %1 : !keys1
  plan.return
}

// -----

// Of rounded rows those past a sequence's end are written as well: here the
// second half of a tile is left out where the sequence has no row in it.
!delta = !tile.buffer<f32, q, heads_q, 1, packed, rounded = 64>
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"delta", out, [valid], 0.0, rounded = 64>]
tile.func @k_body(%delta: !delta {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<32xf32>
  %first = arith.muli %tile, %c64 : i64
  %middle = arith.addi %first, %c32 : i64
  %n_q = tile.length q %sequence
  %upper = tile.rows %sequence, %first : !tile.rows<q, 32>
  %lower = tile.rows %sequence, %middle : !tile.rows<q, 32>
  // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1, heads_q = 1, row = 32, head = 0}}
  tile.store %zero, %delta[%upper, %head] : tensor<32xf32>, !delta, !tile.rows<q, 32>
  %more = arith.cmpi slt, %middle, %n_q : i64
  scf.if %more {
    tile.store %zero, %delta[%lower, %head] : tensor<32xf32>, !delta, !tile.rows<q, 32>
  }
  tile.return
}

// -----

// A tile of which the last half may be the next sequence's.
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 32>
plan.kernel @k dq of @attention schedule <rows = 64>
    contract [#plan.operand<"sum", acc, [valid], rounded = 32>]
tile.func @k_body(%sum: !sum {weft.name = "sum"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %one = arith.constant dense<1.0> : tensor<64x16xf32>
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  // expected-error @below {{body @k_body may add to 'sum' on rows past the sequence's last tile, not clipped, as with n_q = 1, tile = 0}}
  tile.add %one, %sum[%rows, %head] unclipped : tensor<64x16xf32>, !sum, !tile.rows<q, 64>
  tile.return
}

// -----

// The same of a load.
!sum = !tile.buffer<f32, q, heads_q, 16, packed, rounded = 32>
plan.kernel @k reduce of @attention schedule <rows = 64>
    contract [#plan.operand<"sum", in, [valid], rounded = 32>]
tile.func @k_body(%sum: !sum {weft.name = "sum"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c64 = arith.constant 64 : i64
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  // expected-error @below {{body @k_body may read 'sum' on rows past the sequence's last tile, not clipped, as with n_q = 1, tile = 0}}
  %a = tile.load %sum[%rows, %head] unclipped : !sum, !tile.rows<q, 64> -> tensor<64x16xf32>
  tile.return
}

// -----

// A body that takes rows as they are where the contract rounds them.
plan.kernel @k reduce of @attention schedule <rows = 64>
    contract [#plan.operand<"sum", in, [valid], rounded = 32>]
// expected-error @below {{body of @k takes 'sum' with rows not rounded, but its contract says rounded to 32}}
tile.func @k_body(%sum: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "sum"}) grid <q, 64, heads_q> schedule <rows = 64> {
  tile.return
}

// -----

// In fragments only whole tiles are where the type says: 64 rows from the
// middle of a tile on are elements of other rows.
!sum = !tile.buffer<f32, q, heads_q, 64, fragments, rounded = 64>
plan.kernel @k dq of @attention schedule <rows = 64>
    contract [#plan.operand<"sum", acc, [valid], rounded = 64>]
tile.func @k_body(%sum: !sum {weft.name = "sum"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %c0 = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %c64 = arith.constant 64 : i64
  %one = arith.constant dense<1.0> : tensor<64x64xf32>
  %first = arith.muli %tile, %c64 : i64
  %half = arith.subi %first, %c32 : i64
  %rows = tile.rows %sequence, %half : !tile.rows<q, 64>
  %isInside = arith.cmpi sge, %half, %c0 : i64
  scf.if %isInside {
    // expected-error @below {{body @k_body may add to 'sum' on rows that begin inside of a tile, as with n_q = 65, tile = 1}}
    tile.add %one, %sum[%rows, %head] unclipped : tensor<64x64xf32>, !sum, !tile.rows<q, 64>
  }
  tile.return
}
