//===- Footprint.h - What a body does to its operands -----------*- C++ -*-===//

#ifndef WEFT_COMPILER_VERIFY_FOOTPRINT_H
#define WEFT_COMPILER_VERIFY_FOOTPRINT_H

#include "compiler/verify/LinearForms.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace weft {

/// An access and what holds whenever it is reached; more may.
struct AccessOnPath {
  tile::RowAccess op;
  Conjunction path;
};

/// The same of a turn at a counter.
struct TurnOnPath {
  tile::TurnOp op;
  Conjunction path;
};

/// What a body does to one operand, in the order of the body.
struct Footprint {
  std::vector<AccessOnPath> reads, stores, adds, orderedAdds;
  std::vector<TurnOnPath> turns;
  std::vector<mlir::Operation *> tickets;
};

/// The arrival behind which an op stands, with the branch that it chooses; both
/// null if it stands behind none.
std::pair<tile::TurnOp, mlir::scf::IfOp> arrivalBefore(mlir::Operation *op);

/// The counter of a turn, in the variables Row (the tile's first) and
/// BufferHead.
Conjunction counterOf(tile::TurnOp turn, LinearForms &forms);
/// The elements that an access is on, in the variables Row and BufferHead.
Conjunction elementsOf(tile::RowAccess access, LinearForms &forms);
/// The first of them.
mlir::AffineExpr firstRowOf(tile::RowAccess access, LinearForms &forms);

/// The footprints of a body's operands (`tile.func` or `warp.func`), in their
/// order. Checks on the way that every access stays within the rows of the
/// point's sequence and the heads of its buffer, whatever path leads there; an
/// error names the body, the buffer, and lengths and a point that break it.
/// Names the points of the body in `forms`.
mlir::FailureOr<llvm::SmallVector<Footprint>>
readFootprints(mlir::FunctionOpInterface body, LinearForms &forms);

/// The name of a body's argument (`weft.name`).
llvm::StringRef operandName(mlir::Value buffer);

} // namespace weft

#endif // WEFT_COMPILER_VERIFY_FOOTPRINT_H
