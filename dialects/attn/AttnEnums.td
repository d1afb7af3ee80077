//===- AttnEnums.td - Enums of the attn dialect ------------*- tablegen -*-===//
//
// Apart from Attn.td: the enum generator takes all enums it sees, those of
// included dialects too.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_ATTN_ATTNENUMS_TD
#define WEFT_DIALECTS_ATTN_ATTNENUMS_TD

include "mlir/IR/EnumAttr.td"

def Attn_RowLayout : I32EnumAttr<"RowLayout", "how the rows of one side lie", [
    I32EnumAttrCase<"batch", 0>, I32EnumAttrCase<"thd", 1>]> {
  let cppNamespace = "::weft::attn";
  let genSpecializedAttr = 0;
}

#endif // WEFT_DIALECTS_ATTN_ATTNENUMS_TD
