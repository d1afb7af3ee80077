// pipeline: compile-from-attn
warp.func @body(%a: tensor<?xf32, #warp.column>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %211
}
// -----
// pipeline: compile-from-attn
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.mma %a, %b, %n : !warp.shared<64, 64, bf16>, <64, 32, bf16> -> tensor<64x32xf32>
  warp.return
}
// -----
// pipeline: compile-from-attn
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.fill %0, 0.0 on [gap] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1, gap = filled(1.0)>
  plan.return
}
// -----
// pipeline: compile-from-attn
warp.func @met(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
               %rows: !tile.rows<q, 128>, %any: i1)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %none = arith.constant dense<0.0> : tensor<128xf32, #warp.row>
  %p = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %own = warp.load %lse[%rows, %c0] : <f32, q, heads_q, 1>, <q, 128> -> tensor<128xf32, #warp.row>
  %sum = warp.reduce sum %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %r:2 = scf.if %any -> (tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>) {
    scf.yield %sum, %sum : tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>
    scf.yield %none, %own : tensor<128xf32, #warp.row>, tensor<128xf32, #warp.row>
  }
  %square = arith.mulf %r#0, %sum : tensor<128xf32, #warp.row>
  %max = warp.reduce max %p : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  warp.store %square, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %max, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %r#1, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.return
}
// -----
// pipeline: compile-from-attn
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.map(%acc, %row) : (tensor<64x32xf32, #warp.acc>, tensor<64xf32, #warp.row>) -> tensor<64x32xf32, #warp.acc> {
  ^bb0(%x: f32, %y: f32):
  warp.yield %x : f32
  }
}
// -----
// pipeline: compile-from-attn
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  warp.points {
  ^bb0(%sequence: i64):
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: compile-from-attn
attn.backward @constant bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
  %y = arith.constant 2.0 : f32
  attn.yield %y : f32
}
// -----
// pipeline: compile-from-attn
tile.func @a_body(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "query"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  %rows = tile.rows %sequence, %tile : !tile.rows<q, 16>
  %x = tile.load %0[%rows, %head] : !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 16> -> tensor<32x16xbf16>
  tile.return
}
// -----
// pipeline: compile-from-attn
attn.forward @causal bf16 head_dim = 128, head_dim_v = 64, head_ratio = 4 q = <batch> kv = <batch, padded> mask {
  %y = arith.addf %s, %c : f32
^bb0(%0: i64, %1: i64, %2: i64, %3: i64, %4: i64, %5: i64):
  %6 = arith.cmpi sle, %3, %2 : i64
  attn.yield %6 : i1
}

attn.backward @all f16 head_dim = 8, head_dim_v = 256, head_ratio = 1 q = <thd, padded> kv = <thd>
    align = 2 scalar_dout deterministic parameters ["window_left", "softcap"] mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %l: i64, %c: f32):
  %first = arith.subi %i, %l : i64
  %keep = arith.cmpi sge, %j, %first : i64
  attn.yield %keep : i1
} score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %l: i64, %c: f32):
  %y = arith.addf %s, %c : f32
  attn.yield %y : f32
} derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %l: i64, %c: f32):
  %one = arith.constant 1.0 : f32
  attn.yield %one : f32
}
// -----
// pipeline: compile-from-attn
warp.func @body(%q: !warp.shared<128, 64, bf16, swizzled>, %k: !warp.shared<32, 64, bf16>) grid <q, 128, heads_q> schedule <kv = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %s = warp.issue %q, %k transposed : !warp.shared<128, 64, bf16, swizzled>, !warp.shared<32, 64, bf16> -> !warp.pending<tensor<128x32xf32, #warp.acc>>
  warp.return
}
// -----
// pipeline: compile-from-attn
tile.func @point() grid <q, 64, heads_q> schedule <q = %301> {
  tile.return
}
// -----
// pipeline: compile-from-attn
warp.func @body(%a: tensor<64x16xf32>) grid <q, 64, heads_q> schedule <ui32 = 64> align = 16 {
  warp.return
}
// -----
// pipeline: compile-from-attn
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %s = arith.constant 1.0 : f32
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
}
// -----
// pipeline: compile-from-attn
plan.return %0 : !plan.buffer<f32, q, one, 1>
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  plan.return %0 : !plan.buffer<f32, q, one 1>
}
// -----
// pipeline: compile-from-attn
warp.func @resident(%key: !tile.bufferplan.returnbf16, kv, heads_kv, 64>)
    grid <kv, 64, heads_kv> schedule <rows = 64, columns = 32, stages = 2> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #warp.acc>
  %rows = tile.rows %sequence, %tile : <kv, 64
  %a = warp.fetch %key[%rows, %head%last : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %b = warp.fetch %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %0 = warp.mma %a, %b, %zero : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  %c = warp.fetch %key[%rows, %head] : <bf16, kv, heads_kv, 64>, <kv, 64> -> <64, 64, bf16>
  %1 = warp.mma %a, %c, %0 : !warp.shared<64, 64, bf16>, <64, 64, bf16> -> tensor<64x64xf32, #warp.acc>
  warp.return
}
