// RUN: weft-opt %s -split-input-file -plan-to-tile -verify-diagnostics

// expected-error@+1 {{'plan.kernel' op is of @attention, which the module does not define}}
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>]

// -----

// expected-error@+1 {{is no attention problem; a kernel's problem is an attn.forward or attn.backward}}
plan.kernel @delta delta of @delta schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>]

// -----

// expected-error@+1 {{has a score change without its derivative; give one or run attn-derive-score}}
attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    %x = math.tanh %s : f32
    attn.yield %x : f32
  }
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>]

// -----

attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
// expected-error@+1 {{'plan.kernel' op walks tiles of the other side; its schedule has to give the rows of one as columns, above 0}}
plan.kernel @forward forward of @attention schedule <rows = 64>
    contract [#plan.operand<"query", in, [valid]>]

// -----

attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
// expected-error@+1 {{'plan.kernel' op is a step of a backward, but its problem is a forward}}
plan.kernel @delta delta of @attention schedule <rows = 64>
    contract [#plan.operand<"out", in, [valid]>, #plan.operand<"d_out", in, [valid]>,
              #plan.operand<"delta", out, [valid]>]

// -----

attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
// expected-error@+1 {{'plan.kernel' op is a step of a forward, but its problem is a backward}}
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>]

// -----

attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
// expected-error@+1 {{'plan.kernel' op a fill takes tensors of the problem as `out`, each with its value; not #plan.operand<"out", out, [gap, tail]>}}
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"out", out, [gap, tail]>]

// -----

attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
// expected-error@+1 {{'plan.kernel' op a fill takes tensors of the problem as `out`, each with its value; not #plan.operand<"counter", out}}
plan.kernel @fill fill of @attention schedule <rows = 64>
    contract [#plan.operand<"counter", out, [gap], 0.0>]

// -----

attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch>
// expected-error@+1 {{'plan.kernel' op no body of kind 'dv' has the contract query,key,d_out>d_value; known: query,key,d_out,lse_log2>d_value or query,key,d_out,lse_log2>d_value_partial}}
plan.kernel @dv dv of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"d_out", in, [valid]>, #plan.operand<"d_value", out, [valid]>]

// -----

attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1
    q = #attn.side<batch> kv = #attn.side<batch> mask {
  ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    // expected-error@+1 {{'tensor.from_elements' op has no elementwise form on tiles; write the region with elementwise arith and math ops}}
    %list = tensor.from_elements %i, %j : tensor<2xi64>
    %one = arith.constant 1 : index
    %last = tensor.extract %list[%one] : tensor<2xi64>
    %keep = arith.cmpi sle, %last, %i : i64
    attn.yield %keep : i1
  }
plan.kernel @forward forward of @attention schedule <rows = 64, columns = 64>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"key", in, [valid]>,
              #plan.operand<"value", in, [valid]>, #plan.operand<"out", out, [valid]>,
              #plan.operand<"lse", out, [valid]>]
