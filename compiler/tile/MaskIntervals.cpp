//===- MaskIntervals.cpp - Tile skipping derived from the mask ------------===//

#include "compiler/tile/MaskIntervals.h"

#include "compiler/tile/RegionInlining.h"
#include "compiler/tile/Scalars.h"

using namespace mlir;

namespace weft::tile {

namespace {

/// Bounds of a value, both ends included; null where there is none.
struct Range {
  Value low, high;
};

/// Emits bounds of region values over one box.
class BoxRanges {
public:
  BoxRanges(Scalars scalars, const IRMapping &uniform)
      : scalars(scalars), uniform(uniform) {}

  void set(Value value, Range range) { ranges[value] = range; }

  /// Upper or lower bound of sign * sum; null where there is none.
  Value bound(const LinearSum &sum, int64_t sign, bool upper) {
    SmallVector<std::pair<Value, int64_t>> parts;
    for (auto [value, coefficient] : sum.terms) {
      int64_t factor = sign * coefficient;
      Range range = rangeOf(value);
      Value end = (factor > 0) == upper ? range.high : range.low;
      if (!end)
        return {};
      parts.push_back({end, factor});
    }
    // What is added first: the sum then needs no leading constant.
    llvm::stable_sort(parts, [](const auto &a, const auto &b) {
      return (a.second > 0) > (b.second > 0);
    });
    int64_t constant = sign * sum.constant;
    Value result;
    for (auto [end, factor] : parts) {
      if (factor > 0) {
        Value term = scalars.mul(end, factor);
        result = result ? scalars.add(result, term) : term;
        continue;
      }
      if (!result)
        result = scalars.constant(std::exchange(constant, 0));
      result = scalars.sub(result, scalars.mul(end, -factor));
    }
    return result ? scalars.add(result, constant) : scalars.constant(constant);
  }

  Value low(const LinearSum &sum) { return bound(sum, 1, false); }
  Value high(const LinearSum &sum) { return bound(sum, 1, true); }

  Value uniformValue(Value value) const { return uniform.lookupOrNull(value); }

private:
  Range rangeOf(Value value) {
    auto [known, isNew] = ranges.try_emplace(value);
    if (!isNew)
      return known->second;
    Range range = compute(value);
    return ranges[value] = range;
  }

  LinearSum sumOf(Value value) const {
    return readSum(value, [&](Value part) { return uniform.contains(part); });
  }

  Range rangeOfSum(Value value) {
    LinearSum sum = sumOf(value);
    return {low(sum), high(sum)};
  }

  Range compute(Value value) {
    if (Value same = uniformValue(value))
      return {same, same};
    Operation *op = value.getDefiningOp();
    if (!op || !value.getType().isInteger(64))
      return {};
    if (auto min = dyn_cast<arith::MinSIOp>(op)) {
      Range a = rangeOfSum(min.getLhs()), b = rangeOfSum(min.getRhs());
      return {meet(a.low, b.low, false), any(a.high, b.high, false)};
    }
    if (auto max = dyn_cast<arith::MaxSIOp>(op)) {
      Range a = rangeOfSum(max.getLhs()), b = rangeOfSum(max.getRhs());
      return {any(a.low, b.low, true), meet(a.high, b.high, true)};
    }
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      Range a = rangeOfSum(select.getTrueValue());
      Range b = rangeOfSum(select.getFalseValue());
      return {meet(a.low, b.low, false), meet(a.high, b.high, true)};
    }
    if (isa<arith::FloorDivSIOp, arith::CeilDivSIOp, arith::DivSIOp,
            arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op))
      return divide(op);
    if (isa<arith::MulIOp>(op))
      return multiply(rangeOfSum(op->getOperand(0)),
                      rangeOfSum(op->getOperand(1)));
    return {};
  }

  /// An end that needs both ends.
  Value meet(Value a, Value b, bool upper) {
    if (!a || !b)
      return {};
    return upper ? scalars.max(a, b) : scalars.min(a, b);
  }
  /// An end that either end gives.
  Value any(Value a, Value b, bool larger) {
    if (!a || !b)
      return a ? a : b;
    return larger ? scalars.max(a, b) : scalars.min(a, b);
  }

  /// Positions and lengths are not negative, nor are sums of them.
  bool isNotNegative(const LinearSum &sum) const {
    return sum.constant >= 0 && llvm::all_of(sum.terms, [](const auto &term) {
             auto argument = dyn_cast<BlockArgument>(term.first);
             return term.second > 0 && argument && argument.getArgNumber() < 6;
           });
  }

