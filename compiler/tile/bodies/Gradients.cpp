//===- Gradients.cpp - P and dS of a tile pair ----------------------------===//

#include "compiler/tile/bodies/Gradients.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace weft::tile {

Value loadLse(Body &body, Value rows, Value head) {
  return body.load("lse_log2", rows, head, /*pad=*/INFINITY);
}

Value probabilities(Body &body, Scores &scores, Value base2, Value lse,
                    int64_t dim, const TilePair &pair) {
  Value p =
      math::Exp2Op::create(body.builder, body.loc,
                           body.subtract(base2, body.expand(lse, dim, base2)));
  return scores.mask(p, 0.0, pair);
}

Value scoreGradient(Body &body, Scores &scores, Value p, Value dP, Value delta,
                    int64_t dim, Value scaled, const TilePair &pair) {
  Value dS = body.multiply(p, body.subtract(dP, body.expand(delta, dim, dP)));
  if (Value derivative = scores.derivative(scaled, pair))
    dS = body.multiply(dS, derivative);
  return dS;
}

} // namespace weft::tile
