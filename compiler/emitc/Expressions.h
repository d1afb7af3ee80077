//===- Expressions.h - Ops that become part of an expression ----*- C++ -*-===//
//
// An unnamed value with one use has no line of its own in printed CUDA C++: its
// text is part of its user's. Writing and printing agree here on which these
// are, and on their order.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_EMITC_EXPRESSIONS_H
#define WEFT_COMPILER_EMITC_EXPRESSIONS_H

#include "mlir/Dialect/EmitC/IR/EmitC.h"

namespace weft {

/// Whether `op` computes a value and does nothing else.
bool hasNoEffect(mlir::Operation *op);

/// Whether `op` is printed as part of its user.
bool isPartOfUser(mlir::Operation *op);

/// Moves ops that are part of an expression in front of it, in the order in
/// which C++ compilers evaluate it, so that one op a line and one expression a
/// line compute the same in the same order.
void orderAsEvaluated(mlir::emitc::FuncOp func);

} // namespace weft

#endif // WEFT_COMPILER_EMITC_EXPRESSIONS_H
