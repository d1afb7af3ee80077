// Every message of the dialect's verifiers.
// RUN: weft-opt %s -split-input-file -verify-diagnostics -allow-unregistered-dialect

// expected-error @below {{#warp.acc is a layout of rank 2, not of rank 1}}
warp.func @body(%a: tensor<64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{#warp.acc needs static sizes that are multiples of (16, 8), not (64, 12)}}
warp.func @body(%a: tensor<64x12xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{#warp.operand needs static sizes that are multiples of (16, 16), not (64, 24)}}
warp.func @body(%a: tensor<64x24xbf16, #warp.operand>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{#warp.row is a layout of rank 1, not of rank 2}}
warp.func @body(%a: tensor<64x16xf32, #warp.row>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{#warp.column needs static sizes that are multiples of (8), not (-9223372036854775808)}}
warp.func @body(%a: tensor<?xf32, #warp.column>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{shared memory holds tiles of f16 or bf16, or vectors of f32, not 'f64'}}
warp.func @body(%a: !warp.shared<64, 64, f64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{a vector of f32 in shared memory has a multiple of 32 rows, one column and no swizzle, not 64 x 64}}
warp.func @body(%a: !warp.shared<64, 64, f32>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{a vector of f32 in shared memory has a multiple of 32 rows, one column and no swizzle, not 48 x 1}}
warp.func @body(%a: !warp.shared<48, 1, f32>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 1, f32>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  // expected-error @below {{reads a vector as #warp.column of its size, not '!warp.shared<64, 1, f32>' as 'tensor<32xf32, #warp.column>'}}
  %v = warp.read %a : !warp.shared<64, 1, f32> -> tensor<32xf32, #warp.column>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  // expected-error @below {{reads a vector as #warp.column of its size, not}}
  %v = warp.read %a : !warp.shared<64, 64, bf16> -> tensor<64xf32, #warp.column>
  warp.return
}

// -----

// expected-error @below {{shared memory holds tiles of f16 or bf16, or vectors of f32, not 'i32'}}
warp.func @body(%a: !warp.shared<64, 64, i32>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{a tile in shared memory has multiples of 16 rows and columns, not 64 x 40}}
warp.func @body(%a: !warp.shared<64, 40, bf16>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{a ring has at least one slot, not 0}}
warp.func @body(%a: !warp.ring<0, <64, 64, bf16>>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}

// -----

// expected-error @below {{align is 16 or 2 bytes, not 8}}
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 8 {
  warp.return
}

// -----

// expected-error @below {{needs a body}}
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
}

// -----

// expected-error @below {{has no results; a kernel stores what it computes}}
"warp.func"() <{sym_name = "body", function_type = () -> f32, grid = #tile.grid<q, 64, heads_q>,
                schedule = #plan.schedule<rows = 64>, align = 16 : i64}> ({
  warp.return
}) : () -> ()

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %other = tile.rows %c0, %c0 : <kv, 64>
  // expected-error @below {{takes rows of 'kv' in a buffer of 'q'}}
  %0 = warp.fetch %q[%other, %c0] : <bf16, q, heads_q, 64>, <kv, 64> -> <64, 64, bf16>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{tile of 'f16' and buffer of 'bf16'}}
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, f16>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{tile '!warp.shared<64, 48, bf16>' does not hold 64 rows of 64 columns}}
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 48, bf16>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %ring = warp.ring : <2, <32, 64, bf16>>
  // expected-error @below {{tile '!warp.shared<32, 64, bf16>' does not hold 64 rows of 64 columns}}
  warp.put %ring[%c0], %q[%rows, %c0] : <2, <32, 64, bf16>>, <bf16, q, heads_q, 64>, <q, 64>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{pending is at least 0, not -1}}
  warp.wait -1
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %ring = warp.ring : <2, <32, 64, bf16>>
  // expected-error @below {{gives a tile of its ring, '!warp.shared<32, 64, bf16>', not '!warp.shared<64, 64, bf16>'}}
  %0 = warp.get %ring[%c0] : <2, <32, 64, bf16>> -> <64, 64, bf16>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{loads #warp.acc, #warp.row or #warp.column, not 'tensor<64x64xbf16>'}}
  %0 = warp.load %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %other = tile.rows %c0, %c0 : <kv, 64>
  // expected-error @below {{takes rows of 'kv' in a buffer of 'q'}}
  %0 = warp.load %q[%other, %c0] : <bf16, q, heads_q, 64>, <kv, 64> -> tensor<64x64xbf16, #warp.acc>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{tile of 'f32' and buffer of 'bf16'}}
  %0 = warp.load %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32, #warp.acc>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{tile 'tensor<32x64xbf16, #warp.acc>' does not have 64 rows}}
  %0 = warp.load %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<32x64xbf16, #warp.acc>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{tile 'tensor<64xbf16, #warp.row>' does not hold the buffer's 64 columns}}
  %0 = warp.load %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64xbf16, #warp.row>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %v = arith.constant dense<0.0> : tensor<64xf32, #warp.column>
  // expected-error @below {{writes #warp.acc, #warp.slice or #warp.row, not 'tensor<64xf32, #warp.column>'}}
  warp.store %v, %l[%rows, %c0] : tensor<64xf32, #warp.column>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %v = arith.constant dense<0.0> : tensor<64x32xf32, #warp.acc>
  // expected-error @below {{tile 'tensor<64x32xf32, #warp.acc>' does not hold the buffer's 64 columns}}
  warp.add %v, %s[%rows, %c0] : tensor<64x32xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 64>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %v = arith.constant dense<0.0> : tensor<64x64xbf16, #warp.acc>
  // expected-error @below {{adds f32 only, not 'bf16'}}
  warp.add %v, %q[%rows, %c0] : tensor<64x64xbf16, #warp.acc>, <bf16, q, heads_q, 64>, <q, 64>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{accumulates in f32 #warp.acc or #warp.slice, not 'tensor<64x32xf32>'}}
  %0 = warp.mma %a, %b, %n : !warp.shared<64, 64, bf16>, <64, 32, bf16> -> tensor<64x32xf32>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{takes a as #warp.operand or !warp.shared, not 'tensor<64x64xf32, #warp.acc>'}}
  %0 = warp.mma %t, %b, %acc : tensor<64x64xf32, #warp.acc>, <64, 32, bf16> -> tensor<64x32xf32, #warp.acc>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{shapes do not fit: '!warp.shared<64, 64, bf16>', transposed '!warp.shared<64, 32, bf16>' into 'tensor<64x32xf32, #warp.acc>'}}
  %0 = warp.mma %a, %b transposed, %acc : !warp.shared<64, 64, bf16>, <64, 32, bf16> -> tensor<64x32xf32, #warp.acc>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{multiplies equal types, not 'bf16' and 'f16'}}
  %0 = warp.mma %a, %h, %acc : !warp.shared<64, 64, bf16>, <64, 32, f16> -> tensor<64x32xf32, #warp.acc>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{turns an f32 #warp.acc into an f16 or bf16 #warp.operand of the same shape, not 'tensor<64x32xbf16, #warp.acc>' into 'tensor<64x32xbf16, #warp.operand>'}}
  %0 = warp.pack %bf : tensor<64x32xbf16, #warp.acc> -> tensor<64x32xbf16, #warp.operand>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{turns #warp.acc into one #warp.row value per row (or a sum into #warp.partial), not 'tensor<64x32xf32, #warp.acc>' into 'tensor<32xf32, #warp.column>'}}
  %0 = warp.reduce sum %acc : tensor<64x32xf32, #warp.acc> -> tensor<32xf32, #warp.column>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{turns #warp.row or #warp.column into #warp.acc (or a row into #warp.partial), not 'tensor<64xf32, #warp.row>' into 'tensor<32x64xf32, #warp.acc>'}}
  %0 = warp.expand %row : tensor<64xf32, #warp.row> -> tensor<32x64xf32, #warp.acc>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{gives an i64 #warp.acc, not 'tensor<64x32xf32, #warp.acc>'}}
  %0 = warp.coordinates %c0 dim = 0 : tensor<64x32xf32, #warp.acc>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{dim is 0 or 1, not 2}}
  %0 = warp.coordinates %c0 dim = 2 : tensor<64x32xi64, #warp.acc>
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{needs a result}}
  warp.map(%acc) : (tensor<64x32xf32, #warp.acc>) -> () {
  ^bb0(%x: f32, %i: i64, %j: i64):
  warp.yield
  }
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{result 'tensor<64x64xf32, #warp.acc>' does not fit the domain 'tensor<64x32xf32, #warp.acc>'}}
  %0:2 = warp.map(%acc) : (tensor<64x32xf32, #warp.acc>) -> (tensor<64x32xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>) {
  ^bb0(%x: f32, %i: i64, %j: i64):
  warp.yield %x, %x : f32, f32
  }
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{result 'tensor<64x32xf32>' does not fit the domain 'tensor<64x32xf32, #warp.acc>'}}
  %0 = warp.map(%n) : (tensor<64x32xf32>) -> tensor<64x32xf32> {
  ^bb0(%x: f32):
  warp.yield %x : f32
  }
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{input 'tensor<64x64xf32, #warp.acc>' does not fit the domain 'tensor<64x32xf32, #warp.acc>'}}
  %0 = warp.map(%t) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x32xf32, #warp.acc> {
  ^bb0(%x: f32, %i: i64, %j: i64):
  warp.yield %x : f32
  }
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{region must take ('f32', 'f32', 'i64', 'i64'), not ('f32', 'f32')}}
  %0 = warp.map(%acc, %row) : (tensor<64x32xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x32xf32, #warp.acc> {
  ^bb0(%x: f32, %y: f32):
  warp.yield %x : f32
  }
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{region must end in warp.yield}}
  %0 = warp.map(%row) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
  ^bb0(%x: f32):
  "test.end"(%x) : (f32) -> ()
  }
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{region must be pure; 'warp.barrier' is not}}
  %0 = warp.map(%row) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
  ^bb0(%x: f32):
  warp.barrier
  warp.yield %x : f32
  }
  warp.return
}

