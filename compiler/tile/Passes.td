//===- Passes.td - Passes that write and change tile bodies -*- tablegen -*-===//

#ifndef WEFT_COMPILER_TILE_PASSES_TD
#define WEFT_COMPILER_TILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanToTile : Pass<"plan-to-tile", "::mlir::ModuleOp"> {
  let summary = "writes the body of every kernel of the plan";
  let description = [{
    For each `plan.kernel` a `tile.func` is made from its kind, contract and
    schedule and from the attn op it is a step of; the attn op then goes. Its
    row layouts and alignment stay as attributes of the function.

    Mask and score regions are cloned elementwise onto index tiles. Which tiles
    of the walked side a point visits, and which of them need the mask at all,
    is derived from the mask region by interval lifting (MaskIntervals.h): no
    mask is known by name.

    Input:
    ```mlir
    attn.forward @attention bf16 head_dim = 64, head_dim_v = 64, head_ratio = 4
        q = <batch> kv = <batch> mask {
    ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64):
      %keep = arith.cmpi sle, %j, %i : i64
      attn.yield %keep : i1
    }
    plan.kernel @forward forward of @attention
        schedule <rows = 128, columns = 64, stages = 2>
        contract [#plan.operand<"query", in, [valid]>, ...]
    ```
    Output (after canonicalize and cse; types shortened):
    ```mlir
    plan.kernel @forward ...
    tile.func @forward_body(%query: !tile.buffer<bf16, q, heads_q, 64> {weft.name = "query"}, ...,
                            %scale: f32 {weft.name = "scale"})
        grid <q, 128, heads_q> schedule <rows = 128, columns = 64, stages = 2> {
      %sequence, %tile, %head = tile.point
      %first = arith.muli %tile, %c128 : i64
      ...
      %i_last = arith.minsi %i_end, %n_q_1 : i64          // of the tile's rows
      %diagonal = arith.floordivsi %i_last, %c64 : i64    // last tile with j <= i
      %end = arith.addi %diagonal, %c1 : i64
      %tiles = arith.ceildivsi %n_k, %c64 : i64
      %last = arith.minsi %tiles, %end : i64
      %0:3 = scf.for %t = %c0 to %last step %c1 iter_args(...) : i64 {
        %rows_j = tile.rows %sequence, %j0 : !tile.rows<kv, 64>
        %k = tile.load %key[%rows_j, %head_kv] : ... -> tensor<64x64xbf16>
        %s = tile.dot %q, %k transposed, %zero : ... -> tensor<128x64xf32>
        %scaled = arith.mulf %s, %scale2 : tensor<128x64xf32>
        %masked = scf.if %mixed -> (tensor<128x64xf32>) { ... } else { ... }
        %p, %max, %sum, %rescale = tile.softmax_step %masked, %m, %l : ...
        ...
      }
      ...
      tile.return
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::weft::tile::TileDialect"];
}

def TileExpandSoftmax : Pass<"tile-expand-softmax"> {
  let summary = "writes out tile.softmax_step with the running maximum";
  let description = [{
    Input:
    ```mlir
    %p, %m1, %l1, %r = tile.softmax_step %s, %m, %l : tensor<64x64xf32>, tensor<64xf32>
    ```
    Output (types shortened):
    ```mlir
    %0 = tile.reduce max %s
    %m1 = arith.maxnumf %m, %0
    %1 = arith.cmpf oeq, %m1, %minus_infinity   // no key seen yet
    %2 = arith.select %1, %zero, %m1
    %3 = arith.subf %m, %2
    %r = math.exp2 %3
    %4 = tile.expand %2 dim = 1
    %5 = arith.subf %s, %4
    %p = math.exp2 %5
    %6 = arith.mulf %l, %r
    %7 = tile.reduce sum %p
    %l1 = arith.addf %6, %7
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

def TileFixReference : Pass<"tile-fix-reference"> {
  let summary = "keeps the first tile's row maxima as the softmax's reference";
  let description = [{
    For loops with one `tile.softmax_step` per turn, in bodies whose schedule
    says `mma = warpgroup`. The first turn goes before the loop and takes the
    maximum; the loop's turns subtract it from later scores too, so that no
    maximum is taken and the accumulator is left alone. Where a row's sum of
    this tile is not below a bound (2^20 for bf16, 2^10 for f16: P stays inside
    its type), a branch takes the full online step instead. The softmax is exact
    on both sides.

    Scores that are a product times one factor are masked as products.

    Input (types shortened):
    ```mlir
    %r:3 = scf.for %j = %first to %last step %c1 iter_args(%acc = %zero, %m = %minus_infinity, %l = %none) {
      %s = tile.dot %q, %k transposed, %zero_s
      %p, %m1, %l1, %rescale = tile.softmax_step %s, %m, %l
      %pb = arith.truncf %p
      %factors = tile.expand %rescale dim = 1
      %acc0 = arith.mulf %acc, %factors
      %acc1 = tile.dot %pb, %v, %acc0
      scf.yield %acc1, %m1, %l1
    }
    ```
    Output:
    ```mlir
    %any = arith.cmpi slt, %first, %last
    %r:3 = scf.if %any {
      %s0 = tile.dot %q, %k0 transposed, %zero_s
      %m0 = tile.reduce max %s0
      ...                                       // %p0 = exp2(%s0 - %m0), %l0
      %acc0 = tile.dot %pb0, %v0, %zero
      %r0:3 = scf.for %j = %second to %last step %c1 iter_args(%acc = %acc0, %m = %m0, %l = %l0) {
        %s = tile.dot %q, %k transposed, %zero_s
        ...                                     // %p = exp2(%s - %m)
        %sum = tile.reduce sum %p
        %pb = arith.truncf %p
        %large = arith.cmpf uge, %sum, %bound
        %redo = tile.any %large
        %x:4 = scf.if %redo {
          %p1, %m1, %l1, %rescale = tile.softmax_step %s, %m, %l
          ...
          scf.yield %pb1, %acc1, %m1, %l1
        } else {
          %l1 = arith.addf %l, %sum
          scf.yield %pb, %acc, %m, %l1
        }
        %acc2 = tile.dot %x#0, %v, %x#1
        scf.yield %acc2, %x#2, %x#3
      }
      scf.yield %r0#0, %r0#1, %r0#2
    } else {
      scf.yield %zero, %minus_infinity, %none
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // WEFT_COMPILER_TILE_PASSES_TD
