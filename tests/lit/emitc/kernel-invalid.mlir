// RUN: weft-opt %s -warp-to-emitc -split-input-file -verify-diagnostics

// expected-error @below {{has no weft.q that says how the rows of that side lie; give it, as in attributes {weft.q = #attn.side<batch>}}}
warp.func @no_side(%a: !tile.buffer<f32, q, heads_q, 8> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  warp.return
}

// -----

// Rows need it without a point too.
// expected-error @below {{has no weft.q that says how the rows of that side lie}}
warp.func @no_side_of_rows() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  warp.return
}

// -----

// expected-error @below {{scalar argument 0 has no weft.name}}
warp.func @no_name(%scale: f32)
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  warp.return
}

// -----

warp.func @not_pipelined(%q: !tile.buffer<bf16, q, heads_q, 16> {weft.name = "query"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %sequence, %tile, %head, %exists = warp.point
  %rows = tile.rows %sequence, %c0 : !tile.rows<q, 64>
  // expected-error @below {{has no place in shared memory yet; run warp-pipeline first}}
  %t = warp.fetch %q[%rows, %head] : !tile.buffer<bf16, q, heads_q, 16>, !tile.rows<q, 64> -> !warp.shared<64, 16, bf16>
  warp.return
}

// -----

warp.func @unknown_op(%x: f32 {weft.name = "scale"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  // expected-error @below {{has no counterpart in CUDA C++ here}}
  %y = math.erf %x : f32
  warp.return
}
