//===- Explain.h - A plan, told to people -----------------------*- C++ -*-===//
//
// Reads the plan level of the ladder and says, per buffer, who owns it after
// each step and who initialises each of its domains; per step, what it reads
// and writes; and what the proof rests on. Derived from the IR alone, so it
// says what was checked. As text, or as a drawing.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_EXPLAIN_EXPLAIN_H
#define WEFT_COMPILER_EXPLAIN_EXPLAIN_H

#include "compiler/target/Target.h"
#include "runtime/program/Formula.h"
#include "runtime/spec/AttentionSpec.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>

namespace weft {

struct ExplainOptions {
  /// The problem at hand: formulas are told with their values, guards with
  /// whether they hold. Rows or lengths that are 0 follow from the rest.
  std::optional<program::SizeValues> sizes;
  /// SVG in place of text.
  bool drawing = false;
};

/// The plans of `planText`, a module at stage Plan (verified). An error if the
/// text is no such module.
llvm::Expected<std::string> explainPlan(llvm::StringRef planText,
                                        const ExplainOptions &options = {});

/// Compiles `spec` for `target` as far as its text and explains the plans.
llvm::Expected<std::string> explain(const AttentionSpec &spec,
                                    const Target &target,
                                    const ExplainOptions &options = {});

} // namespace weft

#endif // WEFT_COMPILER_EXPLAIN_EXPLAIN_H
