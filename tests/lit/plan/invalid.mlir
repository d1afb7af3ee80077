// RUN: weft-opt %s -split-input-file -verify-diagnostics

// Attributes and types.

// expected-error @below {{unknown state 'clean'; allowed: undefined, defined, filled(value)}}
module attributes {a = #plan.state<clean>} {}

// -----

// expected-error @below {{unknown row space 'k'; allowed: none, q, kv}}
plan.func @f(%0: !plan.buffer<f32, k, one, 1>) {}

// -----

// expected-error @below {{unknown head space 'heads'; allowed: one, heads_q, heads_kv}}
plan.func @f(%0: !plan.buffer<f32, q, heads, 1>) {}

// -----

// expected-error @below {{unknown domain 'rows'; allowed: valid, gap, tail, all}}
plan.func @f(%0: !plan.buffer<f32, q, one, 1, rows = defined>) {}

// -----

// expected-error @below {{elements of a buffer are f16, bf16, f32 or i32, not 'f64'}}
plan.func @f(%0: !plan.buffer<f64, q, one, 1>) {}

// -----

// expected-error @below {{a buffer needs at least 1 column, not 0}}
plan.func @f(%0: !plan.buffer<f32, q, one, 0>) {}

// -----

// expected-error @below {{a buffer without rows has only the domain 'all'}}
plan.func @f(%0: !plan.buffer<i32, none, one, 1, valid = defined>) {}

// -----

// expected-error @below {{a buffer without rows has no heads: use 'one'}}
plan.func @f(%0: !plan.buffer<i32, none, heads_q, 1>) {}

// -----

// expected-error @below {{a buffer with rows has the domains valid, gap and tail, not 'all'}}
plan.func @f(%0: !plan.buffer<f32, q, one, 1, all = defined>) {}

// -----

// expected-error @below {{rows are rounded up to a positive multiple of 8, not to one of 12}}
plan.func @f(%0: !plan.buffer<f32, q, one, 1, rounded = 12>) {}

// -----

// expected-error @below {{rows are rounded up to a positive multiple of 8, not to one of 0}}
plan.func @f(%0: !plan.buffer<f32, q, one, 1, rounded = 0>) {}

// -----

// expected-error @below {{a buffer without rows has none to round}}
plan.func @f(%0: !plan.buffer<i32, none, one, 1, rounded = 64>) {}

// -----

// expected-error @below {{rows are rounded up to a positive multiple of 8, not to one of -8}}
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid], rounded = -8>]

// -----

plan.func @f(%bytes: i64) {
  %0 = plan.reserve "sum" bytes(%bytes) : !plan.buffer<f32, q, one, 1, rounded = 64>
  // expected-error @below {{fills rows held, and '!plan.buffer<f32, q, one, 1, rounded = 64>' rounds its rows up; use plan.memset}}
  %1 = plan.fill %0, 0.0 on [gap] : !plan.buffer<f32, q, one, 1, rounded = 64> -> !plan.buffer<f32, q, one, 1, rounded = 64, gap = filled(0.0)>
  plan.return
}

// -----

// expected-error @below {{rows must be a positive multiple of 16, not 24}}
plan.kernel @k delta of @a schedule <rows = 24> contract []

// -----

// expected-error @below {{columns must be a multiple of 16, not 8}}
plan.kernel @k delta of @a schedule <rows = 64, columns = 8> contract []

// -----

// expected-error @below {{warps must be from 1 to 32, not 0}}
plan.kernel @k delta of @a schedule <rows = 64, warps = 0> contract []

// -----

// expected-error @below {{each of the 8 warps must own a multiple of 16 rows, which 64 rows do not give}}
plan.kernel @k delta of @a schedule <rows = 64, warps = 8> contract []

// -----

// expected-error @below {{a warpgroup is 4 warps with 64 rows; 4 warps and 128 rows do not fit}}
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, mma = warpgroup> contract []

// -----

// expected-error @below {{a warpgroup multiplies by 16 to 256 columns, not 272}}
plan.kernel @k forward of @a schedule <rows = 128, columns = 272, warps = 8, mma = warpgroup> contract []

// -----

// expected-error @below {{value_stages must be at least 0, not -1}}
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup, value_stages = -1> contract []

// -----

// expected-error @below {{value_stages, persistent and ctas_per_sm need mma = warpgroup}}
plan.kernel @k forward of @a schedule <rows = 64, persistent = true> contract []

// -----

// expected-error @below {{stages must be at least 1, not 0}}
plan.kernel @k delta of @a schedule <rows = 64, stages = 0> contract []

// -----

// expected-error @below {{unknown access 'inout'; allowed: in, out, acc}}
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", inout, [valid]>]

// -----

// expected-error @below {{unknown domain 'some'; allowed: valid, gap, tail, all}}
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, [some]>]

// -----

// Kernels.

