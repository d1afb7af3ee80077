//===- PlanSizes.h - The scalars of a plan ----------------------*- C++ -*-===//
//
// Grids, bytes, offsets and guards: `plan.size` and integer arithmetic, which
// must not overflow.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_REFERENCE_PLANSIZES_H
#define WEFT_RUNTIME_REFERENCE_PLANSIZES_H

#include "runtime/spec/Problem.h"

#include "dialects/plan/Plan.h"

#include "llvm/ADT/DenseMap.h"

namespace weft::reference {

class PlanSizes {
public:
  PlanSizes(const Problem &problem, int64_t smCount)
      : problem(problem), smCount(smCount) {}

  /// Whether an op of a plan is one of its scalars'.
  static bool knows(mlir::Operation &op);
  llvm::Error evaluate(mlir::Operation &op);
  /// A value that has been evaluated; an i1 is 0 or 1.
  llvm::Expected<int64_t> get(mlir::Value value) const;

private:
  int64_t sizeOf(plan::Size size) const;

  const Problem &problem;
  int64_t smCount;
  llvm::DenseMap<mlir::Value, int64_t> integers;
};

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_PLANSIZES_H
