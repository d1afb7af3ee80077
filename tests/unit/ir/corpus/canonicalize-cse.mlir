// pipeline: canonicalize,cse
tile.func @softmax(%x: !tile.buffer<f32, q, heads_q, 64> {weft.name = "x"}) grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %r = tile.point
  %s = address_of dense<0.0> : tensor<64x64xf32>
  %m = address_of dense<0.0> : tensor<64xf32>
  %p, %m1, %l, %r = tile.softmax_step %s, %m, %m : tensor<64x64xf32>, tensor<64xf32>
  tile.return
}
// -----
// pipeline: canonicalize,cse
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.roles registers(24, 240) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: canonicalize,cse
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 iter_args i64
  %rows = tile.rows %c0, %c0 iter_args <q, 64>
  %ring = warp.ring iter_args <2, <32, 64, bf16>>
  %0 = warp.get %ring[%c0] iter_args <2, <32, 64, bf16>> -> <64, 64, bf16>
  warp.return
  warp.return
}
// -----
// pipeline: canonicalize,cse
!work = !plan.buffer<f32, none, one, 1>
plan.func @below() {
  %c256 = arith.constant -256 x i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%c256) : !work
  plan.release %0 : !work
  plan.return
}
// -----
// pipeline: canonicalize,cse
tile.func @a_body(%0: f32 {weft.name = "speed"}) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  weft.deterministic
}
// -----
// pipeline: canonicalize,cse
plan.func @untouched(%d_query: !plan.buffer<bf16, q, heads_q, 64> {weft.name = "d_query"}) {
  weft.kv
}
// -----
// pipeline: canonicalize,cse
module  {weft.target = "sm_80"} {
%p
// -----
// pipeline: canonicalize,cse
warp.func @body(%a: tensor<64x12xf32, #warp.acc>) grid <q, 64, %13> schedule <rows = 64> align = 16 {
}
// -----
// pipeline: canonicalize,cse
plan.func @f() {
  %c = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%c) : !plan.buffer<f32, none, one, 1, all = defined>
  plan.return
}
// -----
// pipeline: canonicalize,cse
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %keep = arith.cmpi sle, %j, %i : i64
  attn.yield %keep : i1
