// The messages of roles, rings with barriers and products under way.
// RUN: weft-opt %s -split-input-file -verify-diagnostics

warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  // expected-error @below {{needs a schedule with mma = warpgroup}}
  warp.roles registers(24, 240) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}

// -----

warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{registers of a role are a multiple of 8 from 24 to 256, not 20}}
  warp.roles registers(20, 240) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}

// -----

warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{takes 66560 registers of 64512}}
  warp.roles registers(24, 248) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}

// -----

// Two CTAs share the registers of a multiprocessor.
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64, columns = 32, mma = warpgroup, ctas_per_sm = 2> align = 16 {
  // expected-error @below {{takes 33792 registers of 32768}}
  warp.roles registers(24, 240) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}

// -----

warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{region takes sequence, tile and head (i64), not (}}
  warp.points {
  ^bb0(%sequence: i64):
    %c0 = arith.constant 0 : i64
  }
  warp.return
}

// -----

warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<kv, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{fills swizzled tiles and vectors, not '!warp.shared<32, 64, bf16>'}}
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32>
  warp.return
}

// -----

warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<q, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{takes rows of 'q' in a buffer of 'kv'}}
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<q, 32>
  warp.return
}

// -----

warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{gives back a tile of age 2 of a ring with 2 slots; the age is at least 0 and less than that}}
  warp.consumed %ring age 2 : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>
  warp.return
}

// -----

warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{gives a tile of its ring, '!warp.shared<32, 64, bf16, swizzled>', not '!warp.shared<32, 64, bf16>'}}
  %t = warp.receive %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16>
  warp.return
}

// -----

warp.func @body(%t: !warp.shared<32, 64, bf16>, %n: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{clears swizzled tiles, not '!warp.shared<32, 64, bf16>'}}
  warp.clear_rows %t, %n : !warp.shared<32, 64, bf16>
  warp.return
}

// -----

// expected-error @below {{products add to f32 #warp.acc or #warp.slice, not to 'tensor<128xf32, #warp.row>'}}
warp.func @body(%p: !warp.pending<tensor<128xf32, #warp.row>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {

  warp.return
}

// -----

warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{reads swizzled tiles, not '!warp.shared<32, 64, bf16>'}}
  %s = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}

// -----

warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16, swizzled>, %acc: tensor<128x64xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{adds to 'tensor<128x32xf32, #warp.acc>', pending or not, not to 'tensor<128x64xf32, #warp.acc>'}}
  %s = warp.issue %q, %k transposed, %acc : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16, swizzled>, tensor<128x64xf32, #warp.acc> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}

// -----

warp.func @body(%q: !warp.shared<64, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16, swizzled>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{shapes do not fit: '!warp.shared<64, 64, bf16, swizzled>', transposed '!warp.shared<32, 64, bf16, swizzled>' into 'tensor<128x32xf32, #warp.acc>'}}
  %s = warp.issue %q, %k transposed : !warp.shared<64, 64, bf16, swizzled>, !warp.shared<32, 64, bf16, swizzled> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}

// -----

warp.func @body(%p: !warp.pending<tensor<128x32xf32, #warp.acc>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{waits until 0 to 7 groups are under way, not 8}}
  %s = warp.await %p, 8 : !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}

// -----

warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{takes i1 in registers, not 'tensor<128xf32, #warp.row>'}}
  %s = warp.any %p : tensor<128xf32, #warp.row>
  warp.return
}

// -----

warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{turns f32 #warp.partial into #warp.row, not 'tensor<128xf32, #warp.row>' into 'tensor<128xf32, #warp.row>'}}
  %s = warp.combine %p : tensor<128xf32, #warp.row> -> tensor<128xf32, #warp.row>
  warp.return
}

// -----

warp.func @body(%p: tensor<128x32xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{turns #warp.acc into one #warp.row value per row (or a sum into #warp.partial), not 'tensor<128x32xf32, #warp.acc>' into 'tensor<128xf32, #warp.partial>'}}
  %s = warp.reduce max %p : tensor<128x32xf32, #warp.acc> -> tensor<128xf32, #warp.partial>
  warp.return
}

// -----

warp.func @body(%p: tensor<128x32xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{result 'tensor<128x32xf32, #warp.operand>' does not fit the domain 'tensor<128x32xf32, #warp.acc>'}}
  %s = warp.map(%p) : (tensor<128x32xf32, #warp.acc>) -> tensor<128x32xf32, #warp.operand> {
  ^bb0(%x: f32, %row: i64, %column: i64):
    warp.yield %x : f32
  }
  warp.return
}

// -----

warp.func @body(%p: tensor<128xf32>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  // expected-error @below {{works on #warp.acc, #warp.row, #warp.column or #warp.partial, not 'tensor<128xf32>'}}
  %s = warp.map(%p) : (tensor<128xf32>) -> tensor<128xf32> {
  ^bb0(%x: f32):
    warp.yield %x : f32
  }
  warp.return
}

// -----

warp.func @body(%out: !tile.buffer<bf16, q, heads_q, 64>, %v: !tile.buffer<bf16, q, heads_q, 64>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 128>
  %t = warp.fetch %v[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 128> -> <128, 64, bf16>
  %o = warp.load %v[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 128> -> tensor<128x64xbf16, #warp.acc>
  // expected-error @below {{goes through a swizzled tile of 16 bits with the rows of the value and room for its columns}}
  warp.store %o, %out[%rows, %c0] through %t : tensor<128x64xbf16, #warp.acc>, <bf16, q, heads_q, 64>, <q, 128>, !warp.shared<128, 64, bf16>
  warp.return
}
