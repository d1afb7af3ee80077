//===- WarpEnums.td - Enums of the warp dialect ----------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_WARP_WARPENUMS_TD
#define WEFT_DIALECTS_WARP_WARPENUMS_TD

include "mlir/IR/EnumAttr.td"

#endif // WEFT_DIALECTS_WARP_WARPENUMS_TD