// expected-error @below {{contract lists 'in' operands first, then 'acc', then 'out'; 'y' is out of order}}
plan.kernel @k delta of @a schedule <rows = 64>
  contract [#plan.operand<"x", out, [valid]>, #plan.operand<"y", in, [valid]>]

// -----

// expected-error @below {{contract lists 'in' operands first, then 'acc', then 'out'; 'y' is out of order}}
plan.kernel @k delta of @a schedule <rows = 64>
  contract [#plan.operand<"x", out, [valid]>, #plan.operand<"y", acc, [valid]>]

// -----

// expected-error @below {{contract lists 'x' twice}}
plan.kernel @k delta of @a schedule <rows = 64>
  contract [#plan.operand<"x", in, [valid]>, #plan.operand<"x", out, [valid]>]

// -----

// expected-error @below {{operand 'x' covers no domain}}
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, []>]

// -----

// expected-error @below {{operand 'x' lists 'valid' twice}}
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid, valid]>]

// -----

// expected-error @below {{only an 'out' operand has a value, not 'x'}}
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid], 0.0>]

// -----

// Functions and guards.

// expected-error @below {{needs a body that ends in plan.return}}
plan.func @f()

// -----

plan.func @f() {
  %true = arith.constant true
  // expected-error @below {{does not belong into a plan.func: it holds plan ops and arithmetic on sizes}}
  scf.if %true {
  }
  plan.return
}

// -----

plan.func @f() {
  %true = arith.constant true
  plan.guard %true
  // expected-error @below {{comes before anything but sizes and arithmetic}}
  plan.guard %true
  plan.return
}

// -----

%true = arith.constant true
// expected-error @below {{expects parent op 'plan.func'}}
plan.guard %true

// -----

// Buffers.

plan.func @f() {
  %c = arith.constant 4 : i64
  // expected-error @below {{a reserved buffer is undefined, not '!plan.buffer<f32, none, one, 1, all = defined>'}}
  %0 = plan.reserve "x" bytes(%c) : !plan.buffer<f32, none, one, 1, all = defined>
  plan.return
}

// -----

plan.func @f() {
  %c = arith.constant 4 : i64
  // expected-error @below {{needs a name}}
  %0 = plan.reserve "" bytes(%c) : !plan.buffer<f32, none, one, 1>
  plan.return
}

// -----

plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  // expected-error @below {{changes the state of '!plan.buffer<f32, q, one, 1>' alone, but returns '!plan.buffer<f32, q, one, 2>'}}
  %1 = plan.memset %0, 0.0 : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 2>
  plan.return
}

// -----

plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  // expected-error @below {{fills 'gap', so the result's state must be filled with the value}}
  %1 = plan.memset %0, 0.0 : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1, valid = filled(0.0)>
  plan.return
}

// -----

plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  // expected-error @below {{unknown domain 'rest'; allowed: valid, gap, tail, all}}
  %1 = plan.fill %0, 0.0 on [rest] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1>
  plan.return
}

// -----

plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  // expected-error @below {{fills no domain}}
  %1 = plan.fill %0, 0.0 on [] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1>
  plan.return
}

// -----

plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  // expected-error @below {{the buffer has no domain 'all'}}
  %1 = plan.fill %0, 0.0 on [all] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1>
  plan.return
}

// -----

plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  // expected-error @below {{leaves '!plan.buffer<f32, q, one, 1, gap = filled(0.000000e+00)>', but returns '!plan.buffer<f32, q, one, 1, gap = filled(1.000000e+00)>'}}
  %1 = plan.fill %0, 0.0 on [gap] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1, gap = filled(1.0)>
  plan.return
}

// -----

plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  // expected-error @below {{returns ('!plan.buffer<f32, q, one, 1>'), but @f has results ()}}
  plan.return %0 : !plan.buffer<f32, q, one, 1>
}

// -----

// Launches.

plan.func @f() {
  %n = plan.size batch
  // expected-error @below {{names no plan.kernel: @missing}}
  plan.launch @missing grid(%n)
  plan.return
}

// -----

plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid]>]
plan.func @f() {
  %n = plan.size batch
  // expected-error @below {{has 0 operands, but the contract of @k has 1}}
  plan.launch @k grid(%n)
  plan.return
}

// -----

plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  // expected-error @below {{returns one buffer for each acc and out operand: 1, not 0}}
  plan.launch @k grid(%n) out(%0 : !plan.buffer<f32, q, one, 1>)
  plan.return
}

// -----

plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  // expected-error @below {{passes 'x' as 'in', but the contract says 'out'}}
  plan.launch @k grid(%n) in(%0 : !plan.buffer<f32, q, one, 1>)
  plan.return
}

// -----

plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  // expected-error @below {{'x' goes in as '!plan.buffer<f32, q, one, 1>' and comes back as other memory, '!plan.buffer<f32, kv, one, 1>'}}
  %1 = plan.launch @k grid(%n) out(%0 : !plan.buffer<f32, q, one, 1>) -> !plan.buffer<f32, kv, one, 1>
  plan.return
}

// -----

// expected-error @below {{ctas_per_sm must be at least 1, not 0}}
plan.kernel @k forward of @a schedule <rows = 64, columns = 64, mma = warpgroup, ctas_per_sm = 0> contract []

// -----

// expected-error @below {{a multiprocessor has 2048 threads, room for 8 CTAs of 256, not 9}}
plan.kernel @k forward of @a schedule <rows = 64, columns = 64, mma = warpgroup, ctas_per_sm = 9> contract []

// -----

// expected-error @below {{value_stages, persistent and ctas_per_sm need mma = warpgroup}}
plan.kernel @k delta of @a schedule <rows = 64, ctas_per_sm = 2> contract []
