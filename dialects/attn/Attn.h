//===- Attn.h - The attn dialect: what is computed --------------*- C++ -*-===//

#ifndef WEFT_DIALECTS_ATTN_ATTN_H
#define WEFT_DIALECTS_ATTN_ATTN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/attn/AttnDialect.h.inc"
#include "dialects/attn/AttnEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/attn/AttnAttrs.h.inc"

#define GET_OP_CLASSES
#include "dialects/attn/AttnOps.h.inc"

#endif // WEFT_DIALECTS_ATTN_ATTN_H
