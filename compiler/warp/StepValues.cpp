//===- StepValues.cpp - Values of a loop's other steps --------------------===//

#include "compiler/warp/StepValues.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

bool weft::isComputableForStep(Value value, scf::ForOp loop) {
  if (value == loop.getInductionVar() ||
      !loop.getRegion().isAncestor(value.getParentRegion()))
    return true;
  Operation *op = value.getDefiningOp();
  return op && op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isComputableForStep(operand, loop);
         });
}

Value weft::computeForStep(OpBuilder &builder, Value value, scf::ForOp loop,
                           IRMapping &mapping) {
  if (Value known = mapping.lookupOrNull(value))
    return known;
  if (!loop.getRegion().isAncestor(value.getParentRegion()))
    return value;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    computeForStep(builder, operand, loop, mapping);
  builder.clone(*op, mapping);
  return mapping.lookup(value);
}
