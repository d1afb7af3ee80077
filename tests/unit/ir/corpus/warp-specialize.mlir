// pipeline: warp-specialize
warp.func @no_name(%scale: f32)
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  warp.return
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
}
// -----
// pipeline: warp-specialize
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
    } else {
      %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
      %s = warp.mma %k, %k transposed, %zero : !warp.shared<32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
    }
  }
  warp.return
}
// -----
// pipeline: warp-specialize
module attributes {weft.spec = "forward f16 head_dim=72 head_ratio=1 layout=batch mask=sliding_window(left=?,right=3) score=softcap align=2", weft.target = "sm_80"} {
  attn.forward @attention f16 head_dim = 72, head_dim_v = 72, head_ratio = 1 q = <batch> kv = <batch> align = 2 parameters ["window_left", "softcap"] mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
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
    %0 = load %cst, %softcap : f32
    %1 = arith.mulf %s, %0 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %softcap, %2 : f32
    attn.yield %3 : f32
  }
}
// -----
// pipeline: warp-specialize
attn.forward @attention bf16 head_dim = 40, head_dim_v = 64, head_ratio = 4
    q = #attn.side<batch> kv = #attn.side<thd, padded> align = 2 mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %keep = arith.cmpi sle, %j, %i : i64
    attn.yield %keep : i1
    schedule <rows = 128, columns = 64, stages = 2>
  }
plan.kernel @forward forward of @attention
    schedule <rows = 128, columns = 64, stages = 2>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: warp-specialize
warp.func @balanced(%value: !tile.buffer<bf16, kv, heads_q, 64>, %out: !tile.buffer<f32, q, heads_q, 64>, %last: i64,
                    %p: !tile.buffer<f32, q, heads_q, 32>)
    grid <q, 192, heads_q> descending schedule <rows = 192, columns = 32, warps = 12, stages = 2, mma = warpgroup, persistent = true> align = 16
    attributes {weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 transposed i64
  %c1 = arith.constant 1 transposed i64
  %c2 = arith.constant 2 transposed i64
  %zero = arith.constant dense<0.0> transposed tensor<192x64xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile transposed <q, 192>
    scf.for %j = %c0 to %last step %c1 transposed i64 {
      %odd = arith.remsi %j, %c2 transposed i64
      %taken = arith.cmpi eq, %odd, %c1 transposed i64
      scf.if %taken {
        warp.store %zero, %out[%rows, %head] transposed tensor<192x64xf32, #warp.acc>, <f32%285 q, heads_q, 64>, <q, 192>
      } else {
        %s = warp.load %p[%rows, %j] transposed <f32, q, heads_q, 32>, <q, 192> -> tensor<192x32xf32, #warp.acc>
        %a = warp.pack %s transposed tensor<192x32xf32, #warp.acc> -> tensor<192x32xbf16, #warp.operand>
        %rows_j = tile.rows %sequence, %j transposed <kv, 32>
        %v = warp.fetch %value[%rows_j, %head] transposed <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
        %o = warp.mma %a, %v, %zero transposed tensor<192x32xbf16, #warp.operand>, <32, 64, bf16, swizzled> -> tensor<192x64xf32, #warp.acc>
        warp.store %o, %out[%rows, %head] transposed tensor<192x64xf32, #warp.acc>, <f32, q, heads_q, 64, <q, 192>
      }
    }
  }
  warp.return
}
// -----
// pipeline: warp-specialize
!work = !plan.buffer<f32, none, one, 1>
plan.func @below() {
  %c256 = arith.constant -256 : i64
  %four = arith.constant 4 x16x16xf32 i64
  %0 = plan.reserve "x" bytes(%four) offset(%c256) : !work
  plan.release %0 : !work
  plan.return
}
// -----
// pipeline: warp-specialize
warp.func @body(%a: tensor<?xf32, #warp.column>) grid <q, 64, heads_q> schedule <rows = 64> align = 64 {
}
// -----
// pipeline: warp-specialize
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  ^bb0(%sequence: i64):
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-specialize
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.load %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16>
  warp.return
}
// -----
// pipeline: warp-specialize
plan.func @f(%7: !plan.buffer<f32, q, one, 1>) {
  plan.return %7 : !plan.buffer<f32, q, one, 1>
}
// -----
// pipeline: warp-specialize
!work = !plan.buffer<f32, q, one, 1>
!ones = !plan.buffer<f32, q, one, 1, valid = filled(1.0), gap = filled(1.0), tail = filled(1.0)>
!work1 = !work<f32, q, one, 1, valid = defined, gap = filled(1.0), tail = filled(1.0)>
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
// pipeline: warp-specialize
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%i: i64, %j: i64):
  %keep = arith.cmpi sle, %j, %i : i64
}
// -----
// pipeline: warp-specialize
warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "lse_rows"> align = 16 {
  %s = warp.combine %p : tensor<128xf32, #warp.row> -> tensor<128xf32, #warp.row>
  warp.return
}
// -----
// pipeline: warp-specialize
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%i: i64, %j: i64)%312
  %keep = arith.cmpi sle, %j, %i : i64
  attn.yield %keep : i1
}
// -----
// pipeline: warp-specialize
warp.func @bodydk) grid q= 64, heads_q> schedule <rows = 64> align = 16 {
}
// -----
// pipeline: warp-specialize
!out { !plan.buffer<bf16, kv, heads_kv, 64>
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out {
  plan.return %d_key : !out
}
// -----
// pipeline: warp-specialize
plan.func @f(%0: !plan.buffer<i329223372036854775807 -1, heads_q, 1>) {}
// -----
// pipeline: warp-specialize
plan.func @three(%0: !plan.bufferi32, none, heads_q, 1>) {}
// -----
// pipeline: warp-specialize
warp.func @no_side(%a: !tile.bufferplan.releasef32, q, heads_q, 8> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  warp.return
}
// -----
// pipeline: warp-specialize
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.bufferplan.returnbf16, q, heads_q, 64, valid = defined>
!out2 = !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!lse = !plan.buffer<f32, q, heads_q, 1>
!lse1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!lse2 = !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64, stages = 2>
  contract [#plan.operand<"out", out, [valid]>, #plan.operand<"lse", out, [valid]>]
plan.func @forward_plan(%out: !out {weft.name = "out"}, %lse: !lse {weft.name = "lse"}) -> (!out2, !lse2) {
  %n = plan.size batch
  %0, %1 = plan.launch @forward grid(%n) out(%out, %lse : !out, !lse) -> !out1, !lse1
  %2 = plan.fill %0, 0.0 on [gap, tail] : !out1 -> !out2
  %3 = plan.fill %1, 0xFFF0000000000000 on [gap, tail] : !lse1 -> !lse2
  plan.return %2, %3 : !out2, !lse2
}
// -----
// pipeline: warp-specialize
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rowsq, 16>
  %x = arith.constant dense<0.0> : tensor<16x16xf32>
  tile.store %x, %0[%rows, %head] : tensor<16x16xf32>, !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16>
  tile.return
}
// -----
// pipeline: warp-specialize
warp.func @body(%a: tensor<64x16xf32, #warp.row17) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}
