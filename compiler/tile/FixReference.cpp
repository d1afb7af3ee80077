//===- FixReference.cpp - A softmax whose reference is the first tile's ---===//
//
// The loop over key tiles is split: the first tile takes the plain online step,
// and its row maxima stay the reference of what follows. So a step of the loop
// takes no maximum and rescales nothing, unless a row's sum says that its
// scores have outgrown the reference.
//
//===----------------------------------------------------------------------===//

#include "compiler/tile/Passes.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

#include <cmath>
#include <limits>
#include <optional>

using namespace mlir;

namespace weft {

#define GEN_PASS_DEF_TILEFIXREFERENCE
#include "compiler/tile/Passes.h.inc"

namespace {

/// Sums of a tile's row below which P is far from the end of its type's range.
float largestSum(Type rounded) {
  return rounded.isF16() ? std::ldexp(1.0f, 10) : std::ldexp(1.0f, 20);
}

bool isSplat(Value value, double expected) {
  DenseFPElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
         elements.getSplatValue<APFloat>().convertToDouble() == expected;
}

/// A loop that takes one softmax step per turn, and what it carries.
struct SoftmaxLoop {
  scf::ForOp loop;
  tile::SoftmaxStepOp step;
  arith::TruncFOp rounded; ///< P as it is multiplied
  tile::ExpandOp expanded; ///< the factor of the accumulator
  arith::MulFOp rescaled;  ///< the accumulator brought to the new maximum
  unsigned acc, max, sum;  ///< numbers of the carried values
};

/// The number of the loop's carried value that `value` is.
std::optional<unsigned> carriedNumber(scf::ForOp loop, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != loop.getBody() ||
      argument == loop.getInductionVar())
    return std::nullopt;
  return argument.getArgNumber() - 1;
}

template <typename Op> Op onlyUser(Value value) {
  return value.hasOneUse() ? dyn_cast<Op>(*value.user_begin()) : Op();
}

/// Reads a loop off; none where it does something else with what it carries.
std::optional<SoftmaxLoop> match(scf::ForOp loop) {
  auto steps = loop.getBody()->getOps<tile::SoftmaxStepOp>();
  if (!llvm::hasSingleElement(steps) || loop.getNumRegionIterArgs() != 3)
    return std::nullopt;
  SoftmaxLoop found;
  found.loop = loop;
  found.step = *steps.begin();
  found.rounded = onlyUser<arith::TruncFOp>(found.step.getP());
  found.expanded = onlyUser<tile::ExpandOp>(found.step.getRescale());
  if (!found.rounded || !found.expanded)
    return std::nullopt;
  found.rescaled = onlyUser<arith::MulFOp>(found.expanded);
  if (!found.rescaled || found.rescaled->getBlock() != loop.getBody() ||
      found.rounded->getBlock() != loop.getBody())
    return std::nullopt;
  Value old = found.rescaled.getLhs() == found.expanded.getResult()
                  ? found.rescaled.getRhs()
                  : found.rescaled.getLhs();
  auto acc = carriedNumber(loop, old),
       max = carriedNumber(loop, found.step.getMax()),
       sum = carriedNumber(loop, found.step.getSum());
  if (!acc || !max || !sum || !old.hasOneUse() ||
      !found.step.getMax().hasOneUse() || !found.step.getSum().hasOneUse())
    return std::nullopt;
  ValueRange yielded = loop.getYieldedValues();
  if (yielded[*max] != found.step.getNewMax() ||
      yielded[*sum] != found.step.getNewSum() ||
      !found.step.getNewMax().hasOneUse() ||
      !found.step.getNewSum().hasOneUse() ||
      !isSplat(loop.getInits()[*acc], 0.0) ||
      !isSplat(loop.getInits()[*sum], 0.0) ||
      !isSplat(loop.getInits()[*max], -INFINITY))
    return std::nullopt;
  found.acc = *acc;
  found.max = *max;
  found.sum = *sum;
  return found;
}

Value scalarConstant(OpBuilder &builder, Location loc, float value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getF32FloatAttr(value));
}
Value splat(OpBuilder &builder, Location loc, Type type, float value) {
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(cast<ShapedType>(type), value));
}

