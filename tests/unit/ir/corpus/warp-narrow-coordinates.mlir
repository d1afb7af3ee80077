// pipeline: warp-narrow-coordinates
attn.forward @causal bf16 head_dim = 128, head_dim_v = 64, head_ratio = 4 q = <batch> kv = <batch, padded> mask {
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
    align = 2 scalar_dout deterministic parameters ["window_left", "softcap"] mask {
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
// pipeline: warp-narrow-coordinates
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 =  sum %acc : tensor<64x32xf32, #warp.acc> -> tensor<32xf32, #warp.column>
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
!work = !plan.buffer<f32, q, heads_q, 2>
plan.func @bytes() {
  template_args = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  plan.release %0 : !work
  plan.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%a: tensor<64xf32, #warp.acc>) grid =q, 64, heads_q> schedule <rows = 64> align = 16 {
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.mma %a, %b, %n : !warp.shared<64, 64, bf16>, <64, 32, bf16> -> tensor<64x32xf32>
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
attn.forward @a bf16 head_dim = 1, head_dim_v = 264, head_ratio = 1 q = <batch> kv = <batch>
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.map(%t) : (tensor<64x64xf32, #warp.acc>) -> tensor<64x32xf32, #warp.acc> {
  ^bb0(%x: f32, %i: i64, %j: i64):
  warp.yield %x : f32
  }
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %0 = warp.map(%row) : (tensor<64xf32, #warp.row>) -> tensor<64xf32, #warp.row> {
  ^bb0(%x: f32):
  warp.yield %c0 : i64
  }
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
%a = arith.constant dense<0.0> : tensor<16x32xbf16>
%b = arith.constant dense<0.0> : tensor<32x16xbf16>
%acc = arith.constant dense<0.5> : tensor<16x16xf32>
%0 = tile.dot %a, %b transposed, %acc : tensor<16x32xbf16>, tensor<32x16xbf16> -> tensor<16x16xf32>
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%a: !f<64, 64, f32>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @whole_tiles(%a: !tile.buffer<f32, q, heads_q, 16> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %tile = tensor.empty() : tensor<64x16xf32, #warp.acc>
  warp.store %tile, %a[%rows, %c0] : tensor<64x16xf32, #warp.acc>, <f32, q, heads_q, 16>, <q, 64>
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @carried(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>,
                   %rows: !tile.rows<q, 128>, %n: i64)
    grid <q, 128, heads_q> schedule <rows = 128, columns = 16, warps = 8, mma = warpgroup> align = 16 {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %limit = arith.constant dense<1024.0> : tensor<128xf32, #warp.row>
  %first = warp.load %x[%rows, %c0] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
  %l0 = warp.reduce sum %first : tensor<128x16xf32, #warp.acc> -> tensor<128xf32, #warp.row>
  %l = scf.for %j = %c0 to %n step %c1 iter_args(%old = %l0) -> (tensor<128xf32, #warp.row>) : i64 {
    %p = warp.load %x[%rows, %j] : <f32, q, heads_q, 16>, <q, 128> -> tensor<128x16xf32, #warp.acc>
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
  warp.store %log, %lse[%rows, %c0] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
  warp.store %l, %lse[%rows, %c1] : tensor<128xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 128>
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, heads = 8, mma = warpgroup> align = 16 {
  warp.roles registers(20, 240) producer {
    %c0 = arith.constant 0 : %c1099511627776_i64
  } consumer {
    %c0 = arith.constant 0 : %c1099511627776_i64
  }
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @body() grid <q, 64, heads_qtrue schedule <rows = 64> align = %259 {
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
"tile.func"() <{sym_name = "a_body", function_type = () -> (), grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> {}) : () -> ()
// -----
// pipeline: warp-narrow-coordinates
attn.forward @attention f16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 32>
    contract [#plan.operand<"query", in, [valid], #plan.operand<"key", in, [valid]>,
              #plan.operand{}"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%p: !warp.pendingplan.returntensor<128xf32, #warp.row>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {

  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : !emitc.ptrq, 64>
  %v = arith.constant dense<0.0> : tensor<64xf32, #warp.column>
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @warps(%x: !tile.buffer<f32, q, heads_q, 16>, %lse: !tile.buffer<f32, q, heads_q, 1>, %rows: !tile.rows<q, 64>)
    grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %p = warp.load %x[%rows, %c0] : !tile.rowsf32, q, heads_q, 16>, <q, 64> -> tensor<64x16xf32, #warp.acc>
  %sum = warp.reduce sum %p : tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
  warp.store %sum, %lse[%rows, %c0] : tensor<64xf32, #warp.row>, <f32, q, heads_q, 1>, <q, 64>
  warp.return
}
// -----
// pipeline: warp-narrow-coordinates
warp.func @body(%a: tensor<64x12xf32, #warp.acc1000000) grid <q, 64, heads_q> schedule <rows = 64> assign = 16 
  warp.return
}