  Range divide(Operation *op) {
    std::optional<int64_t> divisor = Scalars::constantOf(op->getOperand(1));
    LinearSum dividend = sumOf(op->getOperand(0));
    bool notNegative = isNotNegative(dividend);
    if (!divisor || *divisor <= 0 ||
        (isa<arith::DivUIOp, arith::RemUIOp>(op) && !notNegative))
      return {};
    Range range{low(dividend), high(dividend)};
    auto quotient = [&](Value end, int64_t by) -> Value {
      if (!end || by == 1)
        return end;
      if (isa<arith::CeilDivSIOp>(op))
        return scalars.ceilDiv(end, by);
      if (isa<arith::FloorDivSIOp>(op) || notNegative)
        return scalars.floorDiv(end, by);
      return scalars.divide(end, by);
    };
    if (!isa<arith::RemSIOp, arith::RemUIOp>(op))
      return {quotient(range.low, *divisor), quotient(range.high, *divisor)};
    if (!notNegative)
      return {scalars.constant(1 - *divisor), scalars.constant(*divisor - 1)};
    // Both ends in one period: the remainder grows with the dividend.
    Range whole{scalars.constant(0), scalars.constant(*divisor - 1)};
    if (!range.low || !range.high)
      return whole;
    Value period = scalars.floorDiv(range.low, *divisor);
    Value start = scalars.mul(period, *divisor);
    Value last = scalars.floorDiv(range.high, *divisor);
    Value one = scalars.equal(period, last);
    return {scalars.select(one, scalars.sub(range.low, start), whole.low),
            scalars.select(one, scalars.sub(range.high, start), whole.high)};
  }

  Range multiply(Range a, Range b) {
    if (!a.low || !a.high || !b.low || !b.high)
      return {};
    Value products[] = {scalars.mul(a.low, b.low), scalars.mul(a.low, b.high),
                        scalars.mul(a.high, b.low),
                        scalars.mul(a.high, b.high)};
    Range range{products[0], products[0]};
    for (Value product : ArrayRef(products).drop_front()) {
      range.low = scalars.min(range.low, product);
      range.high = scalars.max(range.high, product);
    }
    return range;
  }

  Scalars scalars;
  const IRMapping &uniform;
  llvm::DenseMap<Value, Range> ranges;
};

//===----------------------------------------------------------------------===//
// May and must of one box
//===----------------------------------------------------------------------===//

class Judge {
public:
  Judge(Scalars scalars, BoxRanges &ranges, Value walked, Range walkedRange)
      : scalars(scalars), ranges(ranges), walked(walked),
        walkedRange(walkedRange) {}

  Verdict judge(const Formula &formula) {
    switch (formula.kind) {
    case Formula::Kind::True:
      return {scalars.boolean(true), scalars.boolean(true)};
    case Formula::Kind::False:
      return {scalars.boolean(false), scalars.boolean(false)};
    case Formula::Kind::Unknown:
      return {scalars.boolean(true), scalars.boolean(false)};
    case Formula::Kind::Uniform: {
      Value condition = ranges.uniformValue(formula.condition);
      if (formula.negated)
        condition = scalars.negate(condition);
      return {condition, condition};
    }
    case Formula::Kind::AtMostZero:
      return judge(formula.sum);
    case Formula::Kind::And:
    case Formula::Kind::Or: {
      Verdict all = judge(formula.parts.front());
      for (const Formula &part : llvm::drop_begin(formula.parts)) {
        Verdict next = judge(part);
        bool both = formula.kind == Formula::Kind::And;
        all.may = both ? scalars.both(all.may, next.may)
                       : scalars.either(all.may, next.may);
        all.must = both ? scalars.both(all.must, next.must)
                        : scalars.either(all.must, next.must);
      }
      return all;
    }
    }
    llvm_unreachable("all kinds handled");
  }

private:
  /// sum <= 0, written with the walked position alone on one side.
  Verdict judge(const LinearSum &sum) {
    int64_t factor = sum.coefficientOf(walked);
    LinearSum rest = sum.without(walked);
    // With factor 0 both are 0.
    Value low = scalars.mul(walkedRange.low, std::abs(factor));
    Value high = scalars.mul(walkedRange.high, std::abs(factor));
    if (factor > 0) { // factor * walked <= -rest
      Value restLow = ranges.bound(rest, -1, false);
      Value restHigh = ranges.bound(rest, -1, true);
      return {atMost(low, restHigh, true), atMost(high, restLow, false)};
    }
    // rest <= -factor * walked
    Value restLow = ranges.low(rest), restHigh = ranges.high(rest);
    return {atMost(restLow, high, true), atMost(restHigh, low, false)};
  }

  Value atMost(Value a, Value b, bool ifUnbounded) {
    return a && b ? scalars.le(a, b) : scalars.boolean(ifUnbounded);
  }

  Scalars scalars;
  BoxRanges &ranges;
  Value walked;
  Range walkedRange;
};

//===----------------------------------------------------------------------===//
// Loop bounds
//===----------------------------------------------------------------------===//

class Solver {
public:
  Solver(Scalars scalars, BoxRanges &ranges, Value walked, const Walk &walk,
         const llvm::DenseSet<Value> &dependent)
      : scalars(scalars), ranges(ranges), walked(walked), walk(walk),
        dependent(dependent), none(scalars.constant(0)),
        tiles(scalars.ceilDiv(walk.length, walk.step)) {}

