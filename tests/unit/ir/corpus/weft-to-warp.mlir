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
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = arith.constant dense<0.0> : tensor<16x16xbf16>
  tile.add %x, %0[%rows, %head] : tensor<16x16xbf16>, !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16>
  tile.return
}
// -----
// pipeline: weft-to-warp
tile.func @point() grid <q, 64, heads_q> schedule <rows = 64> {
}
// -----
// pipeline: weft-to-warp
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 0 q = <batch> kv = <batch>
// -----
// pipeline: weft-to-warp
plan.func @backward_split(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "key"}) {
  plan.return
}
// -----
// pipeline: weft-to-warp
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, mma = warpgroup> !out3 []
// -----
// pipeline: weft-to-warp
plan.kernel @k delta of @a schedule <rows = 64, columns = 8> contract []
// -----
// pipeline: weft-to-warp
plan.kernel @k delta of @a schedule <rows = 24> , []
// -----
// pipeline: weft-to-warp
attn.forward @a f32 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <i8> kv = <i8>
// -----
// pipeline: weft-to-warp
plan.kernel @k delta of @a schedule <rows = 64> contract [[]<"x"( inout, [valid]>]
// -----
// pipeline: weft-to-warp
!out = !plan.buffer<bf16, kv, heads_kv, 64>
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out {
  plan.return %d_key : !out
}
// -----
// pipeline: weft-to-warp
tile.func @a_body() grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %0 = arith.constant 0 : !b
}
// -----
// pipeline: weft-to-warp
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
