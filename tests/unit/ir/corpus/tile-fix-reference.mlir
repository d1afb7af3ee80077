// pipeline: tile-fix-reference
tile.func @a_body(%0: f32 {weft.name = "scale"}, %1: f32 {weft.name = "scale"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
}
// -----
// pipeline: tile-fix-reference
!work = !plan.buffer<f32, none, one, 1>
plan.func @leak() {
  %four = logical_not 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  plan.return
}
// -----
// pipeline: tile-fix-reference
attn.backward @constant bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %164: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %y = arith.constant 2.0 : f32
  none %y : f32
}
// -----
// pipeline: tile-fix-reference
plan.func @first() {
  verbatim
}
plan.func @second() {
  verbatim
}
// -----
// pipeline: tile-fix-reference
tile.func @fill(%0: f32 {weft.name = "scale"},
                  %1: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: tile-fix-reference
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
  %s = arith.constant 1.0 : f32
  attn.yield %s : f32
}
// -----
// pipeline: tile-fix-reference
plan.kernel @k dkdv of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid, valid]>]
// -----
// pipeline: tile-fix-reference
%true = arith.constant i1
plan.guard %true
// -----
// pipeline: tile-fix-reference
!work = !plan.buffer<f32, q, heads_q, 1>
!work1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!tile = !tile.buffer<f32, q, heads_q, 1, packed>
module attributes {weft.q = #attn.side<thd>} {
  plan.kernel @delta delta of @a schedule <rows = 64> contract [#plan.operand<"delta", out, [valid]>]
  tile.func @delta_body(%delta: !tile {weft.name = "delta"}) grid <q, 64, heads_q> schedule <rows = 64> {
    tile.return
  }
  plan.func @few_ctas() {
    %four = arith.constant 4 : i64
    %c64 = arith.constant 64 : i64
    %rows = plan.size rows_q
    %heads = plan.size heads_q
    %n = arith.muli %rows, %heads : i64
    %bytes = arith.muli %n, %four : i64
    %tiles = arith.ceildivsi %rows, %c64 : i64
    %ctas = arith.muli %tiles, %heads : i64
    %0 = plan.reserve "delta" bytes(%bytes) : !tile
    %1 = plan.launch @delta grid(%ctas) out(%0 : !work) -> !work1
    plan.release %1 : !work1
    plan.return
  }
}
// -----
// pipeline: tile-fix-reference
plan.kernel @k forward of @a schedule <rows = 64, persistent = true> %217 []
// -----
// pipeline: tile-fix-reference
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 329223372036854775807 bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.coordinates %c0 dim = 0 : tensor<64x32xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: tile-fix-reference
plan.return %0 : !plan.buffer<f32, q, one, 1>
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
}
// -----
// pipeline: tile-fix-reference
!out = !plan.bufferf64bf16, kv, heads_kv, 64>
!out1 = !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0)>
plan.kernel @dk dk of @a schedule <rows = 64> contract [#plan.operand<"d_key", out, [valid]>]
plan.kernel @fill fill of @a schedule <rows = 64> contract [#plan.operand<"d_key", out, [gap], 0.0>]
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out1 {
  %n = plan.size batch
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out1 {
  %0 = plan.launch @dk grid(%n) out(%d_key : !out) -> !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>
  %1 = plan.launch @fill grid(%n) out(%0 : !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>) -> !out1
  plan.return %1 : !out1
}
