//===- Delta.cpp - delta = row sum of O * dO ------------------------------===//

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
}

} // namespace weft::tile
