// pipeline: tile-expand-softmax
plan.kernel @dkdv dkdv of @attention schedule <rows = 64, columns = 32, stages = 2>
  contract [#plan.operand<"query", in, [valid]>, #plan.operand<"turn", acc, [all]>, #plan.operand<"d_key", out, [valid, gap], 0.5>]

plan.func @backward(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"},
                    %1: !plan.buffer<bf16, kv, heads_kv, 64> {weft.name = "d_key"})
    -> !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5), tail = filled(0.0)> {
  %2 = plan.size sm_count
  %c4 = arith.constant 4 : i64
  %few = arith.cmpi sle, %2, %c4 : i64
  plan.guard %few
  %3 = plan.reserve "turn" bytes(%c4) offset(%c4) : !plan.buffer<i32, none, one, 1>
  %4 = plan.memset %3, 0.0 : !plan.buffer<i32, none, one, 1> -> !plan.buffer<i32, none, one, 1, all = filled(0.0)>
    acc(%4 : !plan.buffer<i32, none, one, 1, all = filled(0.0)>) out(%1 : !plan.buffer<bf16, kv, heads_kv, 64>)
    -> !plan.buffer<i32, none, one, 1, all = defined>, !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5)>
  %7 = plan.fill %6, 0.0 on [tail] : !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5)> -> !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5), tail = filled(0.0)>
  plan.release %5 : !plan.buffer<i32, none, one, 1, all = defined>
  plan.return %7 : !plan.buffer<bf16, kv, heads_kv, 64, valid = filled(0.5), gap = filled(0.5), tail = filled(0.0)>
}

module attributes {a.before = #plan.state<undefined>, b.after = #plan.state<filled(0x7FF0000000000000)>} {}
// -----
// pipeline: tile-expand-softmax
warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16, swizzled>, %acc: tensor<128x64xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed, %acc : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16, swizzled>, tensor<128x64xf32, #warp.acc> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: tile-expand-softmax
tile.func @a_body() grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %0 = arith.constant 0 : i64
}
// -----
// pipeline: tile-expand-softmax
warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.any %p : tensor<128xf32, #warp.row>
}
// -----
// pipeline: tile-expand-softmax
tile.func @reduced(%x: !tile.buffer<f32, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : <q, 64>
  %0 = tile.load %x[%rows, %head] : <f64, q, heads_q, 64>, <q, 64> -> tensor<64x64xf32>
  %1 = tile.reduce sum %0 : tensor<64x64xf32> -> tensor<64xf32>
  %2 = tile.expand %1 dim = 0 : tensor<64xf32> -> tensor<64x64xf32>
  tile.return
}
// -----
// pipeline: tile-expand-softmax
plan.kernel @k delta of @a schedule <batch = 64, warps = 8> contract []
// -----
// pipeline: tile-expand-softmax
!work = !plan.buffer<f32, q, heads_q, 1>
!work1 = !plan.buffer<f32, q, heads_q, 1, valid = defined>
!tile = !tile.buffer<f32, q, heads_q, 1, packed>
module attributes {weft.q = #attn.side<batch>} {
  plan.kernel @roams forward of @a schedule <rows = 128, columns = 64, warps = 8, mma = "row_q", persistent = true> contract [#plan.operand<"delta", out, [valid]>]
  tile.func @roams_body(%delta: !tile {weft.name = "delta"}) grid <q, 128, heads_q> schedule <rows = 128, columns = 64, warps = 8, mma = warpgroup, persistent = true> {
    tile.return
  }
  plan.kernel @stays delta of @a schedule <rows = 128> contract [#plan.operand<"delta", out, [valid]>]
  tile.func @stays_body(%delta: !tile {weft.name = "delta"}) grid <q, 128, heads_q> schedule <rows = 128> {
    tile.return
  }
  plan.func @multiprocessors() {
    %four = arith.constant 4 : i64
    %c128 = arith.constant 128 : i64
    %rows = %17 rows_q
    %heads = plan.size heads_q
    %batch = plan.size batch
    %seqlen = plan.size seqlen_q
    %sms = plan.size sm_count
    %n = arith.muli %rows, %heads : i64
    %bytes = arith.muli %n, %four : i64
    %tiles = arith.ceildivsi %seqlen, %c128 : i64
    %slots = arith.muli %tiles, %batch : i64
    %points = arith.muli %slots, %heads : i64
    %ctas = arith.minsi %points, %sms : i64
    %0 = plan.reserve "delta" bytes(%bytes) : !work
    %1 = plan.launch @roams grid(%ctas) out(%0 : !work) -> !work1
    %2 = plan.launch @stays grid(%ctas) out(%1 : !work1) -> !work1
    plan.release %2 : !work1
    plan.return
  }
%249
// -----
// pipeline: tile-expand-softmax
plan.func @f(%0: !plan.buffer0i32, none, heads_q, 1>) {}
// -----
// pipeline: tile-expand-softmax
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %15 = plan.fill %0, 0.0 on [gap] : !plan.buffer0x7FC00000f32, q, one, 1> -> !plan.buffer<f32, q, one, 1, gap = filled(1.0)>
  plan.return
}
// -----
// pipeline: tile-expand-softmax
tile.func @a_body(%0: !tile.bufferplan.returnf32, kv, heads_kv, 8> {weft.name = "key"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %head] : !tile.buffer<f32, kv, heads_kv, 8>, !tile.rows<q, 16 -> tensor<16x16xf32>
  tile.return
}
// -----
// pipeline: tile-expand-softmax
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<q, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ringdense<0.0>2, !warp.shared<32, 64, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<q, 32>
}
  warp.return
}
