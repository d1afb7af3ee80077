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

/// Whether `op` is work on each element of a tile that the tile's map can do.
bool isAbsorbed(Operation *op, warp::MapOp map) {
  if (op->getBlock() != map->getBlock())
    return false;
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
    SmallVector<Operation *> users;
    for (Operation *user : result.getUsers())
      if (isAbsorbed(user, map))
        users.push_back(user);
    if (users.empty() ||
        users.size() != size_t(llvm::range_size(result.getUses()))) {
      types.push_back(result.getType());
      replaced.push_back(result);
      yielded.push_back(element);
    }
    llvm::sort(users, [](Operation *left, Operation *right) {
      return left->isBeforeInBlock(right);
    });
    for (Operation *user : users) {
      auto type = cast<RankedTensorType>(user->getResult(0).getType());
      Value value = element;
      if (isa<warp::PackOp>(user))
        value = arith::TruncFOp::create(rewriter, user->getLoc(),
                                        type.getElementType(), element);
      types.push_back(type);
      replaced.push_back(user->getResult(0));
      yielded.push_back(value);
      absorbed.push_back(user);
    }
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
