// RUN: weft-opt %s -plan-verify -split-input-file -verify-diagnostics

// One block per message. First, the obligations of DESIGN.md by number.

// (1) A read needs something that is defined.
!in = !plan.buffer<bf16, q, heads_q, 64>
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
!work = !plan.buffer<f32, q, heads_q, 1>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"delta", in, [valid]>, #plan.operand<"d_query", out, [valid]>]
plan.func @read(%d_query: !out {weft.name = "d_query"}) -> !out1 {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %heads = plan.size heads_q
  %n = arith.muli %rows, %heads : i64
  %bytes = arith.muli %n, %four : i64
  %delta = plan.reserve "delta" bytes(%bytes) : !work
  // expected-error @below {{launch of @dq reads 'delta' on valid, which is undefined there}}
  %0 = plan.launch @dq grid(%n) in(%delta : !work) out(%d_query : !out) -> !out1
  plan.release %delta : !work
  plan.return %0 : !out1
}

// -----

// (1) The fault this project began with: sums that start with what memory held.
!work = !plan.buffer<f32, kv, heads_q, 64>
!work1 = !plan.buffer<f32, kv, heads_q, 64, valid = defined>
plan.kernel @dkdv dkdv of @a schedule <rows = 64> contract [#plan.operand<"d_key", acc, [valid]>]
plan.func @add() {
  %size = arith.constant 256 : i64
  %rows = plan.size rows_kv
  %heads = plan.size heads_q
  %n = arith.muli %rows, %heads : i64
  %bytes = arith.muli %n, %size : i64
  %acc = plan.reserve "d_key_partial" bytes(%bytes) : !work
  // expected-error @below {{launch of @dkdv adds, which needs filled(0) or an earlier sum, to 'd_key_partial' on valid, which is undefined there}}
  %0 = plan.launch @dkdv grid(%n) acc(%acc : !work) -> !work1
  plan.release %0 : !work1
  plan.return
}

// -----

// (1) Nor is it enough that something was written, or that it was another value.
!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @write dq of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
plan.func @add() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.launch @write grid(%rows) out(%0 : !work) -> !work1
  // expected-error @below {{launch of @sum adds, which needs filled(0) or an earlier sum, to 'x' on valid, which is defined there}}
  %2 = plan.launch @sum grid(%rows) acc(%1 : !work1) -> !work1
  plan.release %2 : !work1
  plan.return
}

// -----

!work = !plan.buffer<f32, q, one, 1>
!ones = !plan.buffer<f32, q, one, 1, valid = filled(1.0), gap = filled(1.0), tail = filled(1.0)>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined, gap = filled(1.0), tail = filled(1.0)>
plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
plan.func @add() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.memset %0, 1.0 : !work -> !ones
  // expected-error @below {{launch of @sum adds, which needs filled(0) or an earlier sum, to 'x' on valid, which is filled(1) there}}
  %2 = plan.launch @sum grid(%rows) acc(%1 : !ones) -> !work1
  plan.release %2 : !work1
  plan.return
}

// -----

// A sum of a sum is one.
!work = !plan.buffer<f32, q, one, 1>
!zeros = !plan.buffer<f32, q, one, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>
plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
plan.func @add() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.memset %0, 0.0 : !work -> !zeros
  %2 = plan.launch @sum grid(%rows) acc(%1 : !zeros) -> !work1
  %3 = plan.launch @sum grid(%rows) acc(%2 : !work1) -> !work1
  plan.release %3 : !work1
  plan.return
}

// -----

// (2) Results are defined on valid, and filled elsewhere.
!out = !plan.buffer<bf16, kv, heads_kv, 64>
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out {
  // expected-error @below {{returns 'd_key' undefined on valid; a launch must write it}}
  plan.return %d_key : !out
}

// -----

