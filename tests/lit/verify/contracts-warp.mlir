// RUN: weft-opt %s -split-input-file -verify-diagnostics -verify-contracts

// The same, of bodies with a schedule.

// Good: work is done where the point exists.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]
warp.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = warp.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32, #warp.row>
    warp.store %a, %delta[%rows, %head] : tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  warp.return
}

// -----

// Only where it does not exist.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]
warp.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  %true = arith.constant true
  %missing = arith.xori %exists, %true : i1
  scf.if %missing {
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = warp.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32, #warp.row>
    // expected-error @below {{body of @k leaves rows of 'delta' unwritten on valid, which its contract covers: n_q = 1}}
    warp.store %a, %delta[%rows, %head] : tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  warp.return
}

// -----

// A store that runs past the end of the sequence.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]
warp.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = warp.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32, #warp.row>
    // expected-error @below {{body @k_body may write 'delta' on rows past the sequence's end, not clipped, as with n_q = 1, tile = 0}}
    warp.store %a, %delta[%rows, %head] unclipped : tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  warp.return
}

// -----

// Good: whole tiles need no clip.
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]
warp.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = warp.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32, #warp.row>
    %n_q = tile.length q %sequence
    %end = arith.addi %first, %c64 : i64
    %whole = arith.cmpi sle, %end, %n_q : i64
    scf.if %whole {
      warp.store %a, %delta[%rows, %head] unclipped : tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
    } else {
      warp.store %a, %delta[%rows, %head] : tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
    }
  }
  warp.return
}

// -----

// A launch that may begin before its predecessor has written what it reads.
!work = !plan.buffer<f32, q, heads_q, 1>
!work1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]
warp.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c64 = arith.constant 64 : i64
  // expected-note @below {{comes first}}
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = warp.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32, #warp.row>
    warp.store %a, %delta[%rows, %head] : tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  warp.return
}
plan.func @plan(%out: !work1 {weft.name = "out"}) {
  %ctas = plan.size heads_q
  %0 = plan.reserve "delta" bytes(%ctas) : !work
  // expected-error @below {{launch of @k is early, but its body does not begin with warp.await_launches, which waits for the launches before it}}
  %1 = plan.launch @k grid(%ctas) early in(%out : !work1) out(%0 : !work) -> !work1
  plan.release %1 : !work1
  plan.return
}

// -----

// One that waits for it.
!work = !plan.buffer<f32, q, heads_q, 1>
!work1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
plan.kernel @k delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]
warp.func @k_body(%out: !tile.buffer<f32, q, heads_q, 1> {weft.name = "out"},
                   %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c64 = arith.constant 64 : i64
  warp.await_launches
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %a = warp.load %out[%rows, %head] : !tile.buffer<f32, q, heads_q, 1>, !tile.rows<q, 64> -> tensor<64xf32, #warp.row>
    warp.store %a, %delta[%rows, %head] : tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  warp.return
}
plan.func @plan(%out: !work1 {weft.name = "out"}) {
  %ctas = plan.size heads_q
  %0 = plan.reserve "delta" bytes(%ctas) : !work
  %1 = plan.launch @k grid(%ctas) early in(%out : !work1) out(%0 : !work) -> !work1
  plan.release %1 : !work1
  plan.return
}
