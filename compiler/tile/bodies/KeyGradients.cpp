//===- KeyGradients.cpp - dK and dV of one key tile -----------------------===//
//
// Scores are transposed here: keys are the rows, so that P^T and dS^T are left
// operands of the products that sum over queries. The point walks the query
// heads of its key head, and so needs no workspace; where its results are
// partials it belongs to one query head and walks only that.
//
//===----------------------------------------------------------------------===//

#include "compiler/tile/bodies/Gradients.h"

using namespace mlir;
using weft::plan::RowSpace;

namespace weft::tile {

namespace {

/// What of dK, dV and dQ's sum the contract asks for.
struct Sums {
  Sums(Body &body)
      : key(body.has("d_key") ? "d_key" : "d_key_partial"),
        value(body.has("d_value") ? "d_value" : "d_value_partial"),
        wantsKey(body.has(key)), wantsValue(body.has(value)),
        wantsQuery(body.has("d_query_sum")) {}
  StringRef key, value;
  bool wantsKey, wantsValue, wantsQuery;
};

SmallVector<Value> walkQueries(Body &body, const Sums &sums, Value key,
                               Value value, Value queryHead, ValueRange start) {
  Scores scores(body, WalkedSide::queries, queryHead,
                /*addsOverOwn=*/sums.wantsQuery);
  return scores.walk(
      start,
      [&](const TilePair &pair, ValueRange carried) -> SmallVector<Value> {
        Value rows = pair.walkedRows;
        Value query = body.load("query", rows, queryHead);
        Scores::Changed s = scores.change(body.dotTransposed(key, query), pair);
        Value lse = loadLse(body, rows, queryHead);
        Value p = probabilities(body, scores, s.base2, lse, 0, pair);
        Value dOut = body.load("d_out", rows, queryHead);

        SmallVector<Value> next;
        if (sums.wantsValue)
          next.push_back(body.dot(body.round(p), dOut, carried.back()));
        if (sums.wantsKey) {
          Value dP = body.dotTransposed(value, dOut);
          Value delta = body.load("delta", rows, queryHead);
          Value dS =
              scoreGradient(body, scores, p, dP, delta, 0, s.scaled, pair);
          Value rounded = body.round(dS);
          next.insert(next.begin(), body.dot(rounded, query, carried.front()));
          if (sums.wantsQuery)
            body.add(body.transposedDot(rounded, key), "d_query_sum", rows,
                     queryHead);
        }
        return next;
      });
}

} // namespace

void buildKeyGradients(Body &body) {
  Sums sums(body);
  int64_t ratio = body.problem.headRatio;
  bool isSplit = body.has("d_key_partial") || body.has("d_value_partial");
  Value headKv = isSplit ? body.scalars.divide(body.head, ratio) : body.head;

  Value rows = body.rowsAt(RowSpace::kv, body.first, body.rows);
  Value key = body.load("key", rows, headKv), value;
  SmallVector<Value> start;
  auto zero = [&](int64_t dim) {
    return body.filled({body.rows, Body::padded(dim)}, 0.0);
  };
  if (sums.wantsKey) {
    value = body.load("value", rows, headKv);
    start.push_back(zero(body.problem.headDim));
  }
  if (sums.wantsValue)
    start.push_back(zero(body.problem.headDimV));

  auto walk = [&](Value queryHead, ValueRange carried) {
    return walkQueries(body, sums, key, value, queryHead, carried);
  };
  SmallVector<Value> end = isSplit || ratio == 1
                               ? walk(body.head, start)
                               : body.loopOverGroup(body.head, start, walk);

  if (sums.wantsKey)
    body.store(body.times(end.front(), body.scalar("scale")), sums.key, rows,
               body.head);
  if (sums.wantsValue)
    body.store(end.back(), sums.value, rows, body.head);
}

} // namespace weft::tile