!out = !plan.buffer<bf16, kv, heads_kv, 64>
!out1 = !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0)>
plan.kernel @dk dk of @a schedule <rows = 64> contract [#plan.operand<"d_key", out, [valid]>]
plan.kernel @fill fill of @a schedule <rows = 64> contract [#plan.operand<"d_key", out, [gap], 0.0>]
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out1 {
  %n = plan.size batch
  %0 = plan.launch @dk grid(%n) out(%d_key : !out) -> !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>
  %1 = plan.launch @fill grid(%n) out(%0 : !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>) -> !out1
  // expected-error @below {{returns 'd_key' undefined on tail; it must be filled with 0 there}}
  plan.return %1 : !out1
}

// -----

!out = !plan.buffer<f32, q, heads_q, 1>
!out1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!out2 = !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>
plan.kernel @forward forward of @a schedule <rows = 64> contract [#plan.operand<"lse", out, [valid]>]
plan.func @result(%lse: !out {weft.name = "lse"}) -> !out2 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%lse : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [gap, tail] : !out1 -> !out2
  // expected-error @below {{returns 'lse' filled(0) on gap; it must be filled with -inf there}}
  plan.return %1 : !out2
}

// -----

!work = !plan.buffer<f32, q, one, 1>
plan.func @result() -> !work {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "delta" bytes(%bytes) : !work
  // expected-error @below {{returns workspace 'delta'; release it}}
  plan.return %0 : !work
}

// -----

// (3) One owner.
!out = !plan.buffer<bf16, q, heads_q, 64, gap = filled(0.0), tail = filled(0.0)>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
  plan.func @two(%d_query: !out {weft.name = "d_query"}) -> !out1 {
    %n = plan.size batch
    %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    // expected-error @below {{launch of @dq takes 'd_query', which launch of @dq has taken; a buffer has one owner}}
    %1 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    plan.return %0 : !out1
  }
}

// -----

!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @twice dq of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>, #plan.operand<"y", out, [valid]>]
plan.func @same() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  // expected-error @below {{launch of @twice takes 'x', which it takes already; a buffer has one owner}}
  %1, %2 = plan.launch @twice grid(%rows) out(%0, %0 : !work, !work) -> !work1, !work1
  plan.release %1 : !work1
  plan.release %2 : !work1
  plan.return
}

// -----

!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @write delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.kernel @copy dq of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid]>, #plan.operand<"y", out, [valid]>]
plan.func @alias() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.launch @write grid(%rows) out(%0 : !work) -> !work1
  // expected-error @below {{launch of @copy reads 'x', which it also writes; a buffer has one owner}}
  %2 = plan.launch @copy grid(%rows) in(%1 : !work1) out(%1 : !work1) -> !work1
  plan.release %2 : !work1
  plan.return
}

// -----

// A buffer's earlier state is no way to read it.
!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @write delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.kernel @read dq of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid]>]
plan.func @stale() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.launch @write grid(%rows) out(%0 : !work) -> !work1
  plan.release %1 : !work1
  // expected-error @below {{launch of @read reads 'x', which release has taken; a buffer has one owner}}
  plan.launch @read grid(%rows) in(%1 : !work1)
  plan.return
}

// -----

// (4) The arena: sizes exact, offsets aligned, live buffers apart.
!work = !plan.buffer<f32, q, heads_q, 2>
plan.func @bytes() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  // expected-error @below {{workspace 'x' needs exactly 8 * rows_q * heads_q bytes, not 4 * rows_q}}
  %0 = plan.reserve "x" bytes(%bytes) : !work
  plan.release %0 : !work
  plan.return
}

// -----

!work = !plan.buffer<f32, none, one, 1>
plan.func @some() {
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%zero) : !work
  // expected-error @below {{workspace 'y' lacks an offset, unlike 'x'; run plan-pack-arena}}
  %1 = plan.reserve "y" bytes(%four) : !work
  plan.release %0 : !work
  plan.release %1 : !work
  plan.return
}

// -----

!work = !plan.buffer<f32, none, one, 1>
plan.func @some() {
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  // expected-error @below {{workspace 'y' has an offset, unlike 'x'; run plan-pack-arena}}
  %1 = plan.reserve "y" bytes(%four) offset(%zero) : !work
  plan.release %0 : !work
  plan.release %1 : !work
  plan.return
}

// -----

!work = !plan.buffer<f32, none, one, 1>
plan.func @aligned() {
  %c128 = arith.constant 128 : i64
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %at = arith.muli %rows, %c128 : i64
  // expected-error @below {{workspace 'x' begins at 128 * rows_q, which is not always a multiple of 256}}
  %0 = plan.reserve "x" bytes(%four) offset(%at) : !work
  plan.release %0 : !work
  plan.return
}