/// Masks products instead of scores, where a score is its product times one
/// factor: what is masked becomes the infinity that the factor turns into
/// -inf. Then the factor and the subtraction of the reference are one
/// multiply-add. A factor of zero becomes the least normal number, which makes
/// a score of zero of every product that is no infinity.
void maskProducts(SoftmaxLoop found) {
  Value scores = found.step.getScores();
  auto branch = scores.getDefiningOp<scf::IfOp>();
  if (!branch || !branch.elseBlock() || branch.getNumResults() != 1)
    return;
  auto masked =
      branch.thenYield().getOperand(0).getDefiningOp<arith::SelectOp>();
  Value scaled = branch.elseYield().getOperand(0);
  auto scale = scaled.getDefiningOp<arith::MulFOp>();
  if (!masked || !scale || masked.getTrueValue() != scaled ||
      !isSplat(masked.getFalseValue(), -INFINITY))
    return;
  auto factor = scale.getRhs().getDefiningOp<tensor::SplatOp>();
  scf::ForOp loop = found.loop;
  if (!factor ||
      loop.getRegion().isAncestor(factor.getInput().getParentRegion()))
    return;
  IRRewriter rewriter(loop);
  Location loc = scale.getLoc();
  Value zero = scalarConstant(rewriter, loc, 0.0f);
  Value isZero = arith::CmpFOp::create(rewriter, loc, arith::CmpFPredicate::OEQ,
                                       factor.getInput(), zero);
  Value nonzero = arith::SelectOp::create(
      rewriter, loc, isZero,
      scalarConstant(rewriter, loc, std::numeric_limits<float>::min()),
      factor.getInput());
  Value isPositive = arith::CmpFOp::create(
      rewriter, loc, arith::CmpFPredicate::OGT, nonzero, zero);
  Value hidden = arith::SelectOp::create(
      rewriter, loc, isPositive, scalarConstant(rewriter, loc, -INFINITY),
      scalarConstant(rewriter, loc, INFINITY));
  Value product = scale.getLhs();
  rewriter.setInsertionPoint(masked);
  Value hiddenTile =
      tensor::SplatOp::create(rewriter, loc, product.getType(), hidden);
  rewriter.replaceOpWithNewOp<arith::SelectOp>(masked, masked.getCondition(),
                                               product, hiddenTile);
  branch.elseYield().setOperand(0, product);
  rewriter.setInsertionPointAfter(branch);
  Value factors =
      tensor::SplatOp::create(rewriter, loc, product.getType(), nonzero);
  auto late =
      arith::MulFOp::create(rewriter, loc, branch.getResult(0), factors);
  rewriter.replaceAllUsesExcept(branch.getResult(0), late, late);
  if (scale->use_empty())
    rewriter.eraseOp(scale);
}

/// Writes the turns of one loop anew.
class Rewriter {
public:
  explicit Rewriter(SoftmaxLoop found)
      : found(found), loop(found.loop), builder(found.loop),
        loc(found.step.getLoc()) {}

  void run() {
    Location loopLoc = loop.getLoc();
    Value exists =
        arith::CmpIOp::create(builder, loopLoc, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    auto branch = scf::IfOp::create(builder, loopLoc, loop.getResultTypes(),
                                    exists, /*withElseRegion=*/true);
    builder.setInsertionPointToStart(branch.thenBlock());
    SmallVector<Value> first =
        turn(loop.getLowerBound(), loop.getInits(), /*isFirst=*/true);
    Value second = arith::AddIOp::create(builder, loopLoc, loop.getLowerBound(),
                                         loop.getStep());
    auto rest = scf::ForOp::create(builder, loopLoc, second,
                                   loop.getUpperBound(), loop.getStep(), first);
    scf::YieldOp::create(builder, loopLoc, rest.getResults());
    builder.setInsertionPointToStart(rest.getBody());
    scf::YieldOp::create(builder, loopLoc,
                         turn(rest.getInductionVar(), rest.getRegionIterArgs(),
                              /*isFirst=*/false));
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loopLoc, loop.getInits());
    loop.replaceAllUsesWith(branch.getResults());
    loop.erase();
  }

private:
  /// What a step makes of the scores and of what is carried.
  struct Outcome {
    Value rounded, acc, max, sum;
  };

