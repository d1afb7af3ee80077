// pipeline: warp-pipeline
warp.func @ops(%query: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"},
               %lse: !tile.buffer<f32, q, heads_q, 1>,
               %sums: !tile.buffer<f32, q, heads_q, 64, packed>,
               %scale: f32)
    grid <q, 64, heads_q> descending schedule <rows = 64, columns = 32, warps = 4, stages = 2> align = 16
    attributes {weft.note = 1 : i64} {
  %c0 = arith.constant 0 : i64
  %ring = warp.ring : <2, <64, 64, bf16>>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows = tile.rows %sequence, %c0 : <q, 64>
    %a = warp.fetch %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, bf16>
    warp.put %ring[%c0], %query[%rows, %head] : <2, <64, 64, bf16>>, <bf16, q, heads_q, 64>, <q, 64>
    warp.commit
    warp.wait 1
    warp.barrier
    %b = warp.get %ring[%c0] : <2, <64, 64, bf16>> -> <64, 64, bf16>
    %0 = warp.load %query[%rows, %head] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16, #warp.acc>
    %1 = warp.load %lse[%rows, %head] pad 0x7FF0000000000000 : <f32, q, heads_q, 1>, <q, 64> -> tensor<64xf32, #warp.column>
    %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
    %2 = warp.mma %a, %b transposed, %zero : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
    %3 = warp.pack %2 : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
    %4 = warp.mma %3, %b, %2 : tensor<64x64xbf16, #warp.operand>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
    %5 = warp.reduce max %4 : tensor<64x64xf32, #warp.acc> -> tensor<64xf32, #warp.row>
    %6 = warp.expand %1 : tensor<64xf32, #warp.column> -> tensor<64x64xf32, #warp.acc>
    %7 = warp.coordinates %c0 dim = 1 : tensor<64x64xi64, #warp.acc>
    %8 = warp.map(%4, %5) : (tensor<64x64xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x64xf32, #warp.acc> {
    ^bb0(%x: f32, %y: f32, %row: i64, %column: i64):
      %d = arith.subf %x, %y : f32
      %e = arith.mulf %d, %scale : f32
      warp.yield %e : f32
    }
    warp.store %5, %lse[%rows, %head] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
    warp.add %8, %sums[%rows, %head] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64, packed>, <q, 64>
    warp.fill %lse[%c0, %head], 0xFFF0000000000000 : <f32, q, heads_q, 1>
  }
  warp.return
}


