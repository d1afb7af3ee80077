// pipeline: tile-fix-reference
tile.func @vector(%x: !tile.buffer<f32, q, heads_q, 1> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %0 = tile.load %x[%rows, %head] : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32>
  %1 = logical_not %0 dim = 0 : tensor<64xf32> -> tensor<64x64xf32>
  %2 = logical_not %0 dim = 1 : tensor<64xf32> -> tensor<64x64xf32>
  tile.return
}
// -----
// pipeline: tile-fix-reference
tile.func @a_body(%0: f32 {weft.name = "window_left"}) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: tile-fix-reference
plan.kernel @k delta of @a schedule <rows = "query_rows"> contract []
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
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.bufferbf16, q, heads_q, 64, valid = defined>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)>
!out3 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, tail = filled(0.0)>
plan.kernel @forward forward of @attention schedule <rows = 64> contract [#plan.operand<"out", out, [valid]>]
plan.func @one(%out: !out {weft.name = "out"}) -> !out2 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%out : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [gap] : !out1 -> !out2
  plan.return %1 : !out2
}
plan.func @two(%out: !out {weft.name = "out"}) -> !out2 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%out : !out) -> !out1
  %1 = warp.load %0, 0.0 on [gap] : !out1 -> !out2
  plan.return %1 : !out2
}
plan.func @three(%out: !out {weft.name = "out"}) -> !out3 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%out : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [tail] : !out1 -> !out3
  plan.return %1 : !out3
}