  SmallVector<Value> turn(Value index, ValueRange carried, bool isFirst) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    mapping.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (&op == found.rounded || &op == found.expanded ||
          &op == found.rescaled)
        continue;
      if (&op != found.step) {
        builder.clone(op, mapping);
        continue;
      }
      Value scores = mapping.lookup(found.step.getScores());
      Outcome made =
          isFirst ? takeFirst(scores, carried) : takeLater(scores, carried);
      mapping.map(found.rounded.getResult(), made.rounded);
      mapping.map(found.rescaled.getResult(), made.acc);
      mapping.map(found.step.getNewMax(), made.max);
      mapping.map(found.step.getNewSum(), made.sum);
    }
    SmallVector<Value> next;
    for (Value value : loop.getYieldedValues())
      next.push_back(mapping.lookupOrDefault(value));
    return next;
  }

  Value reduce(tile::ReduceKind kind, Value value) {
    return tile::ReduceOp::create(builder, loc, found.step.getMax().getType(),
                                  kind, value);
  }
  Value round(Value p) {
    return arith::TruncFOp::create(builder, loc, found.rounded.getType(), p);
  }
  /// exp2(scores - reference).
  Value powers(Value scores, Value reference) {
    Value expanded =
        tile::ExpandOp::create(builder, loc, scores.getType(), reference,
                               builder.getI64IntegerAttr(1));
    Value difference = arith::SubFOp::create(builder, loc, scores, expanded);
    return math::Exp2Op::create(builder, loc, difference);
  }

  Outcome takeFirst(Value scores, ValueRange carried) {
    Type rows = found.step.getMax().getType();
    Value max = reduce(tile::ReduceKind::max, scores);
    // A row that sees no key in this tile takes 0; -inf - -inf is no number.
    Value isEmpty =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, max,
                              splat(builder, loc, rows, -INFINITY));
    Value reference = arith::SelectOp::create(
        builder, loc, isEmpty, splat(builder, loc, rows, 0.0f), max);
    Value p = powers(scores, reference);
    Value sum = reduce(tile::ReduceKind::sum, p);
    return {round(p), carried[found.acc], max, sum};
  }

  Outcome takeLater(Value scores, ValueRange carried) {
    Value max = carried[found.max], sum = carried[found.sum],
          acc = carried[found.acc];
    Value p = powers(scores, max);
    Value tileSum = reduce(tile::ReduceKind::sum, p);
    Value rounded = round(p);
    // True of what is no number too: a row whose reference is still -inf.
    Value isLarge = arith::CmpFOp::create(
        builder, loc, arith::CmpFPredicate::UGE, tileSum,
        splat(builder, loc, tileSum.getType(), largestSum(elementType())));
    Value redo = tile::AnyOp::create(builder, loc, isLarge);
    SmallVector<Type> types{rounded.getType(), acc.getType(), max.getType(),
                            sum.getType()};
    auto branch = scf::IfOp::create(builder, loc, types, redo,
                                    /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    auto step = tile::SoftmaxStepOp::create(builder, loc, scores.getType(),
                                            max.getType(), max.getType(),
                                            max.getType(), scores, max, sum);
    Value factors =
        tile::ExpandOp::create(builder, loc, acc.getType(), step.getRescale(),
                               builder.getI64IntegerAttr(1));
    Value rescaled = arith::MulFOp::create(builder, loc, acc, factors);
    scf::YieldOp::create(builder, loc,
                         ValueRange{round(step.getP()), rescaled,
                                    step.getNewMax(), step.getNewSum()});
    builder.setInsertionPointToStart(branch.elseBlock());
    Value newSum = arith::AddFOp::create(builder, loc, sum, tileSum);
    scf::YieldOp::create(builder, loc, ValueRange{rounded, acc, max, newSum});
    return {branch.getResult(0), branch.getResult(1), branch.getResult(2),
            branch.getResult(3)};
  }

  Type elementType() {
    return cast<RankedTensorType>(found.rounded.getType()).getElementType();
  }

  SoftmaxLoop found;
  scf::ForOp loop;
  OpBuilder builder;
  Location loc;
};

struct TileFixReference : impl::TileFixReferenceBase<TileFixReference> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](tile::FuncOp function) {
      if (function.getSchedule().usesWarpgroups())
        function.walk([&](scf::ForOp loop) { loops.push_back(loop); });
    });
    for (scf::ForOp loop : loops) {
      std::optional<SoftmaxLoop> found = match(loop);
      if (!found)
        continue;
      maskProducts(*found);
      Rewriter(*found).run();
    }
  }
};

} // namespace
} // namespace weft
