// RUN: weft-opt %s -attn-derive-score -split-input-file -verify-diagnostics

attn.backward @unknown bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  // expected-error @below {{of the score has no derivative rule; write the derivative region by hand}}
  %y = math.atan2 %s, %s : f32
  attn.yield %y : f32
}

// -----

attn.backward @narrow bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  // expected-error @below {{of the score has no derivative rule; write the derivative region by hand}}
  %half = arith.truncf %s : f32 to f16
  %y = arith.extf %half : f16 to f32
  attn.yield %y : f32
}
