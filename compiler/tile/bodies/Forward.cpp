//===- Forward.cpp - O and LSE of one query tile --------------------------===//

#include "compiler/tile/bodies/Scores.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using weft::plan::RowSpace;

namespace weft::tile {

void buildForward(Body &body) {
  OpBuilder &builder = body.builder;
  Location loc = body.loc;
  Value rows = body.rowsAt(RowSpace::q, body.first, body.rows);
  Value headKv = body.scalars.divide(body.head, body.problem.headRatio);
  Value query = body.load("query", rows, body.head);
  Scores scores(body, WalkedSide::keys, body.head);

  int64_t outColumns = Body::padded(body.problem.headDimV);
  Value noOut = body.filled({body.rows, outColumns}, 0.0);
  Value noMax = body.filled({body.rows}, -INFINITY);
  Value noSum = body.filled({body.rows}, 0.0);

  SmallVector<Value> end = scores.walk(
      {noOut, noMax, noSum},
      [&](const TilePair &pair, ValueRange carried) -> SmallVector<Value> {
        Value key = body.load("key", pair.walkedRows, headKv);
        Value base2 = scores.change(body.dotTransposed(query, key), pair).base2;
        base2 = scores.mask(base2, -INFINITY, pair);
        auto softmax = SoftmaxStepOp::create(
            builder, loc, base2.getType(), noMax.getType(), noMax.getType(),
            noMax.getType(), base2, carried[1], carried[2]);
        Value rescaled = body.multiply(
            carried[0], body.expand(softmax.getRescale(), 1, carried[0]));
        Value value = body.load("value", pair.walkedRows, headKv);
        Value out = body.dot(body.round(softmax.getP()), value, rescaled);
        return {out, softmax.getNewMax(), softmax.getNewSum()};
      });
  Value out = end[0], max = end[1], sum = end[2];

  // A row that saw no key: sum 0 and max -inf, so O = 0 and LSE = -inf.
  Value isEmpty = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        sum, noSum);
  Value inverse =
      arith::DivFOp::create(builder, loc, body.filled({body.rows}, 1.0), sum);
  inverse = arith::SelectOp::create(builder, loc, isEmpty, noSum, inverse);
  body.store(body.multiply(out, body.expand(inverse, 1, out)), "out", rows,
             body.head);
  Value logarithm = math::Log2Op::create(builder, loc, sum);
  Value lse = arith::AddFOp::create(builder, loc, max, logarithm);
  body.store(body.times(lse, ln2), "lse", rows, body.head);
}

} // namespace weft::tile
