//===- RegionInlining.h - Mask and score regions on tiles -------*- C++ -*-===//
//
// A region of an attn op says what happens to one (query, key) pair. On a tile
// its ops are cloned elementwise: what depends on i, j or the score becomes an
// op on tensors, the rest stays a scalar op that is computed once.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_TILE_REGIONINLINING_H
#define WEFT_COMPILER_TILE_REGIONINLINING_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseSet.h"

namespace weft::tile {

/// Values of the region that depend on one of `roots` (arguments of it).
llvm::DenseSet<mlir::Value> dependentValues(mlir::Region &region,
                                            mlir::ValueRange roots);

/// Clones the ops whose results are not in `dependent` at the builder's
/// insertion point and adds them to `mapping`.
void cloneUniform(mlir::OpBuilder &builder, mlir::Region &region,
                  const llvm::DenseSet<mlir::Value> &dependent,
                  mlir::IRMapping &mapping);

/// Whether all ops of `dependent` values have an elementwise form on tiles; if
/// not, an error on the op.
mlir::LogicalResult
verifyElementwise(mlir::Region &region,
                  const llvm::DenseSet<mlir::Value> &dependent);

/// Clones the ops that `mapping` does not know yet on tiles of `shape`;
/// `mapping` gives a tile or a scalar for every argument that is used. Returns
/// the tile of the yielded values. The region passed `verifyElementwise`.
mlir::Value inlineOnTiles(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Region &region, llvm::ArrayRef<int64_t> shape,
                          mlir::IRMapping &mapping);

} // namespace weft::tile

#endif // WEFT_COMPILER_TILE_REGIONINLINING_H
