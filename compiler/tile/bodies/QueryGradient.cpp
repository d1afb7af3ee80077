//===- QueryGradient.cpp - dQ of one query tile ---------------------------===//

#include "compiler/tile/bodies/Gradients.h"

using namespace mlir;
using weft::plan::RowSpace;

namespace weft::tile {

void buildQueryGradient(Body &body) {
  Value rows = body.rowsAt(RowSpace::q, body.first, body.rows);
  Value headKv = body.scalars.divide(body.head, body.problem.headRatio);
  Value query = body.load("query", rows, body.head);
  Value dOut = body.load("d_out", rows, body.head);
  Value lse = loadLse(body, rows, body.head);
  Value delta = body.load("delta", rows, body.head);
  Scores scores(body, WalkedSide::keys, body.head);

  Value none =
      body.filled({body.rows, Body::padded(body.problem.headDim)}, 0.0);
  SmallVector<Value> end = scores.walk(
      none, [&](const TilePair &pair, ValueRange sum) -> SmallVector<Value> {
        Value key = body.load("key", pair.walkedRows, headKv);
        Scores::Changed s = scores.change(body.dotTransposed(query, key), pair);
        Value p = probabilities(body, scores, s.base2, lse, 1, pair);
        Value value = body.load("value", pair.walkedRows, headKv);
        Value dP = body.dotTransposed(dOut, value);
        Value dS = scoreGradient(body, scores, p, dP, delta, 1, s.scaled, pair);
        return {body.dot(body.round(dS), key, sum[0])};
      });
  body.store(body.times(end[0], body.scalar("scale")), "d_query", rows,
             body.head);
}

} // namespace weft::tile
