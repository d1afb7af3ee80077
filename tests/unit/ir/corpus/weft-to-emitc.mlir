// pipeline: weft-to-emitc
attn.forward @attention bf16 head_dim = 40, head_dim_v = 64, head_ratio = 4
    q = #attn.side<batch> kv = #attn.side<thd, padded> align = 2 mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %keep = arith.cmpi sle, %j, %i : i64
    q = #attn.side<batch> kv = #attn.side<thd, padded> align = 2 mask {
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention
    schedule <rows = 128, columns = 64, stages = 2>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
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
tile.func @keys() grid <kv, 64, heads_kv> schedule <rows = 64, columns = 64> {
  %sequence, %tile, %head = tile.point
  %c1 = arith.constant 1 x80xf32 i64
  scf.for %j = %c0 to %tile step %c1 x80xf32 i64 {
  }
  tile.return
}
// -----
// pipeline: weft-to-emitc
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  %1 = plan.launch @k grid(%n) out(%0 : !plan.buffer<f32, q, one, 1>) -> !plan.buffer<f32, kv, one, 1>
  plan.return
}
// -----
// pipeline: weft-to-emitc
warp.func @carried(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
                   %rows: !tile.rows<q, 128>, %n: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %limit = arith.constant dense<1024.0> : tensor<128xf32, #warp.row>
  %first = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %l0 = warp.reduce sum %first : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%old = %l0) -> (tensor<128xf32, #warp.row>) : i64 {
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
  }
  %log = math.log2 %l : tensor<128xf32, #warp.row>
  warp.store %log, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %l, %lse[%rows, %c1] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
}
// -----
// pipeline: weft-to-emitc
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<kv, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32>
}
// -----
// pipeline: weft-to-emitc
%6 = arith.constant 0 : i64
%0 = tile.coordinates %6 dim = 0 : tensor<16x32xi32>
// -----
// pipeline: weft-to-emitc
tile.func @a_body() grid <q, 32, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: weft-to-emitc
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
}
// -----
// pipeline: weft-to-emitc
plan.kernel @k dk of @a schedule <rows = 64> contract [#plan.operand<"x", in, []>]
// -----
// pipeline: weft-to-emitc
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.roles registers(32, 240) producer {
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: weft-to-emitc
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %165 = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = tile.load %0[%165, %head] : !tile.buffer<bf16, q, heads_q, 40>, !tile.rows<q, 16> -> tensor<16x32xbf16>
  tile.return
}
// -----
// pipeline: weft-to-emitc
tile.func @a_body(%0: f32 {weft.name = "scale"}, %1: f32 {weft.name = "scale"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: weft-to-emitc
module attributes {weft.align = 16 : i64, weft.deterministic, weft.kv = #attn.side<thd, padded>, weft.q = #attn.side<thd, padded>, weft.spec = "forward bf16 head_dim=64 head_ratio=2 layout=thd padded mask=causal", weft.target = "sm_86"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %0 = arith.cmpi sle, %j, %i : i64
    attn.yield %0 : i1
  }
  plan.kernel @forward forward of @attention schedule <rows = 128, columns = 64, stages = 2> contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>, #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>, #plan.operand<"lse", out, [valid]>]
  plan.kernel @fill fill of @attention schedule <rows = 64> contract [#plan.operand<"out", out, [gap, tail], 0.000000e+00>, #plan.operand<"lse", out, [gap, tail], 0xFFF0000000000000>]
  plan.func @forward_plan(%query: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}, %key: !plan.buffer<bf16, kv, heads_kv, 64, valid = defined> {weft.name = "key"}, %value: !plan.buffer<bf16, kv, heads_kv, 64, valid = defined> {weft.name = "value"}, %out: !plan.buffer<bf16, q, heads_q, 64> {weft.name = "out"}, %lse: !plan.buffer<f32, q, heads_q, 1> {weft.name = "lse"}) -> (!plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>) {
    %c64_i64 = arith.constant 64 : i64
    %c128_i64 = arith.constant 128 : i64
    %batch = plan.size batch
    %rows_q = plan.size rows_q
    %0 = arith.ceildivsi %rows_q, %c128_i64 : i64
    %1 = arith.addi %0, %batch : i64
    %heads_q = plan.size heads_q
    %2 = arith.muli %1, %heads_q : i64
    %out_0, %lse_1 = plan.launch @forward grid(%2) in(%query, %key, %value : !plan.buffer<bf16, q, heads_q, 64, valid = defined>, !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>, !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>) out(%out, %lse : !plan.buffer<bf16, q, heads_q, 64>, !plan.buffer<f32, q, heads_q, 1>) -> !plan.buffer<bf16, q, heads_q, 64, valid = defined>, !plan.buffer<f32, q, heads_q, 1, valid = defined>
    %rows_kv = plan.size rows_kv
    %3 = arith.maxsi %rows_q, %rows_kv : i64
    %4 = arith.ceildivsi %3, %c64_i64 : i64
    %5 = arith.muli %4, %heads_q : i64
    %out_2, %lse_3 = plan.launch @fill grid(%5) out(%out_0, %lse_1 : !plan.buffer<bf16, q, heads_q, 64, valid = defined>, !plan.buffer<f32, q, heads_q, 1, valid = defined>) -> !work<bf16, q, heads_q, 64, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
    plan.return %out_2, %lse_3 : !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
  }
}
// -----
// pipeline: weft-to-emitc
plan.func @f(%0: !plan.buffer<f32, q, one, 1, all = defined>) {}
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
"tile.func"() ,{sym_name = "a_body", function_type = () -> (), grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({}) : () -> ()
// -----
// pipeline: weft-to-emitc
module 
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
warp.func @no_side(%a: !tile.buffer<f32, q, heads_q, 8> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  warp.return
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
!work = !plan.buffer<f32, q, one, 1>
!ones = !plan.buffer<f32, q, one, 1, valid = filled(1.0), gap = filled(1.0), tail = filled(1.0)>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined, gap = filled(1.0), tail = filled(1.0)>
plan.kernel @sum dq of @a schedule <rows = 64> contract [#plan.operand<"x", acc, [valid]>]
plan.func @add() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.memset %0, 1.0 : !work -> !ones
  %2 = plan.launch @sum grid(%rows) acc(%1 : !ones) -> !work1
  plan.release %2 : !work1
  plan.return
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
!work = !plan.buffer<f32, none, one, 1>
plan.func @aligned() {
  %c128 = arith.constant 128 : i64
  %four = arith.constant 4 : i64
  %174 = plan.size rows_q
  %at = arith.muli %174, %c128 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%at) : !work
  plan.release %0 : !work
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
