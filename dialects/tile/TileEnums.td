//===- TileEnums.td - Enums of the tile dialect ------------*- tablegen -*-===//
//
// Apart from Tile.td: the enum generator takes all enums it sees, those of
// included dialects too.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TILE_TILEENUMS_TD
#define WEFT_DIALECTS_TILE_TILEENUMS_TD

include "mlir/IR/EnumAttr.td"

def Tile_Layout : I32EnumAttr<"BufferLayout", "how a buffer's elements are addressed", [
    // Free strides of batch, row and head, known at run time.
    I32EnumAttrCase<"strided", 0>,
    // Workspace: [heads][rows held][columns], no holes; rounded, the rows of all
    // tiles in place of those held.
    I32EnumAttrCase<"packed", 1>,
    // Every element is the first one.
    I32EnumAttrCase<"uniform", 2>,
    // Packed and rounded, but within a tile elements stand as an accumulator's
    // lanes hold them: blocks of 64 columns, in those 16 rows after 16, each
    // [8 columns][lane][4 values]; of one column, 16 rows after 16, each
    // [lane % 4][4 values]. Only whole tiles are read, written and added to.
    I32EnumAttrCase<"fragments", 3>]> {
  let cppNamespace = "::weft::tile";
  let genSpecializedAttr = 0;
}
def Tile_GridKind : I32EnumAttr<"GridKind", "what the tiles of a grid cover", [
    // Tiles of the used rows of every sequence of the query or key side.
    I32EnumAttrCase<"q", 0>, I32EnumAttrCase<"kv", 1>,
    // Tiles of all rows held, of the larger side; the sequence is 0.
    I32EnumAttrCase<"held", 2>]> {
  let cppNamespace = "::weft::tile";
  let genSpecializedAttr = 0;
}
def Tile_ReduceKind : I32EnumAttr<"ReduceKind", "how a row is reduced", [
    I32EnumAttrCase<"max", 0>, I32EnumAttrCase<"sum", 1>]> {
  let cppNamespace = "::weft::tile";
  let genSpecializedAttr = 0;
}

#endif // WEFT_DIALECTS_TILE_TILEENUMS_TD
