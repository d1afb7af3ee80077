//===- Explain.h - A plan, told to people -----------------------*- C++ -*-===//
//
// Reads the plan level of the ladder and says, per buffer, who owns it and who
// initialises each of its domains; per step, what it reads and writes; and what
// the proof rests on. Derived from the IR alone, so it says what was checked.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_EXPLAIN_EXPLAIN_H
#define WEFT_COMPILER_EXPLAIN_EXPLAIN_H

#include "compiler/target/Target.h"
#include "runtime/spec/AttentionSpec.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace weft {

/// The plans of `planText`, a module at stage Plan (verified), as text. An
/// error if the text is no such module.
llvm::Expected<std::string> explainPlan(llvm::StringRef planText);

/// Compiles `spec` for `target` as far as its text and explains the plan.
llvm::Expected<std::string> explain(const AttentionSpec &spec,
                                    const Target &target);

} // namespace weft

#endif // WEFT_COMPILER_EXPLAIN_EXPLAIN_H
