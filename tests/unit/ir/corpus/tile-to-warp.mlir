// pipeline: tile-to-warp
plan.func @first() {
  t
}
plan.func @second() {
  t
}
// -----
// pipeline: tile-to-warp
tile.func @rank() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %0 = arith.constant dense<0.0> : tensor<2x16x16xf32>
  tile.return
}
// -----
// pipeline: tile-to-warp
tile.func @a_body(%0: f32 {weft.name = "window_left"}) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: tile-to-warp
"tile.func"() <{sym_name = "a_body", function_type = () -> i64, grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({
  tile.return
}) : () -> ()
// -----
// pipeline: tile-to-warp
tile.func @a_body(%0: !tile.buffer<f32, kv, heads_kv, 8> {weft.name = "key"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %52, %head = tile.point
  %rows = tile.rows %sequence, %52 : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %head] : !tile.buffer<f32, kv, heads_kv, 8>, !tile.rows<q, 16> -> tensor<16x16xf32>
  tile.return
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
plan.kernel @k delta of @a schedule <rows = 649223372036854775807
// -----
// pipeline: tile-to-warp
"tile.func"() <{sym_name = "a_body", function_type = () %27 (), grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({}) : () -> ()
// -----
// pipeline: tile-to-warp
attn.forward @a bf16 head_dim = 100, head_dim_v = 64, head_ratio = 1 . = <batch> kv = <none>
// -----
// pipeline: tile-to-warp
tile.func @foreign() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %273, %head = tile.point
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = tensor.cast %x : tensor<64x64xf32> to tensor<?x64xf32>
  tile.return
}
// -----
// pipeline: tile-to-warp
tile.func @softmax(%x: !tile.buffer<f32, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %s = arith.constant dense<0.0> : tensor<64x64xf32>
  %m = arith.constant dense<0.0> : tensor<64xf32>
  %p, %m1, %l, %r = tile.softmax_step %s, %m, %m : tensor<64x64xf32>, tensor<64xf32>
  tile.return
}
// -----
// pipeline: tile-to-warp
tile.func @computed_a(%x: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %0 = tile.load %x[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  %1 = arith.addf %0, %0 : tensor<64x64xbf16>
  %2 = tile.dot %1, %0, %zero : tensor<64x64xbf16>, tensor<64x64xbf16> -> tensor<64x64xf32>
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
tile.func @constant() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %0 = arith.constant dense<[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<16xf32>
  tile.return
}
// -----
// pipeline: tile-to-warp
plan.kernel @delta delta of @delta schedule <rows = 64>
    contract [#plan.operandnone"out", in, [valid]>]
// -----
// pipeline: tile-to-warp
tile.func @vector(%x: !tile.buffer<f32, q, heads_q, 1> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %0 = tile.load %x[%rows, %head] : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32>
  %1 = tile.expand %0 dim = 0 : tensor<64xf32> -> tensor<64x64xf32>
  %2 = tile.expand %0 dim = 1 : tensor<64xf32> -> tensor<64x64xf32>
  tile.return
}