// -----

warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{region must yield ('f32'), not ('i64')}}
  %0 = warp.map(%row) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
  ^bb0(%x: f32):
  warp.yield %c0 : i64
  }
  warp.return
}

// -----

warp.func @body(%u: !tile.buffer<f32, q, heads_q, 64, uniform>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{writes to a uniform buffer, whose elements are all one}}
  warp.store %t, %u[%rows, %c0] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64, uniform>, <q, 64>
  warp.return
}

// -----

warp.func @body(%u: !tile.buffer<f32, q, heads_q, 64, uniform>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  // expected-error @below {{writes to a uniform buffer, whose elements are all one}}
  warp.fill %u[%c0, %c0], 0.0 : <f32, q, heads_q, 64, uniform>
  warp.return
}

// -----

warp.func @body(%v: tensor<64x64xbf16, #warp.acc>, %out: !tile.buffer<bf16, q, heads_q, 64>, %rows: !tile.rows<q, 64>, %head: i64, %tile: !warp.shared<64, 64, bf16>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  // expected-error @below {{goes through a swizzled tile of 16 bits with the rows of the value and room for its columns, which are the buffer's and a multiple of 16; not 'tensor<64x64xbf16, #warp.acc>' through '!warp.shared<64, 64, bf16>'}}
  warp.store %v, %out[%rows, %head] through %tile : tensor<64x64xbf16, #warp.acc>, !tile.buffer<bf16, q, heads_q, 64>, !tile.rows<q, 64>, !warp.shared<64, 64, bf16>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  // expected-error @below {{is unclipped, and rows past a sequence's end are another's; only of a rounded buffer are they its own}}
  %0 = warp.load %q[%rows, %c0] unclipped : <f32, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32, #warp.acc>
  warp.return
}

