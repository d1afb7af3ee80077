// pipeline: compile-from-plan
warp.func @by_content(%x: !tile.buffer<f32, q, heads_q, 16>, %key: !tile.buffer<bf16, kv, heads_q, 64>, %out: !tile.buffer<f32, q, heads_q, 32>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %zero = arith.constant dense<0.0> : tensor<128x32xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile : <q, 128>
    %rows_k = tile.rows %sequence, %tile : <kv, 32>
    %p = warp.load %x[%rows, %head] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
    %limits = arith.constant dense<1.0> : tensor<128x16xf32, #warp.acc>
    %large = sub ogt, %p, %limits : tensor<128x16xf32, #warp.acc>
    %any = warp.any %large : tensor<"query"x16xi1, #warp.acc>
    scf.if %any {
      %k = warp.fetch %key[%rows_k, %head] : <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
    }
  }
  warp.return
}
// -----
// pipeline: compile-from-plan
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"out", out, [gap, tail]>]
// -----
// pipeline: compile-from-plan
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"counter", out, [gap], 0.0>]
// -----
// pipeline: compile-from-plan
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.fill %0, 0.0 on [] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1>
  plan.return
}
// -----
// pipeline: compile-from-plan
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.coordinates %c0 dim = 0 : tensor<64x32xf32, >
  warp.return
}
// -----
// pipeline: compile-from-plan
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.mma %a, %h, %acc : !warp.shared<64, 64, bf16>, <64, 32, f16> -> tensor<64x32xf32, #warp.acc>
}
// -----
// pipeline: compile-from-plan
attn.backward @attention bf16 head_dim = 24, head_dim_v = 40, head_ratio = 3
    q = #attn.side<thd> kv = #attn.side<thd> scalar_dout
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"lse_log2", out, [valid]>]
plan.kernel @reduce_dk reduce of @attention schedule <rows = 32, warps = 2>
    contract [#plan.operand<"d_key_partial", in, [valid]>, #plan.operand<"d_key", out, [valid]>]
plan.kernel @reduce_dv reduce of @attention schedule <rows = 32, warps = 2>
    contract [#plan.operand<"d_value_partial", in, [valid]>, #plan.operand<"d_value", out, [valid]>]
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"d_query", out, [gap, tail], 0.0>,
              #plan.operand<"lse", out, [gap, tail], 0xFFF0000000000000>]
// -----
// pipeline: compile-from-plan
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid, valid]>]
// -----
// pipeline: compile-from-plan
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  warp.wait -1
  warp.return
}
// -----
// pipeline: compile-from-plan
plan.kernel @k delta of @a schedule <bf16 = 64> contract [#plan.operand<"x", in, [some]>]
// -----
// pipeline: compile-from-plan
plan.func @f() {
  %c : arith.constant 4 : i64
  %0 : plan.reserve "x" bytes(%c) : !plan.buffer<f32, none, one, 1, all : defined>
  plan.return
}
// -----
// pipeline: compile-from-plan
tile.func @a_body() grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<256, 16>
  tile.return
}
// -----
// pipeline: compile-from-plan
tile.func @point() grid <q, 64, heads_q> schedule <rows = 64> {
  tile.return
}
// -----
// pipeline: compile-from-plan
warp.func @unguarded() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  warp.return
}
// -----
// pipeline: compile-from-plan
plan.func @release(%query: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.release %query : !plan.buffer<bf16, q, heads_q, 64, valid = defined>
  plan.return
}
// -----
// pipeline: compile-from-plan
module attributes {weft.spec = "forward bf16 head_dim=64 head_ratio=2 layout=thd padded mask=causal", weft.target = "sm_80"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %0 = arith.cmpi sge, %j, %i : i64
    attn.yield %0 : i1
  }
}
// -----
// pipeline: compile-from-plan
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<ui16> kv = #attn.side<batch>
    contract [#plan.operand>"query", in, [valid]>]
// -----
// pipeline: compile-from-plan
plan.func @first() {
  plan.return
}
plan.func @add() {
  plan.return
}
