//===- SpecOfPlan.h - What a plan says of its spec --------------*- C++ -*-===//

#ifndef WEFT_COMPILER_PLAN_SPECOFPLAN_H
#define WEFT_COMPILER_PLAN_SPECOFPLAN_H

#include "mlir/IR/BuiltinOps.h"

#include "llvm/Support/Error.h"

namespace weft {

/// An error if the `weft.spec` of a module at the plan stage or below is not
/// the spec of its plans: a program is found by the one and runs the other.
/// Pass, dtype, head dims and ratio, layouts, alignment and determinism are
/// compared. Mask, score and `do` are in the bodies and no longer told apart:
/// whoever changes those by hand names the spec too.
llvm::Error checkSpecOfPlan(mlir::ModuleOp module);

} // namespace weft

#endif // WEFT_COMPILER_PLAN_SPECOFPLAN_H
