//===- Access.h - Checks that memory ops of kernels share -------*- C++ -*-===//
//
// A tile, the rows it lies in and the buffer they are of have to fit, whether
// the tile is a value (tile) or has its place (warp).
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TILE_ACCESS_H
#define WEFT_DIALECTS_TILE_ACCESS_H

#include "dialects/tile/Tile.h"

namespace weft::tile {

/// Checks that rows and buffer belong to the same side.
mlir::LogicalResult verifyRowSpace(mlir::Operation *op, BufferType buffer,
                                   RowsType rows);

/// Checks a tile (a ranked tensor) against the rows and the buffer that it is
/// read from or written to.
mlir::LogicalResult verifyAccess(mlir::Operation *op, BufferType buffer,
                                 RowsType rows, mlir::Type value);

/// Checks that a buffer can be changed.
mlir::LogicalResult verifyWritable(mlir::Operation *op, BufferType buffer);

/// Checks that a load without clips is of a buffer whose rows are rounded up.
mlir::LogicalResult verifyUnclippedLoad(mlir::Operation *op, BufferType buffer,
                                        bool unclipped);

/// Checks that a fill, which is over the rows held, fills such rows.
mlir::LogicalResult verifyNotRounded(mlir::Operation *op, BufferType buffer);

/// Checks that the counters are those of the tile.
mlir::LogicalResult verifyTurn(TurnOp op);

/// The same, and that an ordered add is to a buffer with such tiles.
mlir::LogicalResult verifyOrderedAdd(TurnOp op, BufferType buffer);

/// Checks that a buffer is the counter of tickets.
mlir::LogicalResult verifyTickets(mlir::Operation *op, BufferType counter);

} // namespace weft::tile

#endif // WEFT_DIALECTS_TILE_ACCESS_H
