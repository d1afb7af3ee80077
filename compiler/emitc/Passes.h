//===- Passes.h - The step from warps to CUDA C++ ---------------*- C++ -*-===//

#ifndef WEFT_COMPILER_EMITC_PASSES_H
#define WEFT_COMPILER_EMITC_PASSES_H

#include "dialects/warp/Warp.h"

#include "mlir/Pass/Pass.h"

namespace weft {

#define GEN_PASS_DECL
#include "compiler/emitc/Passes.h.inc"

/// What `warp-narrow-coordinates` does, on one kernel.
void narrowCoordinates(mlir::Operation *kernel);

/// Makes the passes known by name.
void registerEmitCPasses();

} // namespace weft

#endif // WEFT_COMPILER_EMITC_PASSES_H
