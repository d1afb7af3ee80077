//===- RegisterArrays.h - Which register tiles share an array ---*- C++ -*-===//
//
// A thread's part of a register tile is kept in an array. Tiles that hand their
// elements on one by one (an accumulator and its product, what a loop carries,
// an elementwise result and an input) share one array where their lives never
// meet; the rest is copied. Copies are always right; sharing makes the text
// read like what a hand would write.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_EMITC_REGISTERARRAYS_H
#define WEFT_COMPILER_EMITC_REGISTERARRAYS_H

#include "compiler/emitc/ProductsUnderWay.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"

namespace weft {

/// One array for one or more tiles of one type.
struct RegisterArray {
  mlir::RankedTensorType type;
  /// The innermost block around everything that writes or reads it.
  mlir::Block *home = nullptr;
  /// For readers; not unique.
  std::string name;
};

/// The tile that a value is: a tensor, or an accumulator under way. Null if it
/// is none.
mlir::RankedTensorType tileTypeOf(mlir::Value tile);

/// Whether elements of `tile` are computed where they are used: constants,
/// splats, coordinates and expanded vectors need no array, nor has what is
/// poison elements.
bool isComputedInPlace(mlir::Value tile);

class RegisterArrays {
public:
  explicit RegisterArrays(warp::FuncOp kernel);

  llvm::ArrayRef<RegisterArray> all() const { return arrays; }

  /// Index into `all()` of the array of `tile`, which is not computed in place.
  unsigned indexOf(mlir::Value tile) const { return indices.at(tile); }

private:
  using Live = llvm::DenseSet<mlir::Value>;

  void collect(mlir::Block &block);
  void visitBlock(mlir::Block &block, Live &live);
  void visitOp(mlir::Operation *op, Live &live);
  void define(mlir::ValueRange values, Live &live);
  void use(mlir::Value value, Live &live) const;

  void proposeMerges(mlir::Operation *op);
  void pinCarried(mlir::Operation *op);
  unsigned classOf(unsigned tile) const;
  void merge(mlir::Value a, mlir::Value b);
  void finish();

  /// Every tile with an array, in program order; `numbers` is the inverse.
  llvm::SmallVector<mlir::Value> tiles;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseSet<std::pair<unsigned, unsigned>> meet;
  mutable llvm::SmallVector<unsigned> parents;
  /// What a loop carries by a copy keeps its array to itself: work of the body
  /// in there would be right but hard to read.
  llvm::DenseSet<mlir::Value> pinned;

  ProductsUnderWay underWay;
  llvm::SmallVector<RegisterArray> arrays;
  llvm::DenseMap<mlir::Value, unsigned> indices;
};

} // namespace weft

#endif // WEFT_COMPILER_EMITC_REGISTERARRAYS_H
