//===- Warp.h - The warp dialect: how a CTA does its work -------*- C++ -*-===//

#ifndef WEFT_DIALECTS_WARP_WARP_H
#define WEFT_DIALECTS_WARP_WARP_H

#include "dialects/tile/Tile.h"

#include "mlir/IR/TensorEncoding.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

#include "dialects/warp/WarpDialect.h.inc"
#include "dialects/warp/WarpEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/warp/WarpAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/warp/WarpTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/warp/WarpOps.h.inc"

#endif // WEFT_DIALECTS_WARP_WARP_H
