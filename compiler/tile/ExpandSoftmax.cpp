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

  Value tileMax = reduce(tile::ReduceKind::max, scores);
  Value newMax = arith::MaxNumFOp::create(builder, loc, oldMax, tileMax);
  // -inf - -inf is no number: a row without a key yet takes 0 instead.
  Value minusInfinity = splat(builder, loc, rows, -INFINITY);
  Value isEmpty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        newMax, minusInfinity);
  Value zero = splat(builder, loc, rows, 0.0f);
  Value reference =
      arith::SelectOp::create(builder, loc, isEmpty, zero, newMax);
  Value rise = arith::SubFOp::create(builder, loc, oldMax, reference);
  Value rescale = math::Exp2Op::create(builder, loc, rise);
  Value p = math::Exp2Op::create(builder, loc, subtractRows(scores, reference));
  Value kept = arith::MulFOp::create(builder, loc, step.getSum(), rescale);
  Value tileSum = reduce(tile::ReduceKind::sum, p);
  Value newSum = arith::AddFOp::create(builder, loc, kept, tileSum);
  step.replaceAllUsesWith(ValueRange{p, newMax, newSum, rescale});
  step.erase();
}

struct TileExpandSoftmax : impl::TileExpandSoftmaxBase<TileExpandSoftmax> {
  void runOnOperation() override { getOperation()->walk(expand); }
};

} // namespace
} // namespace weft
