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
module  {weft.spec = "forward bf16 head_dim=64 head_ratio=2 layout=thd padded mask=causal", weft.target = "sm_86"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %0 = arith.cmpi , %j, %i : %22
    attn.yield %0 : i1
  }
}
// -----
// pipeline: warp-specialize
warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16, swizzled>, %acc: tensor<128x64xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed, %acc : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16, swizzled>, tensor<128x64xf32, #warp.acc> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
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
attn.forward @a bf16 head_dim = 64, head_dim_v = 264, head_ratio = 1 q = <batch> kv = <batch>
// -----
// pipeline: warp-specialize
warp.func @body(%p: tensor<128xf32>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.map(%p) : (tensor<128xf32>) -> tensor<128xf32> {
  ^bb0(%x: f32):
    warp.yield %x : f32
  }
  warp.return
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
warp.func @kernel(%query: !tile.buffer<bf16, q, heads_q, 64>, %key: !tile.buffer<bf16, kv, heads_q, 64>,
                  %value: !tile.buffer<bf16, kv, heads_q, 64>, %out: !tile.buffer<f32, q, heads_q, 64>, %last: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, stages = 2, mma = warpgroup, value_stages = 3> align = 16
    attributes {weft.kv = #attn.side<thd>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %limit = arith.constant dense<2.0> : tensor<128x16xf32, #warp.acc>
  %zero = arith.constant dense<0.0> : tensor<128x16xf32, #warp.acc>
  %zero_o = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %tile : <q, 128>
    %q = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 128> -> <128, 64, bf16, swizzled>
    %any = arith.cmpi slt, %c0, %last : i64
    %r = scf.if %any -> (tensor<128x64xf32, #warp.acc>) {
      %rows_0 = tile.rows %sequence, %c0 : <kv, 16>
      %k0 = warp.fetch %key[%rows_0, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
      %s0 = warp.mma %q, %k0 transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <16, 64, bf16, swizzled> -> tensor<128x16xf32, #warp.acc>
      %p0 = warp.pack %s0 : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
      %v0 = warp.fetch %value[%rows_0, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
      %o0 = warp.mma %p0, %v0, %zero_o : tensor<128x16xbf16, #warp.operand>, <16, 64, bf16, swizzled> -> tensor<128x64xf32, #warp.acc>
      %o = scf.for %j = %c1 to %last step %c1 iter_args(%acc = %o0) -> (tensor<128x64xf32, #warp.acc>) : i64 {
        %rows_j = tile.rows %sequence, %j : <kv, 16>
        %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
        %s = warp.mma %q, %k transposed, %zero : !warp.shared<128, 64, bf16, swizzled>, <16, 64, bf16, swizzled> -> tensor<128x16xf32, #warp.acc>
        %large = arith.cmpf ogt, %s, %limit : tensor<128x16xf32, #warp.acc>
        %redo = warp.any %large : tensor<128x16xi1, #warp.acc>
        %p = warp.pack %s : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
        %x:2 = scf.if %redo -> (tensor<128x16xbf16, #warp.operand>, tensor<128x64xf32, #warp.acc>) {
          %doubled = arith.addf %s, %s : tensor<128x16xf32, #warp.acc>
          %p1 = warp.pack %doubled : tensor<128x16xf32, #warp.acc> -> tensor<128x16xbf16, #warp.operand>
          %acc1 = arith.addf %acc, %acc : tensor<128x64xf32, #warp.acc>
          scf.yield %p1, %acc1 : tensor<128x16xbf16, #warp.operand>, tensor<128x64xf32, #warp.acc>
        } else {
          scf.yield %p, %acc : tensor<128x16xbf16> #warp.operand>, tensor<128x64xf32, #warp.acc>
        }
        %v = warp.fetch %value[%rows_j, %head] : <bf16, kv, heads_q, 64>, <kv, 16> -> <16, 64, bf16, swizzled>
        %acc2 = warp.mma %x#0, %v, %x#1 : tensor<128x16xbf16, #warp.operand>, <16, 64, bf16, swizzled> -> tensor<128x64xf32, #warp.acc>
        scf.yield %acc2 : tensor<128x64xf32, #warp.acc>
      }
      scf.yield %o : tensor<128x64xf32, #warp.acc>
    } else {
      scf.yield %zero_o : tensor<128x64xf32, #warp.acc>
    }
    warp.store %r, %out[%rows, %head] : tensor<128x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 128>
  }
  warp.return
}
// -----
// pipeline: warp-specialize
plan.func @f(%0: !plan.buffer<i329223372036854775807 -1, heads_q, 1>) {}
// -----
// pipeline: warp-specialize
plan.func @three(%0: !plan.bufferi32, none, heads_q, 1>) {}
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
tile.func @vector(%x: !tile.buffer<f32, q, heads_q, 1> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !emitc.ptrq, 64>
  %0 = tile.load %x[%rows, %head] : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32>
  %1 = tile.expand %0 dim = 0 : tensor<64xf32> -> tensor<64x64xf32>
  %2 = tile.expand %0 dim = 1 : tensor<64xf32> -> tensor<64x64xf32>
  tile.return
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
