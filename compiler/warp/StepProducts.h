//===- StepProducts.h - The products of a loop's step -----------*- C++ -*-===//
//
// What the passes that let products run on share: a step's products and tiles,
// in which order they may be issued, and sums that the loop carries while they
// are under way.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_WARP_STEPPRODUCTS_H
#define WEFT_COMPILER_WARP_STEPPRODUCTS_H

#include "dialects/warp/Warp.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

#include <optional>

namespace weft {

/// A product of a step, in the order in which they are issued.
struct StepProduct {
  warp::IssueOp issue;
  warp::AwaitOp await;
  /// The number of the loop's value that it adds to, if nothing else reads it.
  std::optional<unsigned> carried;
};

/// A tile of a step: who receives it and where it goes back.
struct StepTile {
  warp::ReceiveOp receive;
  warp::ConsumedOp consumed;
};

class StepProducts {
public:
  explicit StepProducts(mlir::scf::ForOp loop)
      : loop(loop), rewriter(loop), loc(loop.getLoc()) {}

  /// Reads the step; false if it is not as `warp-specialize` leaves it: each
  /// product awaited in the step itself, each tile received and given back.
  bool read();

protected:
  /// The last product that reads a tile, or none.
  std::optional<unsigned> lastReader(StepTile tile);

  /// Moves `op` and all it needs behind `anchor`, which becomes `op`;
  /// `canFollow` says whether that may be.
  bool canFollow(mlir::Operation *op, mlir::Operation *anchor);
  void follow(mlir::Operation *op, mlir::Operation *&anchor);
  /// Puts `products` into the order in which they are issued now.
  void sortProducts();

  /// The step's waits for products that are not carried, in order.
  llvm::SmallVector<mlir::Operation *> ownWaits();
  /// Consumers take turns between one wait, before exponentials, and the next.
  void takeTurns(mlir::Operation *first, mlir::Operation *second);
  /// Waits of the step itself: how many products are issued since.
  void countYounger();

  /// The tiles that the carried sum reads last.
  llvm::SmallVector<StepTile> findLateTiles();
  /// The loop carries its one sum while that is under way. Returns the wait for
  /// it, behind the loop.
  mlir::Operation *carry();
  /// Late tiles go back at `wait`, the next step's first one: what it waits for
  /// was issued behind the sum. The last step's go back at `last`.
  void giveBack(llvm::ArrayRef<StepTile> late, mlir::Operation *wait,
                mlir::Operation *last);

  mlir::scf::ForOp loop;
  mlir::IRRewriter rewriter;
  mlir::Location loc;
  llvm::SmallVector<StepProduct> products;
  llvm::SmallVector<StepTile> tiles;

private:
  bool readProducts();
  bool readTiles();
  llvm::SmallVector<mlir::Operation *> needed(mlir::Operation *op,
                                              mlir::Operation *anchor);
  unsigned issuedBefore(mlir::Operation *op);
};

} // namespace weft

#endif // WEFT_COMPILER_WARP_STEPPRODUCTS_H
