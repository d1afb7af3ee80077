//===- WarpEnums.td - Enums of the warp dialect ----------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_WARP_WARPENUMS_TD
#define WEFT_DIALECTS_WARP_WARPENUMS_TD

include "mlir/IR/EnumAttr.td"

def Warp_SharedLayout : I32EnumAttr<"SharedLayout", "how rows lie in shared memory", [
    // Row after row, 16 bytes between them.
    I32EnumAttrCase<"padded", 0>,
    // Blocks of 64 columns, each [rows][128 bytes], 16-byte chunk c of row r at
    // chunk c xor r % 8; the tile is aligned to 1024 bytes.
    I32EnumAttrCase<"swizzled", 1>,
    // Of f32: blocks of 64 columns, in those 16 rows after 16, each as the
    // fragments of an accumulator: [8 columns][lane][4 values].
    I32EnumAttrCase<"fragments", 2>]> {
  let cppNamespace = "::weft::warp";
  let genSpecializedAttr = 0;
}

#endif // WEFT_DIALECTS_WARP_WARPENUMS_TD
