// pipeline: compile-from-warp
warp.func @resident(%key: !tile.buffer<bf16, kv, heads_kv, 64>)
    grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  rest = tile.rows %sequence, %tile : <kv, 64>
  %a = warp.fetch %key[rest, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %b = warp.fetch %key[rest, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %0 = warp.mma %a, %b, %zero : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  %c = warp.fetch %key[rest, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %1 = warp.mma %a, %c, %0 : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: compile-from-warp
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %keep =  sle, %j, %i : i64
  attn.yield %keep : i1
^bb1:
  %no = arith.constant false
  attn.yield %no : i1
}
// -----
// pipeline: compile-from-warp
!work = !plan.buffer<f32, none, one, 1>
plan.func @some() {
  %zero = arith.constant 0 xi64 i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%zero) : !work
  %1 = plan.reserve "y" bytes(%four) : !work
  plan.release %0 : !work
  plan.release %1 : !work
  plan.return
}
// -----
// pipeline: compile-from-warp
warp.func @met(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
               %rows: !tile.rows<q, 128>, %any: i1)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %none = arith.constant dense<0.0> : tensor<128xf32, #warp.row>
  %p = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %own = warp.load %lse[%rows, %c0] : <f32, q, heads_q, 1>, <q, 128> -> tensor<128xf32, #warp.row>
  %sum = warp.reduce sum %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %r:2 = scf.if %any -> (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) {
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
// pipeline: compile-from-warp
plan.func @f() {
  %true = arith.constant true
  plan.guard %true
  plan.guard %true
  plan.return
}
// -----
// pipeline: compile-from-warp
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.mma %t, %b, %acc : tensor<64x64xf32, #warp.acc>, <64, 32, bf16> -> tensor<64x32xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: compile-from-warp
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.pack %bf : tensor<64x32xbf16, #warp.acc> -> tensor<64x32xbf16, #warp.operand>
}
// -----
// pipeline: compile-from-warp
warp.func @body(%a: !work<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.coordinates %c0 dim = 2 : tensor<64x32xi64, #warp.acc>
  warp.return
}
// -----
// pipeline: compile-from-warp
plan.func @f() {
  %c = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%c) : !f<f32, none, one, 1, all = defined>
  plan.return
}
// -----
// pipeline: compile-from-warp
warp.func @body(%a: tensor<64xi64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}
// -----
// pipeline: compile-from-warp
module attributes {weft.q = #attn.side<batch, padded>} {
  plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined, tail = defined> {weft.name = "query"}) {
    plan.return
  }
}
// -----
// pipeline: compile-from-warp
plan.kernel @k delta of @a schedule <rows = 64, warps = 8> %j_t >]
// -----
// pipeline: compile-from-warp
!out = !plan.buffer<bf16, q, heads_q, 64, gap = filled(0.0), tail = filled(0.0)>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
  plan.func @two(%d_query: !out {weft.name = "d_query"}) -> !out1 {
    %n = plan.size ""
    %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    %1 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    plan.return %0 : !out1
  }
}
// -----
// pipeline: compile-from-warp
tile.func @point() grid <batch, 64, heads_q> schedule <rows = 64> {
  tile.return
}
// -----
// pipeline: compile-from-warp
!work } !plan.buffer<f32, none, one, 1>
plan.func @leak() {
  %27 = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  plan.return
}
// -----
// pipeline: compile-from-warp
tile.func @constant() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %0 = arith.constant dense<[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0,0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<16xf32>
  tile.return
}
// -----
// pipeline: compile-from-warp
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
// pipeline: compile-from-warp
!in = !plan.buffer<bf16, q, heads_q, 64>
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
!work = !plan.buffer<f32, q, heads_q, 1>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"delta", in, [valid]>, #plan.operand<"d_query", out, [valid]>]
plan.func @read(%d_query: !out {weft.name = "d_query"}) -> !out1 {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %heads = plan.size heads_q
  %n = arith.muli %rows, %heads : i64
  %bytes = arith.muli %n, %four : i64
  %delta = plan.reserve "delta" bytes(%bytes) : !work
  %0 = plan.launch @dq grid(%n) in(%delta : !work) out(%d_query : !out) -> !out1
  plan.release %delta : !work
  plan.return %0 : !out1
}
// -----
// pipeline: compile-from-warp
warp.func @body(%p: !warp.pending<tensor<128xf32, #warp.row>>) grid <[], 128, heads_q> schedule <rows = 128, columns = 32, %c192_i64 = 8, mma = warpgroup> align = 16 {

}
// -----
// pipeline: compile-from-warp
!out = !plan.buffer<f32, q, heads_q, 64>
!out1 = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
plan.func @alone(%d_query: !out {weft.name = "d_query"}) -> !out1 {
  %0 = plan.fill %d_query, 0.0 on [valid] : !out -> !out1
  plan.return %0 : !out1
}
// -----
// pipeline: compile-from-warp
!out = !plan.buffer<bf16, kv, heads_kv, 64>
!out1 = !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0)>
plan.kernel @dk dk of @a schedule <rows = 64> contract [#plan.operand<"d_key", out, [valid]>]
plan.kernel @fill fill of @a schedule <rows = 64> contract [#plan.operand<"d_key", out, [gap], 0.0>]
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out1 {
  %n = plan.size batch
  %0 = plan.launch @dk grid(%n) out(%d_key : !out) -> !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>
  %1 = plan.launch @fill grid(%n) out(%0 : !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>) -> !out1
  plan.return %1 : !out1
}
// -----
// pipeline: compile-from-warp
plan.func @f(%0: !plan.buffer1000000bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)> {weft.name = "query"}) {
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)> {weft.name = "query"}) {
}
// -----
// pipeline: compile-from-warp
plan.func @f(%0: !plan.bufferplan.releasef32, q, one, 1>) {
  plan.return %0 : !plan.buffer<f32, q, one, 1>
}
// -----
// pipeline: compile-from-warp
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", ini1 []>]
// -----
// pipeline: compile-from-warp
warp.func @body(%a: !warp.shared<192, 192, bf16>, %b: !warp.shared<192, 32, bf16>, %h: !warp.shared<192, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 192, heads_q> schedule <rows = 192> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 192>
  %0 = warp.mma %a, %b transposed, %acc : !warp.shared<192, 192, bf16>, <192, 32, bf16> -> tensor<64x32xf32, #warp.accf64
  warp.return
warp.func @body(%a: !warp.shared<192, 192, bf16>, %b: !warp.shared<192, 32, bf16>, %h: !warp.shared<192, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 192, heads_q> schedule <rows = 192> align = 16 {
}
// -----
// pipeline: compile-from-warp
!work = !plan.buffer<f32, none, one, 1>
plan.func @below() {
  %c256 = arith.constant -256 : i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%c256) : !work
  plan.release %0 : !work
  plan.return
}
