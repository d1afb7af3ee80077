//===- Pipeline.h - The ladder as pass pipelines ----------------*- C++ -*-===//
//
// Each step of the ladder as the passes that take a module from one stage to
// the next. `compileToText` strings them; `weft-opt` offers each by name.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_PIPELINE_H
#define WEFT_COMPILER_PIPELINE_H

#include "compiler/Compiler.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassManager.h"

namespace weft {

/// Registers every dialect that IR of any stage uses.
void registerAllDialects(mlir::DialectRegistry &registry);

/// Registers weft's passes, the upstream ones that go with them
/// (canonicalize, cse, ..) and the pipelines `weft-to-plan`, `weft-to-tile`,
/// `weft-to-warp` and `weft-to-emitc`, each one step of the ladder.
void registerAllPasses();

/// The passes that lead from the stage before to `stage` (Plan, Tile, Warp or
/// EmitC), a verifying pass behind each.
void buildStep(mlir::OpPassManager &manager, Stage stage);

} // namespace weft

#endif // WEFT_COMPILER_PIPELINE_H