// -----

!work = !plan.buffer<f32, none, one, 1>
plan.func @below() {
  %c256 = arith.constant -256 : i64
  %four = arith.constant 4 : i64
  // expected-error @below {{workspace 'x' begins at -256, which may be below 0}}
  %0 = plan.reserve "x" bytes(%four) offset(%c256) : !work
  plan.release %0 : !work
  plan.return
}

// -----

// Given back one step too late; a third buffer between them changes nothing.
!a = !plan.buffer<f32, kv, one, 64>
!b = !plan.buffer<f32, q, one, 64>
plan.func @reuse_early() {
  %zero = arith.constant 0 : i64
  %c256 = arith.constant 256 : i64
  %rows_q = plan.size rows_q
  %rows_kv = plan.size rows_kv
  %q = arith.muli %rows_q, %c256 : i64
  %kv = arith.muli %rows_kv, %c256 : i64
  %0 = plan.reserve "x" bytes(%kv) offset(%zero) : !a
  %2 = plan.reserve "z" bytes(%q) offset(%kv) : !b
  plan.release %2 : !b
  // expected-error @below {{workspace 'y' at 0 may overlap 'x', which is still live: 256 * rows_kv bytes at 0}}
  %1 = plan.reserve "y" bytes(%q) offset(%zero) : !b
  plan.release %0 : !a
  plan.release %1 : !b
  plan.return
}

// -----

// Apart for as many rows as there are queries, not for more keys.
!a = !plan.buffer<f32, kv, one, 64>
!b = !plan.buffer<f32, q, one, 64>
plan.func @overlap() {
  %zero = arith.constant 0 : i64
  %c256 = arith.constant 256 : i64
  %rows_q = plan.size rows_q
  %rows_kv = plan.size rows_kv
  %q = arith.muli %rows_q, %c256 : i64
  %kv = arith.muli %rows_kv, %c256 : i64
  %0 = plan.reserve "x" bytes(%kv) offset(%zero) : !a
  // expected-error @below {{workspace 'y' at 256 * rows_q may overlap 'x', which is still live: 256 * rows_kv bytes at 0}}
  %1 = plan.reserve "y" bytes(%q) offset(%q) : !b
  plan.release %0 : !a
  plan.release %1 : !b
  plan.return
}

// -----

// The same place one after the other, and one behind the larger of two.
!a = !plan.buffer<f32, kv, one, 64>
!b = !plan.buffer<f32, q, one, 64>
plan.func @apart() {
  %zero = arith.constant 0 : i64
  %c256 = arith.constant 256 : i64
  %rows_q = plan.size rows_q
  %rows_kv = plan.size rows_kv
  %q = arith.muli %rows_q, %c256 : i64
  %kv = arith.muli %rows_kv, %c256 : i64
  %0 = plan.reserve "x" bytes(%kv) offset(%zero) : !a
  plan.release %0 : !a
  %1 = plan.reserve "y" bytes(%q) offset(%zero) : !b
  %end = arith.maxsi %q, %kv : i64
  %2 = plan.reserve "z" bytes(%kv) offset(%end) : !a
  plan.release %1 : !b
  plan.release %2 : !a
  plan.return
}

// -----

// (5) Nothing outlives the plan.
!work = !plan.buffer<f32, none, one, 1>
plan.func @leak() {
  %four = arith.constant 4 : i64
  // expected-error @below {{workspace 'x' is never released}}
  %0 = plan.reserve "x" bytes(%four) : !work
  plan.return
}

// -----

!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
plan.func @lost(%d_query: !out {weft.name = "d_query"}) {
  %n = plan.size batch
  // expected-error @below {{launch of @dq writes 'd_query', which is not returned; an input is only read, a result is returned}}
  %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
  plan.return
}

// -----

// expected-error @below {{argument 'd_query' of @untouched arrives undefined and is not returned}}
plan.func @untouched(%d_query: !plan.buffer<bf16, q, heads_q, 64> {weft.name = "d_query"}) {
  plan.return
}

// -----

