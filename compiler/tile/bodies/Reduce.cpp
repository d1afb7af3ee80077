//===- Reduce.cpp - Sums the partial gradients of a head group ------------===//

#include "compiler/tile/bodies/Body.h"

using namespace mlir;

namespace weft::tile {

void buildReduce(Body &body) {
  bool isKey = body.has("d_key");
  StringRef from = isKey ? "d_key_partial" : "d_value_partial";
  int64_t dim = isKey ? body.problem.headDim : body.problem.headDimV;
  Value rows = body.rowsAt(plan::RowSpace::kv, body.first, body.rows);
  Value zero = body.filled({body.rows, Body::padded(dim)}, 0.0);
  SmallVector<Value> sum = body.loopOverGroup(
      body.head, zero,
      [&](Value queryHead, ValueRange carried) -> SmallVector<Value> {
        Value partial = body.load(from, rows, queryHead);
        return {
            arith::AddFOp::create(body.builder, body.loc, carried[0], partial)};
      });
  body.store(sum[0], isKey ? "d_key" : "d_value", rows, body.head);
}

} // namespace weft::tile
