//===- ExpandSoftmax.cpp - Writes out the online softmax ------------------===//

#include "compiler/tile/Passes.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

#include <cmath>

using namespace mlir;

namespace weft {

#define GEN_PASS_DEF_TILEEXPANDSOFTMAX
#include "compiler/tile/Passes.h.inc"

namespace {

Value splat(OpBuilder &builder, Location loc, Type type, float value) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(cast<ShapedType>(type), value));
}

void expand(tile::SoftmaxStepOp step) {
  OpBuilder builder(step);
  Location loc = step.getLoc();
  Value scores = step.getScores(), oldMax = step.getMax();
  Type rows = oldMax.getType(), tile = scores.getType();
  auto reduce = [&](tile::ReduceKind kind, Value value) -> Value {
    return tile::ReduceOp::create(builder, loc, rows, kind, value);
  };
  auto subtractRows = [&](Value value, Value vector) -> Value {
    Value expanded = tile::ExpandOp::create(builder, loc, tile, vector,
                                            builder.getI64IntegerAttr(1));
    return arith::SubFOp::create(builder, loc, value, expanded);
  };

  Value newMax = arith::MaxNumFOp::create(
      builder, loc, oldMax, reduce(tile::ReduceKind::max, scores));
  // -inf - -inf is no number: a row without a key yet takes 0 instead.
  Value isEmpty =
      arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, newMax,
                            splat(builder, loc, rows, -INFINITY));
  Value reference = arith::SelectOp::create(
      builder, loc, isEmpty, splat(builder, loc, rows, 0.0f), newMax);
  Value rescale = math::Exp2Op::create(
      builder, loc, arith::SubFOp::create(builder, loc, oldMax, reference));
  Value p = math::Exp2Op::create(builder, loc, subtractRows(scores, reference));
  Value newSum = arith::AddFOp::create(
      builder, loc, arith::MulFOp::create(builder, loc, step.getSum(), rescale),
      reduce(tile::ReduceKind::sum, p));
  step.replaceAllUsesWith(ValueRange{p, newMax, newSum, rescale});
  step.erase();
}

struct TileExpandSoftmax : impl::TileExpandSoftmaxBase<TileExpandSoftmax> {
  void runOnOperation() override { getOperation()->walk(expand); }
};

} // namespace
} // namespace weft
