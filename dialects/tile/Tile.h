//===- Tile.h - The tile dialect: one point of a kernel's grid --*- C++ -*-===//

#ifndef WEFT_DIALECTS_TILE_TILE_H
#define WEFT_DIALECTS_TILE_TILE_H

#include "dialects/plan/Plan.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "dialects/tile/TileDialect.h.inc"
#include "dialects/tile/TileEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.h.inc"

namespace weft::tile {
/// The one value of a constant tile, null if it has several or is none.
mlir::FloatAttr splatOf(mlir::Value tile);
/// What holds of every `RowAccess`.
mlir::LogicalResult verifyRowAccess(mlir::Operation *op);
} // namespace weft::tile

#include "dialects/tile/TileInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.h.inc"

#endif // WEFT_DIALECTS_TILE_TILE_H
