// RUN: weft-opt %s -attn-to-plan -split-input-file -verify-diagnostics

// expected-error @below {{attn-to-plan needs one attn.forward or attn.backward, not 0}}
module attributes {weft.target = "sm_80"} {
}

// -----

// expected-error @below {{attn-to-plan needs a target: give the module the attribute weft.target, as in weft.target = "sm_90a"}}
module {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
}

// -----

// expected-error @below {{target 'sm_70' is not known; use one of sm_80, sm_86}}
module attributes {weft.target = "sm_70"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
}

// -----

module attributes {weft.target = "sm_80"} {
  // expected-error @below {{has a score region without its derivative; run attn-derive-score, or write the region}}
  attn.backward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
  ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
    attn.yield %s : f32
  }
}

// -----

// expected-error @below {{attn-to-plan: the module has a plan already; go on from there, or remove it}}
module attributes {weft.target = "sm_80"} {
  attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
  plan.func @forward_plan() {
    plan.return
  }
}
