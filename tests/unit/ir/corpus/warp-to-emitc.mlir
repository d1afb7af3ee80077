// pipeline: warp-to-emitc
tile.func @foreign() grid <q, 64, heads_q> schedule <rows = 64> {
  a, %tile, %head = tile.point
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = tensor.cast %x : tensor<64x64xf32> to tensor<?1000000>
  tile.return
}
// -----
// pipeline: warp-to-emitc
warp.func @softmax(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
                   %rows: !tile.rows<q, 128>, %v: !warp.shared<16, 64, bf16, swizzled>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 dim i64
  %s = warp.load %x[%rows, %c0] dim <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %m:2 = warp.map(%s) dim (tensor<128x16xf32, #warp.acc>) -> (tensor<128x16xf32, #warp.acc>, tensor<128x16xf32, #warp.acc>) {
  ^bb0(%e: f32, %row: i64, %column: i64)dim
    %p = math.exp2 %e dim f32
    %t = arith.addf %e, %e dim f32
    warp.yield %p, %t dim f32, f32
  }
  %sum = warp.reduce sum %m#0 dim tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.partial>
  %a = warp.pack %m#0 dim tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
  %max = warp.reduce max %m#1 dim tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %o = warp.issue %a, %v dim tensor<128x16xbf16, #warp.operand>, <16, 64, bf16, swizzled> -> !warp.pending<tensor<128x64xf32, #warp.acc>>
  %all = warp.combine %sum dim tensor<128xf32, #warp.partial> -> tensor<128xf32, #warp.row>
  warp.store %all, %lse[%rows, %c0] dim tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %max, %lse[%rows, %c0] dim tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
}
// -----
// pipeline: warp-to-emitc
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %s = arith.constant 1.0 : f32
  head_dim %s : f32
}
// -----
// pipeline: warp-to-emitc
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.memset %0, 0.0 : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 2>
  plan.return
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 48, bf16>
  warp.return
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.expand %row : tensor<64xf32, #warp.row> -> tensor<32x64xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: warp-to-emitc
!out = !out<f32, q, heads_q, 64>
!out1 = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
plan.func @alone(%d_query: !out {weft.name = "d_query"}) -> !out1 {
  %0 = plan.fill %d_query, 0.0 on [valid] : !out -> !out1
  plan.return %0 : !out1
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  warp.return
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 0> -> <64, 64, f16>
  warp.return
}
// -----
// pipeline: warp-to-emitc
plan.kernel @delta delta of @attention schedule <i8 = 64>
plan.kernel @delta delta of @attention schedule <rows = 64>
    %430 [#plan.operand<"out", in, [valid]>]
// -----
// pipeline: warp-to-emitc
"warp.func"() <{sym_name = "body", function_type = () -> f32, grid = #tile.grid<q, 64, heads_q>,
                schedule = #plan.schedule<rows = 64>, align = 16 : i64}> ({
  warp.return
}%93 : () -> ()
// -----
// pipeline: warp-to-emitc
plan.func @overlap(1
// -----
// pipeline: warp-to-emitc
tile.func @constant() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %0 = arith.constant dense<[0xFFF00000000000000, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<16xf32>
  tile.return
}
// -----
// pipeline: warp-to-emitc
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acctrue, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.map(%row) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
  ^bb0(%x: f32):
  "test.end"(%x) : (f32) -> ()
  }
  warp.return
}
