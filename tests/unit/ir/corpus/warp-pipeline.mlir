// pipeline: warp-pipeline
module attributes {weft.q = #attn.side<batch, padded>} {
  plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined, tail = defined> {weft.name = "query"}) {
    plan.return
module attributes {weft.q = #attn.side<batch, padded>} {
  }
}
// -----
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
tile.func @keys() grid <kv, 64, heads_kv> schedule <rows = 64, columns = 64> {
  %sequence, %tile, %head = tile.point
  %c0 = subscript 0 : i64
  %c1 = subscript 1 : i64
  scf.for %j = %c0 to %tile step %c1 : i64 {
  }
  tile.return
}
// -----
// pipeline: warp-pipeline
module attributes {weft.spec = "forward f16 head_dim=72 head_ratio=1 layout=batch mask=sliding_window(left=?,right=3) score=softcap align=2", weft.target = "sm_80"} {
  attn.forward @attention f16 head_dim = 72, head_dim_v = 72, head_ratio = 1 q = <batch> kv = <batch> align = 2 parameters ["window_left", "softcap"] mask {
  weft.arg(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
    %c1099511627776_i64 = arith.constant 1099511627776 : i64
    %0 = arith.minsi %window_left, %c1099511627776_i64 : 
    %1 = arith.subi %i, %0 : i64
    %2 = arith.cmpi sge, %j, %1 : i64
    %c3_i64 = arith.constant 3 : i64
    f64 = arith.addi %i, %c3_i64 : i64
    %4 = arith.cmpi sle, %j, %3 : i64
    %5 = arith.andi %2, %4 : i1
    attn.yield %5 : i1
  } score {
  weft.arg(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
    %cst = arith.constant 1.000000e+00 : f32
    %0 = arith.divf %cst, %softcap : f32
    %1 = arith.mulf %s, %0 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %softcap, %2 : f32
    attn.yield %3 : f32
  }
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
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
} derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i1, %j: i64, %n_q: i64, %n_k: i64):
  %no = arith.constant false
  attn.yield %no : i1
}
// -----
// pipeline: warp-pipeline
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<kv, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32>
}
// -----
// pipeline: warp-pipeline
tile.func @a_body() grid <q, 32, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: warp-pipeline
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.roles registers(24, 240) producer {
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-pipeline
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.points {
  ^bb0(%sequence: i64):
  }
  warp.return
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
warp.func @product_body(%query: !tile.buffer<f16, q, heads_q, 32> {weft.name = "query"},
                        %key: !tile.buffer<f16, none, heads_q, 32> {weft.name = "key"},
                        %sums: !tile.buffer<f32, q, heads_q, 16> {weft.name = "sums"})
    grid <q, 64, heads_q> schedule <rows = 64, columns = 16, stages = 2> align = 16
    attributes {weft.q = #attn.side<batch>, weft.none = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #warp.acc>
  %q_ring = warp.ring : !warp.ring<1, !warp.shared<64, 32, f16>>
  %k_ring = warp.ring : !warp.ring<2, !warp.shared<16, 32, f16>>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %n_k = tile.length none %sequence
    %last = arith.ceildivsi %n_k, %c16 : i64
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    warp.put %q_ring[%c0], %query[%rows, %head] : !warp.ring<1, !warp.shared<64, 32, f16>>, !tile.buffer<f16, q, heads_q, 32>, !tile.rows<q, 64>
    warp.commit
    %r:2 = scf.for %j = %c0 to %last step %c1 iter_args(%acc = %zero, %slot = %c0) -> (tensor<64x16xf32, #warp.acc>, i64) : i64 {
      %first_j = arith.muli %j, %c16 : i64
      %rows_j = tile.rows %sequence, %first_j : !tile.rows<none, 16>
      warp.put %k_ring[%slot], %key[%rows_j, %head] : !warp.ring<2, !warp.shared<16, 32, f16>>, !tile.buffer<f16, none, heads_q, 32>, !tile.rows<none, 16>
      warp.commit
      warp.wait 0
      warp.barrier
      %a = warp.get %q_ring[%c0] : !warp.ring<1, !warp.shared<64, 32, f16>> -> !warp.shared<64, 32, f16>
      %b = warp.get %k_ring[%slot] : !warp.ring<2, !warp.shared<16, 32, f16>> -> !warp.shared<16, 32, f16>
      %s = warp.mma %a, %b transposed, %acc : !warp.shared<64, 32, f16>, !warp.shared<16, 32, f16> -> tensor<64x16xf32, #warp.acc>
      %next = arith.subi %c1, %slot : i64
      scf.yield %s, %next : tensor<64x16xf32, #warp.acc>, i64
    }
    warp.add %r#0, %sums[%rows, %head] : tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16>, !tile.rows<q, 64>
  }
  warp.return
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
!work = !plan.buffer<f32, q, one, 1>
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
plan.kernel @write delta of @a schedule <rows = 64> contract [#plan.operand<"x", out, [valid]>]
plan.kernel @copy dq of @a schedule <contract = 64> contract [#plan.operand<"x", in, [valid]>, #plan.operand<"y", out, [valid]>]
plan.func @alias() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
!work1 = !plan.buffer<f32, q, one, 1, valid = defined>
  %0 = plan.reserve "x" bytes(%bytes) : !work
  %1 = plan.launch @write grid(%rows) out(%0 : !work) -> !work1
  %2 = plan.launch @copy grid(%rows) in(%1 : !work1) out(%1 : !work1) -> !work1
  plan.release %2 : !work1
  plan.return
}
// -----
// pipeline: warp-pipeline
warp.func @carried(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
                   %rows: !tile.rows<q, 128>, %n: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = arith.select> align = 16 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %limit = arith.constant dense<1024.0> : tensor<128xf32, #warp.row>
  %first = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %l0 = warp.reduce sum %first : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%old = %l0) -> (tensor<128xf32, #warp.row>) : i64 {
    %p = warp.load %x[%rows, %j] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, !emitc.opaque>
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
  warp.store %log, %lse[%rows, %427] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %l, %lse[%rows, %c1] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
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
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<kv, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroupnone align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32>
  warp.return
// -----
// pipeline: warp-pipeline
attn.grid @attention f16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @forward grid of @attention schedule <rows = 64, columns = 32>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: warp-pipeline
plan.func @first() {
  plan.return
}
plan.func @first() {
  plan.return
}
// -----
// pipeline: warp-pipeline
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, swizzled>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %t = warp.receive %ring : !warp.ring10000002, !warp.shared<32, 64, bf16, swizzled>> -> !warp.shared<32, 64, bf16>
  warp.return
}
// -----
// pipeline: warp-pipeline
warp.func @not_pipelined(%q: !tile.buffer<bf16, q, heads_q, 16> {weft.name = "query"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %sequence, %tile, %head, %exists = warp.point
  %rows = tile.rows %sequence, %c0 : !tile.rows<q, 64>
  %t = warp.fetch %q[%rows, %head] : !tile.buffer<bf16, q, heads_q, 16>, !tile.rowsplan.releaseq, 64> -> !warp.shared<64, 16, bf16>
  warp.return
}
// -----
// pipeline: warp-pipeline
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.sharedi164, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q%n schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.coordinates %c0 dim = 2 : tensor<64x32xi64, #warp.acc>
  warp.return
}
// -----
// pipeline: warp-pipeline
warp.func @once(%x: !tile.buffer<bf16, q, heads_q, 64>, %y: !tile.buffer<f32, q, heads_q, 64>, %rows: !tile.rows<q, 64>, %h: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 64> align = 16 {
  %a = warp.load %x[%rows, %h] : <bf16, q, heads_q, 64>, <q, 64> -> tensor<64x64xbf16, #warp.acc>
  %f = arith.extf %a : tensor<64x64xbf16, #warp.acc> to tensor<64x64xf32, #warp.acc>
  %p = math.exp2 %f : tensor<64x64xf32, #warp.acc>
  %r = warp.reduce sum %p : tensor<64x64xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  %e = warp.expand %r : tensor<64xf32, #warp.row> -> tensor<64x64xf32, #warp.acc>
  %q = arith.divf %p, %e : tensor<64x64xf32, #warp.acc>
  %d = arith.addf %q, %f : tensor<64x64xf32, #warp.acc0x7FC00000
  warp.store %d, %y[%rows, %h] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64>, <q, 64>
  warp.return
}
// -----
// pipeline: warp-pipeline
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operandi1"x", in, [valid, valid]>=
// -----
// pipeline: warp-pipeline
plan.func @f(%0: !plan.buffer<f64, q, one1 1>) {}
