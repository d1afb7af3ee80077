//===- Passes.td - Passes on the attn dialect ------------------*- tablegen -*-===//

#ifndef WEFT_COMPILER_ATTN_PASSES_TD
#define WEFT_COMPILER_ATTN_PASSES_TD

include "mlir/Pass/PassBase.td"

def AttnDeriveScore : Pass<"attn-derive-score"> {
  let summary = "writes the derivative region of a backward's score change";
  let description = [{
    Forward-mode differentiation with respect to the first argument, the scaled
    score: every op of the region is kept and each value that depends on the
    score gets its tangent. A derivative region that is there already stays. An
    op that has no rule is an error: write the derivative region by hand.

    Input:
    ```mlir
    score {
    ^bb0(%s: f32, %b: i64, ..., %n_k: i64, %cap: f32):
      %one = arith.constant 1.0 : f32
      %inverse = arith.divf %one, %cap : f32
      %x = arith.mulf %s, %inverse : f32
      %t = math.tanh %x : f32
      %y = arith.mulf %cap, %t : f32
      attn.yield %y : f32
    }
    ```
    Output, beside it:
    ```mlir
    derivative {
    ^bb0(%s: f32, %b: i64, ..., %n_k: i64, %cap: f32):
      %one = arith.constant 1.0 : f32
      %inverse = arith.divf %one, %cap : f32
      %x = arith.mulf %s, %inverse : f32
      %t = math.tanh %x : f32
      %one_1 = arith.constant 1.0 : f32
      %square = arith.mulf %t, %t : f32
      %slope = arith.subf %one_1, %square : f32
      %dt = arith.mulf %slope, %inverse : f32
      %dy = arith.mulf %cap, %dt : f32
      attn.yield %dy : f32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // WEFT_COMPILER_ATTN_PASSES_TD