// (6) Adds have no order.
!work = !plan.buffer<f32, q, one, 1>
!zeros = !plan.buffer<f32, q, one, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.deterministic} {
  plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
  plan.func @add() {
    %four = arith.constant 4 : i64
    %rows = plan.size rows_q
    %bytes = arith.muli %rows, %four : i64
    %0 = plan.reserve "x" bytes(%bytes) : !work
    %1 = plan.memset %0, 0.0 : !work -> !zeros
    // expected-error @below {{launch of @sum adds to 'x' in no fixed order, but the problem is deterministic; give each contributor a buffer of its own and sum them}}
    %2 = plan.launch @sum grid(%rows) acc(%1 : !zeros) -> !work1
    plan.release %2 : !work1
    plan.return
  }
}

// -----

// What a launch leaves is what its contract says, no more.
!out = !plan.buffer<bf16, q, heads_q, 64>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
plan.func @more(%d_query: !out {weft.name = "d_query"}) -> !out2 {
  %n = plan.size batch
  // expected-error @below {{launch of @dq leaves 'd_query' as '!plan.buffer<bf16, q, heads_q, 64, valid = defined>' by its contract, but returns}}
  %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out2
  plan.return %0 : !out2
}

// -----

!work = !plan.buffer<f32, none, one, 1>
plan.kernel @count dq of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @domain() {
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  // expected-error @below {{launch of @count covers valid of 'x', a domain that the buffer does not have}}
  %1 = plan.launch @count grid(%four) out(%0 : !work) -> !work
  plan.release %1 : !work
  plan.return
}

// -----

!out = !plan.buffer<f32, q, heads_q, 1>
!zeros = !plan.buffer<f32, q, heads_q, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
plan.func @memset(%d_query: !out {weft.name = "d_query"}) -> !zeros {
  // expected-error @below {{memset of 'd_query', which is no workspace: its strides are the caller's; fill its domains with plan.fill}}
  %0 = plan.memset %d_query, 0.0 : !out -> !zeros
  plan.return %0 : !zeros
}

// -----

plan.func @release(%query: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  // expected-error @below {{release of 'query', which is no workspace}}
  plan.release %query : !plan.buffer<bf16, q, heads_q, 64, valid = defined>
  plan.return
}

// -----

// Arguments.

// expected-error @below {{argument 0 of @f is named 'bias'; its weft.name must be one of query, key, value, out, lse, d_out, d_query, d_key, d_value}}
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "bias"}) {
  plan.return
}

// -----

// expected-error @below {{two arguments of @f are named 'query'}}
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"},
             %1: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.return
}

// -----

// expected-error @below {{argument 'key' must be a buffer of row space kv, not '!plan.buffer<bf16, q, heads_q, 64, valid = defined>'}}
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "key"}) {
  plan.return
}

// -----

// expected-error @below {{argument 'query' arrives filled(0) on gap, which needs the module attribute weft.q to say that side q has no such rows}}
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)> {weft.name = "query"}) {
  plan.return
}

// -----

module attributes {weft.q = #attn.side<batch, padded>} {
  // expected-error @below {{argument 'query' arrives defined on tail, but side q may have such rows, which hold anything; fill them}}
  plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined, tail = defined> {weft.name = "query"}) {
    plan.return
  }
}

// -----

// expected-error @below {{argument 'key' arrives defined on tail, which needs the module attribute weft.kv to say that side kv has no such rows}}
plan.func @f(%0: !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, tail = defined> {weft.name = "key"}) {
  plan.return
}

// -----

module attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<thd>} {
  // expected-error @below {{argument 'key' arrives filled(0) on gap, but side kv may have such rows, which hold anything; fill them}}
  plan.func @f(%0: !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0)> {weft.name = "key"}) {
    plan.return
  }
}

// -----

// Variants.

plan.func @first() {
  %true = arith.constant true
  plan.guard %true
  plan.return
}
// expected-error @below {{the last variant, @second, has a guard: where none holds, no plan would be left}}
plan.func @second() {
  %true = arith.constant true
  plan.guard %true
  plan.return
}

// -----

// expected-error @below {{variant @first has no guard, so those after it are never taken}}
plan.func @first() {
  plan.return
}
plan.func @second() {
  plan.return
}

// -----

