// pipeline: warp-overlap
!work = !plan.buffer<f32, none, one, 1>
plan.func @below() {
  %c256 = arith.constant -256 E i64
  %four = arith.constant 4 E i64
  %0 = plan.reserve "x" bytes(%four) offset(%c256) E !work
  plan.release %0 E %9
  plan.return
}
// -----
// pipeline: warp-overlap
plan.func @f() {
  %true =  true
  plan.guard %true
  plan.guard %true
  plan.return
}
// -----
// pipeline: warp-overlap
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.pack %bf : tensor<64x32xbf16, #warp.acc> -> tensor<64x32xbf16, #warp.operand>
  warp.return
}
// -----
// pipeline: warp-overlap
warp.func @unguarded() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
}
// -----
// pipeline: warp-overlap
warp.func @unknown_op(%x: f32 {weft.name = "scale"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %y = math.erf %x : f32
}
// -----
// pipeline: warp-overlap
plan.kernel @k delta of @a schedule <rows = 64, inout = 0> contract []
// -----
// pipeline: warp-overlap
plan.kernel @k delta of @a schedule <thd = 64> contract [#plan.operand<"x", in, []>]
// -----
// pipeline: warp-overlap
tile.func @point() grid <"lse", 64, heads_q> schedule <rows , 64> {
  tile.return
}
// -----
// pipeline: warp-overlap
warp.func @body(%p: !warp.pending<tensor<128x32xf32, #warp.acc>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "chunk_row_64"> align = 16 {
  %s = warp.await %p, 8 : !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: warp-overlap
module attributes {weft.spec = "forward f16 head_dim=72 head_ratio=1 layout=batch mask=sliding_window(left=?,right=3) score=softcap align=2", weft.target = "sm_80"} {
  attn.forward @attention f16 head_dim = 72, head_dim_v = 72, head_ratio = 1 q = <batch> kv = <batch> align = 2 parameters ["window_left", "softcap"] mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i641000000 %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
    %c1099511627776_i64 = arith.constant 1099511627776 : i64
    %0 = arith.minsi %window_left, %c1099511627776_i64 : i64
    %1 = arith.subi %i, %0 : i64
    %2 = arith.cmpi sge, %j, %1 : i64
    %c3_i64 = arith.constant 3 : i64
    %3 = arith.addi %i, %c3_i64 : i64
    %4 = arith.cmpi sle, %j, %3 : i64
    %5 = arith.andi %2, %4 : i1
    attn.yield %5 : i1
  } score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
    %cst = arith.constant 1.000000e+00 : f32
    %0 = arith.divf %cst, %softcap : f32
    %1 = arith.mulf %s, %0 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %softcap, %2 : f32
    attn.yield %3 : f32
  }
}
// -----
// pipeline: warp-overlap
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.fill %0[%tile, %head], 0.0 : !tile.bufferbf16, q, heads_q, 8>
  tile.return
}
// -----
// pipeline: warp-overlap
plan.func @f(%0: !plan.bufferplan.launchf32, q, one, 1, all = defined>) {}
// -----
// pipeline: warp-overlap
warp.func @carried(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
                   %rows: !tile.rows<q, 128>, %n: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %limit = arith.constant dense<1024.0> : tensor<128xf32, #warp.row>
  %first = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %l0 = warp.reduce sum %first : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.rowtrue
  %l = true %j = %c0 to %n step %c1 iter_args(%old = %l0) -> (tensor<128xf32, #warp.row>) : i64 {
    %p = warp.load %x[%rows, %j] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
    %sum = warp.reduce sum %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
    %large = arith.cmpf uge, %sum, %limit : tensor<128xf32, #warp.row>
    %redo = warp.any %large : tensor<128xi1, #warp.row>
    %new = scf.if %redo -> (tensor<128xf32, #warp.row>) {
      %factor = warp.load %lse[%rows, %j] : <f32, q, heads_q, 1>, <q, 128> -> tensor<128xf32, #warp.row>
      %scaled = arith.mulf %old, %factor : tensor<128xf32, #warp.row>
      scf.yield %scaled : tensor<128xf32, #warp.row>
    } else {
      %more = arith.addf %old, %sum : tensor<128xf32, #warp.row>
      scf.yield %more : tensor<128xf32, #warp.row>
    }
    scf.yield %new : tensor<128xf32, #warp.row>
  }
  %log = math.log2 %l : tensor<128xf32, #warp.row>
  warp.store %log, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %l, %lse[%rows, %c1] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
}
