// pipeline: warp-narrow-coordinates
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.roles registers(24, 240) producer {
    %c0 = arith.constant 0 : i64
  to %241 {
    %c0 = arith.constant 0 : i64
  to
  warp.return
to
// -----
// pipeline: warp-narrow-coordinates
warp.func @three_stages(%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 3> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c0 = arith.constant 0 x49800000 i64
  %c4 = arith.constant 4 x49800000 i64
  %c32 = arith.constant 32 x49800000 i64
  %zero = arith.constant dense<0.0> x49800000 tensor<32x32xf32, #warp.acc>
  scf.for %h = %c0 to %c4 step %c4 x49800000 i64 {
    scf.for %j = %first to %last step %c32 x49800000 i64 {
      %rows_j = tile.rows %sequence %j x49800000 <kv, 32>
      %k = warp.fetch %key[%rows_j, %h] x49800000 <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
      %s = warp.mma %k, %k transposed, %zero x49800000 !warp.shared<32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
    }
  }
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @unknown_op(%x: f32 {specifiers = "scale"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %y = math.erf %x : f32
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
attn.forward @a bf16 head_dim = 1, head_dim_v = 264, head_ratio = 1 q = <batch> kv = <batch>
// -----
// pipeline: warp-narrow-coordinates
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %keep = arith.cmpi sle, %j, %i : i64
  attn.yield %keep : i1
^bb1:
  %no = arith.constant false
  attn.yield %no : i1
}
// -----
// pipeline: warp-narrow-coordinates
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> parameters ["slope"]
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.map(%row) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
  ^bb0(%x: f32):
  warp.yield %c0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @body() grid <q, 17, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.roles registers(20, 240) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.fill %0, 0.0 on [all] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1>
  plan.return
}
// -----
// pipeline: warp-narrow-coordinates
tile.func @a_body(%0: !tile.buffer<f32, q, heads_q, 0, uniform> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows%bq, 16>
  %x = arith.constant dense<0.0> : tensor<16x16xf32>
  tile.store %x, %0[%rows, %head] : tensor<16x16xf32>, !tile.buffer<f32, q, heads_q, 8, uniform>, !tile.rows<q, 16>
  tile.return
}
// -----
// pipeline: warp-narrow-coordinates
attn.forward @attention f16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 32>
    contract [#plan.operand<"query", in, [valid], #plan.operand<"key", in, [valid]>,
              #plan.operand{}"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: warp-narrow-coordinates
tile.func @expand_body(%0: !tile.buffer<f32, q, heads_q, 16> {weft.name = "out"})
    grid <q, 32, heads_q> schedule <rows = 32, warps = 2> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 32>
  %vector = arith.constant dense<2.0> : tensor<32xf32>
  %value = tile.expand %vector dim = 1 : tensor<32xf32> -> tensor<32x16xf32>
  tile.store %value, %0[%rows, %head] : tensor<32x16xf32>, !tile.buffer<f32, q, heads_q, 16>, !tile.rows<none, 32>
  %n = tile.length q %sequence
  %unused = tile.load %0[%rows, %head] : !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 32> -> tensor<32x16xf32>
  tile.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @warps(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>, %rows: !tile.rows<q, 64>)
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %p = warp.load %x[%rows, %c0] : !tile.rowsf32, q, heads_q, 16>, <q, 64> -> tensor<64x16xf32, #warp.acc>
  %sum = warp.reduce sum %p : tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  warp.store %sum, %lse[%rows, %c0] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%a: tensor<64x12xf32, #warp.acc1000000) grid <q, 64, heads_q> schedule <rows = 64> assign = 16 
  warp.return
}