// -----

warp.func @body(%q: !tile.buffer<f32, q, heads_q, 64, packed, rounded = 64>) grid <held, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  // expected-error @below {{is over the rows held, and '!tile.buffer<f32, q, heads_q, 64, packed, rounded = 64>' rounds its rows up; use plan.memset}}
  warp.fill %q[%c0, %c0], 0.0 : <f32, q, heads_q, 64, packed, rounded = 64>
  warp.return
}

// -----

warp.func @body(%s: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  // expected-error @below {{takes tickets of one counter, !tile.buffer<i32, none, one, 1, packed>, not of '!tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>'}}
  %sequence, %tile, %head, %exists = warp.ticket %s : <i32, q, heads_q, 1, packed, rounded = 64>
  warp.return
}

// -----

warp.func @body(%s: !tile.buffer<f32, q, heads_q, 64, packed>, %t: !tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %x = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  // expected-error @below {{adds to tiles of '!tile.buffer<f32, q, heads_q, 64, packed>' by counters of others, '!tile.buffer<i32, q, heads_q, 1, packed, rounded = 64>'}}
  warp.ordered_add %x, %s[%rows, %c0] turn %c0 of %c0 by %t : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64, packed>, <q, 64>, <i32, q, heads_q, 1, packed, rounded = 64>
  warp.return
}
