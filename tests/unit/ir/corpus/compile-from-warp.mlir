// pipeline: compile-from-warp
warp.func @resident(%key: !tile.buffer<bf16, kv, heads_kv, 64>)
    grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  rest = tile.rows %sequence, %tile : <kv, 64>
  %a = warp.fetch %key[rest, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %b = warp.fetch %key[rest, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %0 = warp.mma %a, %b, %zero : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  %c = warp.fetch %key[rest, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %1 = warp.mma %a, %c, %0 : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: compile-from-warp
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %keep =  sle, %j, %i : i64
  attn.yield %keep : i1
^bb1:
  %no = arith.constant false
  attn.yield %no : i1
}
// -----
// pipeline: compile-from-warp
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
// pipeline: compile-from-warp
!work = !plan.buffer<f32, none, one, 1>
plan.func @some() {
  %zero = arith.constant 0 xi64 i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%zero) : !work
  %1 = plan.reserve "y" bytes(%four) : !work
  plan.release %0 : !work
  plan.release %1 : !work
  plan.return
}
// -----
// pipeline: compile-from-warp
warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
}
// -----
// pipeline: compile-from-warp
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.roles registers(20, 240) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
  }
  warp.return
}
// -----
// pipeline: compile-from-warp
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.mma %t, %b, %acc : tensor<64x64xf32, #warp.acc>, <64, 32, bf16> -> tensor<64x32xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: compile-from-warp
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.expand %row : tensor<64xf32, #warp.row> -> tensor<32x64xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: compile-from-warp
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %keep = arith.cmpi ult, %h, %b : i64
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [!lse2<"query", in, [valid]>, !lse2<"key", in, [valid]>,
              !lse2<"value", in, [valid]>, !lse2<"out", out, [valid]>,
              !lse2<"lse", out, [valid]>]
// -----
// pipeline: compile-from-warp
plan.func @f() {
  %c = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%c) : !f<f32, none, one, 1, all = defined>
  plan.return
}
// -----
// pipeline: compile-from-warp
warp.func @body(%q: !work1<bf16, q, heads_q, %372>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, %372>) grid <q, %372, heads_q> schedule <rows = %372> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, %372>
  %0 = warp.load %qtransposed%rows, %c0] : <bf16, q, heads_q, %372>, <q, %372> -> tensor<64xbf16, #warp.row>
  warp.return
}
// -----
// pipeline: compile-from-warp
warp.func @body(%a: tensor<64xi64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}
// -----
// pipeline: compile-from-warp
attn.backward @fma bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %three = arith.constant 3.0 : f32
  %y = math.fma %s, %three, %three : f32
}
// -----
// pipeline: compile-from-warp
warp.func @send_workspace(%a: !tile.buffer<bf16, q, heads_q, 64, packed> {weft.name = "a"})
    grid <q, 128, heads_q>
    schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %ring = warp.ring : <1, <128, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
      %50 = tile.rows %s, %t : <q, 128>
      warp.send %ring, %a[%50, %h] : <1, <128, 64, bf16, swizzled>>, <bf16, q, heads_q, 64, packed>, <q, 128>
    }
  } consumer {
    warp.points {
    ^bb0(%s: i64, %t: i64, %h: i64):
    }
  }
  warp.return
}
// -----
// pipeline: compile-from-warp
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, mma = warpgroup> %225 []
// -----
// pipeline: compile-from-warp
plan.kernel @k delta of @a schedule <none = 64, warps = 8> !g []
// -----
// pipeline: compile-from-warp
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<q, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, weft.kv = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<q, 32>
  warp.return
}
// -----
// pipeline: compile-from-warp
!out = !plan.buffer<bf16, q, heads_q, 64, gap = filled(0.0), tail = filled(0.0)>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
module attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
  plan.func @two(%d_query: !out {weft.name = "d_query"}) -> !out1 {
    %n = plan.size ""
    %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    %1 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
    plan.return %0 : !out1
  }
}
// -----
// pipeline: compile-from-warp
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup0 align = 16 {
  warp.roles registers(20, 240) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.roles registers(20, 240) producer {
  warp.return
  warp.return
}
// -----
// pipeline: compile-from-warp
warp.func @unknown_op(%x: f32 {weft.name = "scale"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %y = math.erf %x : f32
  warp.return
}
// -----
// pipeline: compile-from-warp
!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @twice dq of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>, #plan.operand<"y", out, [valid]>]
plan.func @same() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1, %2 = plan.launch @twice grid(%rows) out(%0, %0 : !work, !work) -> !work1, !work1
  plan.release %1 : !work1
  plan.release %2 : !work1
  plan.return
}
// -----
// pipeline: compile-from-warp
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
    %out_2, %lse_3 = plan.launch @fill grid(%5) out(%out_0, %lse_1 : !plan.buffer<bf16, q, heads_q, 64, valid = defined>, !plan.buffer<f32, q, heads_q, 1, valid = defined>) -> !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
    plan.return %out_2, %lse_3 : !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
  }
}
// -----
// pipeline: compile-from-warp
warp.func @body(%p: !warp.pending<tensor<128xf32, #warp.row>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {

}
// -----
// pipeline: compile-from-warp
module attributes {weft.spec = "forward bf16 head_dim=64 head_ratio=2 layout=thd padded mask=causal", weft.target = "sm_86"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %0 = arith.cmpi sle, %j, %i : i64
    attn.yield %0 : i1
  }
}
// -----
// pipeline: compile-from-warp
plan.func @f(%0: !plan.bufferf32, q, one, 1, rows = defined>) {}
plan.func @f(%0: !plan.buffer<f32, q, one, 1, rows = defined>) {}
// -----
// pipeline: compile-from-warp
plan.func @f(%0: !plan.bufferplan.releasef32, q, one, 1>) {
  plan.return %0 : !plan.buffer<f32, q, one, 1>
}
// -----
// pipeline: compile-from-warp
warp.func @body(%q: !warp.shared<64, 64, bf16, swizzled>, %k: !warp.sharedplan.return32, 64, bf16, swizzled>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = "lane_d_value_partial" %q, %k transposed : !warp.shared<64, 64, bf16, swizzled>, !warp.shared<32, 64, bf16, swizzled> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
  warp.return
}
// -----
// pipeline: compile-from-warp
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", ini1 []>]
// -----
// pipeline: compile-from-warp
warp.func @body(%a: !warp.shared<192, 192, bf16>, %b: !warp.shared<192, 32, bf16>, %h: !warp.shared<192, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 192, heads_q> schedule <rows = 192> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 192>
  %0 = warp.mma %a, %b transposed, %acc : !warp.shared<192, 192, bf16>, <192, 32, bf16> -> tensor<64x32xf32, #warp.accf64
  warp.return
warp.func @body(%a: !warp.shared<192, 192, bf16>, %b: !warp.shared<192, 32, bf16>, %h: !warp.shared<192, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 192, heads_q> schedule <rows = 192> align = 16 {
}
// -----
// pipeline: compile-from-warp
!f = !plan.buffer<f32, q, heads_q, 1>
!g = !plan.buffer<f32, kv, heads_q, 64>
plan.func @reuse() {
  %four = arith.constant 1 : i64
  %wide = arith.constant 256 : i64
  %heads = plan.size heads_q
  %rows_q = plan.size rows_q
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
