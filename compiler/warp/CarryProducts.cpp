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

#include "dialects/warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"

#include <optional>

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_WARPCARRYPRODUCTS
#include "compiler/warp/Passes.h.inc"

namespace {

/// A product of a step, in the order in which they are issued.
struct Product {
  warp::IssueOp issue;
  warp::AwaitOp await;
  /// The number of the loop's value that it adds to, if nothing else reads it.
  std::optional<unsigned> carried;
};

/// A tile of a step: who receives it and where it goes back.
struct Tile {
  warp::ReceiveOp receive;
  warp::ConsumedOp consumed;
};

class Carrier {
public:
  explicit Carrier(scf::ForOp loop)
      : loop(loop), rewriter(loop), loc(loop.getLoc()) {}

  void run() {
    if (!readProducts() || !readTiles())
      return;
    keepWhatMustGoBack();
    size_t sums = llvm::count_if(
        products, [](const Product &product) { return product.carried; });
    // Without another product no wait of the next step says a sum is done.
    if (sums == 0 || sums == products.size())
      return;
    issueEarly();
    takeTurns();
    if (sums > 1) {
      waitAtEnd();
      return countYounger();
    }
    SmallVector<Tile> late = findLateTiles();
    Operation *wait = ownWaits().front();
    countYounger();
    giveBack(late, wait, carry());
  }

private:
  //===--------------------------------------------------------------------===//
  // What the loop is
  //===--------------------------------------------------------------------===//

  bool readProducts() {
    bool isSimple = true;
    loop.getBody()->walk([&](warp::IssueOp issue) {
      Product product{issue, nullptr, std::nullopt};
      if (issue->hasOneUse())
        product.await = dyn_cast<warp::AwaitOp>(*issue->user_begin());
      isSimple &= issue->getBlock() == loop.getBody() && product.await &&
                  product.await->getBlock() == loop.getBody() &&
                  product.await.getYounger() == 0;
      if (!isSimple)
        return;
      auto acc = dyn_cast_or_null<BlockArgument>(issue.getAcc());
      if (acc && acc.getOwner() == loop.getBody() && acc.hasOneUse() &&
          product.await->hasOneUse()) {
        OpOperand &use = *product.await->use_begin();
        unsigned number = acc.getArgNumber() - 1;
        if (isa<scf::YieldOp>(use.getOwner()) &&
            use.getOperandNumber() == number)
          product.carried = number;
      }
      products.push_back(product);
    });
    return isSimple;
  }

  /// The tiles of the step; false if one is not received and given back in it.
  bool readTiles() {
    for (auto receive : loop.getBody()->getOps<warp::ReceiveOp>()) {
      Tile tile{receive, nullptr};
      for (Operation *user : receive.getRing().getUsers())
        if (auto consumed = dyn_cast<warp::ConsumedOp>(user);
            consumed && consumed->getBlock() == loop.getBody()) {
          if (tile.consumed)
            return false;
          tile.consumed = consumed;
        }
      if (!tile.consumed)
        return false;
      tiles.push_back(tile);
    }
    return true;
  }

  /// The last product that reads a tile, or none.
  std::optional<unsigned> lastReader(Tile tile) {
    std::optional<unsigned> last;
    for (auto [number, product] : llvm::enumerate(products))
      if (llvm::is_contained(product.issue->getOperands(),
                             tile.receive.getResult()))
        last = number;
    return last;
  }

  /// A tile of a ring with one slot cannot stay into the next step: its
  /// products are waited for where they stand.
  void keepWhatMustGoBack() {
    for (Tile tile : tiles)
      if (tile.receive.getRing().getType().getStages() < 2)
        for (Product &product : products)
          if (llvm::is_contained(product.issue->getOperands(),
                                 tile.receive.getResult()))
            product.carried.reset();
  }

  //===--------------------------------------------------------------------===//
  // What can be issued at once
  //===--------------------------------------------------------------------===//

  /// Products of tiles alone follow the first one, with all they need.
  void issueEarly() {
    Operation *anchor = nullptr;
    for (Product &product : products) {
      if (product.issue.getAcc() ||
          !isa<warp::SharedType>(product.issue.getA().getType()))
        continue;
      if (!anchor)
        anchor = product.issue;
      else if (canFollow(product.issue, anchor))
        follow(product.issue, anchor);
    }
    llvm::sort(products, [](Product a, Product b) {
      return a.issue->isBeforeInBlock(b.issue);
    });
  }

  /// The ops of the body behind `anchor` that `op` needs: what computes its
  /// operands, and what clears the tiles that it reads.
  SmallVector<Operation *> needed(Operation *op, Operation *anchor) {
    SetVector<Value> values(op->operand_begin(), op->operand_end());
    for (Region &region : op->getRegions())
      getUsedValuesDefinedAbove(region, values);
    SmallVector<Operation *> needs;
    auto add = [&](Operation *need) {
      if (need && need != op && need->getBlock() == loop.getBody() &&
          anchor->isBeforeInBlock(need) && need->isBeforeInBlock(op))
        needs.push_back(need);
    };
    for (Value value : values) {
      add(value.getDefiningOp());
      if (isa<warp::IssueOp>(op) && isa<warp::SharedType>(value.getType()))
        for (Operation *user : value.getUsers())
          if (isa<warp::ClearRowsOp>(user))
            add(loop.getBody()->findAncestorOpInBlock(*user));
    }
    return needs;
  }

