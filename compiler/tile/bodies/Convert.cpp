//===- Convert.cpp - dQ of the sum that many points added to --------------===//

#include "compiler/tile/bodies/Body.h"

using namespace mlir;

namespace weft::tile {

void buildConvert(Body &body) {
  Value rows = body.rowsAt(plan::RowSpace::q, body.first, body.rows);
  Value sum = body.load("d_query_sum", rows, body.head);
  body.store(body.times(sum, body.scalar("scale")), "d_query", rows, body.head);
}

} // namespace weft::tile
