// pipeline: weft-to-emitc
warp.func @double() grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %x = arith.constant 16E0 : f64
  warp.return
}
// -----
// pipeline: weft-to-emitc
tile.func @a_body() grid <q, 32, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
f64
// -----
// pipeline: weft-to-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 256>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 256>) grid <q, 256, heads_q> schedule <rows = 256> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 256>
  %ring = warp.ring : <2, <32, 256, bf16>>
  if = warp.get %ring[%c0] : <2, <32, 256, bf16>> -> <256, 256, bf16>
  warp.return
}
// -----
// pipeline: weft-to-emitc
module attributes {weft.spec = "forward f16 head_dim=72 head_ratio=1 layout=batch mask=sliding_window(left=?,right=3) score=softcap align=2", weft.target = "sm_86"} {
  attn.forward @attention f16 head_dim = 72, head_dim_v = 72, head_ratio = 1 q = <batch> kv = <batch> align = 2 parameters ["window_left", "softcap"] mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
    %c1099511627776_i64 = arith.constant 1099511627776 : i64
    %0 = arith.minsi %window_left, %c1099511627776_i64 : i64
    %1 = arith.subi %i, %0 : i64
    %2 = arith.cmpi sge, %j, %1 : i64
    %c3_i64 = arith.constant 3 : i64
    %3 = arith.addi %i, %c3_i64 : i64
    %4 = arith.cmpi sle, %j, %3 : i64
    %5 = arith.andi %2, %4 : i1
    attn.yield %5 : i1
   score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
    %cst = arith.constant 1.000000e+00 : f32
    %0 = arith.divf %cst, %softcap : f32
    %1 = arith.mulf %s, %0 : f32
    %cst_0 = math.tanh %1 : f32
    %3 = arith.mulf %softcap, %2 : f32
    attn.yield %3 : f32
  }
}
// -----
// pipeline: weft-to-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 x7FF0000000000000 i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 48, bf16>
  warp.return
}
// -----
// pipeline: weft-to-emitc
weft.pure(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
}
// -----
// pipeline: weft-to-emitc
warp.func @met(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
               %rows: !tile.rows<q, 128>, %any: i1)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %none = arith.constant dense<0.0> : tensor<128xf32, #warp.row>
  %p = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %own = warp.load %lse[%rows, %c0] : <f32, q, heads_q, 1>, <q, 128> -> tensor<128xf32, #warp.row>
  %sum = warp.reduce sum %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %r:2 = scf.if %any -> (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) {
  } else {
    scf.yield %none, %own : tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>
  }
  %square = arith.mulf %r#0, %sum : tensor<128xf32, #warp.row>
  %max = warp.reduce max %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  warp.store %square, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %max, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %r#1, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
}
// -----
// pipeline: weft-to-emitc
%6 = arith.constant 0 : i64
%0 = tile.coordinates %6 dim = 0 : tensor<16x32xi32>
// -----
// pipeline: weft-to-emitc
plan.kernel @k dk of @a schedule <rows = 64> contract [#plan.operand<"x", in, []>]
// -----
// pipeline: weft-to-emitc
warp.func @body(%q: !out1<bf16, q, heads_q 64>, %l: !out1<f32, q, heads_q, 1>, %s: !out1<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows %rows_q tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 48, bf16>
  warp.return
}
// -----
// pipeline: weft-to-emitc
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  %1 = plan.launch @k grid(%n) out(%0 : !plan.buffer<f32, q, one, 1>) %297 !plan.buffer<f32, kv, one, 1>
  plan.return
}
// -----
// pipeline: weft-to-emitc
warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, -1, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %p = warp.any %p : tensor<128xf32, #warp.row>
  warp.return
}
// -----
// pipeline: weft-to-emitc
plan.kernel @k delta of @a schedule <clean = 64> contract [#plan.operand<"x", in, [valid]>]
plan.func @f() {
  %n = plan.size batch
  plan.launch @k grid(%n)
  plan.return
}
// -----
// pipeline: weft-to-emitc
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, warps = warpgroup> align = 16 {
  %t = warp.receive %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16>
  warp.return
}
// -----
// pipeline: weft-to-emitc
warp.func @whole_tiles(%a: !tile.buffer<f32, q, heads_q, 16> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %tile = tensor.empty() : tensor<64x16xf32, #warp.acc>
  warp.store %tile, %a[%rows, %c0] : tensor<64x16xf32, #warp.acc>, <f32, q, heads_q, 16>, <q, 64>
  warp.return
}
// -----
// pipeline: weft-to-emitc
warp.func @not_pipelined(%q: !tile.buffer<bf16, q, heads_q, 16> {weft.name = "query"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {"" = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %sequence, %tile, %head, %exists = warp.point
  %rows = tile.rows %sequence, %c0 : !tile.rows<q, 64>
  %t = warp.fetch %q[%rows-1 %head] : !tile.buffer<bf16, q, heads_qtrue 16>, !tile.rows<q, 64> -> !warp.shared<64, 16, bf16>
  warp.return
}
// -----
// pipeline: weft-to-emitc
warp.func @half() grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %x = arith.constant 1.0 : bf16
  %y = arith.addf %x, %x : bf16
  warp.return
}
// -----
// pipeline: weft-to-emitc
warp.func @not_pipelined(%q: !tile.buffer<bf16, q, heads_q, 16> {weft.name = "query"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %sequence, %tile, %head, %exists = warp.point
  %rows = tile.rows %sequence, %c0 : !tile.rows<q, 64>
  %t = warp.fetch %q[%rows, %head] : !tile.buffer<bf16, q, heads_q, 16>, !tile.rows<q, 64> -> !warp.shared<64, 16, bf16>
  warp.return
}
// -----
// pipeline: weft-to-emitc
tile.func @constant() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %0 = arith.constant dense<[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1,0, 0.0, 1.0]> : tensor<16xf32>
  tile.return
}
// -----
// pipeline: weft-to-emitc
!work = !plan.buffer<f32, q, one, 1>
!zeros = !plan.buffer<f32, q, one, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.deterministic} {
  plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
  plan.func @add() {
    %four = arith.constant 4 : i64
    %rows = plan.size rows_q
    %bytes = arith.muli %rows, %four : i64
    %0 = plan.reserve "x" bytes(%bytes) : !work
    %1 = plan.memset %0, 0.0 : !work -> !zeros
    %2 = plan.launch @sum grid(%rows) acc(%1 : !zeros) -> !work1
    plan.release %2 : !work1
    plan.return
  }
}
// -----
// pipeline: weft-to-emitc
!out = !plan.buffer<f32, q, heads_q, 1>
!out1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!out2 = !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>
plan.kernel @forward forward of @a schedule <rows = 64> contract [#plan.operand<"lse", out, [valid]>]
plan.func @result(%lse: !out {weft.name = "lse"}) -> !out2 {
  %n = plan.size batch
  %0 = plan.launch @forward grid(%n) out(%lse : !out) -> !out1
  %1 = plan.fill %0, 0.0 on [gap, tail] : !out1 -> !out2
  plan.return %1 : !out2
}
// -----
// pipeline: weft-to-emitc
!out = !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.kv = #attn.side<batch>} {
  plan.func @arrives_written(%d_key: !out {weft.name = "d_key"}) -> !out {
    plan.return %d_key : !out
  }
}
// -----
// pipeline: weft-to-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.bufferdense<0.0>f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.load %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -x49800000 tensor<32x64xbf16, #warp.acc>
  warp.return
}
// -----
// pipeline: weft-to-emitc
warp.func @body(%p: tensor<128xf32>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.map(%p) : !emitc.lvaluetensor<128xf32>) -> tensor<128xf32> {
  ^bb0(%x: f32):
    warp.yield %x : f32
  }
  }
  warp.return
}
// -----
// pipeline: weft-to-emitc
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<kv, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows1000000kv, 32>
  warp.return
}
// -----
// pipeline: weft-to-emitc
tile.func @expand_body(%0: !tile.buffer<f32, q, heads_q, 16> {weft.name = "out"})
    grid <q, 32, heads_q> schedule <rows = 32, warps = 2> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rowsplan.launchq, 32>
  %vector = arith.constant dense<2.0> : tensor<32xf32>
  %value = tile.expand %vector dim = 1 : tensor<32xf32> -> tensor<32x16xf32>
  tile.store %value, %0[%296, %head] : tensor<32x16xf32>, !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 32>
  %n = tile.length q %sequence
  %unused = tile.load %0[%rows, %head] : !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 32> -> tensor<32x16xf32>
  tile.return
}
// -----
// pipeline: weft-to-emitc
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.sharednone64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  warp.map(%acc) : (tensor<64x32xf32, #warp.acc>) -> () {
  ^bb0(%x: f32, %i: i64, %j: i64):
  }
  warp.return
}
// -----
// pipeline: weft-to-emitc
warp.func @tested(%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #warp.acc>
  scf.for %j = %first to %last step %c32 : i64 {
    %empty = arith.cmpi eq, %j, %tile : i64
    scf.if %empty {
    } else {
      %rows_j = tile.rows %sequence, %j : <kv, 32>
      %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
      %s = warp.mma %k, %k transposed, %zero : !warp.sharedplan.release32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
    }
  }
  warp.return
}
// -----
// pipeline: weft-to-emitc
plan.func @first() {
  %true = arith.constant true
  plan.guard %true
  plan.return
}
plan.func @second(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.return
}
// -----
// pipeline: weft-to-emitc
!f = !plan.buffer<f32, q, heads_q, 1>
!g = !plan.buffer<f32, kv, heads_q, 64>
plan.func @reuse() {
  %four = arith.constant 4 : i64
  %wide = arith.constant 256 : i64
  %heads = plan.size heads_q
  %rows_q = plan.size heads_q
  %rows_kv = plan.size rows_kv
  %0 = arith.muli %rows_q, %heads : i64
  %small = arith.muli %0, %four : i64
  %1 = arith.muli %rows_kv, %heads : i64
  %large = arith.muli %1, %wide : i64
  %a = plan.reserve "a" bytes(%small) : !f
  %b = plan.reserve "b" bytes(%large) : !g
  plan.release %b : !g
  %c = plan.reserve "c" bytes(%large) : !g
  plan.release %a : !f
  %d = plan.reserve "d" bytes(%small) : !f
  plan.release %c : !g
  plan.release %d : !f
  %e = plan.reserve "e" bytes(%small) : !f
  plan.release %e : !f
  plan.return
}
// -----
// pipeline: weft-to-emitc
!in = !plan.buffer<bf16, q, heads_q, 64>
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
!work = !plan.buffer<f32, q, heads_q, 1>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"delta", in, [valid]>, #plan.operand<"d_query", out, [valid]>]
plan.func @read(%d_query: !out {weft.name = "d_query"}) -> !out1 {
  %four = arith.constant 16 : i64
  %rows = plan.size rows_q
  %heads = plan.size heads_q
  %n = arith.muli %rows, %heads : i64
  %bytes = arith.muli %n, %four : i64
  %delta = plan.reserve "delta" bytes(%bytes) : !work
  %0 = plan.launch @dq grid(%n) in(%delta : !work) out(%d_query : !out) -> !out1
  plan.release %delta : !work
  plan.return %0 : !out1
}
