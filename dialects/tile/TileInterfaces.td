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
    InterfaceMethod<"Whether it reads (`in`), writes (`out`) or adds (`acc`, `ordered`).",
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
  let verify = [{ return ::weft::tile::verifyRowAccess($_op); }];
}

def Tile_Turn : OpInterface<"TurnOp"> {
  let cppNamespace = "::weft::tile";
  let description = [{
    An op by which the points of a grid take turns at the counter of a tile of
    rows: turn `turn` of `count`, from 0. The counter begins as 0, and the last
    turn leaves it so. At the tile level or the warp level.
  }];
  let methods = [
    InterfaceMethod<"The counters, one for each tile.",
      "::mlir::TypedValue<::weft::tile::BufferType>", "getCounter">,
    InterfaceMethod<"The tile.",
      "::mlir::TypedValue<::weft::tile::RowsType>", "getRows">,
    InterfaceMethod<"The counter's head.",
      "::mlir::TypedValue<::mlir::IntegerType>", "getCounterHead">,
    InterfaceMethod<"This point's turn.",
      "::mlir::TypedValue<::mlir::IntegerType>", "getTurn">,
    InterfaceMethod<"How many turns there are.",
      "::mlir::TypedValue<::mlir::IntegerType>", "getCount">,
    InterfaceMethod<"Whether it waits for the turns before it.",
      "bool", "waits">,
  ];
}

#endif // WEFT_DIALECTS_TILE_TILEINTERFACES_TD
