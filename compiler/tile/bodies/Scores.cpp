//===- Scores.cpp - The scores of a tile pair, and the walk over pairs ----===//

#include "compiler/tile/bodies/Scores.h"

#include "compiler/tile/RegionInlining.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using weft::plan::RowSpace;

namespace weft::tile {

Scores::Scores(Body &body, WalkedSide walked, Value queryHead, bool addsOverOwn)
    : body(body), walked(walked), addsOverOwn(addsOverOwn),
      queryHead(queryHead), lengthQ(body.length(RowSpace::q)),
      lengthKv(body.length(RowSpace::kv)) {
  maskPart = prepare(body.problem.mask, /*takesScore=*/false);
  scorePart = prepare(body.problem.score, /*takesScore=*/true);
  derivativePart = prepare(body.problem.derivative, /*takesScore=*/true);
  if (maskPart.region)
    intervals = MaskIntervals(*maskPart.region, maskPart.uniform);
  Scalars &s = body.scalars;
  walkedEnd = s.sub(walksKeys() ? lengthKv : lengthQ, 1);
  ownLast = lastExisting(body.first, body.rows,
                         s.sub(walksKeys() ? lengthQ : lengthKv, 1));
  factor = body.scalar("scale");
  // Without a score change one product does for the scale and for log2(e).
  if (!scorePart.region)
    factor = arith::MulFOp::create(
        body.builder, body.loc, factor,
        arith::ConstantOp::create(body.builder, body.loc,
                                  body.builder.getF32FloatAttr(log2E)));
}

Scores::Part Scores::prepare(Region *region, bool takesScore) {
  Part part;
  part.region = region;
  if (!region)
    return part;
  // (score,) b, h, i, j, n_q, n_k, parameters...
  auto arguments = region->getArguments().drop_front(takesScore);
  part.uniform.map(arguments[0], body.sequence);
  part.uniform.map(arguments[1], queryHead);
  part.uniform.map(arguments[4], lengthQ);
  part.uniform.map(arguments[5], lengthKv);
  for (auto [argument, name] :
       llvm::zip_equal(arguments.drop_front(6),
                       body.problem.parameters.getAsValueRange<StringAttr>()))
    part.uniform.map(argument, body.scalar(name));
  SmallVector<Value> perPair{arguments[2], arguments[3]};
  if (takesScore)
    perPair.push_back(region->getArgument(0));
  cloneUniform(body.builder, *region, dependentValues(*region, perPair),
               part.uniform);
  return part;
}

Value Scores::lastExisting(Value first, int64_t count, Value end) {
  Scalars &s = body.scalars;
  return s.min(s.add(first, count - 1), end);
}

Box Scores::boxOf(const TilePair &pair) {
  Value walkedFirst = walksKeys() ? pair.keyFirst : pair.queryFirst;
  Value walkedLast = lastExisting(walkedFirst, body.columns, walkedEnd);
  if (walksKeys())
    return {pair.queryFirst, ownLast, walkedFirst, walkedLast};
  return {walkedFirst, walkedLast, pair.keyFirst, ownLast};
}

SmallVector<Value> Scores::walk(
    ValueRange start,
    function_ref<SmallVector<Value>(const TilePair &, ValueRange)> step) {
  OpBuilder &builder = body.builder;
  Walk over{walked, body.first, ownLast, body.columns,
            walksKeys() ? lengthKv : lengthQ};
  TileBounds bounds = intervals.solve(builder, body.loc, over);

  auto turn = [&](Value tile, ValueRange carried) -> SmallVector<Value> {
    Value first = body.scalars.mul(tile, body.columns);
    TilePair pair{walksKeys() ? body.first : first,
                  walksKeys() ? first : body.first, Value()};
    auto takeStep = [&] {
      pair.walkedRows = body.rowsAt(walksKeys() ? RowSpace::kv : RowSpace::q,
                                    first, body.columns);
      return step(pair, carried);
    };
    if (bounds.exact)
      return takeStep();
    Value may = intervals.judge(builder, body.loc, walked, boxOf(pair)).may;
    auto test = scf::IfOp::create(builder, body.loc, carried.getTypes(), may,
                                  /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(test.thenBlock());
    scf::YieldOp::create(builder, body.loc, takeStep());
    builder.setInsertionPointToStart(test.elseBlock());
    scf::YieldOp::create(builder, body.loc, carried);
    return test.getResults();
  };

  return body.loop(bounds.first, bounds.last, start, turn);
}

Value Scores::onTile(const Part &part, Value scaled, const TilePair &pair) {
  OpBuilder &builder = body.builder;
  SmallVector<int64_t> shape{body.rows, body.columns};
  auto type = RankedTensorType::get(shape, builder.getI64Type());
  IRMapping mapping = part.uniform;
  if (scaled)
    mapping.map(part.region->getArgument(0), scaled);
  auto arguments = part.region->getArguments().drop_front(scaled ? 1 : 0);
  auto coordinates = [&](Value argument, Value first, bool rows) {
    if (argument.use_empty())
      return;
    mapping.map(argument,
                CoordinatesOp::create(builder, body.loc, type, first,
                                      builder.getI64IntegerAttr(rows ? 0 : 1)));
  };
  coordinates(arguments[2], pair.queryFirst, walksKeys());
  coordinates(arguments[3], pair.keyFirst, !walksKeys());
  return inlineOnTiles(builder, body.loc, *part.region, shape, mapping);
}

Value Scores::mask(Value unmasked, double value, const TilePair &pair) {
  OpBuilder &builder = body.builder;
  Location loc = body.loc;
  Scalars &s = body.scalars;
  // Key rows past the end are zeros, whose score is not: where sums go over
  // keys they have to be masked. Else they are rows that are never stored; and
  // query rows past the end have LSE = inf in the backward.
  Value isPast;
  if (walksKeys() || addsOverOwn) {
    int64_t keys = walksKeys() ? body.columns : body.rows;
    isPast = s.le(lengthKv, s.add(pair.keyFirst, keys - 1));
  }
  if (!maskPart.region && !isPast)
    return unmasked;
  Value must = intervals.judge(builder, loc, walked, boxOf(pair)).must;
  Value isMixed = s.negate(must);
  if (isPast)
    isMixed = s.either(isMixed, isPast);
  if (Scalars::isFalse(isMixed))
    return unmasked;

  auto test = scf::IfOp::create(builder, loc, unmasked.getType(), isMixed,
                                /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(test.thenBlock());
  Value keep;
  if (maskPart.region)
    keep = onTile(maskPart, Value(), pair);
  if (isPast) {
    SmallVector<int64_t> shape(shapeOf(unmasked));
    Value key = CoordinatesOp::create(
        builder, loc, RankedTensorType::get(shape, builder.getI64Type()),
        pair.keyFirst, builder.getI64IntegerAttr(walksKeys() ? 1 : 0));
    Value exists = s.lt(key, body.splat(lengthKv, shape));
    keep = keep ? s.both(keep, exists) : exists;
  }
  Value masked =
      s.select(keep, unmasked, body.filled(shapeOf(unmasked), value));
  scf::YieldOp::create(builder, loc, masked);
  builder.setInsertionPointToStart(test.elseBlock());
  scf::YieldOp::create(builder, loc, unmasked);
  return test.getResult(0);
}

Scores::Changed Scores::change(Value product, const TilePair &pair) {
  Changed changed;
  changed.base2 = body.times(product, factor);
  if (scorePart.region) {
    changed.scaled = changed.base2;
    changed.base2 = body.times(onTile(scorePart, changed.scaled, pair), log2E);
  }
  return changed;
}

Value Scores::derivative(Value scaled, const TilePair &pair) {
  if (!derivativePart.region)
    return Value();
  return onTile(derivativePart, scaled, pair);
}

} // namespace weft::tile
