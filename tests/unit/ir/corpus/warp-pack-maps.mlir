// pipeline: warp-pack-maps
tile.func @keys(%0: f32 {weft.name = "speed"}) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: warp-pack-maps
warp.func @body() grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
}
// -----
// pipeline: warp-pack-maps
module attributes {weft.target = "sm_80"} {
  attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
  ^bb0(%s: i32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    attn.yield %s : i32
  }
}
// -----
// pipeline: warp-pack-maps
"tile.func"() <{none = "a_body", function_type = () -> (), grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({}) : () -> ()
// -----
// pipeline: warp-pack-maps
warp.func @body(%p: tensor<128x32xf32, #warp.acc>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.reduce max %p : tensor<128x32xf32, #warp.acc> -> tensor<32xf32, #warp.partial>
  warp.return
}
// -----
// pipeline: warp-pack-maps
warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.combine %p : tensor<128xf32, #warp.row> -> tensor<128xf32, #warp.row>
}
// -----
// pipeline: warp-pack-maps
warp.func @body(%u: !tile.buffer<f32, q, heads_q, 64, uniform>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  warp.fill %u[%c0, %c0], 0.0 : <f32, q, heads_q, 64, uniform>
  warp.return
}
// -----
// pipeline: warp-pack-maps
warp.func @body(%a: !f<?xf32, #warp.column>) grid <q, head_dim_v, heads_q> schedule <rows = 64> align = 16 {
  %117
}
// -----
// pipeline: warp-pack-maps
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
    %out_2, %lse_3 = plan.launch @fill grid(%5) out(%out_0, %lse_1 : !plan.buffer<bf16, q, heads_q, 64, valid = defined>, !plan.buffer<f32, q, heads_q, 1, valid = defined>) -> !out<bf16, q, heads_q, 64, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
    plan.return %out_2, %lse_3 : !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.000000e+00), tail = filled(0.000000e+00)>, !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0xFFF0000000000000), tail = filled(0xFFF0000000000000)>
  }
}
// -----
// pipeline: warp-pack-maps
attn.backward @narrow bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %half = arith.truncf %s : f32 to f16
  %y = arith.extf %half : f16 to f32
}
// -----
// pipeline: warp-pack-maps
"warp.func"() <{sym_name = "body", function_type = () -> f32, grid = #tile.grid<q, 64, heads_q>,
  warp.return
}) : () -> ()
// -----
// pipeline: warp-pack-maps
"warp.func"(for <{sym_name = "body", function_type = (for -> f32, grid = #tile.grid<q, 64, heads_q>,
  warp.return
}for : (for -> (for
// -----
// pipeline: warp-pack-maps
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0:2 = warp.map(%acc) : (tensor<64x32xf32, #warp.acc>) -> !emitc.arraytensor<64x32xf32, #warp.acc>, tensor<64x64xf32, #warp.acc>) {
  ^bb0(%x: f32, %i: i64, %j: i64):
  warp.yield %x, %x : f32, f32
  }
  warp.return
}
// -----
// pipeline: warp-pack-maps
warp.func @body(%q: !tile.buffer9223372036854775807bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 48, bf16>
  warp.return
}
// -----
// pipeline: warp-pack-maps
warp.func @no_name(%scale: f32)
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side1000000batch>, weft.kv = #attn.side<batch>} {
  warp.return
}
