//===- ProductsUnderWay.h - Until when products read registers --*- C++ -*-===//

#ifndef WEFT_COMPILER_EMITC_PRODUCTSUNDERWAY_H
#define WEFT_COMPILER_EMITC_PRODUCTSUNDERWAY_H

#include "dialects/warp/Warp.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace weft {

/// The first operands in registers of a kernel's asynchronous products, and
/// where the products that read them are done.
struct ProductsUnderWay {
  explicit ProductsUnderWay(warp::FuncOp kernel);

  /// By warp.await: tiles that no product reads from there on.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> doneAt;
  /// By scf.for: tiles that products of one step read into the next one.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> heldAtEnd;
};

} // namespace weft

#endif // WEFT_COMPILER_EMITC_PRODUCTSUNDERWAY_H
