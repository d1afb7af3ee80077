//===- VectorLayout.cpp - Which vectors run along rows --------------------===//

#include "compiler/warp/VectorLayout.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/TypeSwitch.h"

MLIR_DEFINE_EXPLICIT_TYPE_ID(weft::VectorLayoutLattice)

using namespace mlir;

namespace weft {

ChangeResult VectorLayoutLattice::meet(VectorLayout other) {
  VectorLayout met = value == VectorLayout::Open ? other
                     : other == VectorLayout::Open || other == value
                         ? value
                         : VectorLayout::Both;
  if (met == value)
    return ChangeResult::NoChange;
  value = met;
  return ChangeResult::Change;
}

ChangeResult VectorLayoutLattice::meet(const AbstractSparseLattice &other) {
  return meet(static_cast<const VectorLayoutLattice &>(other).value);
}

void VectorLayoutLattice::print(llvm::raw_ostream &os) const {
  os << (value == VectorLayout::Open     ? "open"
         : value == VectorLayout::Row    ? "row"
         : value == VectorLayout::Column ? "column"
                                         : "both");
}

static bool isVector(Value value) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  return tensor && tensor.getRank() == 1;
}

LogicalResult VectorLayoutAnalysis::visitOperation(
    Operation *op, ArrayRef<VectorLayoutLattice *> operands,
    ArrayRef<const VectorLayoutLattice *> results) {
  if (auto expand = dyn_cast<tile::ExpandOp>(op)) {
    propagateIfChanged(operands[0],
                       operands[0]->meet(expand.getDim() == 1
                                             ? VectorLayout::Row
                                             : VectorLayout::Column));
    return success();
  }
  // Vectors in memory have one value per row of a buffer; a store has no
  // columns to spread them over.
  if (isa<tile::StoreOp, tile::AddOp, tile::OrderedAddOp>(op)) {
    if (isVector(op->getOperand(0)))
      propagateIfChanged(operands[0], operands[0]->meet(VectorLayout::Row));
    return success();
  }
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1 ||
      !isVector(op->getResult(0)))
    return success();
  for (auto [operand, lattice] : llvm::zip(op->getOperands(), operands))
    if (isVector(operand))
      meet(lattice, *results[0]);
  return success();
}

VectorLayout lookUpVectorLayout(const DataFlowSolver &solver, Value value) {
  // What a reduction gives is one value per row whatever its uses say.
  const auto *lattice = solver.lookupState<VectorLayoutLattice>(value);
  VectorLayout layout = lattice ? lattice->value : VectorLayout::Open;
  if (!value.getDefiningOp<tile::ReduceOp>() || layout == VectorLayout::Open)
    return layout == VectorLayout::Open ? VectorLayout::Row : layout;
  return layout == VectorLayout::Row ? layout : VectorLayout::Both;
}

} // namespace weft
