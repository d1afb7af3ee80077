//===- NarrowCoordinates.cpp - Masks in 32 bits ---------------------------===//
//
// A mask compares sums of a row or column in the tile, which is small, and
// values that are the same for the whole tile, which may be large.
//
//===----------------------------------------------------------------------===//

#include "compiler/emitc/Passes.h"
#include "dialects/warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace weft {

#define GEN_PASS_DEF_WARPNARROWCOORDINATES
#include "compiler/emitc/Passes.h.inc"

namespace {

/// Differences of coordinates are well within, and sums with one fit 32 bits.
constexpr int64_t kFar = int64_t(1) << 30;

/// A coordinate of a map's element, or none, plus and minus values from outside
/// of the map.
struct Sum {
  Value coordinate;
  SmallVector<Value> plus, minus;
};

/// Writes `value` as such a sum.
bool decompose(Value value, warp::MapOp map, Sum &sum, bool negative = false) {
  if (!map.getBody().isAncestor(value.getParentRegion())) {
    (negative ? sum.minus : sum.plus).push_back(value);
    return true;
  }
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (negative || sum.coordinate ||
        argument.getArgNumber() < map.getInputs().size())
      return false;
    sum.coordinate = argument;
    return true;
  }
  if (auto add = value.getDefiningOp<arith::AddIOp>())
    return decompose(add.getLhs(), map, sum, negative) &&
           decompose(add.getRhs(), map, sum, negative);
  if (auto sub = value.getDefiningOp<arith::SubIOp>())
    return decompose(sub.getLhs(), map, sum, negative) &&
           decompose(sub.getRhs(), map, sum, !negative);
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    (negative ? sum.minus : sum.plus).push_back(value);
    return true;
  }
  return false;
}

/// a + p < b + q is a < b + (q - p), whatever the order.
void narrow(arith::CmpIOp compare, warp::MapOp map) {
  Sum left, right;
  if (!compare.getLhs().getType().isInteger(64) ||
      !decompose(compare.getLhs(), map, left) ||
      !decompose(compare.getRhs(), map, right) ||
      (!left.coordinate && !right.coordinate))
    return;
  Location loc = compare.getLoc();
  OpBuilder outside(map);
  auto bound = [&](int64_t value) {
    return arith::ConstantOp::create(outside, loc,
                                     outside.getI64IntegerAttr(value));
  };
  // Constants of the body are seen from there alone.
  auto hoist = [&](Value value) -> Value {
    if (map.getBody().isAncestor(value.getParentRegion()))
      return outside.clone(*value.getDefiningOp())->getResult(0);
    return value;
  };
  Value distance = bound(0);
  auto collect = [&](const Sum &sum, bool negative) {
    for (Value value : negative ? sum.minus : sum.plus)
      distance = arith::AddIOp::create(outside, loc, distance, hoist(value));
    for (Value value : negative ? sum.plus : sum.minus)
      distance = arith::SubIOp::create(outside, loc, distance, hoist(value));
  };
  collect(right, false);
  collect(left, true);
  distance = arith::MaxSIOp::create(outside, loc, distance, bound(-kFar));
  distance = arith::MinSIOp::create(outside, loc, distance, bound(kFar));
  Type i32 = outside.getI32Type();
  Value near = arith::TruncIOp::create(outside, loc, i32, distance);

  OpBuilder inside(compare);
  auto small = [&](Value coordinate) -> Value {
    if (coordinate)
      return arith::TruncIOp::create(inside, loc, i32, coordinate);
    return {};
  };
  Value a = small(left.coordinate), b = small(right.coordinate);
  if (!a)
    a = arith::ConstantOp::create(inside, loc, inside.getI32IntegerAttr(0));
  b = b ? arith::AddIOp::create(inside, loc, b, near).getResult() : near;
  Value result =
      arith::CmpIOp::create(inside, loc, compare.getPredicate(), a, b);
  compare.replaceAllUsesWith(result);
  compare.erase();
}

struct WarpNarrowCoordinates
    : impl::WarpNarrowCoordinatesBase<WarpNarrowCoordinates> {
  void runOnOperation() override { narrowCoordinates(getOperation()); }
};

} // namespace

void narrowCoordinates(Operation *kernel) {
  kernel->walk([](warp::MapOp map) {
    SmallVector<arith::CmpIOp> compares;
    map.walk([&](arith::CmpIOp op) { compares.push_back(op); });
    for (arith::CmpIOp op : compares)
      narrow(op, map);
    // The sums that were compared.
    for (Operation &op :
         llvm::make_early_inc_range(llvm::reverse(map.getBody().front())))
      if (isOpTriviallyDead(&op))
        op.erase();
  });
}

} // namespace weft