plan.func @first() {
  %true = arith.constant true
  plan.guard %true
  plan.return
}
// expected-error @below {{variants @second and @first differ in arguments or results}}
plan.func @second(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.return
}

// -----

// (1) Nor does a read take zeros for a sum to which nothing was added.
!work = !plan.buffer<f32, kv, one, 1>
!work1 = !plan.buffer<f32, kv, one, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
plan.kernel @reduce reduce of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid]>]
plan.func @nothing_added() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_kv
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.memset %0, 0.0 : !work -> !work1
  // expected-error @below {{launch of @reduce reads 'x' on valid, which is still filled(0); a launch must write it or add to it first}}
  plan.launch @reduce grid(%rows) in(%1 : !work1)
  plan.release %1 : !work1
  plan.return
}

// -----

// (2) A result cannot claim to be there already, nor to be zeros to add to.
!out = !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.kv = #attn.side<batch>} {
  plan.func @arrives_written(%d_key: !out {weft.name = "d_key"}) -> !out {
    // expected-error @below {{returns 'd_key', which arrives defined on valid; a result arrives undefined, so that the plan must write it}}
    plan.return %d_key : !out
  }
}

// -----

!out = !plan.buffer<f32, q, heads_q, 1, valid = filled(0.0)>
!out1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"lse", acc, [valid]>]
// expected-error @below {{argument 'lse' arrives filled(0) on valid; an input arrives defined, a result undefined}}
plan.func @arrives_zero(%lse: !out {weft.name = "lse"}) -> !out1 {
  %rows = plan.size rows_q
  %0 = plan.launch @sum grid(%rows) acc(%lse : !out) -> !out1
  plan.return %0 : !out1
}

// -----

