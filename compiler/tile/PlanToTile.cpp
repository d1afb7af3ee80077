//===- PlanToTile.cpp - Writes the bodies of a plan's kernels -------------===//

#include "compiler/tile/Passes.h"

#include "compiler/tile/RegionInlining.h"
#include "compiler/tile/bodies/Body.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using weft::plan::KernelKind;

namespace weft {

#define GEN_PASS_DEF_PLANTOTILE
#include "compiler/tile/Passes.h.inc"

namespace {

using tile::Body;
using tile::ProblemFacts;

/// All regions of the problem can be cloned onto tiles.
LogicalResult verifyRegions(const ProblemFacts &problem) {
  auto verify = [](Region *region, unsigned firstPosition) {
    if (!region)
      return success();
    SmallVector<Value> perPair{region->getArgument(firstPosition),
                               region->getArgument(firstPosition + 1)};
    if (firstPosition == 3) // behind the score
      perPair.push_back(region->getArgument(0));
    return tile::verifyElementwise(*region,
                                   tile::dependentValues(*region, perPair));
  };
  return success(succeeded(verify(problem.mask, 2)) &&
                 succeeded(verify(problem.score, 3)) &&
                 succeeded(verify(problem.derivative, 3)));
}

void buildBody(plan::KernelOp kernel, const ProblemFacts &problem) {
  Body body(kernel, problem);
  switch (kernel.getKind()) {
  case KernelKind::forward:
    buildForward(body);
    break;
  case KernelKind::delta:
    buildDelta(body);
    break;
  case KernelKind::dqkv:
  case KernelKind::dkdv:
  case KernelKind::dk:
  case KernelKind::dv:
    buildKeyGradients(body);
    break;
  case KernelKind::dq:
    buildQueryGradient(body);
    break;
  case KernelKind::reduce:
    buildReduce(body);
    break;
  case KernelKind::convert:
    buildConvert(body);
    break;
  case KernelKind::fill:
    buildFill(body, kernel);
    break;
  }
  body.finish();
}

struct PlanToTile : impl::PlanToTileBase<PlanToTile> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::MapVector<Operation *, ProblemFacts> problems;
    for (auto kernel :
         llvm::make_early_inc_range(module.getOps<plan::KernelOp>())) {
      Operation *op =
          SymbolTable::lookupSymbolIn(module, kernel.getProblemAttr());
      if (!op) {
        kernel.emitOpError() << "is of " << kernel.getProblemAttr()
                             << ", which the module does not define";
        return signalPassFailure();
      }
      if (!problems.contains(op)) {
        FailureOr<ProblemFacts> facts = ProblemFacts::of(op);
        if (failed(facts) || failed(verifyRegions(*facts)))
          return signalPassFailure();
        problems.insert({op, *facts});
      }
      const ProblemFacts &facts = problems.find(op)->second;
      if (failed(Body::check(kernel, facts)))
        return signalPassFailure();
      buildBody(kernel, facts);
    }
    for (auto &[op, facts] : problems)
      op->erase();
  }
};

} // namespace
} // namespace weft
