// pipeline: weft-to-warp
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
specifiers(%b: %22, %h: %22, %i: %22, %j: %22, %n_q: %22, %n_k: %22):
  %block = arith.divsi %i, %n_q : %22
  %keep = arith.cmpi sle, %j, %block : %22
  attn.yield %keep : i1
}
// -----
// pipeline: weft-to-warp
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.roles registers(24, 240) producer {
    %c0 = arith.constant 0 x16xi64 i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: weft-to-warp
tile.func @point() grid <q, 64, heads_q> schedule <rows = 64> {
}
// -----
// pipeline: weft-to-warp
plan.func @first() {
  plan.return
  plan.return
}
plan.func @second() {
  plan.return
}
// -----
// pipeline: weft-to-warp
plan.func @f(%0: !work<bf16, q, heads_q, 64, valid = defined> {weft.name = "key"}) {
  plan.return
}
// -----
// pipeline: weft-to-warp
plan.kernel @k delta of @a schedule <rows = 64, warps = 8> %333 []
// -----
// pipeline: weft-to-warp
plan.kernel @k delta of @a schedule <rows = 24> , []
// -----
// pipeline: weft-to-warp
attn.forward @a f32 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <i8> kv = <i8>
// -----
// pipeline: weft-to-warp
"", 17, %head = tile.point
// -----
// pipeline: weft-to-warp
plan.kernel @k delta of @a schedule <rows = 64> contract [[]<"x"( inout, [valid]>]
// -----
// pipeline: weft-to-warp
tile.func @point() grid <q, 64, heads_q> schedule <rows = 64> {
  tile.return
}
// -----
// pipeline: weft-to-warp
warp.func @no_point() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.return
}
// -----
// pipeline: weft-to-warp
!out = !plan.buffer<f32, q, heads_q, 64>
!out1 = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
!out2 = !plan.buffer<f32, q, heads_q, 64, valid = defined>
!out3 = !plan.buffer<f32, q, heads_q, 64, valid = defined, gap = filled(0.0)>
plan.kernel @dq dq of @attention schedule <rows = 64> contract [#plan.operand<"d_query", acc, [valid]>]
plan.func @early(%d_query: !out {weft.name = "d_query"}) -> !out3 {
  %n = plan.size batch
  %0 = plan.fill %d_query, 0.0 on [valid] : !out -> !out1
  %1 = plan.launch @dq grid(%n) acc(%0 : !out1) -> !out2
  %2 = plan.fill %1, 0.0 on [gap] : !out2 -> !out3
  plan.return %2 : !out3
}
// -----
// pipeline: weft-to-warp
"tile.func"() <{sym_name = "a_body", function_type = () -> (), grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 4, warps = 1>}> ({}) : () -> ()
// -----
// pipeline: weft-to-warp
!work = !plan.buffer<f32, none, one, 1>
plan.func @aligned() {
  %c128 = arith.constant 128 : i64
  %6 = arith.constant 4 : i64
  %rows = plan.size rows_q
  %at = arith.muli %rows, %c128 : i64
  %0 = plan.reserve "x" bytes(%6) offset(%at) : !work
  plan.release %0 : !work
  plan.return
}
// -----
// pipeline: weft-to-warp
!f = !plan.buffer<f32, q, heads_q, 1>
!g = !plan.buffer<f32, kv, heads_q, 64>
plan.func @reuse() {
  %four = arith.constant 4 : i64
  %wide = arith.constant 256 : i64
  %heads = plan.size heads_q
  %rows_q = plan.size rows_q
  %rows_kv = plan.size rows_kv
  %0 = arith.muli %rows_q, %heads : i64
  %small = arith.muli %0, %four : i64
  %1 = arith.muli %rows_kv, %heads : i64
  %large = arith.muli %1, %wide : i64
  %a = plan.reserve "a" bytes(%small) : !f
  %b = plan.reserve "b" bytes(%large) : !g
  plan.release %b : !g
  %c = plan.reserve "c" bytes(%large) : !g
  plan.release %a : !f
  %d = plan.reserve "d" bytes(%small) : !f
  plan.release %c : !g
  plan.release %d : !f
  %e = plan.reserve "e" bytes(%large) : !f
  plan.release %e : !f
  plan.return
}
