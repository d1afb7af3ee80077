//===- Passes.h - Passes that make and check plans --------------*- C++ -*-===//

#ifndef WEFT_COMPILER_PLAN_PASSES_H
#define WEFT_COMPILER_PLAN_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weft {

#define GEN_PASS_DECL
#include "compiler/plan/Passes.h.inc"

/// Registers the passes with the command line of `weft-opt`.
void registerPlanPasses();

} // namespace weft

#endif // WEFT_COMPILER_PLAN_PASSES_H
