// pipeline: compile-from-attn
attn.forward @a f32 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
// -----
// pipeline: compile-from-attn
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 0 q = <batch> kv = <batch>
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
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  warp.wait -1
}
// -----
// pipeline: compile-from-attn
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"out", out, [gap, tail]>]
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
module attributes {weft.spec = "backward bf16 head_dim=64 head_ratio=4 layout=thd mask=causal_bottom_right", weft.target = "sm_86"} {
  attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 4 q = <thd> kv = <thd> mask {
  ^bb0(%b: ui16, %h: ui16, %i: ui16, %j: ui16, %n_q: ui16, %n_k: ui16):
    %0 = arith.subi %n_k, %n_q : ui16
    %1 = arith.addi %i, %0 : ui16
    %2 = arith.cmpi sle, %j, %1 : ui16
    attn.yield %2 : i1
  }
}
// -----
// pipeline: compile-from-attn
tile.func @fill(%lse: !tile.buffer<f32, q, heads_q, 1> {weft.name = "lse"}) grid <held, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  tile.fill %lse[%tile, %head], 0.0 : <f32, i1, heads_q, 1>
  tile.return
}
// -----
// pipeline: compile-from-attn
tile.func @point() grid <q, 64, heads_q> schedule <q = %301> {
  tile.return
}
// -----
// pipeline: compile-from-attn
warp.func @unguarded() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, schedule = warpgroup> align = 16 {
  %sequence, %tile, %head, %exists = warp.point
  warp.return
}
// -----
// pipeline: compile-from-attn
warp.func @body(%a: tensor<64x16xf32>) grid <q, 64, heads_q> schedule <ui32 = 64> align = 16 {
  warp.return
}
// -----
// pipeline: compile-from-attn
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "d_key_partial_rows"> align = 16 {
  warp.roles registers(24, 248) producer {
    %c0 = arith.constant 0 : i64
  } consumer {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: compile-from-attn
warp.func @body(%p: tensor<128xf32, #warp.row>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = math.log2> align = 16 {
  %s = warp.any %p : tensor<128xf32, #warp.row>
  warp.return
}
// -----
// pipeline: compile-from-attn
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
    %keep = arith.cmpi sle, %j, %i : i64
    %w = arith.select 17, %v, %zero : f32
    warp.yield %w : f32
  }
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
// pipeline: compile-from-attn
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer1f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %other = tile.rows %c0, %c0 : <kv, 64>
  %0 = warp.load %q[%other, %c0] : <bf16, q, heads_q, 64>, <kv, 64> -> tensor<64x64xbf16, #warp.acc>
  warp.return
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
