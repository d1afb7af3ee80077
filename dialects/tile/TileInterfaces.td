//===- TileInterfaces.td - Interfaces of the tile dialect -*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TILE_TILEINTERFACES_TD
#define WEFT_DIALECTS_TILE_TILEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Tile_RowAccess : OpInterface<"RowAccess"> {
  let cppNamespace = "::weft::tile";
  let description = [{
    An op that reads or writes rows of a kernel's operand, at the tile level or
    the warp level. What a body touches is read off these alone, so an op that
    reaches global memory in any other way is a defect.
  }];
  let methods = [
    InterfaceMethod<"Whether it reads (`in`), writes (`out`) or adds (`acc`).",
      "::weft::plan::Access", "getAccess">,
    InterfaceMethod<"The operand.",
      "::mlir::TypedValue<::weft::tile::BufferType>", "getBuffer">,
    InterfaceMethod<"The rows; null for an op over rows held (`getFirst`), which leaves alone those of sequences.",
      "::mlir::TypedValue<::weft::tile::RowsType>", "getRows">,
    InterfaceMethod<"The head.",
      "::mlir::TypedValue<::mlir::IntegerType>", "getHead">,
    InterfaceMethod<"Whether rows past the sequence's end (that of its last tile if the buffer is rounded) are left alone.",
      "bool", "isClipped", (ins), "", [{ return true; }]>,
    InterfaceMethod<"The one value that is written; null if it may be several.",
      "::mlir::FloatAttr", "getWrittenConstant", (ins), "", [{ return {}; }]>,
  ];
}

#endif // WEFT_DIALECTS_TILE_TILEINTERFACES_TD
