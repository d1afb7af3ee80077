//===- Buffers.h - Buffers followed through a plan --------------*- C++ -*-===//

#ifndef WEFT_COMPILER_PLAN_BUFFERS_H
#define WEFT_COMPILER_PLAN_BUFFERS_H

#include "dialects/plan/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// A builder before the first `plan.func` of the module, where kernels stand.
mlir::OpBuilder kernelBuilder(mlir::ModuleOp module);

/// The `plan.release` of a reserved buffer, null if there is none.
plan::ReleaseOp releaseOf(plan::ReserveOp reserve);

} // namespace weft

#endif // WEFT_COMPILER_PLAN_BUFFERS_H
