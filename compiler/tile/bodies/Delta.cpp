//===- Delta.cpp - What the gradients need of each query row --------------===//
//
// delta = row sum of O * dO; and LSE in base 2, ready to be subtracted from
// scores in base 2. A row without keys has LSE = -inf: with inf its P is 0.
//
//===----------------------------------------------------------------------===//

#include "compiler/tile/bodies/Body.h"

using namespace mlir;

namespace weft::tile {

void buildDelta(Body &body) {
  Value rows = body.rowsAt(plan::RowSpace::q, body.first, body.rows);
  Value out = body.widen(body.load("out", rows, body.head));
  Value dOut = body.widen(body.load("d_out", rows, body.head));
  Value delta =
      ReduceOp::create(body.builder, body.loc, body.tileType({body.rows}),
                       ReduceKind::sum, body.multiply(out, dOut));
  body.store(delta, "delta", rows, body.head);

  // Where whole tiles are written, rows that do not exist are rows without
  // keys.
  Value lse = body.load("lse", rows, body.head, /*pad=*/-INFINITY);
  Value hasNoKey =
      arith::CmpFOp::create(body.builder, body.loc, arith::CmpFPredicate::OEQ,
                            lse, body.filled(shapeOf(lse), -INFINITY));
  lse = arith::SelectOp::create(body.builder, body.loc, hasNoKey,
                                body.filled(shapeOf(lse), INFINITY), lse);
  body.store(body.times(lse, log2E), "lse_log2", rows, body.head);
}

} // namespace weft::tile
