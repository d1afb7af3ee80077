//===- OneModule.h - What is proved stands in one module --------*- C++ -*-===//

#ifndef WEFT_COMPILER_PLAN_ONEMODULE_H
#define WEFT_COMPILER_PLAN_ONEMODULE_H

#include "mlir/IR/BuiltinOps.h"

namespace weft {

/// A module is one problem: passes, proofs and launch programs are of the ops
/// that stand in it, and pass by those of a module inside it. A file with any
/// op beside its module is read as such a module. An error if there is one,
/// which no verifier of an op can tell, as it runs while the file is read.
inline llvm::LogicalResult verifyOneModule(mlir::ModuleOp module) {
  return llvm::failure(
      module
          .walk([&](mlir::ModuleOp inner) {
            if (inner == module)
              return mlir::WalkResult::advance();
            inner.emitOpError("is inside another module, where no pass looks "
                              "for it; give a file that is this module alone");
            return mlir::WalkResult::interrupt();
          })
          .wasInterrupted());
}

} // namespace weft

#endif // WEFT_COMPILER_PLAN_ONEMODULE_H
