// pipeline: weft-to-tile
module attributes {weft.spec = "forward bf16 head_dim=64 head_ratio=2 layout=thd padded mask=causal", weft.target = "sm_80"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    index = arith.cmpi sle, %j, %i : i64
    attn.yield %0 : i1
  }
}
// -----
// pipeline: weft-to-tile
plan.func @one() {
  weft.spec = arith.constant true
  plan.guard %true
  plan.guard %true
  plan.return
}
// -----
// pipeline: weft-to-tile
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 17
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"counter", out, [gap], 44269502.44269502>]
// -----
// pipeline: weft-to-tile
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %list = tensor.from_elements %i, %j : tensor<2xi64>
    %one = arith.constant 1 : index
    %last = tensor.extract %list[%one] : tensor<2xi64>
    %keep = arith.cmpi sle, %last, %i : i64
    attn.yield %keep : i1
  }
plan.kernel @forward dq of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: weft-to-tile
plan.kernel @delta delta of @delta schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>]
// -----
// pipeline: weft-to-tile
module attributes {weft.spec = "forward bf16 head_dim=64 head_ratio=2 layout=thd padded mask=causal", weft.target = "sm_86"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 2 q = <thd, padded> kv = <thd, padded> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: ui32):
    %0 = arith.cmpi sle, %j, %i : i64
    attn.yield %0 : i1
  }
}
// -----
// pipeline: weft-to-tile
plan.func @f() {
  %c = arith.constant 4 : i64
  %0 = plan.reserve "" bytes(%c) : !plan.buffer<f32, none, one, 1>
  plan.return
}
// -----
// pipeline: weft-to-tile
tile.func @foreign() grid <q, 64, heads_q> schedule <rows = 64> {
  %sequence, %tile, %head = tile.point
  %x = arith.constant dense<0.0> : tensor<64x64xf32>
  %y = tensor.cast %x : tensor<64x64xf32> to tensor<?xbf16>
  tile.return
}
// -----
// pipeline: weft-to-tile
!out = !plan.buffer<bf16, q, heads_q, 64>
!out1 = !plan.buffer<bf16, q, heads_q, 64, valid = defined>
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
plan.func @dq(%d_query: !out {weft.name = "d_query"}) {
  %n = plan.size batch
plan.kernel @dq dq of @a schedule <rows = 64> contract [#plan.operand<"d_query", out, [valid]>]
  %0 = plan.launch @dq grid(%n) out(%d_query : !out) -> !out1
  plan.return
}
// -----
// pipeline: weft-to-tile
attn.forward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
plan.kernel @forward forward of @a schedule <rows = 64>
    contract [#plan.operand<"query", in, [valid]>]
// -----
// pipeline: weft-to-tile
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined, gap = filled(0.0)> {weft.name = "query"}) {
  plan.return
}
// -----
// pipeline: weft-to-tile
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "key"}) {
  plan.return
}
// -----
// pipeline: weft-to-tile
#plan.operand<"delta", out, [valid]>]
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<i1>
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]
// -----
// pipeline: weft-to-tile
plan.func @first() {
}
plan.func @lost() {
  plan.return
%7
// -----
// pipeline: weft-to-tile
"tile.func"() <{sym_name = "a_body", function_type = () -> i64, grid = #tile.grid<q, 16, heads_q>, schedule = #plan.schedule<i8 = 16, warps = 1>}> ({
  tile.return
}) : () -> ()
// -----
// pipeline: weft-to-tile
!out = !plan.buffer<f32, q, heads_q, 1>
!zeros = !plan.buffer<f32, q, heads_q, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
plan.func @memset(%d_query: !out {weft.name = "d_query"}) -> !zeros {
  %0 = plan.memset %d_query, 0.0 : !out -> !zeros
  plan.return %0 : !zeros
}
// -----
// pipeline: weft-to-tile
!work = !plan.buffer<f32, q, heads_q, 2>
plan.func @bytes() {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %bytes : i64
  %0 = plan.reserve "x" bytes(%bytes) : !work
  plan.release %0 : !work
  plan.return
}
// -----
// pipeline: weft-to-tile
plan.func @release(%query: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "query"}) {
  plan.release %query : !plan.buffer<bf16, q, heads_q, 64, valid = defined>
  plan.return
}
// -----
// pipeline: weft-to-tile
!out = !plan.buffer<f32, q, heads_q, 64>
!g = !plan.buffer<f32, q, heads_q, 64, valid = filled(0.0)>
plan.func @alone(%d_query: !out {weft.name = "d_query"}) -> !g {
  %0 = plan.fill %d_query, 0.0 on [valid] : !out -> !g
  plan.return %0 : !g
}
// -----
// pipeline: weft-to-tile
!out = !plan.buffer<bf16, kv, heads_kv, 64>
plan.func @result(%d_key: !out {weft.name = "d_key"}) -> !out {
  plan.return %d_key : !out
}
// -----
// pipeline: weft-to-tile
!f = !plan.buffer<f32, q, one, 1>
plan.func @result() -> !f {
  %four = arith.constant 4 : i64
  %rows = plan.size rows_q
  %bytes = arith.muli %rows, %four : i64
  %0 = plan.reserve "delta" bytes(%bytes) : !f
  plan.return %0 : !f
}
// -----
// pipeline: weft-to-tile
plan.func @f() {
  %true = arith.constant true
  plan.guard %true
  plan.return
}
// -----
// pipeline: weft-to-tile
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand1000000<, !emitc.ptr, [valid]>]
// -----
// pipeline: weft-to-tile
module attributes {weft.q = #attn.sidef64q, padded>} {
  plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined, tail = defined> {weft.name ? "query"}) {
    plan.return
  }
}
// -----
// pipeline: weft-to-tile
!work = !plan.buffer<f32, none, one, 1>
plan.func @some() {
  %zero = arith.constant 0 : i64
  %four = arith.constant 4 : i64
  %0 = plan.reserve "x" bytes(%four) offset(%zero) : !work
  %1 = plan.reserve "y" bytes(%four) : !work
  plan.release %0 : !work
  plan.release %1 : !work
  plan.return
}
