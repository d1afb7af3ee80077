//===- StepValues.h - Values of a loop's other steps ------------*- C++ -*-===//

#ifndef WEFT_COMPILER_WARP_STEPVALUES_H
#define WEFT_COMPILER_WARP_STEPVALUES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

namespace weft {

/// Whether `value` can be computed for another step of `loop`: it hangs on the
/// step and on what is outside alone, through pure ops without regions.
bool isComputableForStep(mlir::Value value, mlir::scf::ForOp loop);

/// Computes such a value at `builder`, for the step that `mapping` maps the
/// induction variable of `loop` to.
mlir::Value computeForStep(mlir::OpBuilder &builder, mlir::Value value,
                           mlir::scf::ForOp loop, mlir::IRMapping &mapping);

} // namespace weft

#endif // WEFT_COMPILER_WARP_STEPVALUES_H