// (7) A CTA for every point: in thd each sequence may end in a part of a tile.
!work = !plan.buffer<f32, q, heads_q, 1>
!work1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!tile = !tile.buffer<f32, q, heads_q, 1, packed>
module attributes {weft.q = #attn.side<thd>} {
  plan.kernel @delta delta of @a schedule <rows = 64> contract [#plan.operand<"delta", out, [valid]>]
  tile.func @delta_body(%delta: !tile {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64> {
    tile.return
  }
  plan.func @few_ctas() {
    %four = arith.constant 4 : i64
    %c64 = arith.constant 64 : i64
    %rows = plan.size rows_q
    %heads = plan.size heads_q
    %n = arith.muli %rows, %heads : i64
    %bytes = arith.muli %n, %four : i64
    %tiles = arith.ceildivsi %rows, %c64 : i64
    %ctas = arith.muli %tiles, %heads : i64
    %0 = plan.reserve "delta" bytes(%bytes) : !work
    // expected-error @below {{launch of @delta has a grid of heads_q * ceil((rows_q) / 64) CTAs, but its points may be heads_q * batch + heads_q * ceil((rows_q) / 64)}}
    %1 = plan.launch @delta grid(%ctas) out(%0 : !work) -> !work1
    plan.release %1 : !work1
    plan.return
  }
}

// -----

// Nor one CTA more: it would take a head behind the last.
!work = !plan.buffer<f32, q, heads_q, 1>
!work1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!tile = !tile.buffer<f32, q, heads_q, 1, packed>
module attributes {weft.q = #attn.side<batch>} {
  plan.kernel @delta delta of @a schedule <rows = 64> contract [#plan.operand<"delta", out, [valid]>]
  tile.func @delta_body(%delta: !tile {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64> {
    tile.return
  }
  plan.func @many_ctas() {
    %one = arith.constant 1 : i64
    %four = arith.constant 4 : i64
    %c64 = arith.constant 64 : i64
    %batch = plan.size batch
    %rows = plan.size rows_q
    %seqlen = plan.size seqlen_q
    %heads = plan.size heads_q
    %n = arith.muli %rows, %heads : i64
    %bytes = arith.muli %n, %four : i64
    %tiles = arith.ceildivsi %seqlen, %c64 : i64
    %slots = arith.muli %batch, %tiles : i64
    %points = arith.muli %slots, %heads : i64
    %ctas = arith.addi %points, %one : i64
    %0 = plan.reserve "delta" bytes(%bytes) : !work
    // expected-error @below {{CTAs, but its points may be}}
    %1 = plan.launch @delta grid(%ctas) out(%0 : !work) -> !work1
    plan.release %1 : !work1
    plan.return
  }
}

// -----

// A persistent kernel needs no more CTAs than there are multiprocessors; others
// need one for each point.
!work = !plan.buffer<f32, q, heads_q, 1>
!work1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!tile = !tile.buffer<f32, q, heads_q, 1, packed>
module attributes {weft.q = #attn.side<batch>} {
  plan.kernel @roams forward of @a schedule <rows = 128, columns = 64, warps = 8, mma = warpgroup, persistent = true> contract [#plan.operand<"delta", out, [valid]>]
  tile.func @roams_body(%delta: !tile {weft.name = "delta"}) grid <q, 128, heads_q> schedule <rows = 128, columns = 64, warps = 8, mma = warpgroup, persistent = true> {
    tile.return
  }
  plan.kernel @stays delta of @a schedule <rows = 128> contract [#plan.operand<"delta", out, [valid]>]
  tile.func @stays_body(%delta: !tile {weft.name = "delta"}) grid <q, 128, heads_q> schedule <rows = 128> {
    tile.return
  }
  plan.func @multiprocessors() {
    %four = arith.constant 4 : i64
    %c128 = arith.constant 128 : i64
    %rows = plan.size rows_q
    %heads = plan.size heads_q
    %batch = plan.size batch
    %seqlen = plan.size seqlen_q
    %sms = plan.size sm_count
    %n = arith.muli %rows, %heads : i64
    %bytes = arith.muli %n, %four : i64
    %tiles = arith.ceildivsi %seqlen, %c128 : i64
    %slots = arith.muli %tiles, %batch : i64
    %points = arith.muli %slots, %heads : i64
    %ctas = arith.minsi %points, %sms : i64
    %0 = plan.reserve "delta" bytes(%bytes) : !work
    %1 = plan.launch @roams grid(%ctas) out(%0 : !work) -> !work1
    // expected-error @below {{launch of @stays has a grid of min(}}
    %2 = plan.launch @stays grid(%ctas) out(%1 : !work1) -> !work1
    plan.release %2 : !work1
    plan.return
  }
}

// -----

// Of CTAs that share a multiprocessor there are as many more; of others not.
!work = !plan.buffer<f32, q, heads_q, 1>
!work1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!tile = !tile.buffer<f32, q, heads_q, 1, packed>
module attributes {weft.q = #attn.side<batch>} {
  plan.kernel @shares forward of @a schedule <rows = 64, columns = 64, mma = warpgroup, persistent = true, ctas_per_sm = 3> contract [#plan.operand<"delta", out, [valid]>]
  tile.func @shares_body(%delta: !tile {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64, columns = 64, mma = warpgroup, persistent = true, ctas_per_sm = 3> {
    tile.return
  }
  plan.kernel @alone forward of @a schedule <rows = 64, columns = 64, mma = warpgroup, persistent = true> contract [#plan.operand<"delta", out, [valid]>]
  tile.func @alone_body(%delta: !tile {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64, columns = 64, mma = warpgroup, persistent = true> {
    tile.return
  }
  plan.func @three_of_each() {
    %three = arith.constant 3 : i64
    %four = arith.constant 4 : i64
    %c64 = arith.constant 64 : i64
    %rows = plan.size rows_q
    %heads = plan.size heads_q
    %batch = plan.size batch
    %seqlen = plan.size seqlen_q
    %sms = plan.size sm_count
    %n = arith.muli %rows, %heads : i64
    %bytes = arith.muli %n, %four : i64
    %tiles = arith.ceildivsi %seqlen, %c64 : i64
    %slots = arith.muli %tiles, %batch : i64
    %points = arith.muli %slots, %heads : i64
    %at_once = arith.muli %sms, %three : i64
    %ctas = arith.minsi %at_once, %points : i64
    %0 = plan.reserve "delta" bytes(%bytes) : !work
    %1 = plan.launch @shares grid(%ctas) out(%0 : !work) -> !work1
    // expected-error @below {{launch of @alone has a grid of min(}}
    %2 = plan.launch @alone grid(%ctas) out(%1 : !work1) -> !work1
    plan.release %2 : !work1
    plan.return
  }
}

// -----

// Rows rounded up: each sequence has tiles to itself.
!sum = !plan.buffer<f32, q, heads_q, 16, rounded = 64>
!sum0 = !plan.buffer<f32, q, heads_q, 16, rounded = 64, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!sum1 = !plan.buffer<f32, q, heads_q, 16, rounded = 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.q = #attn.side<thd>} {
  plan.kernel @add dq of @a schedule <rows = 64> contract [#plan.operand<"sum", acc, [valid], rounded = 64>]
  plan.kernel @read reduce of @a schedule <rows = 64> contract [#plan.operand<"sum", in, [valid], rounded = 64>]
  plan.func @packed() {
    %c64 = arith.constant 64 : i64
    %rows = plan.size rows_q
    %batch = plan.size batch
    %heads = plan.size heads_q
    %whole = arith.floordivsi %rows, %c64 : i64
    %tiles = arith.addi %whole, %batch : i64
    %n = arith.muli %tiles, %heads : i64
    %tile_bytes = arith.constant 4096 : i64
    %bytes = arith.muli %n, %tile_bytes : i64
    %0 = plan.reserve "sum" bytes(%bytes) : !sum
    %1 = plan.memset %0, 0.0 : !sum -> !sum0
    %2 = plan.launch @add grid(%n) acc(%1 : !sum0) -> !sum1
    plan.launch @read grid(%n) in(%2 : !sum1)
    plan.release %2 : !sum1
    plan.return
  }
}

// -----

// What is held by the rows does not hold the tiles.
!sum = !plan.buffer<f32, q, heads_q, 16, rounded = 64>
module attributes {weft.q = #attn.side<thd>} {
  plan.func @rows_held() {
    %rows = plan.size rows_q
    %heads = plan.size heads_q
    %n = arith.muli %rows, %heads : i64
    %row_bytes = arith.constant 64 : i64
    %bytes = arith.muli %n, %row_bytes : i64
    // expected-error @below {{workspace 'sum' needs exactly 4096 * batch * heads_q + 4096 * floor((rows_q) / 64) * heads_q bytes, not 64 * rows_q * heads_q}}
    %0 = plan.reserve "sum" bytes(%bytes) : !sum
    plan.release %0 : !sum
    plan.return
  }
}

// -----

// Of a batch layout each sequence has as many.
!sum = !plan.buffer<f32, kv, heads_kv, 16, rounded = 64>
module attributes {weft.kv = #attn.side<batch, padded>} {
  plan.func @batch() {
    %c64 = arith.constant 64 : i64
    %seqlen = plan.size seqlen_kv
    %batch = plan.size batch
    %heads = plan.size heads_kv
    %tiles = arith.ceildivsi %seqlen, %c64 : i64
    %a = arith.muli %tiles, %batch : i64
    %n = arith.muli %a, %heads : i64
    %tile_bytes = arith.constant 4096 : i64
    %bytes = arith.muli %n, %tile_bytes : i64
    %0 = plan.reserve "sum" bytes(%bytes) : !sum
    plan.release %0 : !sum
    // expected-error @below {{workspace 'less' needs exactly 4096 * batch * ceil((seqlen_kv) / 64) * heads_kv bytes}}
    %1 = plan.reserve "less" bytes(%n) : !sum
    plan.release %1 : !sum
    plan.return
  }
}

// -----

// How rows lie must be known.
!sum = !plan.buffer<f32, q, heads_q, 16, rounded = 64>
plan.func @open() {
  %bytes = plan.size rows_q
  // expected-error @below {{workspace 'sum' has rows rounded to 64, which needs the module attribute weft.q to say how they lie}}
  %0 = plan.reserve "sum" bytes(%bytes) : !sum
  plan.release %0 : !sum
  plan.return
}

// -----

// expected-error @below {{argument 'out' has rows rounded to 64; only workspace has, a tensor's rows are the caller's}}
plan.func @tensor(%0: !plan.buffer<f32, q, heads_q, 16, rounded = 64> {weft.name = "out"}) {
  plan.return
}

// -----

// A kernel takes rows as they are, or rounded.
!sum = !plan.buffer<f32, q, heads_q, 16, rounded = 64>
!sum1 = !plan.buffer<f32, q, heads_q, 16, rounded = 64, valid = defined>
module attributes {weft.q = #attn.side<thd>} {
  plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"sum", out, [valid], rounded = 32>]
  plan.func @other_rounding() {
    %c64 = arith.constant 64 : i64
    %rows = plan.size rows_q
    %batch = plan.size batch
    %heads = plan.size heads_q
    %whole = arith.floordivsi %rows, %c64 : i64
    %tiles = arith.addi %whole, %batch : i64
    %n = arith.muli %tiles, %heads : i64
    %tile_bytes = arith.constant 4096 : i64
    %bytes = arith.muli %n, %tile_bytes : i64
    %0 = plan.reserve "sum" bytes(%bytes) : !sum
    // expected-error @below {{launch of @k takes 'sum' with rows rounded to 32 by its contract, but they are rounded to 64}}
    %1 = plan.launch @k grid(%n) out(%0 : !sum) -> !sum1
    plan.release %1 : !sum1
    plan.return
  }
}

// -----

// Adds that go in turn are allowed where the problem is deterministic; their
// counters are zeros before and after.
!sum = !plan.buffer<f32, q, heads_q, 16, rounded = 64>
!sum0 = !plan.buffer<f32, q, heads_q, 16, rounded = 64, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!sum1 = !plan.buffer<f32, q, heads_q, 16, rounded = 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!one = !plan.buffer<i32, none, one, 1>
!one0 = !plan.buffer<i32, none, one, 1, all = filled(0.0)>
module attributes {weft.q = #attn.side<thd>, weft.deterministic} {
  plan.kernel @add dq of @a schedule <rows = 64> contract [#plan.operand<"sum", ordered, [valid], rounded = 64>, #plan.operand<"tickets", counter, [all]>]
  plan.func @in_turn() {
    %c64 = arith.constant 64 : i64
    %four = arith.constant 4 : i64
    %rows = plan.size rows_q
    %batch = plan.size batch
    %heads = plan.size heads_q
    %whole = arith.floordivsi %rows, %c64 : i64
    %tiles = arith.addi %whole, %batch : i64
    %n = arith.muli %tiles, %heads : i64
    %tile_bytes = arith.constant 4096 : i64
    %bytes = arith.muli %n, %tile_bytes : i64
    %0 = plan.reserve "sum" bytes(%bytes) : !sum
    %1 = plan.memset %0, 0.0 : !sum -> !sum0
    %2 = plan.reserve "tickets" bytes(%four) : !one
    %3 = plan.memset %2, 0.0 : !one -> !one0
    %4, %5 = plan.launch @add grid(%n) acc(%1, %3 : !sum0, !one0) -> !sum1, !one0
    // Once more, from the zeros that were left.
    %6, %7 = plan.launch @add grid(%n) acc(%4, %5 : !sum1, !one0) -> !sum1, !one0
    plan.release %6 : !sum1
    plan.release %7 : !one0
    plan.return
  }
}

// -----

// A counter holds what an aborted call left.
!one = !plan.buffer<i32, none, one, 1>
plan.kernel @k dq of @a schedule <rows = 64> contract [#plan.operand<"tickets", counter, [all]>]
plan.func @stale_counter() {
  %four = arith.constant 4 : i64
  %0 = plan.reserve "tickets" bytes(%four) : !one
  // expected-error @below {{launch of @k counts, which needs filled(0), in 'tickets' on all, which is undefined there}}
  %1 = plan.launch @k grid(%four) acc(%0 : !one) -> !one
  plan.release %1 : !one
  plan.return
}

// -----

!one = !plan.buffer<f32, none, one, 1>
!one0 = !plan.buffer<f32, none, one, 1, all = filled(0.0)>
plan.kernel @k dq of @a schedule <rows = 64> contract [#plan.operand<"tickets", counter, [all]>]
plan.func @no_counter() {
  %four = arith.constant 4 : i64
  %0 = plan.reserve "tickets" bytes(%four) : !one
  %1 = plan.memset %0, 0.0 : !one -> !one0
  // expected-error @below {{launch of @k counts in 'tickets', whose elements are 'f32'; counters are i32}}
  %2 = plan.launch @k grid(%four) acc(%1 : !one0) -> !one0
  plan.release %2 : !one0
  plan.return
}
