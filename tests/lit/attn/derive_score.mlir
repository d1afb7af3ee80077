// RUN: weft-opt %s -attn-derive-score -split-input-file | FileCheck %s

// The soft cap: cap * tanh(s / cap), whose slope is 1 - tanh^2.
// CHECK-LABEL: attn.backward @softcap
// CHECK: score {
// CHECK: } derivative {
// CHECK-NEXT: ^bb0(%[[S:s]]: f32, {{.*}}, %[[CAP:softcap]]: f32):
// CHECK: %[[INV:.*]] = arith.divf %{{.*}}, %[[CAP]]
// CHECK: %[[X:.*]] = arith.mulf %[[S]], %[[INV]]
// CHECK: %[[T:.*]] = math.tanh %[[X]]
// CHECK: %[[SQUARE:.*]] = arith.mulf %[[T]], %[[T]]
// CHECK: %[[SLOPE:.*]] = arith.subf %{{.*}}, %[[SQUARE]]
// CHECK: %[[DT:.*]] = arith.mulf %[[SLOPE]], %[[INV]]
// CHECK: %[[DY:.*]] = arith.mulf %[[CAP]], %[[DT]]
// CHECK: attn.yield %[[DY]] : f32
attn.backward @softcap bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
    parameters ["softcap"] score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %cap: f32):
  %one = arith.constant 1.0 : f32
  %inverse = arith.divf %one, %cap : f32
  %x = arith.mulf %s, %inverse : f32
  %t = math.tanh %x : f32
  %y = arith.mulf %cap, %t : f32
  attn.yield %y : f32
}

// -----

// A bias moves the score and leaves its slope: no arithmetic for the constant.
// CHECK-LABEL: attn.backward @bias
// CHECK: } derivative {
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00
// CHECK-NEXT: attn.yield %[[ONE]]
attn.backward @bias bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %distance = arith.subi %i, %j : i64
  %bias = arith.sitofp %distance : i64 to f32
  %y = arith.addf %s, %bias : f32
  attn.yield %y : f32
}

// -----

// What does not depend on the score has no slope.
// CHECK-LABEL: attn.backward @constant
// CHECK: } derivative {
// CHECK-NEXT: ^bb0
// CHECK-NEXT: %[[ZERO:.*]] = arith.constant 0.000000e+00
// CHECK-NEXT: attn.yield %[[ZERO]]
attn.backward @constant bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %y = arith.constant 2.0 : f32
  attn.yield %y : f32
}

// -----

// A choice by the score: the slope of the branch taken.
// CHECK-LABEL: attn.backward @clip
// CHECK: } derivative {
// CHECK: %[[TAKEN:.*]] = arith.cmpf ole, %s,
// CHECK: arith.select %[[TAKEN]]
attn.backward @clip bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %most = arith.constant 30.0 : f32
  %y = arith.minimumf %s, %most : f32
  attn.yield %y : f32
}

// -----

// (s b + c)' = 1 b + s 0 + 0.
// CHECK-LABEL: attn.backward @fma
// CHECK: } derivative {
// CHECK: %[[B:.*]] = arith.constant 3.000000e+00
// CHECK-NEXT: attn.yield %[[B]]
attn.backward @fma bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %three = arith.constant 3.0 : f32
  %y = math.fma %s, %three, %three : f32
  attn.yield %y : f32
}

// -----

// A region that is given stays.
// CHECK-LABEL: attn.backward @given
// CHECK: } derivative {
// CHECK: arith.constant 4.200000e+01
attn.backward @given bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch> score {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  attn.yield %s : f32
} derivative {
^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
  %d = arith.constant 42.0 : f32
  attn.yield %d : f32
}

// -----

// CHECK-LABEL: attn.backward @plain
// CHECK-NOT: derivative
attn.backward @plain bf16 head_dim = 64, head_dim_v = 64, head_ratio = 1 q = <batch> kv = <batch>
