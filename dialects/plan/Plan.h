//===- Plan.h - The plan dialect: launches and ownership --------*- C++ -*-===//

#ifndef WEFT_DIALECTS_PLAN_PLAN_H
#define WEFT_DIALECTS_PLAN_PLAN_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "dialects/plan/PlanDialect.h.inc"
#include "dialects/plan/PlanEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/plan/PlanAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/plan/PlanTypes.h.inc"

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.h.inc"

namespace weft::plan {
/// Argument attribute that names a tensor of the call or a scalar of a kernel.
inline constexpr llvm::StringLiteral kNameAttr = "weft.name";
/// Module attribute: query heads per key head (i64).
inline constexpr llvm::StringLiteral kHeadRatioAttr = "weft.head_ratio";

/// Whether rows may be rounded up to a multiple of so many (0: they are not),
/// and an error's words of why not.
bool isRounding(int64_t rounded);
std::string roundingRule(int64_t rounded);
/// "rounded to 64", or "not rounded".
std::string roundingText(int64_t rounded);

/// The operand whose buffer `value` is the next state of; null for a buffer
/// that begins here (an argument or a `plan.reserve`).
mlir::Value previousState(mlir::Value value);

/// Where the buffer of `value` begins: an argument of a `plan.func` or the
/// result of a `plan.reserve`.
mlir::Value bufferRoot(mlir::Value value);

/// The role of an argument ("query"), or the name of a reserved buffer; "?" if
/// it has none.
llvm::StringRef bufferName(mlir::Value value);

/// Whether an operand that is accessed so is changed in place: the group `acc`
/// of a launch.
bool changesInPlace(Access access);

/// Whether `operand`, a buffer, is taken away from its owner.
bool isConsumed(mlir::OpOperand &operand);
} // namespace weft::plan

#endif // WEFT_DIALECTS_PLAN_PLAN_H
