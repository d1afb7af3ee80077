//===- Gradients.h - P and dS of a tile pair --------------------*- C++ -*-===//

#ifndef WEFT_COMPILER_TILE_BODIES_GRADIENTS_H
#define WEFT_COMPILER_TILE_BODIES_GRADIENTS_H

#include "compiler/tile/bodies/Scores.h"

namespace weft::tile {

/// LSE of the rows, in base 2; inf for rows without keys and for rows past the
/// sequence's end: P is 0 there.
mlir::Value loadLse(Body &body, mlir::Value rows, mlir::Value head);

/// P: exp2(base2 - lse), and 0 where a pair is masked; `dim` as in
/// `tile.expand`. Masked behind the exponential, so that in tiles without a
/// mask scaling and difference are one operation.
mlir::Value probabilities(Body &body, Scores &scores, mlir::Value base2,
                          mlir::Value lse, int64_t dim, const TilePair &pair);

/// dS before the scale: P * (dP - delta), times the score's derivative if
/// there is one.
mlir::Value scoreGradient(Body &body, Scores &scores, mlir::Value p,
                          mlir::Value dP, mlir::Value delta, int64_t dim,
                          mlir::Value scaled, const TilePair &pair);

} // namespace weft::tile

#endif // WEFT_COMPILER_TILE_BODIES_GRADIENTS_H
