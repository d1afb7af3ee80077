//===- StepProducts.cpp - The products of a loop's step -------------------===//

#include "compiler/warp/StepProducts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;

namespace weft {

bool StepProducts::read() { return readProducts() && readTiles(); }

bool StepProducts::readProducts() {
  bool isSimple = true;
  loop.getBody()->walk([&](warp::IssueOp issue) {
    StepProduct product{issue, nullptr, std::nullopt};
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
      if (isa<scf::YieldOp>(use.getOwner()) && use.getOperandNumber() == number)
        product.carried = number;
    }
    products.push_back(product);
  });
  return isSimple;
}

/// The tiles of the step, one of each ring; false if one is not received and
/// given back in it.
bool StepProducts::readTiles() {
  for (auto receive : loop.getBody()->getOps<warp::ReceiveOp>()) {
    if (llvm::any_of(tiles, [&](StepTile tile) {
          return tile.receive.getRing() == receive.getRing();
        }))
      return false;
    StepTile tile{receive, nullptr};
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
std::optional<unsigned> StepProducts::lastReader(StepTile tile) {
  std::optional<unsigned> last;
  for (auto [number, product] : llvm::enumerate(products))
    if (llvm::is_contained(product.issue->getOperands(),
                           tile.receive.getResult()))
      last = number;
  return last;
}

/// The ops of the body behind `anchor` that `op` needs: what computes its
/// operands, and what clears the tiles that it reads.
SmallVector<Operation *> StepProducts::needed(Operation *op,
                                              Operation *anchor) {
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

/// Whether `op` clears rows of tiles where there are any.
static bool isClear(Operation *op) {
  auto branch = dyn_cast<scf::IfOp>(op);
  return branch && branch.getNumResults() == 0 && !branch.elseBlock() &&
         llvm::all_of(branch.thenBlock()->without_terminator(),
                      [](Operation &inner) {
                        return isPure(&inner) || isa<warp::ClearRowsOp>(inner);
                      });
}

bool StepProducts::canFollow(Operation *op, Operation *anchor) {
  if (!isa<warp::IssueOp, warp::ReceiveOp>(op) && !isClear(op) &&
      !(isPure(op) && op->getNumRegions() == 0))
    return false;
  return llvm::all_of(needed(op, anchor),
                      [&](Operation *need) { return canFollow(need, anchor); });
}

void StepProducts::follow(Operation *op, Operation *&anchor) {
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
SmallVector<Operation *> StepProducts::ownWaits() {
  SmallVector<Operation *> waits;
  for (StepProduct product : products)
    if (!product.carried)
      waits.push_back(product.await);
  llvm::sort(waits,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return waits;
}

/// Between the first wait and the second one there are exponentials: the
/// consumers compute them one after the other.
void StepProducts::takeTurns(Operation *first, Operation *second) {
  // A warpgroup alone has nobody to take turns with.
  if (loop->getParentOfType<warp::FuncOp>().getWarps() == 4)
    return;
  rewriter.setInsertionPoint(first);
  warp::TakeTurnOp::create(rewriter, loc);
  rewriter.setInsertionPoint(second);
  warp::PassTurnOp::create(rewriter, loc);
  rewriter.setInsertionPoint(loop);
}

unsigned StepProducts::issuedBefore(Operation *op) {
  return llvm::count_if(products, [&](StepProduct product) {
    return product.issue->isBeforeInBlock(op);
  });
}

/// Waits of the step itself: how many products are issued since.
void StepProducts::countYounger() {
  for (auto [number, product] : llvm::enumerate(products))
    if (!product.carried)
      product.await.setYounger(issuedBefore(product.await) - number - 1);
}

/// The tiles that the carried sum reads last.
SmallVector<StepTile> StepProducts::findLateTiles() {
  SmallVector<StepTile> late;
  for (StepTile tile : tiles)
    if (std::optional<unsigned> reader = lastReader(tile);
        reader && products[*reader].carried)
      late.push_back(tile);
  return late;
}

/// The loop carries its one sum while that is under way. Returns the wait for
/// it, behind the loop.
Operation *StepProducts::carry() {
  StepProduct *sum = llvm::find_if(
      products, [](const StepProduct &product) { return product.carried; });
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
void StepProducts::giveBack(ArrayRef<StepTile> late, Operation *wait,
                            Operation *last) {
  auto isAbove = [&](Value value, Value than) -> Value {
    return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                                 value, than);
  };
  for (StepTile tile : late) {
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

void StepProducts::sortProducts() {
  llvm::sort(products, [](StepProduct a, StepProduct b) {
    return a.issue->isBeforeInBlock(b.issue);
  });
}

} // namespace weft
