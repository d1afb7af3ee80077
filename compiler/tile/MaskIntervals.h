//===- MaskIntervals.h - Tile skipping derived from the mask ----*- C++ -*-===//
//
// Lifts a mask region to intervals: over a box of queries [i0, i1] and keys
// [j0, j1] each integer value of the region lies in [lo, hi], and each
// comparison may hold (somewhere) and must hold (everywhere). The bounds are
// emitted as scalar i64 ops over the box's corners; folding settles what is
// known at compile time. Where the kept tiles are one interval of the tile
// index, loop bounds are solved from the same formula.
//
// Sound: a box whose `may` is false keeps no pair, one whose `must` is true
// keeps all. The region's arithmetic is taken not to wrap. Positions and
// lengths are below 2^31 and window bounds at most 2^62, so that every sum of
// the named masks stays within i64.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_TILE_MASKINTERVALS_H
#define WEFT_COMPILER_TILE_MASKINTERVALS_H

#include "compiler/tile/MaskFormula.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace weft::tile {

/// The side whose tiles a loop walks.
enum class WalkedSide { queries, keys };

/// Positions of a (query tile, key tile) pair, i64 scalars, both ends
/// included. Pass only positions that exist: last = min(first + n, length) - 1.
struct Box {
  mlir::Value queryFirst, queryLast, keyFirst, keyLast;
};

/// i1 scalars: does the mask hold for some pair of the box, for all?
struct Verdict {
  mlir::Value may, must;
};

/// A loop over the tiles of one side for a fixed tile of the other.
struct Walk {
  WalkedSide side;
  mlir::Value otherFirst, otherLast; ///< positions of the fixed tile
  int64_t step;                      ///< rows of a walked tile
  mlir::Value length;                ///< used length of the walked side
};

/// Tiles first <= t < last. With `exact` these are the tiles whose `may` is
/// true, else tiles among them are still to be tested.
struct TileBounds {
  mlir::Value first, last;
  bool exact;
};

class MaskIntervals {
public:
  /// Every pair is kept.
  MaskIntervals() : formula(Formula::constant(true)) {}

  /// `mask` is the region of an attn op. `uniform` maps its arguments but i
  /// and j, and what depends on neither, to scalars (see cloneUniform); both
  /// have to dominate the places that `judge` and `solve` build at.
  MaskIntervals(mlir::Region &mask, const mlir::IRMapping &uniform);

  /// Comparisons have the walked position alone on one side: the other side is
  /// the same in every turn of the loop over `walked`.
  Verdict judge(mlir::OpBuilder &builder, mlir::Location loc, WalkedSide walked,
                const Box &box) const;

  TileBounds solve(mlir::OpBuilder &builder, mlir::Location loc,
                   const Walk &walk) const;

private:
  Formula formula;
  mlir::Value query, key; ///< the region's arguments i and j
  mlir::IRMapping uniform;
};

} // namespace weft::tile

#endif // WEFT_COMPILER_TILE_MASKINTERVALS_H
