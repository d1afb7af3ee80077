//===- Scores.h - The scores of a tile pair, and the walk over pairs ------===//
//
// Shared by forward and backward: both change, mask and skip in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_TILE_BODIES_SCORES_H
#define WEFT_COMPILER_TILE_BODIES_SCORES_H

#include "compiler/tile/MaskIntervals.h"
#include "compiler/tile/bodies/Body.h"

namespace weft::tile {

/// A (query tile, key tile) pair inside the walk: the point's own tile and one
/// of the walked side. The own tile's positions are the rows of its scores.
struct TilePair {
  mlir::Value queryFirst, keyFirst; ///< first positions
  mlir::Value walkedRows;           ///< tile.rows of the walked tile
};

/// Scores of one query head, for the point's own tile.
class Scores {
public:
  /// `walked` is the side whose tiles the point walks. Builds what is the same
  /// for all pairs at the body's insertion point. `addsOverOwn`: sums are taken
  /// over the own tile's positions too, so those that do not exist are masked.
  Scores(Body &body, WalkedSide walked, mlir::Value queryHead,
         bool addsOverOwn = false);

  /// Loops over the walked tiles that the mask keeps something of. `step` gets
  /// a pair and the carried values and returns the next ones.
  llvm::SmallVector<mlir::Value>
  walk(mlir::ValueRange start,
       llvm::function_ref<llvm::SmallVector<mlir::Value>(const TilePair &,
                                                         mlir::ValueRange)>
           step);

  /// What `change` makes of a product Q K^T (or its transpose).
  struct Changed {
    mlir::Value base2;  ///< score * log2(e)
    mlir::Value scaled; ///< the argument of the score region; null without one
  };
  Changed change(mlir::Value product, const TilePair &pair);

  /// The f32 tile, of scores or of P, with `value` where a pair is masked or
  /// does not exist.
  mlir::Value mask(mlir::Value tile, double value, const TilePair &pair);

  /// d score / d scaled, or null without a score region.
  mlir::Value derivative(mlir::Value scaled, const TilePair &pair);

private:
  /// A region of the problem with its scalar part built.
  struct Part {
    mlir::Region *region = nullptr;
    mlir::IRMapping uniform;
  };
  Part prepare(mlir::Region *region, bool takesScore);
  mlir::Value onTile(const Part &part, mlir::Value scaled,
                     const TilePair &pair);
  Box boxOf(const TilePair &pair);
  /// The last of `count` positions from `first` on that is not past `end`, the
  /// last of the sequence.
  mlir::Value lastExisting(mlir::Value first, int64_t count, mlir::Value end);
  bool walksKeys() const { return walked == WalkedSide::keys; }

  Body &body;
  WalkedSide walked;
  bool addsOverOwn;
  mlir::Value queryHead, lengthQ, lengthKv, factor;
  mlir::Value walkedEnd; ///< last position of the walked side
  mlir::Value ownLast;   ///< last position of the own tile that exists
  Part maskPart, scorePart, derivativePart;
  MaskIntervals intervals;
};

} // namespace weft::tile

#endif // WEFT_COMPILER_TILE_BODIES_SCORES_H
