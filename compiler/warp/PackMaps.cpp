//===- PackMaps.cpp - Maps that pack and add up what they yield -----------===//

#include "compiler/warp/Passes.h"

#include "dialects/warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_WARPPACKMAPS
#include "compiler/warp/Passes.h.inc"

namespace {

/// Whether `op` is work on each element of a tile that its map can do.
bool isAbsorbed(Operation *op) {
  if (isa<warp::PackOp>(op))
    return true;
  auto reduce = dyn_cast<warp::ReduceOp>(op);
  return reduce && isa<warp::PartialAttr>(
                       cast<RankedTensorType>(reduce.getType()).getEncoding());
}

void absorb(warp::MapOp map, IRRewriter &rewriter) {
  auto yield = cast<warp::YieldOp>(map.getBody().front().getTerminator());
  SmallVector<Type> types;
  SmallVector<Value> yielded, replaced;
  SmallVector<Operation *> absorbed;
  rewriter.setInsertionPoint(yield);
  for (auto [result, element] :
       llvm::zip(map.getResults(), yield.getValues())) {
    bool isKept = result.use_empty();
    for (Operation *user : result.getUsers()) {
      if (!isAbsorbed(user)) {
        isKept = true;
        continue;
      }
      auto type = cast<RankedTensorType>(user->getResult(0).getType());
      types.push_back(type);
      replaced.push_back(user->getResult(0));
      absorbed.push_back(user);
      yielded.push_back(isa<warp::PackOp>(user)
                            ? arith::TruncFOp::create(rewriter, user->getLoc(),
                                                      type.getElementType(),
                                                      element)
                                  .getResult()
                            : element);
    }
    if (!isKept)
      continue;
    types.push_back(result.getType());
    replaced.push_back(result);
    yielded.push_back(element);
  }
  if (absorbed.empty())
    return;
  rewriter.replaceOpWithNewOp<warp::YieldOp>(yield, yielded);
  rewriter.setInsertionPoint(map);
  auto packed =
      warp::MapOp::create(rewriter, map.getLoc(), types, map.getInputs());
  rewriter.inlineRegionBefore(map.getBody(), packed.getBody(),
                              packed.getBody().end());
  for (auto [value, result] : llvm::zip(replaced, packed.getResults()))
    rewriter.replaceAllUsesWith(value, result);
  for (Operation *op : absorbed)
    rewriter.eraseOp(op);
  rewriter.eraseOp(map);
}

class WarpPackMaps : public impl::WarpPackMapsBase<WarpPackMaps> {
  void runOnOperation() override {
    if (!getOperation().getSchedule().usesWarpgroups())
      return;
    SmallVector<warp::MapOp> maps;
    getOperation().walk([&](warp::MapOp map) { maps.push_back(map); });
    IRRewriter rewriter(&getContext());
    for (warp::MapOp map : maps)
      absorb(map, rewriter);
  }
};

} // namespace
} // namespace weft
