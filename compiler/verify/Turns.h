//===- Turns.h - The order that points of a grid take ----------*- C++ -*-===//
//
// Points take turns at the counter of a tile. It has to be shown that nobody
// waits for ever, that the counter ends as it began, and that what is done
// behind the last arrival does not depend on which point it is.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_VERIFY_TURNS_H
#define WEFT_COMPILER_VERIFY_TURNS_H

#include "compiler/verify/Footprint.h"

namespace weft {

/// The body of one kernel, for the checks below.
struct TurnChecks {
  mlir::FunctionOpInterface body;
  llvm::StringRef kernel;
  LinearForms &forms;
  bool hasTicket; ///< whether points begin in the order of their numbers

  /// The turns at the counters `name`: those of a counter are 0 to count - 1,
  /// each of one point, and where points wait the earlier is of a lower number.
  mlir::LogicalResult checkTurns(llvm::StringRef name,
                                 llvm::ArrayRef<TurnOnPath> turns);

  /// Ordered adds to `name`, all by the same counters.
  mlir::LogicalResult checkOneCounter(llvm::StringRef name,
                                      llvm::ArrayRef<AccessOnPath> adds);

  /// What is written to `name` behind a last arrival is the same whichever
  /// point it is.
  mlir::LogicalResult checkBehindArrivals(llvm::StringRef name,
                                          llvm::ArrayRef<AccessOnPath> writes);

  /// Reads of `name`, which the kernel itself stores: each is behind the last
  /// arrival of the points that do.
  mlir::LogicalResult checkReadBack(llvm::StringRef name,
                                    llvm::ArrayRef<AccessOnPath> reads,
                                    llvm::ArrayRef<AccessOnPath> stores);

  /// What is computed behind a last arrival, and so what is stored, is the same
  /// whichever point it is. Of tiles as values: of a body without a schedule.
  mlir::LogicalResult checkValuesBehindArrivals();

private:
  mlir::LogicalResult checkValues(mlir::Operation *op, tile::TurnOp arrival,
                                  mlir::scf::IfOp branch);
  mlir::InFlightDiagnostic error(mlir::Operation *op) const {
    return op->emitError() << "body of @" << kernel << " ";
  }
  mlir::LogicalResult checkPair(llvm::StringRef name, const TurnOnPath &one,
                                const TurnOnPath &other);
};

} // namespace weft

#endif // WEFT_COMPILER_VERIFY_TURNS_H
