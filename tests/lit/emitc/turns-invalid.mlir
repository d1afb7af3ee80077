// RUN: weft-opt %s -split-input-file -verify-diagnostics -warp-to-emitc

!tickets = !tile.buffer<i32, none, one, 1, packed>
warp.func @last_first_body(%tickets: !tickets {weft.name = "tickets"})
    grid <q, 64, heads_q> descending schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<thd>, weft.kv = #attn.side<thd>} {
  // expected-error @below {{takes points in the order of their numbers, but its kernel starts with the last; drop `descending`}}
  %sequence, %tile, %head, %exists = warp.ticket %tickets : !tickets
  warp.return
}

// -----

!arrivals = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>
warp.func @roles_body(%arrivals: !arrivals {weft.name = "arrivals"})
    grid <q, 64, heads_q> schedule <rows = 64, columns = 64, warps = 4, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<thd>, weft.kv = #attn.side<thd>} {
  %c0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i64
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%sequence: i64, %tile: i64, %head: i64):
    }
  } consumer {
    warp.points {
    ^bb0(%sequence: i64, %tile: i64, %head: i64):
      %rows = tile.rows %sequence, %c0 : !tile.rows<q, 64>
      // expected-error @below {{is for all threads of a CTA at once, which its roles do not do; leave out warp.roles}}
      %last = tile.last_arrival %arrivals[%rows, %head] turn %c0 of %c2 : !arrivals, !tile.rows<q, 64>
    }
  }
  warp.return
}
