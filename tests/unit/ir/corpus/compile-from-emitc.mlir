// pipeline: compile-from-emitc
tile.func @a_body() grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  a.before, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  tile.return
  tile.return
}
// -----
// pipeline: compile-from-emitc
tile.func @a_body() grid <q, 32, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: compile-from-emitc
%sequence, %199, %head = tile.point
// -----
// pipeline: compile-from-emitc
warp.func @body(%p: i1<128xf32, #warp.row>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.combine %p : i1<128xf32, #warp.row> -> i1<128xf32, #warp.row>
  warp.return
}
// -----
// pipeline: compile-from-emitc
warp.store %zero, %a[%rows, %c0] : tensor<64x16xf32, #warp.acc>, <f32, q, heads_q, 4>, <q, 64>
warp.func @store_columns(%a: !tile.buffer<f32, q, heads_q, 4> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #warp.acc>
  %rows = tile.rows %c0, %c0 : <q, 64>
  warp.store %zero, %a[%rows, %c0] : tensor<64x16xf32, #warp.acc>, <f32, q, heads_q, 4>, <q, 64>
  warp.return
}
// -----
// pipeline: compile-from-emitc
warp.func @body(%p: tensor<128xf32>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.map(%p) : (tensor<128xf32>) -> tensor<128xf32> {
  warp.return
  ^bb0(%x: f32):
  }
  warp.return
}
// -----
// pipeline: compile-from-emitc
tile.func @a_body() grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %tile, %tile : !tile.rows<q, 16>
  tile.return
}
// -----
// pipeline: compile-from-emitc
warp.func @body(%p: tensor<128x32xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.map(%p) : (tensor<128x32xf32, #warp.acc>) -> tensor<128x32xf32, #warp.operand> {
  ^bb0(%x: f32, %row: i64, %column: i64):
    warp.yield %x : f32
  }
}
// -----
// pipeline: compile-from-emitc
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %283, %head = tile.point
  %rows = tile.rows %sequence, %283 : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 40>, !tile.rows<q, 16> -> tensor<16x?xbf16>
  tile.return
}
// -----
// pipeline: compile-from-emitc
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.roles registers(24, 248) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
  }
  warp.return
}
// -----
// pipeline: compile-from-emitc
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !lse<kv, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32>
  warp.return
}
// -----
// pipeline: compile-from-emitc
tile.func @a_body(%0: f32 {weft.name = "scale"},
                  %1: !tile.buffer<none, q, heads_q, 1> {weft.name = "lse"})
    {} <q, 16x7FF0000000000000 heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: compile-from-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %one = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%one, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <0, 48, bf16>
  warp.return
}
// -----
// pipeline: compile-from-emitc
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, mma = warpgroup0x7FC00000 contract >]
// -----
// pipeline: compile-from-emitc
warp.func @swap_body(%in: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "in"},
                     %out: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "out"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c3 = arith.constant 3 : i64
  %c64 = arith.constant 64 : i64
  %one = arith.constant dense<1.0> : tensor<64x16xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  %first = arith.muli %tile, %c64 : i64
  %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
  %x = warp.load %in[%rows, %head] : !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64> -> tensor<64x16xf32, #warp.acc>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %one) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>) : i64 {
    scf.yield %b, %a : tensor<64x16xf32> #warp.acc>, tensor<64x16xf32, #warp.acc>
  }
  warp.store %r#0, %out[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
  warp.return
}
// -----
// pipeline: compile-from-emitc
warp.func @body(%q: !warp.shared<64, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16, swizzled>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !warp.shared<64, 64, bf16, q>, !warp.shared<32, 64, bf16, swizzled> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: compile-from-emitc

// -----
// pipeline: compile-from-emitc
tile.func @constant() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %0 = arith.constant dense<[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<16x80xf16>
  tile.return
}
// -----
// pipeline: compile-from-emitc
warp.func @results(%x: !tile.buffer<f32, q, heads_q, 64>, %rows: !tile.rows<q, 64>, %h: i64, %c: f32)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 64> align = 16 {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  %splat = tensor.splat %c : tensor<64x64xf32, #warp.acc>
  %a = warp.load %x[%rows, %h] : <f32, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32, #warp.acc>
  %a2 = arith.addf %a, %a : tensor<64x64xf32, #warp.acc>
  %unused = arith.mulf %a, %a : tensor<64x64xf32, #warp.acc>
  %b = warp.load %x[%rows, %h] : <f32, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32, #warp.acc>
  %s = arith.addf %b, %a2 : tensor<64x64xf32, #warp.acc>
  %d = arith.subf %b, %a2 : tensor<64x64xf32, #warp.acc>
  %r:3 = scf.for %i = %h to %h step %h iter_args(%p = %s, %q = %d, %z = %zero) -> (tensor<64x64xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>) : i64 {
    scf.yield %q, %p, %z : tensor<64x64xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>
  }
  warp.store %splat, %x[%rows, %h] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 64>
  warp.store %r#warp.acc, %x[%rows, %h] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 64>
  warp.return
}
// -----
// pipeline: compile-from-emitc
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid], 000>]
// -----
// pipeline: compile-from-emitc
warp.func @body(%q: !tile.buffernonebf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %v = arith.constant dense<0.0> : tensor<64xf32, #warp.column>
  warp.store %v, %l[%rows, %c0] : tensor<64xf32, #warp.column>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}
// -----
// pipeline: compile-from-emitc
plan.func @f(%0: !plan.buffer<f32, q, one, 1, rows = none>) {}