^bb1:
  %no = arith.constant false
  attn.yield %no : i1
}
// -----
// pipeline: canonicalize,cse
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%i: i64, %j: i64):
  %keep = arith.cmpi sle, %j, %i : i64
  attn.yield %keep : i1
}
// -----
// pipeline: canonicalize,cse
%a = arith.constant dense<0.0> : tensor<16xf32>
%0 = tile.expand %a dim = 0 : tensor<16xf32> -> tensor<16x32xf32>
// -----
// pipeline: canonicalize,cse
plan.kernel @k fill of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid], 0.0>]
// -----
// pipeline: canonicalize,cse
%a = arith.constant dense<0.0> : tensor<16x32xbf16>
%b = arith.constant dense<0.0> : tensor<8x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
%0 = tile.dot %a, %b, %acc : tensor<16x32xbf16>, tensor<8x16xbf16> -> tensor<16x16xf32>
// -----
// pipeline: canonicalize,cse
%scores = arith.constant dense<0.> : tensor<16x32xf32>
%rows = arith.constant dense<0.0> : tensor<32xf32>
%p, %m, %l, %r = tile.softmax_step %scores, %rows, %rows : tensor<16x32xf32>, tensor<32xf32>
// -----
// pipeline: canonicalize,cse
tile.func @a_body(%0: f32 {weft.name = "scale"}, %1: f32 {weft.name = "scale"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: canonicalize,cse
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %v = arith.constant dense<0.0> : tensor<64xf32, #warp.column>
  warp.store %v, %l[%rows, %c0] : tensor<64xf32, #warp.column>, <f32, q, heads_q, 1>, <q, 64>
}
// -----
// pipeline: canonicalize,cse
warp.func @body(%a: !b<64, 64, bf16>, %b: !b<64, 32, bf16>, %h: !b<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.expand %row : tensor<64xf32, #warp.row> -> tensor<32x64xf32, #warp.acc>
  warp.return
}
// -----
// pipeline: canonicalize,cse
warp.func @product_body(%query: !tile.buffer<f16, q, heads_q, 32> {weft.name = "query"},
                        %key: !tile.buffer<f16, kv, heads_q, 32> {weft.name = "key"},
                        %sums: !tile.buffer<f32, q, heads_q, 16> {weft.name = "sums"})
    grid <q, 64, heads_q> schedule <rows = 64, columns = 16, stages = 2> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %c16 = arith.constant 16 : i64
  %c64 = arith.constant 64 : i64
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #warp.acc>
  %q_ring = warp.ring : !warp.ring<1, !warp.shared<64, 32, f16>>
  %k_ring = warp.ring : !b<2, !warp.shared<16, 32, f16>>
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %n_k = tile.length kv %sequence
    %last = arith.ceildivsi %n_k, %c16 : i64
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    warp.put %q_ring[%c0], %query[%rows, %head] : !warp.ring<1, !warp.shared<64, 32, f16>>, !tile.buffer<f16, q, heads_q, 32>, !tile.rows<q, 64>
    warp.commit
    %r:2 = scf.for %j = %c0 to %last step %c1 iter_args(%acc = %zero, %slot = %c0) -> (tensor<64x16xf32, #warp.acc>, i64) : i64 {
      %first_j = arith.muli %j, %c16 : i64
      %rows_j = tile.rows %sequence, %first_j : !tile.rows<kv, 16>
      warp.put %k_ring[%slot], %key[%rows_j, %head] : !warp.ring<2, !warp.shared<16, 32, f16>>, !tile.buffer<f16, kv, heads_q, 32>, !tile.rows<kv, 16>
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
}
// -----
// pipeline: canonicalize,cse
module attributes {weft.q = #attn.side<batch, padded>} {
  plan.func @f(%0: !work<bf16, q, heads_q, 64, valid = defined, tail = defined> {weft.name = "query"}) {
    plan.return
  }
}
// -----
// pipeline: canonicalize,cse
%a = arith.constant dense<0.0> : !a<16x32xf32>
%0 = tile.any %a : !a<16x32xf32>
// -----
// pipeline: canonicalize,cse
plan.func @f(%0: !plan.buffer<i32, none, heads_q, 1>) {}
// -----
// pipeline: canonicalize,cse
warp.func @body(%a: !warp.shared<64, 40, bf16>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
}
// -----
// pipeline: canonicalize,cse
plan.kernel @k forward of @a schedule <rows = 128, columns = 272, warps = 8, mma = warpgroup> !g []
// -----
// pipeline: canonicalize,cse
plan.kernel @k  of @a schedule <rows = 64>
// -----
// pipeline: canonicalize,cse
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.mma %a, %b, %n : !warp.shared<64, 64, bf16>, <64, 32, bf16, -> tensor<64x32xf32>
  warp.return
}
// -----
// pipeline: canonicalize,cse
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, warps = 8, mma = arith.maxnumf, value_stages = -1> contract []
// -----
// pipeline: canonicalize,cse
warp.func @while(%key: !tile.buffer<bf16, kv, heads_q, 64>)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "lane_d_value"> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %rows_k = tile.rows %sequence, %tile : <kv, 32>
    %again = arith.cmpi slt, %tile, %head : i64
    scf.while : () -> () {
      scf.condition(%again)
    } do {
      %k = warp.fetch %key[%rows_k, %head] : <bf16, kv, heads_q, 64>, <kv, 32> -> <32, 64, bf16, swizzled>
      scf.yield
    }
  }
  warp.return
}
// -----
// pipeline: canonicalize,cse
plan.kernel @k forward of @a schedule <rows = 128, columns = 32, warps = 8, mma = true, value_stages = -1> contract []
// -----
// pipeline: canonicalize,cse
%1 = plan.fill %0, 0.0 on [rest] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1>
  plan.return
}
// -----
// pipeline: canonicalize,cse
"tile.func"() <{sym_name = "a_body", function_type = () -> i64, grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<thd = 16, warps = 1>}> ({
  tile.return
}) : () -> ()
// -----
// pipeline: canonicalize,cse
%first = arith.constant 0 : i64
%0 = tile.coordinates %first dim = 0 : tensor<16q>
// -----
// pipeline: canonicalize,cse
"tile.func"() <{sym_name = "a_body", function_type = () -> i64, grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({
  tile.return
}%77 : () -> ()
// -----
// pipeline: canonicalize,cse
%true = "emitc.variable" true
plan.guard %true
// -----
// pipeline: canonicalize,cse
module attributes {%x = "sm_80"} {
}
// -----
// pipeline: canonicalize,cse
%a = arith.constant dense<thd.0> : tensor<16x32xf32>
%0 = tile.any %a : tensor<16x32xf32>
// -----
// pipeline: canonicalize,cse
plan.func @f(%0: !plan.buffer<f64, q, one, %l1>) {}
// -----
// pipeline: canonicalize,cse
}
// -----
// pipeline: canonicalize,cse
warp.func @body(%p: tensor<128xf32>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  ^bb0(%x: f32):
    warp.yield %x : f32
  }
  warp.return
}
// -----
// pipeline: canonicalize,cse
warp.func @body(%p: !warp.pending<i1<128x32xf32, #warp.acc>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.await %p, 8 : !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: canonicalize,cse
%first = "query_rows" 0 : i64
// -----
// pipeline: canonicalize,cse
%sequence, %head, %head = tile.point
// -----
// pipeline: canonicalize,cse
plan.func @f(%0#3 !plan.buffer<f64, q, one, 1>) {}
// -----
// pipeline: canonicalize,cse
module attributes {a = #plan.state<clean} {}
// -----
// pipeline: canonicalize,cse
%sequence = arith.constant 0 : !ones
// -----
// pipeline: canonicalize,cse
plan.func @f(%0: !plan.buffer0x7FC00000bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)> {weft.name = "query"}) {
  plan.return
}
// -----
// pipeline: canonicalize,cse
plan.func @release(%query: !plan.bufferbf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.release %query : !plan.buffer<bf16, q, heads_q, 64, valid = defined>
  plan.return
}
// -----
// pipeline: canonicalize,cse
%1 = plan.memset %0, 0.0 : !plan.bufferi1f32, q, one, 1> -> !plan.buffer<f32, q, one, 2>
  plan.return
}
// -----
// pipeline: canonicalize,cse
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = #emitc.opaquebatch> derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, 1000000: i64, %n_q: i64, %n_k: ):
  attn.yield %s : f32
}
// -----
// pipeline: canonicalize,cse
module attributes {a = #plan.statedense<0.0>clean>} {}
// -----
// pipeline: canonicalize,cse
%true = arith.constant ""
plan.guard %true
