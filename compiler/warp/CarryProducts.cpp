//===- CarryProducts.cpp - Sums of a step beside the next step's products -===//
//
// The gradients' steps begin with products of tiles alone and end with products
// that add to what the loop carries. Those of the first kind are issued at
// once. One sum is waited for by nobody in the loop: the matrix unit works on
// it while the next step begins. Groups complete in order, so a wait of the
// next step says that it is done, and its tile goes back then. More than one,
// with what the next step's products need, are too much for the registers:
// ptxas would make every product wait. They are waited for together, at the
// step's end.
//
// Consumers that do the same at the same time leave the matrix unit idle while
// all compute exponentials, so they take turns at those.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"

#include "compiler/warp/StepProducts.h"

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_WARPCARRYPRODUCTS
#include "compiler/warp/Passes.h.inc"

namespace {

class Carrier : StepProducts {
public:
  using StepProducts::StepProducts;

  void run() {
    if (!read())
      return;
    keepWhatMustGoBack();
    size_t sums = llvm::count_if(
        products, [](const StepProduct &product) { return product.carried; });
    // Without another product no wait of the next step says a sum is done.
    if (sums == 0 || sums == products.size())
      return;
    issueEarly();
    // Between the first wait and the second one there are exponentials.
    SmallVector<Operation *> waits = ownWaits();
    if (waits.size() > 1)
      takeTurns(waits[0], waits[1]);
    if (sums > 1) {
      waitAtEnd();
      return countYounger();
    }
    SmallVector<StepTile> late = findLateTiles();
    Operation *wait = ownWaits().front();
    countYounger();
    giveBack(late, wait, carry());
  }

private:
  /// A tile of a ring with one slot cannot stay into the next step: its
  /// products are waited for where they stand.
  void keepWhatMustGoBack() {
    for (StepTile tile : tiles)
      if (tile.receive.getRing().getType().getStages() < 2)
        for (StepProduct &product : products)
          if (llvm::is_contained(product.issue->getOperands(),
                                 tile.receive.getResult()))
            product.carried.reset();
  }

  /// Products of tiles alone follow the first one, with all they need.
  void issueEarly() {
    Operation *anchor = nullptr;
    for (StepProduct &product : products) {
      if (product.issue.getAcc() ||
          !isa<warp::SharedType>(product.issue.getA().getType()))
        continue;
      if (!anchor)
        anchor = product.issue;
      else if (canFollow(product.issue, anchor))
        follow(product.issue, anchor);
    }
    sortProducts();
  }

  /// Moves the waits for the sums behind all else of the step, and behind them
  /// what gives back the tiles that they read.
  void waitAtEnd() {
    Operation *end = loop.getBody()->getTerminator();
    for (StepProduct product : products)
      if (product.carried)
        rewriter.moveOpBefore(product.await, end);
    for (StepProduct &product : products)
      product.carried.reset();
    for (StepTile tile : tiles)
      if (std::optional<unsigned> reader = lastReader(tile))
        if (tile.consumed->isBeforeInBlock(products[*reader].await))
          rewriter.moveOpAfter(tile.consumed, products[*reader].await);
  }
};

class WarpCarryProducts
    : public impl::WarpCarryProductsBase<WarpCarryProducts> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      Carrier(loop).run();
  }
};

} // namespace
} // namespace weft
