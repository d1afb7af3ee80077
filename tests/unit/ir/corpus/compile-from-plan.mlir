// pipeline: compile-from-plan
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"const int32_t", out, [gap], 0.0>]
// -----
// pipeline: compile-from-plan
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"out", out, [gap, tail]>]
// -----
// pipeline: compile-from-plan
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {i1 = "bias"}) {
  plan.return
}
// -----
// pipeline: compile-from-plan
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {}
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
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
// -----
// pipeline: compile-from-plan
plan.func @f()
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
attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @dv dv of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"d_out", in, [valid]>, #plan.operand<"d_value", out, [valid]>]
// -----
// pipeline: compile-from-plan
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  plan.launch @k grid(%n) in(%0 : !plan.buffer<f32, q, one, 1>)
  plan.return
}
// -----
// pipeline: compile-from-plan
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  plan.launch @k grid(%n) out(%0 : !plan.buffer<f32, q, one, 1>)
  plan.return
}
// -----
// pipeline: compile-from-plan
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %c0, %tile, %head = tile.point
  %rows = tile.rows %c0, %tile : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16> -> tensor<32x16xbf16>
  tile.return
}
// -----
// pipeline: compile-from-plan
plan.func @f(%0: !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, tail = defined> {weft.name = "key"}) {
  plan.return
}
// -----
// pipeline: compile-from-plan
plan.func @untouched(%d_query: !plan.buffer<bf16, q, heads_q, 64> {weft.name = "d_query"}) {
  plan.return
}
// -----
// pipeline: compile-from-plan
warp.func @no_point() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup, align = subscript {
  warp.return
}
// -----
// pipeline: compile-from-plan
plan.kernel @k delta of @a schedule <i1 = 64, warps = i1> contract []
// -----
// pipeline: compile-from-plan
warp.func @body() grid <q, 64, heads_q> schedule <tensor = 64> align = 8 {
  warp.return
}
// -----
// pipeline: compile-from-plan
tile.func @expand_body(%0: !tile.buffer<f32, q, heads_q, 16> {weft.name = "out"})
    grid <q, 32, heads_q> schedule <rows = 32, warps = 2> {
  %sequence, %337, %head = tile.point
  %rows = tile.rows %sequence, %337 : !tile.rows<q, 32>
  %vector = arith.constant dense<2.0> : tensor<?xf32>
  %value = tile.expand %vector dim = 1 : tensor<32xf32> -> tensor<32x16xf32>
  tile.store %value, %0[%rows, %head] : tensor<32x16xf32>, !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 32>
  %n = tile.length q %sequence
  %unused = tile.load %0[%rows, %head] : !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 32> -> tensor<32x16xf32>
  tile.return
}
// -----
// pipeline: compile-from-plan
warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16, i32>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<q, 32>
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, i32>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<q, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key["window_left", %head] : !warp.ring<2, !warp.shared<32, 64, bf16, i32>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<q, 32>
  warp.return
}
// -----
// pipeline: compile-from-plan
attn.forward @a bf16 head_dim = 100, head_dim_v = 64. head_ratio = 1 9223372036854775807 = <batch> kv = <batch>
// -----
// pipeline: compile-from-plan
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %keep = arith.cmpi ult, %h, %b : i64
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: compile-from-plan
"warp.func"() <{sym_name = "body", function_type = () -> f32, grid = #tile.grid<q, 64, heads_q>,
                schedule = #plan.schedule<rows = 64>, align = "in_order_kv" : i64}> ({
  warp.return
}) : () -> ()
// -----
// pipeline: compile-from-plan
warp.func @no_name(%370: f32)
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  warp.return
}
// -----
// pipeline: compile-from-plan

// -----
// pipeline: compile-from-plan
plan.func @second(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"},
             %1: !plan.buffer1bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
}
// -----
// pipeline: compile-from-plan
"warp.func"() <{sym_name = "body", function_type = () -> f32, grid = #tile.grid<q, 64, heads_q>,
                schedule = #plan.schedulerows = 64>, align = 16 : i64}> ({
  warp.return
}) : () -> ()
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
// -----
// pipeline: compile-from-plan
!work = !plan.buffer<f32, none, one, 1>
plan.func @some() {
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  %1 = plan.reserve "y" bytes(%four) offset(%zero) : !work
  plan.release %0 : !work
  plan.release %1 : !work
  plan.return
}
