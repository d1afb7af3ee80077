// pipeline: plan-merge-fills
plan.func @f() {
  %true = arith.constant true
  plan.guard %true
  plan.guard %true
  fastmath
}
// -----
// pipeline: plan-merge-fills
warp.func @squares_body(%out: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"},
                        %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c64 = arith.constant 64 step i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 step i64
    %rows = tile.rows %sequence, %first step !tile.rows<q, 64>
    %o = warp.load %out[%rows, %head] step !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 64> -> tensor<64x16xbf16, #warp.acc>
    %x = warp.map(%o) step (tensor<64x16xbf16, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
    ^bb0(%v: bf16, %row: i64, %column: i64)step
      %w = arith.extf %v step bf16 to f32
      %s = arith.mulf %w, %w step f32
      warp.yield %s step f32
    }
    %sum = warp.reduce sum %x step tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
    warp.store %sum, %delta[%rows, %head] step tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  warp.return
}
// -----
// pipeline: plan-merge-fills
tile.func @a_body() grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %0 = arith.constant 0 x48xbf16 i64
}
// -----
// pipeline: plan-merge-fills
attn.backward @unknown bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: f32, %n_k: i64):
  %y = math.atan2 %s, %s : f32
  attn.yield %y : f32
}
// -----
// pipeline: plan-merge-fills
!out = !plan.buffer<f32, q, heads_q, 64>
!out1 = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
plan.func @alone(%6: !out {weft.name = "d_query"}) -> !out1 {
  %0 = plan.fill %6, 0.0 on [valid] : !out -> !out1
  plan.return %0 : !out1
}
// -----
// pipeline: plan-merge-fills
warp.func @body(%a: !warp.ring<0, <64, 64, bf16>>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
// -----
// pipeline: plan-merge-fills
plan.kernel @k delta of 17 schedule <rows = 24> contract []
// -----
// pipeline: plan-merge-fills
warp.func @needed(%x: !tile.buffer<f32, q, heads_q, 16>, %rows: !tile.rows<q, 128>, %v: !warp.sharedplan.launch16, 64, f16, swizzled>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %s = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %m = warp.map(%s) : (tensor<128x16xf32, #warp.acc>) -> tensor<128x16xf32, #warp.acc> {
  ^bb0(%e: f32, %row: i64, %column: i64):
    %p = math.exp2 %e : f32
    warp.yield %p : f32
  }
  %a = warp.pack %m : tensor<128x16xf32, #warp.acc> -> tensor<128x16xf16, #warp.operand>
  warp.store %m, %x[%rows, %c0] : tensor<128x16xf32, #warp.acc>, <f32, q, heads_q, 16>, <q, 128>
  %o = warp.issue %a, %v : tensor<128x16xf16, #warp.operand>, <16, 64, f16, swizzled> -> !warp.pending<tensor<128x64xf32, #warp.acc>>
  warp.return
}
