//===- WarpTypes.td - Layouts and types of the warp dialect ----*- tablegen -*-===//

#ifndef WEFT_DIALECTS_WARP_WARPTYPES_TD
#define WEFT_DIALECTS_WARP_WARPTYPES_TD

include "dialects/tile/Tile.td"
include "mlir/IR/TensorEncoding.td"
include "dialects/warp/WarpEnums.td"

def Warp_Dialect : Dialect {
  let name = "warp";
  let cppNamespace = "::weft::warp";
  let summary = "How a CTA does its work: registers, shared memory, pipelines, order.";
  let description = [{
    Tiles in registers are tensors with a layout as their encoding; tiles in
    shared memory are `!warp.shared`, alone or in a `!warp.ring`. W warps share
    a tile of M rows: warp w owns rows [w M / W, (w + 1) M / W), a multiple of
    16. A thread's part of a register tile, in order:

    | layout | thread holds | element e is |
    | --- | --- | --- |
    | `#warp.acc` of [M, N] | M N / (32 W) values | row 16 (e / 4 / (N/8)) + 8 (e / 2 % 2) + lane / 4 of the warp's rows, column 8 (e / 4 % (N/8)) + 2 (lane % 4) + e % 2 |
    | `#warp.operand` of [M, K] | M K / (64 W) words of two values | the A fragments of mma.m16n8k16: [M / (16 W)][K / 16][4] |
    | `#warp.row` of [M] | M / (8 W) values | row 8 e + lane / 4 of the warp's rows |
    | `#warp.column` of [N] | N / 4 values | column 8 (e / 2) + 2 (lane % 4) + e % 2 |
    | `#warp.partial` of [M] | as `#warp.row` | the row's sum over those columns that the lane holds |
    | `#warp.slice` of [M, N] | M N / (32 W) values | as `#warp.acc` of [M, N / G] on four warps, G = W / 4: warpgroup g has all rows, and columns from g N / G on |

    The fragments of wgmma m64 are the same with 16 rows a warp, so the layouts
    serve both kinds of products (`mma` of the schedule).

    A kernel whose schedule says `mma = warpgroup` has roles: one warpgroup
    that copies and others that compute. The tiles go through rings whose slots
    have a full and an empty barrier each; both roles walk the same points in
    the same order, so that nothing else has to travel between them.

    Elementwise work is `arith` and `math` on such tensors until the pass
    `warp-fuse-maps` gathers runs of it into `warp.map`. `tile.length` and
    `tile.rows` stay: what a kernel touches can still be read off its body.
  }];
  let dependentDialects = ["::weft::plan::PlanDialect", "::weft::tile::TileDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
}

class Warp_Layout<string name, string mnemonic_, string text>
    : AttrDef<Warp_Dialect, name, [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let mnemonic = mnemonic_;
  let summary = text;
}
def Warp_Acc : Warp_Layout<"Acc", "acc", "accumulator fragments of mma.m16n8k16">;
def Warp_OperandLayout : Warp_Layout<"OperandLayout", "operand", "A fragments of mma.m16n8k16">;
def Warp_Row : Warp_Layout<"Row", "row", "one value per row of an accumulator">;
def Warp_Column : Warp_Layout<"Column", "column", "one value per column of an accumulator">;
def Warp_Slice : Warp_Layout<"Slice", "slice", "accumulator fragments, each warpgroup with all rows and columns of its own">;
def Warp_Partial : Warp_Layout<"Partial", "partial", "one value per row and lane, to be added over the row's lanes">;

def Warp_Shared : TypeDef<Warp_Dialect, "Shared"> {
  let mnemonic = "shared";
  let summary = "a tile in shared memory";
  let description = [{
    `!warp.shared<64, 128, bf16>`: rows padded by 16 bytes, so that ldmatrix
    meets no bank conflict. `!warp.shared<64, 128, bf16, swizzled>`: as bulk
    copies write and wgmma reads it, with 128-byte swizzle. `!warp.shared<64, 1,
    f32>`: a vector, one value for each of 64 rows. `!warp.shared<64, 128, f32,
    fragments>`: an accumulator in the order of its fragments, each warp's 16
    rows of 64 columns in one piece.
  }];
  let parameters = (ins "int64_t":$rows, "int64_t":$columns, "::mlir::Type":$elementType,
                        DefaultValuedParameter<"::weft::warp::SharedLayout",
                                               "::weft::warp::SharedLayout::padded">:$layout);
  let assemblyFormat = "`<` $rows `,` $columns `,` $elementType (`,` $layout^)? `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isSwizzled() const { return getLayout() == SharedLayout::swizzled; }
    bool isFragments() const { return getLayout() == SharedLayout::fragments; }
    bool isVector() const { return getElementType().isF32() && !isFragments(); }
    /// Bytes from one row to the next, padding included; of a column block if
    /// swizzled.
    int64_t getRowBytes() const {
      return isVector()      ? 4
             : isFragments() ? getColumns() * 4
             : isSwizzled()  ? 128
                             : getColumns() * 2 + 16;
    }
    /// Blocks of columns: 64 each if swizzled, else one.
    int64_t getBlocks() const {
      return isSwizzled() ? (getColumns() + 63) / 64 : 1;
    }
    int64_t getBytes() const { return getRows() * getRowBytes() * getBlocks(); }
  }];
}
def Warp_Pending : TypeDef<Warp_Dialect, "Pending"> {
  let mnemonic = "pending";
  let summary = "an accumulator whose products may still be under way";
  let description = [{
    `!warp.pending<tensor<128x64xf32, #warp.acc>>`. Its registers belong to the
    matrix unit: only `warp.issue` and `warp.await` take it.
  }];
  let parameters = (ins "::mlir::RankedTensorType":$tile);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tile), [{
    return $_get(tile.getContext(), tile);
  }]>];
  let assemblyFormat = "`<` $tile `>`";
  let genVerifyDecl = 1;
}
def Warp_Ring : TypeDef<Warp_Dialect, "Ring"> {
  let mnemonic = "ring";
  let summary = "tiles in shared memory that are filled and used in turn";
  let description = [{ `!warp.ring<2, !warp.shared<64, 128, bf16>>`. }];
  let parameters = (ins "int64_t":$stages, "SharedType":$tile);
  let assemblyFormat = "`<` $stages `,` $tile `>`";
  let genVerifyDecl = 1;
}

#endif // WEFT_DIALECTS_WARP_WARPTYPES_TD
