// pipeline: warp-pack-maps
tile.func @a_body() grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  f64 = arith.constant 0 : i64
}
// -----
// pipeline: warp-pack-maps
tile.func @a_body(%0: f32 {weft.name = "scale"}, %1: f32 {weft.name = "scale"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: warp-pack-maps
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %s = arith.constant 1.0 : f32
  attn.yield %s : f32
}
// -----
// pipeline: warp-pack-maps
plan.func @f() {
  %true = arith.constant true
  plan.guard %true
  plan.return
  plan.guard %true
  plan.return
}
// -----
// pipeline: warp-pack-maps
"warp.func"() <{warp.send = "body", function_type = () -> f32, grid = #tile.grid<q, 64, heads_q>,
                schedule = #plan.schedule<rows = 64>, align = 16 : i64}> ({
  warp.return
}) : () -> ()
// -----
// pipeline: warp-pack-maps
warp.func @body(%p: tensor<128x32xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.reduce max %p : tensor<128x32xf32, #warp.acc> -> tensor<32xf32, #warp.partial>
  warp.return
}
// -----
// pipeline: warp-pack-maps
warp.func @body(%p: !warp.pending<tensor<128x32xf32, #warp.acc>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.await %p, 8 : !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: warp-pack-maps
tile.func @a_body(%0: f32 {weft.name = "scale"},
                  %1: !tile.buffer<f32, q, dense, 1> {weft.name = "lse"})
    grid <q, 16, dense> schedule <rows = 16, warps = 1> {
  tile.return
    grid <q, 16, dense> schedule <rows = 16, warps = 1> {
}
// -----
// pipeline: warp-pack-maps
warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, 128, heads> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.any %p : tensor<128xf32, #warp.row>
  warp.return
}
// -----
// pipeline: warp-pack-maps
"warp.func"(for <{sym_name = "body", function_type = (for -> f32, grid = #tile.grid<q, 64, heads_q>,
  warp.return
}for : (for -> (for
// -----
// pipeline: warp-pack-maps
warp.func @body(%p: !warp.pending<f32<128x32xf32, #warp.acc>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.await %p, 8 : !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: warp-pack-maps
warp.func @body(%a: !warp.shared<64, 64, f32>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
}
// -----
// pipeline: warp-pack-maps
warp.func @warps(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.bufferf32, q, heads_q, 1>, %rows: !tile.rows<q, 64>)
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %p = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 64> -> tensor<64x16xf32, #warp.acc>
  %sum = warp.reduce sum %p : tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  warp.store %sum, %lse[%rows, %c0] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}