  static bool isClear(Operation *op) {
    auto branch = dyn_cast<scf::IfOp>(op);
    return branch && branch.getNumResults() == 0 && !branch.elseBlock() &&
           llvm::all_of(
               branch.thenBlock()->without_terminator(), [](Operation &inner) {
                 return isPure(&inner) || isa<warp::ClearRowsOp>(inner);
               });
  }

  bool canFollow(Operation *op, Operation *anchor) {
    if (!isa<warp::IssueOp, warp::ReceiveOp>(op) && !isClear(op) &&
        !(isPure(op) && op->getNumRegions() == 0))
      return false;
    return llvm::all_of(needed(op, anchor), [&](Operation *need) {
      return canFollow(need, anchor);
    });
  }

  void follow(Operation *op, Operation *&anchor) {
    while (true) {
      SmallVector<Operation *> needs = needed(op, anchor);
      if (needs.empty())
        break;
      follow(needs.front(), anchor);
    }
    rewriter.moveOpAfter(op, anchor);
    anchor = op;
  }

  /// The step's waits for products that are not carried, in order.
  SmallVector<Operation *> ownWaits() {
    SmallVector<Operation *> waits;
    for (Product product : products)
      if (!product.carried)
        waits.push_back(product.await);
    llvm::sort(waits, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    return waits;
  }

  /// Between the first wait and the second one there are exponentials: the
  /// consumers compute them one after the other.
  void takeTurns() {
    SmallVector<Operation *> waits = ownWaits();
    if (waits.size() < 2)
      return;
    rewriter.setInsertionPoint(waits[0]);
    warp::TakeTurnOp::create(rewriter, loc);
    rewriter.setInsertionPoint(waits[1]);
    warp::PassTurnOp::create(rewriter, loc);
    rewriter.setInsertionPoint(loop);
  }

  //===--------------------------------------------------------------------===//
  // What is carried
  //===--------------------------------------------------------------------===//

  /// Moves the waits for the sums behind all else of the step, and behind them
  /// what gives back the tiles that they read.
  void waitAtEnd() {
    Operation *end = loop.getBody()->getTerminator();
    for (Product product : products)
      if (product.carried)
        rewriter.moveOpBefore(product.await, end);
    for (Product &product : products)
      product.carried.reset();
    for (Tile tile : tiles)
      if (std::optional<unsigned> reader = lastReader(tile))
        if (tile.consumed->isBeforeInBlock(products[*reader].await))
          rewriter.moveOpAfter(tile.consumed, products[*reader].await);
  }

  unsigned issuedBefore(Operation *op) {
    return llvm::count_if(products, [&](Product product) {
      return product.issue->isBeforeInBlock(op);
    });
  }

  /// Waits of the step itself: how many products are issued since.
  void countYounger() {
    for (auto [number, product] : llvm::enumerate(products))
      if (!product.carried)
        product.await.setYounger(issuedBefore(product.await) - number - 1);
  }

  /// The tiles that the carried sum reads last.
  SmallVector<Tile> findLateTiles() {
    SmallVector<Tile> late;
    for (Tile tile : tiles)
      if (std::optional<unsigned> reader = lastReader(tile);
          reader && products[*reader].carried)
        late.push_back(tile);
    return late;
  }

  /// The loop carries its one sum while that is under way. Returns the wait for
  /// it, behind the loop.
  Operation *carry() {
    Product *sum = llvm::find_if(
        products, [](const Product &product) { return product.carried; });
    unsigned number = *sum->carried;
    SmallVector<Value> inits(loop.getInits());
    inits[number] = warp::SettledOp::create(rewriter, loc, inits[number]);
    auto carried =
        scf::ForOp::create(rewriter, loc, loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), inits);
    carried.getRegion().takeBody(loop.getRegion());
    carried.getRegionIterArg(number).setType(sum->issue.getType());
    carried.getBody()->getTerminator()->setOperand(number,
                                                   sum->issue.getResult());
    rewriter.eraseOp(sum->await);
    rewriter.setInsertionPointAfter(carried);
    auto await = warp::AwaitOp::create(
        rewriter, loc, loop.getResultTypes()[number], carried.getResult(number),
        products.end() - sum - 1);
    SmallVector<Value> results(carried.getResults());
    results[number] = await.getResult();
    rewriter.replaceAllUsesWith(loop.getResults(), results);
    rewriter.eraseOp(loop);
    loop = carried;
    return await;
  }

  /// Late tiles go back at `wait`, the next step's first one: what it waits for
  /// was issued behind the sum. The last step's go back at `last`.
  void giveBack(ArrayRef<Tile> late, Operation *wait, Operation *last) {
    auto isAbove = [&](Value value, Value than) -> Value {
      return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                                   value, than);
    };
    for (Tile tile : late) {
      Value ring = tile.receive.getRing();
      rewriter.eraseOp(tile.consumed);
      auto when = [&](Value condition, int64_t age) {
        auto branch = scf::IfOp::create(rewriter, loc, condition);
        rewriter.setInsertionPointToStart(branch.thenBlock());
        warp::ConsumedOp::create(rewriter, loc, ring, age);
      };
      rewriter.setInsertionPointAfter(wait);
      bool hasNext = tile.receive->isBeforeInBlock(wait);
      when(isAbove(loop.getInductionVar(), loop.getLowerBound()), hasNext);
      rewriter.setInsertionPointAfter(last);
      when(isAbove(loop.getUpperBound(), loop.getLowerBound()), 0);
    }
  }

  scf::ForOp loop;
  IRRewriter rewriter;
  Location loc;
  SmallVector<Product> products;
  SmallVector<Tile> tiles;
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
