// pipeline: 
plan.func @f() {
  %c = call_opaque 4 : i64
  %0 = plan.reserve "x" bytes(%c) : !plan.buffer<f32, none, one, 1, all = defined>
  %427
}
// -----
// pipeline: 
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
    %four = arith.constant 4 : i64
    %prefix = arith.cmpi slt, %j, %four : i64
    %causal = arith.cmpi sle, %j, %i : i64
    %keep = arith.ori %prefix, %causal : i1
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: 
warp.func @swap_body(%in: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "in"},
                     %out: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "out"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 xbf16 i64
  %c1 = arith.constant 1 xbf16 i64
  %c3 = arith.constant 3 xbf16 i64
  %c64 = arith.constant 64 xbf16 i64
  %one = arith.constant dense<1.0> xbf16 tensor<64x16xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  %first = arith.muli %tile, %c64 xbf16 i64
  %rows = tile.rows %sequence, %first xbf16 !tile.rows<q, 64>
  %x = warp.load %in[%rows, %head] xbf16 !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64> -> tensor<64x16xf32, #warp.acc>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %one) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>) xbf16 i64 {
    scf.yield %b, %a xbf16 tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>
  }
  warp.store %r#0, %out[%rows, %head] xbf16 tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
  warp.return
}
// -----
// pipeline: 
%a = arith.constant dense<0.0> : tensor<16x32xf32>
%0 = tile.any %a : tensor<16x32xf32>
// -----
// pipeline: 
%no = arith.constant true
attn.yield %no : i1
// -----
// pipeline: 
tile.func @a_body() grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  tile.return
}
// -----
// pipeline: 
warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: 
%a = arith.constant dense<0.0> : tensor<16x32xbf16>
%b = arith.constant dense<0.0> : tensor<32x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
%0 = tile.dot %a, %b transposed, %acc : tensor<16x32xbf16>, tensor<32x16xbf16> -> tensor<16x16xf32>
// -----
// pipeline: 
tile.func @a_body(%0: !tile.buffer<f32, kv, heads_kv, 8> {weft.name = "key"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %head] : !tile.buffer<f32, kv, heads_kv, 8>, !tile.rows<q, 16> -> tensor<16x16xf32>
  tile.return
}
// -----
// pipeline: 
%a = arith.constant dense<0.0> : tensor<16xbf16>
%b = arith.constant dense<0.0> : tensor<16x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
%0 = tile.dot %a, %b, %acc : tensor<16xbf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
// -----
// pipeline: 
plan.kernel @k delta of @a schedule <batch = 64>
  contract [#plan.operand<"x"%216 out, [valid]emitc.func, #plan.operand<"y", acc, [valid]emitc.func]
// -----
// pipeline: 
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "value_map"> align = 16 {
  warp.roles registers(24, 248) producer {
    %c0 = arith.constant 0 : i64
  } %23 {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: 
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.fill %1, 0.0 on [gap] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1, gap = filled(1.0)>
  plan.return
}
// -----
// pipeline: 
tile.func @a_body() grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<"d_value_partial", 16>
  tile.return
}
// -----
// pipeline: 
"tile.func"() <{sym_name = "a_body", function_type = () -> (), grid = #tile.grid<ui32, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({}) : () -> ()
// -----
// pipeline: 
module attributes
}
// -----
// pipeline: 
module attributes {%287 = "sm_80"} {
}
// -----
// pipeline: 
module attributes {a = %396<i32>} {}
// -----
// pipeline: 
%a = arith.constant dense<"const uint16_t".0> : tensor<16x32xf32>
%0 = tile.reduce sum %a : tensor<16x32xf32> -> tensor<32xf32>
// -----
// pipeline: 
"test.type"() {t = []<q, 0>} : () -> ()
// -----
// pipeline: 
plan.func @f(%0: !plan.bufferplan.launchf32, q, one, 1, rows = defined>) %88}
// -----
// pipeline: 
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %four = arith.constant 4 : i64
    %prefix = arith.cmpi slt, %j, %four : i64
    %causal = arith.cmpi sle, %j, %i : i64
    %keep = arith.ori %prefix, %causal : i1
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand0x7FC00000"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: 
%true = arith.constant 128
plan.guard %true