warp.func @roles(%key: !tile.buffer<bf16, kv, heads_kv, 64>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, stages = 2, mma = warpgroup, value_stages = 3, persistent = true> align = 16 {
  %ring = warp.ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>
  %query = warp.ring : !warp.ring<1, !warp.shared<128, 64, bf16, swizzled>>
  warp.roles registers(24, 240) producer {
    warp.points balanced {
    ^bb0(%sequence: i64, %tile: i64, %head: i64):
      %rows = tile.rows %sequence, %tile : !tile.rows<kv, 32>
      warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32>
    }
  } consumer {
    warp.points {
    ^bb0(%sequence: i64, %tile: i64, %head: i64):
      %q = warp.receive %query : !warp.ring<1, !warp.shared<128, 64, bf16, swizzled>> -> !warp.shared<128, 64, bf16, swizzled>
      parameters = warp.receive %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16, swizzled>
      %s = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16, swizzled> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
      %t = warp.await %s, 0 : !warp.pending<tensor<128x32xf32, #warp.acc>>
      warp.clear_rows %71, %tile : !warp.shared<32, 64, bf16, swizzled>
      %m:2 = warp.map(%t) : (tensor<128x32xf32, #warp.acc>) -> (tensor<128x32xbf16, #warp.operand>, tensor<128xf32, #warp.partial>) {
      ^bb0(%x: f32, %row: i64, %column: i64):
        %r = arith.truncf %x : f32 to bf16
        warp.yield %r, %x : bf16, f32
      }
      %zero = arith.constant dense<0.0> : tensor<128x64xf32, #warp.acc>
      %done = warp.settled %zero : tensor<128x64xf32, #warp.acc>
      %o = warp.issue %m#0, %k, %done : tensor<128x32xbf16, #warp.operand>, !warp.shared<32, 64, bf16, swizzled>, !warp.pending<tensor<128x64xf32, #warp.acc>> -> !warp.pending<tensor<128x64xf32, #warp.acc>>
      %sum = warp.combine %m#1 : tensor<128xf32, #warp.partial> -> tensor<128xf32, #warp.row>
      %spread = warp.expand %sum : tensor<128xf32, #warp.row> -> tensor<128xf32, #warp.partial>
      %large = arith.cmpf ogt, %m#1, %spread : tensor<128xf32, #warp.partial>
      %any = warp.any %large : tensor<128xi1, #warp.partial>
      %acc = warp.await %o, 0 : !warp.pending<tensor<128x64xf32, #warp.acc>>
      warp.consumed %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>
      warp.consumed %query : !warp.ring<1, !warp.shared<128, 64, bf16, swizzled>>
    }
  }
  warp.return
}
// -----
// pipeline: warp-pipeline
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.roles registers(24, 240) producer {
    weft.q = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-pipeline
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %t = warp.receive %ring : !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16>
  warp.return
}
// -----
// pipeline: warp-pipeline
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  tile.fill %0[%tile, %head], 0. : !tile.buffer<bf16, q, heads_q, 8>
  tile.return
}
// -----
// pipeline: warp-pipeline
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.roles registers(24, 240) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-pipeline
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %n = plan.size batch
  plan.launch @k grid(%n) in(%0 : !plan.buffer<f32, q, one, 1>)
  plan.return
}
// -----
// pipeline: warp-pipeline
!out = !plan.buffer<f32, q, heads_q, 64>
!out1 = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
plan.func @alone(%d_query: !out {weft.name = "d_query"}) -> i32 {
  %0 = plan.fill %d_query, 0.0 on [valid] : !out -> !out1
  plan.return %0 : !out1
}
// -----
// pipeline: warp-pipeline
tile.func @a_body(%0: !out1<f32, kv, heads_kv, 8> {weft.name = "key"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %head] : !out1<f32, kv, heads_kv, 8>, !tile.rows<q, 16> -> tensor<16x16xf32>
  tile.return
}
// -----
// pipeline: warp-pipeline
plan.func @f(%0: !plan.buffer<f32, q, one, 0>) }
// -----
// pipeline: warp-pipeline
plan.func @f(%0: !plan.buffer<i32, none, one, 1, valid = defined>) }
// -----
// pipeline: warp-pipeline
warp.func @resident(%key: !tile.buffer<bf16, kv, heads_kv, 64>)
    grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  %rows = tile.rows %sequence, %tile : <kv, 64>
  %a = warp.fetch %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %b = warp.fetch %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %0 = warp.mma %a, %b, %zero : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  %c = warp.fetch %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %1 = warp.mma %a, %c, %0 : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
}
// -----
// pipeline: warp-pipeline
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroupdense<0.0> align = 16 {
  warp.points {
  ^bb0(%sequence: i64):
  ^bb0(%sequence: i64):
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-pipeline
warp.func @mask(%in: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "in"},
                %i0: i64 {weft.name = "window_left"}, %j0: i64 {weft.name = "window_right"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %zero = arith.constant 0.0 : f32
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  %rows = tile.rows %sequence, %c64 : !tile.rows<q, 64>
  %x = warp.load %in[%rows, %head] : !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64> -> tensor<64x16xf32, #warp.acc>
  %y = warp.map(%x) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
  ^bb0(%v: f32, %row: i64, %column: i64):
    %j = arith.addi %j0, %column : i64
    %i = arith.addi %i0, %row : i64
  warp.add %z, %in[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
    %keep = arith.cmpi sle, %j, %i : i64
    %w = arith.select , %v, %zero : f32
    warp.yield %w : f32
  %z = warp.map(%y) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
  ^bb0(%v: f32, %row: i64, %column: i64):
    %p = arith.muli %row, %column : i64
    %keep = arith.cmpi sle, %p, %i0 : i64
    %w = arith.select %keep, %v, %zero : f32
    warp.yield %w : f32
  }
  warp.add %z, %in[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
  warp.return
}
// -----
// pipeline: warp-pipeline
attn.forward @attention f16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 32>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand1000000"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: warp-pipeline
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operandi1"x", in, [valid, valid]>=
// -----
// pipeline: warp-pipeline
plan.func @f(%0: !plan.buffer<f64, q, one1 1>) {}
