//===- FromSpec.h - A spec as an attn module --------------------*- C++ -*-===//

#ifndef WEFT_COMPILER_ATTN_FROMSPEC_H
#define WEFT_COMPILER_ATTN_FROMSPEC_H

#include "compiler/target/Target.h"
#include "runtime/spec/AttentionSpec.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace weft {

/// Module attributes: the target's name ("sm_90a") and the canonical spec.
inline constexpr llvm::StringLiteral kTargetAttr = "weft.target";
/// A tuning table in place of the target's own, as JSON; plans are made by it.
inline constexpr llvm::StringLiteral kTuningAttr = "weft.tuning";
inline constexpr llvm::StringLiteral kSpecAttr = "weft.spec";

/// The symbol of a module's attn op.
inline constexpr llvm::StringLiteral kProblemName = "attention";

/// The top of the ladder: a module with one `attn.forward` or `attn.backward`
/// named @attention. `spec` is valid and canonical. Named masks and scores
/// become regions; constant window bounds are folded in, run-time bounds and
/// the soft cap become region arguments named in `parameters` (window_left,
/// window_right, softcap in this order, those that are used). A backward has no
/// derivative region yet (pass `attn-derive-score`). Loads the dialects it
/// uses.
mlir::OwningOpRef<mlir::ModuleOp> buildAttnModule(mlir::MLIRContext &context,
                                                  const AttentionSpec &spec,
                                                  const Target &target);

/// The target that a module names. Reports to the module, for the pass of that
/// name, if it names none or one that is unknown.
mlir::FailureOr<const Target *> targetOf(mlir::ModuleOp module,
                                         llvm::StringRef pass);

} // namespace weft

#endif // WEFT_COMPILER_ATTN_FROMSPEC_H
