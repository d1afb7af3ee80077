// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s -mlir-print-op-generic | weft-opt | FileCheck %s

// CHECK: attn.forward @causal bf16 head_dim = 128, head_dim_v = 64, head_ratio = 4 q = <batch> kv = <batch, padded> mask {
// CHECK-NEXT: ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
// CHECK-NEXT: %[[KEEP:.*]] = arith.cmpi sle, %j, %i : i64
// CHECK-NEXT: attn.yield %[[KEEP]] : i1
attn.forward @causal bf16 head_dim = 128, head_dim_v = 64, head_ratio = 4 q = <batch> kv = <batch, padded> mask {
^bb0(%0: i64, %1: i64, %2: i64, %3: i64, %4: i64, %5: i64):
  %6 = arith.cmpi sle, %3, %2 : i64
  attn.yield %6 : i1
}

// CHECK: attn.backward @all f16 head_dim = 8, head_dim_v = 256, head_ratio = 1 q = <thd, padded> kv = <thd> align = 2 scalar_dout deterministic parameters ["window_left", "softcap"] mask {
// CHECK-NEXT: ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
// CHECK: } score {
// CHECK-NEXT: ^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64, %window_left: i64, %softcap: f32):
// CHECK: } derivative {
// CHECK-NEXT: ^bb0(%s: f32, %b: i64,
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
