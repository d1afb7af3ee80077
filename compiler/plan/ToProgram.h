//===- ToProgram.h - A plan as a launch program -----------------*- C++ -*-===//

#ifndef WEFT_COMPILER_PLAN_TOPROGRAM_H
#define WEFT_COMPILER_PLAN_TOPROGRAM_H

#include "runtime/program/Program.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/Error.h"

namespace weft {

/// The launch program of a module whose kernels are `emitc.func`s: one variant
/// per `plan.func` in their order, one kernel per `emitc.func` with a
/// `weft.entry` in their order (cubins empty), formulas from i64 arithmetic on
/// `plan.size`. What a launch passes to a kernel's parameter is what the
/// parameter's `weft.arg` says of the launch's operands. The module is verified
/// and packed (`plan-verify`, `plan-pack-arena`) and has `weft.spec` and
/// `weft.target`. An error names the op it is about.
llvm::Expected<program::ProgramT> buildProgram(mlir::ModuleOp module);

} // namespace weft

#endif // WEFT_COMPILER_PLAN_TOPROGRAM_H
