//===- PlanCompiler.h - What libweft has and libweft-runtime not -*- C++
//-*-===//

#ifndef WEFT_RUNTIME_API_PLANCOMPILER_H
#define WEFT_RUNTIME_API_PLANCOMPILER_H

#include "runtime/spec/AttentionSpec.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <functional>
#include <memory>
#include <string>

namespace weft {

/// A launch program, and what keeps its bytes.
struct SharedProgram {
  std::shared_ptr<const void> owner;
  llvm::ArrayRef<uint8_t> bytes;
  /// Who made its cubins, for people: "NVRTC 13.0 (/usr/..)". Asked only where
  /// something is wrong, since it may have to open a library.
  std::function<std::string()> maker;
};

/// Errors are StatusErrors.
class PlanCompiler {
public:
  virtual ~PlanCompiler() = default;

  /// The program of `spec` for `target`, compiled or taken from the cache.
  virtual llvm::Expected<SharedProgram> program(const AttentionSpec &spec,
                                                llvm::StringRef target) = 0;

  /// The same, in place of `rejected`, which a driver did not take and which
  /// leaves the cache.
  virtual llvm::Expected<SharedProgram>
  compileAgain(const AttentionSpec &spec, llvm::StringRef target,
               const SharedProgram &rejected) = 0;

  /// The plan for people.
  virtual llvm::Expected<std::string> explain(const AttentionSpec &spec,
                                              llvm::StringRef target) = 0;
};

/// What the C interface's options say of compiling.
struct PlanCompilerOptions {
  const char *cacheDirectory = nullptr; ///< null: the default
  const char *tuning = nullptr;         ///< JSON; null: the targets' own
  std::function<void(llvm::StringRef)> warn;
};

/// The library's compiler; null where it has none.
llvm::Expected<std::unique_ptr<PlanCompiler>>
makePlanCompiler(const PlanCompilerOptions &options);

} // namespace weft

#endif // WEFT_RUNTIME_API_PLANCOMPILER_H
