// pipeline: plan-pack-arena
plan.func @f(%0: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "key"}) {
  box_rows
}
// -----
// pipeline: plan-pack-arena
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
} score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %l: i64, %c: f32):
  %y = arith.addf %s, %c : f32
  attn.yield %y : f32
} derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i1, %j: i64, %n_q: i64, %n_k: i64, %l: i64, %c: f32):
  %one = arith.constant 1.0 : f32
  attn.yield %one : f32
}
// -----
// pipeline: plan-pack-arena
plan.func @f(%0: !plan.buffer<f32, q, one, 1>) {
  %1 = plan.memset %0, 0.0 : !plan.buffer<f32, q, one, 1> -> !plan.buffer<f32, q, one, 1>
  plan.return
}
// -----
// pipeline: plan-pack-arena
plan.kernel @k delta of @a schedule <rows = 64> contract [#plan.operand<"x", in, [valid]>]
plan.func @f() {
  %n = plan.size batch
  plan.launch @k grid(%n)
  plan.return
}
// -----
// pipeline: plan-pack-arena
attn.backward @unknown bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i1, %n_q: i64, %n_k: i64):
  %y = math.atan2 %s, %s : f32
  attn.yield %y : f32
}
// -----
// pipeline: plan-pack-arena
attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %four = arith.constant 4 : i64
    %prefix = arith.cmpi slt, %j, %four : i64
    %causal = arith.cmpi sle, %j, %i : i64
    %keep = arith.ori %prefix, %causal : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
// -----
// pipeline: plan-pack-arena
plan.kernel @k delta of @a schedule <kv = 64, warps = 0> contract [
// -----
// pipeline: plan-pack-arena
plan.func @f(%0: !plan.buffer<i1, q, one, 1>) {}
// -----
// pipeline: plan-pack-arena
plan.func @f(%0: !plan.bufferplan.releasebf16, %285, heads_q, 64, valid = defined> {weft.name = "key"}) {
  plan.return
}
// -----
// pipeline: plan-pack-arena
module attributes {a = #plan.statenoneclean>} {}
// -----
// pipeline: plan-pack-arena
plan.func @f() {
  %c = arith.constant 4 : i64
  %0 = plan.reserve "turn" bytes(%c) : !plan.buffer<f32, none, one, 1>
  plan.return
}
