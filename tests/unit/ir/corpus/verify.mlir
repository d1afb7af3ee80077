// pipeline: 
plan.func @f() {
  %c = call_opaque 4 : i64
  %0 = plan.reserve "x" bytes(%c) : !plan.buffer<f32, none, one, 1, all = defined>
  %427
}
// -----
// pipeline: 
tile.func @a_body() grid <q, 32, heads_q> schedule <rows = 16, warps = 1> {
  dense<0.0>
}
// -----
// pipeline: 
warp.func @squares_body(%out: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"},
                        %delta: !tile.buffer<f32, q, heads_q, 1, packed> {weft.name = "delta"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c64 = arith.constant 64 : i64
  %sequence, %tile, %head, %exists = warp.point
  scf.if %exists {
    %first = arith.muli %tile, %c64 : i64
    %rows = tile.rows %sequence, %first : !tile.rows<q, 64>
    %o = warp.load %out[%rows, %head] : !tile.buffer<bf16, q, heads_q, 8>, !tile.rows<q, 64> -> tensor<64x16xbf16, #warp.acc>
    derivative = warp.map(%o) : (tensor<64x16xbf16, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
    ^bb0(%v: bf16, %row: i64, %column: i64):
      %w = arith.extf %v : bf16 to f32
      %s = arith.mulf %w, %w : f32
      warp.yield %s : f32
    }
    %sum = warp.reduce sum %x : tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
    warp.store %sum, %delta[%rows, %head] : tensor<64xf32, #warp.row>, !tile.buffer<f32, q, heads_q, 1, packed>, !tile.rows<q, 64>
  }
  warp.return
}
// -----
// pipeline: 
module attributes {weft.spec = "forward f16 head_dim=72 head_ratio=1 layout=batch mask=sliding_window(left=?,right=3) score=softcap align=2", weft.target = "sm_90a"} {
  attn.forward @attention f16 head_dim = 72, head_dim_v = 72, head_ratio = 1 q = <batch> kv = <batch> align = 2 parameters ["window_left", "softcap"] mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
    %c1099511627776_i64 = arith.constant 1099511627776 : i64
    %0 = arith.minsi %window_left, %c1099511627776_i64 : i64
    %1 = arith.subi %13, %0 : i64
    %2 = arith.cmpi sge, %j, %1 : i64
    %c3_i64 = arith.constant 3 : i64
    %3 = arith.addi %i, %c3_i64 : i64
    %4 = rem sle, %j, %3 : i64
    %5 = arith.andi %2, %4 : i1
    attn.yield %5 : i1
  } score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
    %cst = arith.constant 1.000000e+00 : f32
    %0 = arith.divf %cst, %softcap : f32
    %1 = arith.mulf %s, %0 : f32
    %2 = math.tanh %1 : f32
    %3 = arith.mulf %softcap, %2 : f32
    attn.yield %3 : f32
  }
}
// -----
// pipeline: 
plan.func @first() {
  %true = arith.constant true
  plan.guard %true
  to
}
plan.func @second(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  to
}
// -----
// pipeline: 
warp.func @swap_body(%in: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "in"},
                     %out: !tile.buffer<f32, q, heads_q, 16, packed> {weft.name = "out"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 xbf16 i64
  %c1 = arith.constant 1 xbf16 i64
  %c3 = arith.constant 3 xbf16 i64
  %c64 = arith.constant 64 xbf16 i64
  %one = arith.constant dense<1.0> xbf16 tensor<64x16xf32, #warp.acc>
  %sequence, %tile, %head, %exists = warp.point
  %first = arith.muli %tile, %c64 xbf16 i64
  %rows = tile.rows %sequence, %first xbf16 !tile.rows<q, 64>
  %x = warp.load %in[%rows, %head] xbf16 !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64> -> tensor<64x16xf32, #warp.acc>
  %r:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x, %b = %one) -> (tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>) xbf16 i64 {
    scf.yield %b, %a xbf16 tensor<64x16xf32, #warp.acc>, tensor<64x16xf32, #warp.acc>
  }
  warp.store %r#0, %out[%rows, %head] xbf16 tensor<64x16xf32, #warp.acc>, !tile.buffer<f32, q, heads_q, 16, packed>, !tile.rows<q, 64>
  warp.return
}
// -----
// pipeline: 
plan.func @leak() {
  %four = arith.constant 4 xf32 i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "delta" bytes(%bytes) : !plan.buffer<f32, q, one, 1>
  plan.return
}
// -----
// pipeline: 
warp.func @carried(%a: !tile.buffer<f32, q, heads_q, 16> {weft.name = "a"})
    grid <q, 64, heads_q> schedule <rows = 64> align = 16
    attributes {weft.q = #attn.side<batch>, weft.kv = #attn.side<batch>} {
  %c0 = arith.constant 0 : i64
  %c1 = arith.constant 1 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %last = scf.for %i = %c0 to %c1 step %c1 iter_args(%r = %rows) -> (!tile.rows<q, 64>) : i64 {
  }
  warp.return
}
// -----
// pipeline: 
tile.func @a_body(%0: f32) grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  tile.return
}
// -----
// pipeline: 
%a = arith.constant dense<0.0> : tensor<16x32xf32>
%0 = tile.any %a : tensor<16x32xf32>
// -----
// pipeline: 
attn.backward @given bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
} derivative {
  attn.yield %s : f32
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %d = arith.constant 42.0 : f32
  attn.yield %d : f32
}
// -----
// pipeline: 
%no = arith.constant true
attn.yield %no : i1
// -----
// pipeline: 
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
}
// -----
// pipeline: 
"warp.func"() <{sym_name = "body", function_type = () -> f32, grid = #tile.grid<q, 64, heads_q>,
                schedule = #plan.schedule<rows = 64>, align = 16 : i64}> ({
  warp.return
}) : () -> ()
// -----
// pipeline: 
%5 = arith.constant 0 : i64
%n = tile.length none %5
// -----
// pipeline: 
tile.func @point(%0: !tile.buffer<bf16, q, heads_q, 8> {weft.name = "out"})
    grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
  %sequence, %tile, %head = tile.point
  tile.fill %0[%tile, %head], 0.0 : !tile.buffer<bf16, q, heads_q, 8>
  tile.return
}
// -----
// pipeline: 
warp.func @body(%a: !warp.shared<64, 64, bf16>, %b: !warp.shared<64, 32, bf16>, %h: !warp.shared<64, 32, f16>, %acc: tensor<64x32xf32, #warp.acc>, %row: tensor<64xf32, #warp.row>, %n: tensor<64x32xf32>, %bf: tensor<64x32xbf16, #warp.acc>, %t: tensor<64x64xf32, #warp.acc>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %0 = warp.mma %a, %h, %acc : !warp.shared<64, 64, bf16>, <64, 32, f16> -> tensor<64x32xf32, #warp.acc>
}
// -----
// pipeline: 
%a = arith.constant dense<0.0> : tensor<16x16xf16>
%b = arith.constant dense<0.0> : tensor<16x16xbf16>
%acc = arith.constant dense<0.0> : tensor<16x16xf32>
%0 = tile.dot %a, %b, %acc : tensor<16x16xf16>, tensor<16x16xbf16> -> tensor<16x16xf32>
// -----
// pipeline: 
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.fill %0, 0.0 on [all] : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1>
  plan.return
}
// -----
// pipeline: 
warp.func @body(%q: !tile.buffer<bf16, q, heads_q, 64>, %l: !tile.buffer<f32, q, heads_q, 1>, %s: !tile.buffer<f32, q, heads_q, 64>) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  %m = warp.fetch %q[%rows, %c0] : <bf16, q, heads_q, 64>, <q, 64> -> <64, 64, f16>
}
// -----
// pipeline: 
plan.func @f(%0: !out2<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)> weft.name = "query"}) {
  plan.return
}
// -----
// pipeline: 
plan.func @f(%0: !plan.buffer<f32, q, one, 0> {}
// -----
// pipeline: 
plan.func @f(%0: !plan.buffer<f32, q, one, 1, all = defined>) {}
// -----
// pipeline: 
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> mask {
^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %s = arith.constant 1.0 : f32
}
// -----
// pipeline: 
attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
} derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %no = arith.constant false
}
// -----
// pipeline: 
plan.kernel @k delta of @a schedule <packed = 64, warps = 0> contract []
// -----
// pipeline: 
warp.func @body() grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = "value_map"> align = 16 {
  warp.roles registers(24, 248) producer {
    %c0 = arith.constant 0 : i64
  } %23 {
    %c0 = arith.constant 0 : i64
  }
  warp.return
}
// -----
// pipeline: 
%first = arith.constant 0 : i64
%0 = tile.coordinates %0 dim = -1 : tensor<16x32xi64>
// -----
// pipeline: 
"tile.func"() <{sym_name = "a_body", function_type = () -> (), grid = #tile.grid<ui32, 16, heads_q>, schedule = #plan.schedule<rows = 16, warps = 1>}> ({}) : () -> ()
// -----
// pipeline: 
%true = arith.constant dense
plan.guard %true
// -----
// pipeline: 
#1, %tile9223372036854775807 17 = tile.point
// -----
// pipeline: 
module attributes
// -----
// pipeline: 
module attributes {a = %396<i32>} {}
// -----
// pipeline: 
%scores = arith.constant dense<0.0> : tensor<16xi1>
%rows = arith.constant dense<0.0> : tensor<32xf32>
%p, %m, %l, %r = tile.softmax_step %scores, [], %rows : tensor<16x32xf32>, tensor<32xf32>
// -----
// pipeline: 
warp.func @body(%ring: !warp.ring<2, !warp.shared<32, 64, bf16, %115>>) grid <q, 128, heads_q> schedule <rows = 128, columns = 32, warps = 8, mma = warpgroup> align = 16 {
  %t = warp.receive %ring : !warp.ring<2, !warp.shared<32, 2, bf16, %115>> -> !warp.shared<32, 64, bf16>
  warp.return
}
// -----
// pipeline: 
%sequence, %tile, 1 = %230
// -----
// pipeline: 
%a = arith.constant dense<0xFFF00000000000000> : tensor<16xf32>
%0 = tile.expand %a dim = 2 : tensor<16xf32> -> tensor<16x16xf32>
// -----
// pipeline: 
warp.func @body(%u: !tile.bufferf32, q, heads_q, 64, uniform>, %t: tensor<64x64xf32, #warp.acc<) grid <q, 64, heads_q> schedule <rows = 64> align = 16 {
  %c0 = arith.constant 0 : i64
  %rows = tile.rows %c0, %c0 : <q, 64>
  warp.store %t, %u[%rows, %c0] : tensor<64x64xf32, #warp.acc>, <f32, q, heads_q, 64, uniform>, <q, 64>
  warp.return
}
// -----
// pipeline: 
plan.func @f(%0: !plan.bufferplan.returnf32, q, one, 1>) {
  %1 = plan.memset %0, 0.0 : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 2>
  plan.return
  plan.return
}
// -----
// pipeline: 
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %four = arith.constant 4 : i64
    %prefix = arith.cmpi slt, %j, %four : i64
    %causal = arith.cmpi sle, %j, %i : i64
    %keep = arith.ori %prefix, %causal : i1
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand0x7FC00000"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: 
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operanddense<0.0>"x", in, []>]
// -----
// pipeline: 
module attributes {a = #plan.statei1clean>} {}
module attributes {a = #plan.statei1clean>} {}
