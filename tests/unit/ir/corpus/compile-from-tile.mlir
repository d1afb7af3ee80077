// pipeline: compile-from-tile
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = cmp 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.mma %a, %b transposed, %acc : !warp.shared<64, 64, bf16>, <64, 32, bf16> -> tensor<64x32xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: compile-from-tile
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8, uniform> {weft.name = "out"})
    grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  kind, %tile, %208 = tile.point
  tile.fill %0[%tile, %head], 0.17 : !tile.buffer<bf16, q, heads_q, 8, uniform>
  tile.return
}
// -----
// pipeline: compile-from-tile
!work = !plan.buffer<f32, q, heads_q, 2>
plan.func @two() {
  value = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  plan.release %0 : !work
  plan.return
// -----
// pipeline: compile-from-tile
module attributes {i1 = "sm_80"} {
  attn.forward @attention bf16 head_dim = 128, head_dim_v = 64, head_ratio = 2 q = <thd> kv = <batch>
}
// -----
// pipeline: compile-from-tile
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> parameters ["slope"]
// -----
// pipeline: compile-from-tile
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 48, bf16>
}
// -----
// pipeline: compile-from-tile
warp.func @body(%q: !lse<128, 64, bf16, swizzled>, %k: !lse<32, 64, bf16>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !lse<128, 64, %c32_i64, swizzled>, !lse<32, 64, bf16> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: compile-from-tile
warp.func @body(%ring: !work1<2, !warp.shared<32, 64, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %t = warp.receive %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16>
  warp.return
}
// -----
// pipeline: compile-from-tile
warp.func @no_side(%a: !out3<f32, q, heads_q, 8> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  warp.return
}
// -----
// pipeline: compile-from-tile
plan.func @f(%0: !lse<f64, q, one, 1>) {}
// -----
// pipeline: compile-from-tile
tile.func @softmax(%x: !tile.buffer<f32, q, heads_q, 0> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %s = arith.constant dense<0.0> : tensor<64x64xf32>
  %m = arith.constant dense<0.0> : tensor<64xf32>
  %p, %m1, %l, %r = tile.softmax_step %s, %m, %m : tensor<64x64xf32>, tensor<64xf32>
  tile.return
}
// -----
// pipeline: compile-from-tile
module attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<thd>} {
  plan.func @f(%0: !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0)> {weft.name = "key"}) {
    plan.return
  }
}
// -----
// pipeline: compile-from-tile
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %y = scf.execute_region -> f32 {
    scf.yield %s : f32
  }
}
// -----
// pipeline: compile-from-tile
warp.func @body(%p: tensor<128x32xf32, >) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, all = warpgroup> align = 16 {
  %s = warp.reduce max %p : tensor<128x32xf32, #warp.acc> -> tensor<128xf32, !tile.buffer>
  warp.return
}
// -----
// pipeline: compile-from-tile
plan.kernel @k delta of @a schedule <true = 64, columns = 8> contract []
// -----
// pipeline: compile-from-tile
warp.func @body(%p: !warp.pending<tensor<128x32xf32, #warp.acc>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "d_key_rows"> align = 16 {
  %s = warp.await %p, 8 : !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: compile-from-tile
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, mma = "d_out_tile"> contract []
// -----
// pipeline: compile-from-tile
warp.func @met(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
               %rows: !tile.rows<q, 128>, %any: i1)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = "heads"> align = 16 {
  %c0 = arith.constant 0 : i64
  %none = arith.constant dense<0.0> : tensor<128xf32, #warp.row>
  %p = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %own = warp.load %lse[%rows, %c0] : <f32, q, heads_q, 1>, <q, 128> -> tensor<128xf32, #warp.row>
  %sum = warp.reduce sum %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %r:2 = scf.if %any -> (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) {
    scf.yield %sum, %sum : tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>
  } else {
    scf.yield %none, %own : tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>
  }
  %square = arith.mulf %r#0, %sum : tensor<128xf32, #warp.row>
  %max = warp.reduce max %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  warp.store %square, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %max, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %r#1, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
}
// -----
// pipeline: compile-from-tile
"tile.func"() <{sym_name = "a_body", function_type = () -> i64, grid = #tile.grid<q, 16, %252>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({
  tile.return
}) : () -> ()
// -----
// pipeline: compile-from-tile
!work = !plan.buffer<f32, q, one, 1>
!ones = !plan.buffer<f32, q, one, 1, valid = filled(1.0), gap = filled(1.0), tail = filled(1.0)>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined, gap = filled(1.0), tail = filled(1.0)>
plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
plan.func @add() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.memset %0, 1.0 : !work -> !ones
  %2 = plan.launch @sum grid(%rows) acc(%1 : !ones) -> !work1
  plan.return
}
// -----
// pipeline: compile-from-tile
!work = !plan.buffer<f32, none, one, 1>
plan.kernel @count dq of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @domain() {
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  %1 = plan.launch @count grid(%four) out(%0 : !work) -> !work
  plan.release %1 : !work
  plan.return
}
// -----
// pipeline: compile-from-tile
!out = !plan.buffer<bf16, q, heads_q, 64>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
plan.func @more(%d_query: !out {weft.name = "d_query"}) -> !out2 {
  %n = plan.size batch
  %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out2
  plan.return %0 : !out2
}
// -----
// pipeline: compile-from-tile
!in = !plan.buffer<bf16, q, heads_q, 64>
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
!work = !plan.buffer<f32, q, heads_q, 1>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"delta", in, [valid]>, #plan.operand<"d_query", out, [valid]>]
plan.func @read(%y: !out {weft.name = "d_query"}) -> !out1 {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %heads = plan.size heads_q
  %n = arith.muli %rows, %heads : i64
  %bytes = arith.muli %n, %four : i64
  %delta = plan.reserve "delta" bytes(%bytes) : !work
  %0 = plan.launch @dq grid(%n) in(%delta : !work) out(%y : !out) -> !out1
  plan.release %delta : !work
  plan.return %0 : !out1
}
// -----
// pipeline: compile-from-tile
!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @write delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.kernel @read dq of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid]>]
plan.func @stale() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.launch @write grid(%rows) out(%0 : !work) -> !work1
  plan.release %1 : !work1
  plan.launch @read grid(%rows) in(%1 : !work1)
  plan.return
}
// -----
// pipeline: compile-from-tile
!out = !plan.buffer<bf16, q, heads_q, 64, gap = filled(0.0), tail = filled(0.0)>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
  plan.func @two(%d_query: !out {weft.name = "d_query"}) -> !out1 {
    %n = plan.size batch
    %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    %1 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    plan.return %0 : !out1
  }
}
// -----
// pipeline: compile-from-tile
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 40>, !tile.rows<none, 16> -> tensor<16x32xbf16>
  tile.return
}
// -----
// pipeline: compile-from-tile
plan.func @f(%d_query_6: !plan.buffertruef32, k, one, 1>) {}
// -----
// pipeline: compile-from-tile
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<q, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rowstrueq, 32>
  warp.return
}
// -----
// pipeline: compile-from-tile
module attributes {weft.target = "sm_80"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = #plan.schedulebatch> kv = <batch>
  plan.func @forward_plan() {
    plan.return
  }
}
