// RUN: weft-opt %s -split-input-file -verify-diagnostics

// Turns at counters.

tile.func @a_body(%sum: !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16> {weft.name = "sum"}, %turns: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16> {weft.name = "turns"})
    grid <kv, 16, heads_q> schedule <rows = 16, warps = 1> {
  %b, %t, %h = tile.point
  %rows = tile.rows %b, %t : !tile.rows<q, 16>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  // expected-error@+1 {{'tile.load' op accesses counters, at which points only take turns}}
  %y = tile.load %turns[%rows, %h] : !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>, !tile.rows<q, 16> -> tensor<16xi32>
  tile.return
}

// -----

tile.func @a_body(%sum: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "sum"}, %turns: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16> {weft.name = "turns"})
    grid <kv, 16, heads_q> schedule <rows = 16, warps = 1> {
  %b, %t, %h = tile.point
  %rows = tile.rows %b, %t : !tile.rows<q, 16>
  %x = arith.constant dense<1.0> : tensor<16x8xbf16>
  // expected-error@+1 {{'tile.ordered_add' op adds f32 only, not 'bf16'}}
  tile.ordered_add %x, %sum[%rows, %h] turn %t of %h by %turns : tensor<16x8xbf16>, !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16>, !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>
  tile.return
}

// -----

tile.func @a_body(%sum: !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16> {weft.name = "sum"}, %turns: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 32> {weft.name = "turns"})
    grid <kv, 16, heads_q> schedule <rows = 16, warps = 1> {
  %b, %t, %h = tile.point
  %rows = tile.rows %b, %t : !tile.rows<q, 16>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  // expected-error@+1 {{'tile.ordered_add' op takes turns at a counter of a tile of 16 rows, not of '!tile.buffer<i32, q, heads_q, 1, packed, rounded = 32>'}}
  tile.ordered_add %x, %sum[%rows, %h] turn %t of %h by %turns : tensor<16x8xf32>, !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16>, !tile.rows<q, 16>, !tile.buffer<i32, q, heads_q, 1, packed, rounded = 32>
  tile.return
}

// -----

tile.func @a_body(%sum: !tile.buffer<f32, q, heads_q, 8, packed> {weft.name = "sum"}, %turns: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16> {weft.name = "turns"})
    grid <kv, 16, heads_q> schedule <rows = 16, warps = 1> {
  %b, %t, %h = tile.point
  %rows = tile.rows %b, %t : !tile.rows<q, 16>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  // expected-error@+1 {{'tile.ordered_add' op adds to tiles of '!tile.buffer<f32, q, heads_q, 8, packed>' by counters of others, '!tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>'}}
  tile.ordered_add %x, %sum[%rows, %h] turn %t of %h by %turns : tensor<16x8xf32>, !tile.buffer<f32, q, heads_q, 8, packed>, !tile.rows<q, 16>, !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>
  tile.return
}

// -----

tile.func @a_body(%sum: !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16> {weft.name = "sum"}, %turns: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16> {weft.name = "turns"})
    grid <kv, 16, heads_q> schedule <rows = 16, warps = 1> {
  %b, %t, %h = tile.point
  %rows = tile.rows %b, %t : !tile.rows<q, 16>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  // expected-error@+1 {{'tile.last_arrival' op takes turns at a counter of a tile of 16 rows, not of '!tile.buffer<f32, q, heads_q, 8, packed, rounded = 16>'}}
  %last = tile.last_arrival %sum[%rows, %h] turn %t of %h : !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16>, !tile.rows<q, 16>
  tile.return
}

// -----

tile.func @a_body(%sum: !tile.buffer<f32, q, heads_q, 8, packed, rounded = 16> {weft.name = "sum"}, %turns: !tile.buffer<i32, kv, heads_q, 1, packed, rounded = 16> {weft.name = "turns"})
    grid <kv, 16, heads_q> schedule <rows = 16, warps = 1> {
  %b, %t, %h = tile.point
  %rows = tile.rows %b, %t : !tile.rows<q, 16>
  %x = arith.constant dense<1.0> : tensor<16x8xf32>
  // expected-error@+1 {{'tile.last_arrival' op takes rows of 'q' in a buffer of 'kv'}}
  %last = tile.last_arrival %turns[%rows, %h] turn %t of %h : !tile.buffer<i32, kv, heads_q, 1, packed, rounded = 16>, !tile.rows<q, 16>
  tile.return
}

// -----

tile.func @a_body(%turns: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16> {weft.name = "turns"})
    grid <kv, 16, heads_q> schedule <rows = 16, warps = 1> {
  // expected-error@+1 {{'tile.ticket' op takes tickets of one counter, !tile.buffer<i32, none, one, 1, packed>, not of '!tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>'}}
  %b, %t, %h = tile.ticket %turns : !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>
  tile.return
}

// -----

tile.func @a_body(%turns: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16> {weft.name = "turns"})
    grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  %b, %t, %h = tile.point
  // expected-error@+1 {{'tile.fill' op fills counters; use plan.memset}}
  tile.fill %turns[%t, %h], 0.0 : !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>
  tile.return
}