  TileBounds solve(const Formula &formula) {
    switch (formula.kind) {
    case Formula::Kind::True:
      return all(true);
    case Formula::Kind::False:
      return {none, none, true};
    case Formula::Kind::Unknown:
      return all(false);
    case Formula::Kind::Uniform: {
      Value condition = ranges.uniformValue(formula.condition);
      return allIf(formula.negated ? scalars.negate(condition) : condition);
    }
    case Formula::Kind::AtMostZero:
      return solve(formula.sum);
    case Formula::Kind::And:
    case Formula::Kind::Or: {
      TileBounds bounds = solve(formula.parts.front());
      bool both = formula.kind == Formula::Kind::And;
      for (const Formula &part : llvm::drop_begin(formula.parts)) {
        TileBounds next = solve(part);
        bounds = both ? intersection(bounds, next) : hull(bounds, next);
      }
      return bounds;
    }
    }
    llvm_unreachable("all kinds handled");
  }

private:
  // Every first tile is at least `none`, every last at most `tiles`.
  TileBounds intersection(TileBounds a, TileBounds b) {
    return {a.first == none   ? b.first
            : b.first == none ? a.first
                              : scalars.max(a.first, b.first),
            a.last == tiles   ? b.last
            : b.last == tiles ? a.last
                              : scalars.min(a.last, b.last),
            a.exact && b.exact};
  }
  /// May hold tiles of neither.
  TileBounds hull(TileBounds a, TileBounds b) {
    return {a.first == none || b.first == none ? none
                                               : scalars.min(a.first, b.first),
            a.last == tiles || b.last == tiles ? tiles
                                               : scalars.max(a.last, b.last),
            false};
  }

  TileBounds all(bool exact) { return {none, tiles, exact}; }
  TileBounds allIf(Value condition) {
    return {none, scalars.select(condition, tiles, none), true};
  }

  /// sum <= 0 for some walked position of the tile.
  TileBounds solve(const LinearSum &sum) {
    int64_t factor = sum.coefficientOf(walked);
    LinearSum rest = sum.without(walked);
    if (llvm::any_of(rest.terms, [&](const auto &term) {
          return dependent.contains(term.first);
        }))
      return all(false);
    if (factor > 0) { // t * step <= floor(-rest / factor)
      Value end = ranges.bound(rest, -1, true);
      if (!end)
        return all(true);
      Value tile = scalars.floorDiv(scalars.floorDiv(end, factor), walk.step);
      return {none, scalars.min(tiles, scalars.add(tile, 1)), true};
    }
    Value start = ranges.low(rest);
    if (!start)
      return all(true);
    if (factor == 0)
      return allIf(scalars.le(start, none));
    // start <= position for a position of the tile that exists
    start = scalars.ceilDiv(start, -factor);
    TileBounds bounds = allIf(scalars.lt(start, walk.length));
    bounds.first = scalars.max(none, scalars.floorDiv(start, walk.step));
    return bounds;
  }

  Scalars scalars;
  BoxRanges &ranges;
  Value walked;
  const Walk &walk;
  const llvm::DenseSet<Value> &dependent;
  Value none, tiles;
};

} // namespace

//===----------------------------------------------------------------------===//
// MaskIntervals
//===----------------------------------------------------------------------===//

MaskIntervals::MaskIntervals(Region &mask, const IRMapping &uniform)
    : query(mask.getArgument(2)), key(mask.getArgument(3)), uniform(uniform) {
  formula = readFormula(mask.front().getTerminator()->getOperand(0),
                        dependentValues(mask, {query, key}));
}

Verdict MaskIntervals::judge(OpBuilder &builder, Location loc, WalkedSide side,
                             const Box &box) const {
  Scalars scalars(builder, loc);
  BoxRanges ranges(scalars, uniform);
  Range queries{box.queryFirst, box.queryLast}, keys{box.keyFirst, box.keyLast};
  ranges.set(query, queries);
  ranges.set(key, keys);
  bool overKeys = side == WalkedSide::keys;
  return Judge(scalars, ranges, overKeys ? key : query,
               overKeys ? keys : queries)
      .judge(formula);
}

TileBounds MaskIntervals::solve(OpBuilder &builder, Location loc,
                                const Walk &walk) const {
  Scalars scalars(builder, loc);
  BoxRanges ranges(scalars, uniform);
  bool overKeys = walk.side == WalkedSide::keys;
  Value walked = overKeys ? key : query;
  ranges.set(overKeys ? query : key, {walk.otherFirst, walk.otherLast});
  llvm::DenseSet<Value> dependent;
  if (walked)
    dependent = dependentValues(*walked.getParentRegion(), walked);
  return Solver(scalars, ranges, walked, walk, dependent).solve(formula);
}

} // namespace weft::tile
