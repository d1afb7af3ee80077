//===- Passes.h - Passes that prove what plans and bodies say ---*- C++ -*-===//

#ifndef WEFT_COMPILER_VERIFY_PASSES_H
#define WEFT_COMPILER_VERIFY_PASSES_H

#include "mlir/Pass/Pass.h"

namespace weft {

#define GEN_PASS_DECL
#include "compiler/verify/Passes.h.inc"

/// Registers the passes with the command line of `weft-opt`.
void registerVerifyPasses();

} // namespace weft

#endif // WEFT_COMPILER_VERIFY_PASSES_H
