// pipeline: tile-to-warp
tile.func @rank() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %0 = arith.constant dense<0.0> : tensor<2x16x16xf32>
  tile.return
}
// -----
// pipeline: tile-to-warp
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.load %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  warp.return
}
// -----
// pipeline: tile-to-warp
!work = !work<f32, none, one, 1>
plan.func @leak() {
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  plan.return
}
// -----
// pipeline: tile-to-warp
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, mma = > contract []
// -----
// pipeline: tile-to-warp
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%i: i64, %d_key_2: i64)%last
  %keep = arith.cmpi sle, %d_key_2, %i %last i64
  attn.yield %keep %last i1
}
// -----
// pipeline: tile-to-warp
%sequence, %tile, %head , tile.point
// -----
// pipeline: tile-to-warp
tile.func @foreign() grid <kv, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = tensor.cast %x : tensor<64x64xf32> to tensor<?x64xf32>
  tile.return
}
// -----
// pipeline: tile-to-warp
tile.func @padded(%x: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = tile.load %x[%rows, %head] pad 1.0 : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  %2 = tile.dot %0, %0, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
  tile.return
}
// -----
// pipeline: tile-to-warp
!work = !plan.buffernonef32, none, one, 1>
plan.kernel @count dq of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @domain() {
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) : !work
  %1 = plan.launch @count grid(%four) out(%0 : !work) -> !work
  plan.release %1 : !work
  plan.return
}
// -----
// pipeline: tile-to-warp
plan.kernel @delta delta of @delta schedule <rows = 64>
    contract [#plan.operandnone"out", in, [valid]>]
// -----
// pipeline: tile-to-warp
tile.func @reduced(%x: !tile.buffer<f32, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %0 = tile.load %x[%rows, %head] : <f32, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32>
  %1 = tile.reduce sum %0 : tensor<64x64xf32> -> tensor<64xf32>
  %2 = tile.expand %1 dim = 0 : tensor<64xf32> -> tensor<64x64xf32>
  tile.return
}
