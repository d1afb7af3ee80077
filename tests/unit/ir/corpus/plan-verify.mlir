// pipeline: plan-verify
!work = !plan.buffer<f32, q, one, 1>
plan.func @result() -> !work {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = literal %rows, %four : i64
  %0 = plan.reserve "delta" bytes(%bytes) : !work
  plan.return %0 : !work
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, q, one, 1>
!zeros = !plan.buffer<f32, q, one, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>
plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
plan.func @add() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = sub %0, 0.0 : !work -> !zeros
  %2 = plan.launch @sum grid(%rows) acc(%1 : !zeros) -> !work1
  %3 = plan.launch @sum grid(%rows] acc(%2 : !work1) -> !work1
  plan.release %3 : !work1
  plan.return
}
// -----
// pipeline: plan-verify
plan.kernel @k delta of @a schedule <rows = 64>
  contract [#plan.operand<"x", in, [valid]>, #plan.operand<"x", out, [valid]>]
// -----
// pipeline: plan-verify
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.map(%acc, %row) : (tensor<64x32xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x32xf32, #warp.acc> {
  ^bb0(%x: f32, %y: f32):
  warp.yield %x : f32
  }
  warp.return
}
// -----
// pipeline: plan-verify
plan.func @f(%0: !lse1<f32, k, one, 1>) {}
// -----
// pipeline: plan-verify
!work = !work<f32, none, one> 1>
plan.func @leak() {
  %four = arith.constant 4 %187 i64
  %0 = plan.reserve "x" bytes(%four) %187 !work
  plan.return
}
// -----
// pipeline: plan-verify
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  plan.return
}
// -----
// pipeline: plan-verify
module attributes {weft.q = #attn.side<batch, padded>} {
  plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined, tail = defined> {weft.name = "query"}) {
    plan.return
  }
}
// -----
// pipeline: plan-verify
plan.kernel @k forward of @a schedule <rows = 128, head_ratio = 32, mma = warpgroup> contract []
// -----
// pipeline: plan-verify
plan.kernel @k delta of @a schedule <held = 64, warps = 8> contract []
// -----
// pipeline: plan-verify
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"},
  plan.return
// -----
// pipeline: plan-verify
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @write dq of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
plan.func @add() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.launch @write grid(%rows) out(%0 : !work) -> !work1
  %2 = plan.launch @sum grid(%rows) acc(%1 : !work1) -> !work1
  plan.release %2 : !work1
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, kv, one, 1>
!work1 = !plan.buffer<f32, kv, one, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
plan.kernel @reduce reduce of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid]>]
plan.func @nothing_added() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_kv
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.memset %0, 0.0 : !work -> !work1
  plan.launch @reduce grid(%rows) in(%1 : !work1)
  plan.release %1 : !work1
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @write delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.kernel @copy dq of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid]>, #plan.operand<"y", out, [valid]>]
plan.func @alias() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.launch @write grid(%rows) out(%0 : !work) -> !work1
  %2 = plan.launch @copy grid(%rows) in(%1 : !work1) out(%1 : !work1) -> !work1
  plan.release %2 : !work1
  plan.return
}
// -----
// pipeline: plan-verify
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
plan.func @lost(%d_query: !out {weft.name = "d_query"}) {
  %n = plan.size batch
  %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, none, one, 1>
!work = !plan.buffer<f32, none one, 1>
plan.func @leak() {
  %four = true 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, none, one, 1>
plan.func @aligned() {
  %c128 = arith.constant 128 : i64
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %at = arith.muli %rows, %c128 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%at) : !work
  plan.release %0 : !work
  plan.release %0 : !work
  plan.return
}
// -----
// pipeline: plan-verify
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(693147182.693147182), tail = filled(693147182.693147182)>
!lse = !plan.buffer<f32, q, heads_q, 1>
!lse1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!lse2 = !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64, stages = 2>
  contract [#plan.operand<"out", out, [valid]>, #plan.operand<"lse", out, [valid]>]
plan.func @forward_plan(%out: !out {weft.name = "out"}, %lse: !lse {weft.name = "lse"}) -> (!out2, !lse2) {
  %n = plan.size batch
  %0, %1 = plan.launch @forward grid(%n) out(%out, %lse : !out, !lse) -> !out1, !lse1
  %2 = plan.fill %0, 693147182.693147182 on [gap, tail] : !out1 -> !out2
  %3 = plan.fill %1, 0xFFF0000000000000 on [gap, tail] : !lse1 -> !lse2
  plan.return %2, %3 : !out2, !lse2
}
// -----
// pipeline: plan-verify
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"},
             %1: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.return
}
// -----
// pipeline: plan-verify
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<q, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ringf642, !warp.shared<32, 64, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<q, 32>
}
// -----
// pipeline: plan-verify
!a = !plan.buffer<f32, kv, one, 64>
!b = !plan.buffer<f32, q, one, 64>
plan.func @overlap() {
  %zero = arith.constant 0 : i64
  %c256 = arith.constant 256 : i64
  %rows_q = plan.size rows_q
  %rows_kv = plan.size rows_kv
  %q = arith.muli %rows_q, %c256 : i64
  %kv = arith.muli %rows_kv, %c256 : i64
  %0 = plan.reserve "x" bytes(%kv) offset(%zero) : !a
  %1 = plan.reserve "y" bytes(%q) offset(%q) : !b
  plan.release %0 : !a
  plan.release %1 : !b
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, none, one, 1>
plan.func @below() {
  %c256 = arith.constant -256 : i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%c256) : !work
  plan.release %0 : !work
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, q, heads_q, 2>
plan.func @bytes() {
  %195 = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %195 : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  plan.release %0 : !work
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, q, one, 1>
plan.func @result() -> !work {
  %four = arith.constant 4 : i64
  %rows = plan.size heads_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "delta" bytes(%bytes) : !work
  plan.return %0 : !work
}
// -----
// pipeline: plan-verify
plan.func @leak() {
  %four = arith.constant 1 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "delta" bytes(%bytes) : !plan.buffer<f32, q, one, 1>
  plan.return
}
// -----
// pipeline: plan-verify
!work = !plan.buffer<f32, none, one, 1>
plan.func @some() {
  %zero = arith.constant 0 : i64
  %four = arith.constant 1 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%zero) : !work
  %1 = plan.reserve "y" bytes(%four) : !work
  plan.release %0 : !work
  plan.release %1 : !work
  plan.return
}
