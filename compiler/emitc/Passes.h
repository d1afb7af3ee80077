//===- Passes.h - The step from warps to CUDA C++ ---------------*- C++ -*-===//

#ifndef WEFT_COMPILER_EMITC_PASSES_H
#define WEFT_COMPILER_EMITC_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weft {

#define GEN_PASS_DECL
#include "compiler/emitc/Passes.h.inc"

/// Makes the pass `warp-to-emitc` known by name.
void registerEmitCPasses();

} // namespace weft

#endif // WEFT_COMPILER_EMITC_PASSES_H
