//===- Buffers.h - Buffers followed through a plan --------------*- C++ -*-===//

#ifndef WEFT_COMPILER_PLAN_BUFFERS_H
#define WEFT_COMPILER_PLAN_BUFFERS_H

#include "dialects/plan/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// The operand whose buffer `value` is the next state of; null for a buffer
/// that begins here (an argument or a `plan.reserve`).
mlir::Value previousState(mlir::Value value);

/// Where the buffer of `value` begins: an argument or the result of a
/// `plan.reserve`.
mlir::Value bufferRoot(mlir::Value value);

/// The role of an argument ("query"), or the name of a reserved buffer.
llvm::StringRef bufferName(mlir::Value value);

/// Whether `operand` takes the buffer away from its owner.
bool isConsumed(mlir::OpOperand &operand);

/// A builder before the first `plan.func` of the module, where kernels stand.
mlir::OpBuilder kernelBuilder(mlir::ModuleOp module);

/// The `plan.release` of a reserved buffer, null if there is none.
plan::ReleaseOp releaseOf(plan::ReserveOp reserve);

} // namespace weft

#endif // WEFT_COMPILER_PLAN_BUFFERS_H
