//===- Passes.h - The step from tiles to warps ------------------*- C++ -*-===//
//
// tile.func becomes warp.func in three passes: layouts and shared memory
// (tile-to-warp), copies that run ahead (warp-pipeline), elementwise work as
// loops over a thread's elements (warp-fuse-maps). They run in this order.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_WARP_PASSES_H
#define WEFT_COMPILER_WARP_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weft {

#define GEN_PASS_DECL
#include "compiler/warp/Passes.h.inc"

/// Adds the three passes, with the clean-up between them, to `manager`, which
/// runs on modules.
void buildWarpPipeline(mlir::OpPassManager &manager);

/// Makes the passes, and the pipeline `weft-warp`, known by name.
void registerWarpPasses();

} // namespace weft

#endif // WEFT_COMPILER_WARP_PASSES_H
