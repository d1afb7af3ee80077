//===- Passes.td - The step from warps to CUDA C++ ---------*- tablegen -*-===//

#ifndef WEFT_COMPILER_EMITC_PASSES_TD
#define WEFT_COMPILER_EMITC_PASSES_TD

include "mlir/Pass/PassBase.td"

def WarpToEmitC : Pass<"warp-to-emitc", "::mlir::ModuleOp"> {
  let summary = "writes kernels as CUDA C++ that calls the device primitives";
  let description = [{
    Each `warp.func` becomes an `emitc.func` of the same name. A thread's part
    of a register tile is an array; tiles whose lives do not meet share one, so
    that accumulators are updated in place. Work on tiles becomes loops over a
    thread's elements that are unrolled, products become loops around ldmatrix
    and mma.sync, rings become ranges of the dynamic shared memory. What has no
    operator in C++ is a call of a primitive of `templates/`.

    Attributes of the function: `weft.entry` (name of the kernel), `weft.threads`
    and `weft.shared_bytes` of a CTA. Each argument says what a launch passes
    there, only what is used being there at all:

    | `weft.arg` | is |
    | --- | --- |
    | `{kind = "tensor", operand = 0 : i64}` | pointer to operand 0 of the contract, a tensor of the call or workspace |
    | `{kind = "stride", operand = 0 : i64, which = "row"}` | its stride of `batch`, `row` or `head`, in elements (i64) |
    | `{kind = "offsets", which = "cu_seqlens_q"}` | pointer to offsets or lengths (i32) |
    | `{kind = "size", which = "rows_q"}` | a size of the call (i64) |
    | `{kind = "scalar", which = "scale"}` | a scalar (f32, window bounds i64) |

    Names are in `weft.name`, for the printer; functions without side effects
    are marked `weft.pure`.

    Before:

    ```mlir
    warp.func @delta_body(%out: !tile.buffer<f32, q, heads_q, 16> {weft.name = "out"}, ...)
        grid <q, 64, heads_q> schedule <rows = 64> align = 16 attributes {weft.q = #attn.side<batch>} {
      ...
      %x = warp.map(%a) : (tensor<64x16xf32, #warp.acc>) -> tensor<64x16xf32, #warp.acc> {
      ^bb0(%v: f32, %row: i64, %column: i64):
        %w = arith.mulf %v, %v : f32
        warp.yield %w : f32
      }
      %sum = warp.reduce sum %x : tensor<64x16xf32, #warp.acc> -> tensor<64xf32, #warp.row>
    ```

    After:

    ```mlir
    emitc.func @delta_body(%arg0: !emitc.ptr<!emitc.opaque<"const float">>, ...)
        attributes {weft.entry = "weft_delta", weft.shared_bytes = 0 : i64, weft.threads = 128 : i64} {
      ...
      emitc.verbatim "#pragma unroll"
      for %e = %zero to %count step %one : i32 {
        %0 = subscript %a[%e] : (!emitc.array<8xf32>, i32) -> !emitc.lvalue<f32>
        ...
    ```
  }];
  let dependentDialects = ["::mlir::emitc::EmitCDialect"];
}

def WarpNarrowCoordinates : Pass<"warp-narrow-coordinates", "::weft::warp::FuncOp"> {
  let summary = "compares coordinates of elements in 32 bits";
  let description = [{
    In a map, a comparison of sums of one coordinate and values that are the
    same for all elements becomes one of 32 bits: what does not depend on the
    element goes to one side and out of the map, clamped to +-2^30, beyond which
    it decides alone. Half the registers and instructions of a mask.
    `warp-to-emitc` does it first.

    Before:

    ```mlir
    ^bb0(%x: f32, %row: i64, %column: i64):
      %j = arith.addi %first_j, %column : i64
      %i = arith.addi %first_i, %row : i64
      %keep = arith.cmpi sle, %j, %i : i64
    ```

    After:

    ```mlir
    %distance = <%first_i - %first_j, at least -2^30, at most 2^30> : i64
    %near = arith.trunci %distance : i64 to i32
    ...
    ^bb0(%x: f32, %row: i64, %column: i64):
      %j = arith.trunci %column : i64 to i32
      %i = arith.trunci %row : i64 to i32
      %end = arith.addi %i, %near : i32
      %keep = arith.cmpi sle, %j, %end : i32
    ```
  }];
}

#endif // WEFT_COMPILER_EMITC_PASSES_TD
