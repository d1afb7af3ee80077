//===- Passes.h - Passes on the attn dialect --------------------*- C++ -*-===//

#ifndef WEFT_COMPILER_ATTN_PASSES_H
#define WEFT_COMPILER_ATTN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weft {

#define GEN_PASS_DECL
#include "compiler/attn/Passes.h.inc"

/// Registers the passes with the command line of `weft-opt`.
void registerAttnPasses();

} // namespace weft

#endif // WEFT_COMPILER_ATTN_PASSES_H
