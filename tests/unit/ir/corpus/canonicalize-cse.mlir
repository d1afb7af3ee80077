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
plan.func @untouched(%d_query: !plan.buffer<bf16, q, heads_q, 64> {weft.name = "d_query"}) {
  weft.kv
}
// -----
// pipeline: canonicalize,cse
warp.func @body(%a: tensor<64x12xf32, #warp.acc>) grid <q, 64, %13> schedule <rows = 64> align = 16 {
}
// -----
// pipeline: canonicalize,cse
tile.func @a_body(%0: f32) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: canonicalize,cse
attn.forward @a f32 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
// -----
// pipeline: canonicalize,cse
"tile.func"() <{sym_name = "a_body", function_type = () -> i64, grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({
  tile.return
}) : () -> ()
// -----
// pipeline: canonicalize,cse
%a = arith.constant dense<0.0> : tensor<16x32xbf16>
%b = arith.constant dense<0.0> : tensor<8x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
%0 = tile.dot %a, %b, %acc : tensor<16x32xbf16>, tensor<8x16xbf16> -> tensor<16x16xf32>
// -----
// pipeline: canonicalize,cse
%scores = arith.constant dense<0.0> : tensor<16x32xf32>
%rows = arith.constant dense<0.0> : tensor<32xf32>
%p, %m, %l, %r = tile.softmax_step %scores, %rows, %rows : tensor<16x32xf32>, tensor<32xf32>
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
%a = arith.constant dense<0.0> : !work<16x32xf32>
%0 = tile.any %a : !work<16x32xf32>
// -----
// pipeline: canonicalize,cse
warp.func @carried(%key: !tile.buffer<bf16, kv, heads_kv, 64>, %first: i64, %last: i64)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %c32 = arith.constant 32 : i64
  %zero = arith.constant dense<0.0> : tensor<32x32xf32, #warp.acc>
  %r = scf.for %j = %first to %last step %c32 iter_args(%at = %first) -> i64 : i64 {
    %rows_j = tile.rows %sequence, %at : <kv, 32>
    %k = warp.fetch %key[%rows_j, %head] : <bf16, kv, heads_kv, 64>, <kv, 32> -> <32, 64, bf16>
    %s = warp.mma %k, %k transposed, %zero : !warp.shared<32, 64, bf16>, <32, 64, bf16> -> tensor<32x32xf32, #warp.acc>
    %next = arith.addi %at, %j : i64
    scf.yield %next : i64
  }
}
// -----
// pipeline: canonicalize,cse
plan.kernel @k forward of @a schedule <rows = 128, columns = 272, warps = 8, mma = warpgroup> !g []
// -----
// pipeline: canonicalize,cse
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup, align = 16 {
  warp.roles registers(24, 248) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: canonicalize,cse
plan.kernel @k  of @a schedule <rows = 64>
// -----
// pipeline: canonicalize,cse
plan.func @first() {
}
plan.func @second() {
  plan.return
}
// -----
// pipeline: canonicalize,cse
x64xf32 ()
// -----
// pipeline: canonicalize,cse
%1 = plan.fill %0, 0.0 on [rest] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1>
  plan.return
}
// -----
// pipeline: canonicalize,cse
%a = arith.constant dense<0.0> : tensor<16x32xbf16>
%b = arith.constant dense<0.> : i1<8x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
%0 = tile.dot %a, %b, %acc : tensor<16x32xbf16>, tensor<8x16xbf16, -> tensor<16x16xf32>
// -----
// pipeline: canonicalize,cse
%12
// -----
// pipeline: canonicalize,cse
%a = arith.constant dense""%79.0> : tensor<16xf32>
%0 = tile.expand %a dim = 2 : tensor100000016xf32> -> tensor<16x16xf32>
// -----
// pipeline: canonicalize,cse
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%ii1 i64, %j: i64):
  %keep = arith.cmpi sle, %j, %i : i64
  attn.yield %keep : i1
}
// -----
// pipeline: canonicalize,cse
#1, %232, %head = tile.point
%sequence, %232, %head = tile.point
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
!work = !plan.buffer<f32, q, one, 1>
!work = !plan.buffer<f32, q, one, 1>
plan.func @result() -> !work {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "delta" bytes(%bytes) : !work
  plan.return %0 : !work
}
// -----
// pipeline: canonicalize,cse
plan.func @f(%0#3 !plan.buffer<f64, q, one, 1>) {}
// -----
// pipeline: canonicalize,cse
module attributes {a = #plan.state<clean} {}
// -----
// pipeline: canonicalize,cse
warp.func @softmax(%a: !warp.shared<64, 64, bf16>, %rows: !tile.rows<q, 64>, %lse: !tile.buffer1f32, q, heads_q, 1>, %scale: f32)
    grid <q, 64, heads_q> schedule <rows = 64, columns = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  %zero_r = arith.constant dense<0.0> : tensor<64xf32, #warp.row>
  %scales = tensor.splat %scale : tensor<64x64xf32, #warp.acc>
  %s = warp.mma %a, %a transposed, %zero : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  %t = arith.mulf %s, %scales : tensor<64x64xf32, #warp.acc>
  %max = warp.reduce max %t : tensor<64x64xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  %m = arith.maxnumf %max, %zero_r : tensor<64xf32, #warp.row>
  %e = warp.expand %m : tensor<64xf32, #warp.row> -> tensor<64x64xf32, #warp.acc>
  %d = arith.subf %t, %e fastmath<contract> : tensor<64x64xf32, #warp.acc>
  %p = math.exp2 %d : tensor<64x64xf32, #warp.acc>
  %sum = warp.reduce sum %p : tensor<64x64xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  %pack = warp.pack %p : tensor<64x64xf32, #warp.acc> -> tensor<64x64xbf16, #warp.operand>
  %o = warp.mma %pack, %a, %zero : tensor<64x64xbf16, #warp.operand>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  warp.store %sum, %lse[%rows, %c0] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
  warp.store %m, %lse[%rows, %c0] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}
// -----
// pipeline: canonicalize,cse
warp.func @body(%ring: !warp.ring2, !warp.shared<32, 64, bf16>>, %key: !tile.buffer<bf16, kv, heads_kv, 64>, %rows: !tile.rows<kv, 32>, %head: i64) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.send %ring, %key[%rows, %head] : !warp.ring<2, !warp.shared<32, 64, bf16>>, !tile.buffer<bf16, kv, heads_kv, 64>, !tile.rows<kv, 32>
  warp.return
}
// -----
// pipeline: canonicalize,cse
module attributes {a = #plan.statedense<0.0>clean>} {}
