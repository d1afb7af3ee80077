//===- ProductsUnderWay.cpp - Until when products read registers ----------===//

#include "compiler/emitc/ProductsUnderWay.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weft {

/// Looks for the wait that proves a product done, from `from` up to `end` (or
/// the end of the block). `younger` counts the products issued since; one that
/// sits in a branch does not count, which errs to the safe side.
static Operation *findWait(Operation *from, Operation *end, int64_t &younger) {
  for (Operation *op = from; op && op != end; op = op->getNextNode()) {
    if (isa<warp::IssueOp>(op))
      ++younger;
    if (auto await = dyn_cast<warp::AwaitOp>(op))
      if (static_cast<int64_t>(await.getYounger()) <= younger)
        return op;
  }
  return nullptr;
}

ProductsUnderWay::ProductsUnderWay(warp::FuncOp kernel) {
  kernel.walk([&](warp::IssueOp issue) {
    if (!isa<RankedTensorType>(issue.getA().getType()))
      return;
    int64_t younger = 0;
    Operation *at = issue;
    while (true) {
      if (Operation *wait = findWait(at->getNextNode(), nullptr, younger)) {
        doneAt[wait].push_back(issue.getA());
        return;
      }
      at = at->getParentOp();
      if (auto loop = dyn_cast<scf::ForOp>(at)) {
        Operation *own = loop.getBody()->findAncestorOpInBlock(*issue);
        heldAtEnd[loop].push_back(issue.getA());
        if (Operation *wait = findWait(&loop.getBody()->front(), own, younger))
          doneAt[wait].push_back(issue.getA());
        return;
      }
      if (!isa<scf::IfOp>(at))
        return;
    }
  });
}

} // namespace weft
