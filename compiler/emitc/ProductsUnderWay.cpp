//===- ProductsUnderWay.cpp - Until when products read registers ----------===//

#include "compiler/emitc/ProductsUnderWay.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace weft {

namespace {

/// On some path: the tile that a product reads, under the name that it has
/// there, and how many products were issued since.
struct Reading {
  Value tile;
  int64_t younger;
  bool operator==(const Reading &) const = default;
};
using Readings = SmallVector<Reading>;

/// Follows one product from its issue to the waits that prove it done.
class Follower {
public:
  explicit Follower(ProductsUnderWay &result) : result(result) {}

  void follow(warp::IssueOp issue) {
    Readings readings{{issue.getA(), 0}};
    Operation *at = issue;
    while (true) {
      readings = run(at->getNextNode(), nullptr, std::move(readings));
      Operation *parent = at->getParentOp();
      if (readings.empty() || !isa<scf::ForOp, scf::IfOp>(parent))
        return;
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        nextStep(loop, at, readings);
      // Behind the loop or the branch.
      readings = renamed(readings, at->getBlock()->getTerminator(),
                         parent->getResults());
      at = parent;
    }
  }

private:
  /// What still reads behind `from` and the ops that follow it, up to `end` or
  /// the end of the block.
  Readings run(Operation *from, Operation *end, Readings readings) {
    for (Operation *op = from; op != end && !readings.empty();
         op = op->getNextNode()) {
      if (isa<warp::IssueOp>(op)) {
        for (Reading &reading : readings)
          ++reading.younger;
      } else if (auto await = dyn_cast<warp::AwaitOp>(op)) {
        llvm::erase_if(readings, [&](const Reading &reading) {
          bool isDone =
              static_cast<int64_t>(await.getYounger()) <= reading.younger;
          if (isDone)
            add(result.doneAt[op], reading.tile);
          return isDone;
        });
      } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
        readings = throughBranch(branch, readings);
      }
    }
    return readings;
  }

  Readings throughBranch(scf::IfOp branch, const Readings &readings) {
    Readings behind;
    auto join = [&](const Readings &more) {
      for (const Reading &reading : more)
        if (!llvm::is_contained(behind, reading))
          behind.push_back(reading);
    };
    for (Region &region : branch->getRegions()) {
      if (region.empty()) {
        join(readings);
        continue;
      }
      Block &block = region.front();
      join(renamed(run(&block.front(), nullptr, readings),
                   block.getTerminator(), branch.getResults()));
    }
    return behind;
  }

  /// The next step up to `own`, where the product is issued again.
  void nextStep(scf::ForOp loop, Operation *own, const Readings &readings) {
    Operation *yield = loop.getBody()->getTerminator();
    for (const Reading &reading : readings)
      if (!llvm::is_contained(yield->getOperands(), reading.tile))
        add(result.heldAtEnd[loop], reading.tile);
    run(&loop.getBody()->front(), own,
        renamed(readings, yield, loop.getRegionIterArgs()));
  }

  /// A tile that `yield` hands on has the name that it is handed on to.
  static Readings renamed(Readings readings, Operation *yield,
                          ValueRange names) {
    for (Reading &reading : readings)
      for (auto [operand, name] : llvm::zip(yield->getOperands(), names))
        if (operand == reading.tile) {
          reading.tile = name;
          break;
        }
    return readings;
  }

  static void add(SmallVector<Value> &values, Value value) {
    if (!llvm::is_contained(values, value))
      values.push_back(value);
  }

  ProductsUnderWay &result;
};

} // namespace

ProductsUnderWay::ProductsUnderWay(warp::FuncOp kernel) {
  kernel.walk([&](warp::IssueOp issue) {
    if (isa<RankedTensorType>(issue.getA().getType()))
      Follower(*this).follow(issue);
  });
}

} // namespace weft
