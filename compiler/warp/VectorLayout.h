//===- VectorLayout.h - Which vectors run along rows ------------*- C++ -*-===//
//
// A tensor of rank 1 is one value per row of a tile or one per column; its uses
// tell which. Computed as a sparse backward dataflow analysis: an expansion or
// a store says it, elementwise ops and loops hand it on.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_WARP_VECTORLAYOUT_H
#define WEFT_COMPILER_WARP_VECTORLAYOUT_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"

namespace weft {

/// `Open` until a use tells; `Both` where uses disagree.
enum class VectorLayout { Open, Row, Column, Both };

struct VectorLayoutLattice : mlir::dataflow::AbstractSparseLattice {
  using AbstractSparseLattice::AbstractSparseLattice;
  mlir::ChangeResult meet(VectorLayout other);
  mlir::ChangeResult meet(const AbstractSparseLattice &other) override;
  void print(llvm::raw_ostream &os) const override;
  VectorLayout value = VectorLayout::Open;
};

struct VectorLayoutAnalysis
    : mlir::dataflow::SparseBackwardDataFlowAnalysis<VectorLayoutLattice> {
  using SparseBackwardDataFlowAnalysis::SparseBackwardDataFlowAnalysis;
  mlir::LogicalResult
  visitOperation(mlir::Operation *op,
                 llvm::ArrayRef<VectorLayoutLattice *> operands,
                 llvm::ArrayRef<const VectorLayoutLattice *> results) override;
  void visitBranchOperand(mlir::OpOperand &) override {}
  void visitCallOperand(mlir::OpOperand &) override {}
  void
  visitNonControlFlowArguments(mlir::RegionSuccessor &,
                               mlir::ArrayRef<mlir::BlockArgument>) override {}
  void setToExitState(VectorLayoutLattice *) override {}
};

/// The layout of `value` (of rank 1) once `solver` has run the analysis above.
VectorLayout lookUpVectorLayout(const mlir::DataFlowSolver &solver,
                                mlir::Value value);

} // namespace weft

MLIR_DECLARE_EXPLICIT_TYPE_ID(weft::VectorLayoutLattice)

#endif // WEFT_COMPILER_WARP_VECTORLAYOUT_H
