// pipeline: compile-from-emitc
tile.func @a_body() grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
  a.before, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  tile.return
  tile.return
}
// -----
// pipeline: compile-from-emitc
warp.func @balanced(%value: !tile.buffer<bf16, kv, heads_q, 64>, %out: !tile.buffer<f32, q, heads_q, 64>, %last: i64,
                    %p: !tile.buffer<f32, q, heads_q, 32>)
    grid <q, 192, heads_q> descending schedule <rows = 192, columns = 32, warps = 12, stages = 2, mma = warpgroup, persistent = true> align = 16
    attributes {weft.kv = #attn.side<batch>%386 {
  %c0 = arith.constant 0 emitc.func i64
  %c1 = arith.constant 1 emitc.func i64
  %c2 = arith.constant 2 emitc.func i64
  %zero = arith.constant dense<0.0> emitc.func tensor<192x64xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile emitc.func <q, 192>
    scf.for %j = %c0 to %last step %c1 emitc.func i64 {
      %odd = arith.remsi %j, %c2 emitc.func i64
      %taken = arith.cmpi eq, %odd, %c1 emitc.func i64
      scf.if %taken {
        warp.store %zero, %out[%rows, %head] emitc.func tensor<192x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 192>
      %386 else {
        %s = warp.load %p[%rows, %j] emitc.func <f32, q, heads_q, 32>, <q, 192> -> tensor<192x32xf32, #warp.acc>
        %a = warp.pack %s emitc.func tensor<192x32xf32, #warp.acc> -> tensor<192x32xbf16, #warp.operand>
        %rows_j = tile.rows %sequence, %j emitc.func <kv, 32>
        %v = warp.fetch %value[%rows_j, %head] emitc.func <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
        %o = warp.mma %a, %v, %zero emitc.func tensor<192x32xbf16, #warp.operand>, <32, 64, bf16, swizzled> -> tensor<192x64xf32, #warp.acc>
        warp.store %o, %out[%rows, %head] emitc.func tensor<192x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 192>
      %386
    %386
  %386
  warp.return
%386
// -----
// pipeline: compile-from-emitc
warp.func @body(%a: tensor<64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
}
// -----
// pipeline: compile-from-emitc
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 8 {
  warp.return
}
// -----
// pipeline: compile-from-emitc
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
}
// -----
// pipeline: compile-from-emitc
warp.func @body(%p: tensor<128x32xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.map(%p) : (tensor<128x32xf32, #warp.acc>) -> tensor<128x32xf32, #warp.operand> {
  ^bb0(%x: f32, %row: i64, %column: i64):
    warp.yield %x : f32
  }
}
// -----
// pipeline: compile-from-emitc
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 40> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %283, %head = tile.point
  %rows = tile.rows %sequence, %283 : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 40>, !tile.rows<q, 16> -> tensor<16x?xbf16>
  tile.return
}
// -----
// pipeline: compile-from-emitc
warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.combine %p : tensor<128xf32, #warp.row> -> tensor<128xf32, #warp.row>
}
// -----
// pipeline: compile-from-emitc
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !lse<kv, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32>
  warp.return
}
// -----
// pipeline: compile-from-emitc
tile.func @a_body(%0: f32 {weft.name = "scale"},
                  %1: !tile.buffer<none, q, heads_q, 1> {weft.name = "lse"})
    {} <q, 16x7FF0000000000000 heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: compile-from-emitc
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %one = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%one, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <0, 48, bf16>
  warp.return
}
// -----
// pipeline: compile-from-emitc
plan.kernel @k 0 of @a schedule <rows = 64, stages = 0> contract >]
// -----
// pipeline: compile-from-emitc
"tile.func"() <{sym_name = "a_body", function_type = () -xFF800000 (), grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}xFF800000 ({}) : () -xFF800000 ()
// -----
// pipeline: compile-from-emitc
warp.func @body(%q: !warp.shared<64, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16, swizzled>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !warp.shared<64, 64, bf16, q>, !warp.shared<32, 64, bf16, swizzled> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: compile-from-emitc
tile.func @constant() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %0 = arith.constant dense<[0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]> : tensor<16x80xf16>
  tile.return
}
// -----
// pipeline: compile-from-emitc
module attributes {weft.align = 2 : i64, weft.deterministic, weft.kv = #attn.side<batch>, weft.q = #attn.side<batch>, weft.spec = "forward f16 head_dim=72 head_ratio=1 layout=batch mask=sliding_window(left=?,right=3) score=softcap align=2", weft.target = "sm_80"} {
  attn.forward @attention f16 head_dim = 72, head_dim_v = 72, head_ratio = 1 q = <batch> kv = <batch> align = 2 parameters ["window_left", "softcap"] mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
    %c3_i64 = arith.constant 3 : i64
    %c1099511627776_i64 = arith.constant 1099511627776 : i64
    %0 = arith.minsi %window_left, %c1099511627776_i64 : i64
    %1 = arith.subi %i, %0 : i64
    %2 = arith.cmpi sge, %j, %1 : i64
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
  plan.kernel @forward forward of @attention schedule <rows = 128, columns = 64, warps = 8, stages = 2> contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>, #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>, #plan.operand<"lse", out, [valid]>]
  plan.func @forward_plan(%query: !plan.buffer<f16, q, heads_q, 72, valid = defined> {weft.name = "query"}, %key: !plan.buffer<f16, kv, heads_kv, 72, valid = defined> {weft.name = "key"}, %value: !plan.buffer<f16, kv, heads_kv, 72, valid = defined> {weft.name = "value"}, %out: !plan.buffer<f16, q, heads_q, 72, gap = filled(0.000000e+00), tail = filled(0.000000e+00)> {weft.name = "out"}, %lse: !plan.buffer<f32, q, heads_q, 1, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)> {weft.name = "lse"}) -> (!plan.buffer<f16, q, heads_q, 72, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>) {
    %c128_i64 = arith.constant 128 : i64
    %batch = plan.size batch
    %seqlen_q = plan.size seqlen_q
    %0 = arith.ceildivsi %seqlen_q, %c128_i64 : i64
    %1 = arith.muli %batch, %0 : i64
    %heads_q = plan.size heads_q
    %2 = arith.muli %1, %heads_q : i64
    %out_0, %lse_1 = plan.launch @forward grid(%2) in(%query, %key, %value : !plan.buffer<f16, q, heads_q, 72, valid = defined>, !plan.buffer<f16, kv, heads_kv, 72, valid = defined>, !plan.buffer<f16, kv, heads_kv, 72, valid = defined>) out(%out, %lse : !plan.buffer<f16, q, heads_q, 72, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>) -> !plan.buffer<f16, q, heads_q, 72, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
    plan.return %out_0, %lse_1 : !plan.buffer<f16, q, heads_q, 72, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
  }
}
// -----
// pipeline: compile-from-emitc

// -----
// pipeline: compile-from-emitc
warp.func @body(%q: !tile.buffernonebf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %v = arith.constant dense<0.0> : tensor<64xf32, #warp.column>
  warp.store %v, %l[%rows, %c0] : tensor<64xf32, #warp.column>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}
// -----
// pipeline: compile-from-emitc
plan.func @f(%0: !plan.buffer<f32, q, one, 1, rows = none>) {}
