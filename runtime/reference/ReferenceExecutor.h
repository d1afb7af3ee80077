//===- ReferenceExecutor.h - Plans and tile code on the CPU -----*- C++ -*-===//
//
// Runs a module at the tile stage (plan.func variants, plan.kernel contracts,
// tile.func bodies) on host memory, on whole tiles, and checks what the plan
// promises while it runs: every element read has been written, every kernel
// keeps its contract, every result ends fully defined.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_REFERENCE_REFERENCEEXECUTOR_H
#define WEFT_RUNTIME_REFERENCE_REFERENCEEXECUTOR_H

#include "runtime/spec/Problem.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace weft::reference {

struct ReferenceOptions {
  /// CTAs resident at a time, without preemption; 0: all of a launch.
  int64_t residentCtas = 7;
  /// Of the order in which CTAs are dispatched and take turns.
  uint64_t seed = 0;
  /// Bytes that fill the workspace and the elements of the results first.
  std::optional<uint8_t> poison;
  /// Malformed offsets are an error; else they are clamped, as on a device, and
  /// the results are unspecified but defined.
  bool checkOffsets = true;
  /// Multiprocessors that guards see.
  int64_t smCount = 132;
};

/// A loaded module. Immutable: `run` may be called from several threads.
class ReferenceExecutor {
public:
  /// Parses, verifies and compiles the module.
  static llvm::Expected<std::unique_ptr<ReferenceExecutor>>
  createFromText(llvm::StringRef module);
  /// The same of `module`, which it copies.
  static llvm::Expected<std::unique_ptr<ReferenceExecutor>>
  create(mlir::ModuleOp module);
  ~ReferenceExecutor();

  /// Runs one problem, whose pointers are all host memory. Layouts are those
  /// its lists say: thd where `cuSeqlens` is given, else batch. The caller has
  /// checked it against the spec (`checkProblem`). Workspace is the problem's
  /// where given, else the executor's own. An error names the plan, the launch,
  /// the op, the point and the row.
  llvm::Error run(const Problem &problem,
                  const ReferenceOptions &options = {}) const;

  /// The names of the plans, in the order in which their guards are tried.
  std::vector<std::string> variants() const;
  /// The one of them that `run` takes.
  llvm::Expected<std::string>
  variantOf(const Problem &problem, const ReferenceOptions &options = {}) const;

  /// Bytes of workspace that `run` takes from the problem.
  llvm::Expected<int64_t>
  workspaceBytes(const Problem &problem,
                 const ReferenceOptions &options = {}) const;

private:
  struct Implementation;
  explicit ReferenceExecutor(std::unique_ptr<Implementation> implementation);
  std::unique_ptr<Implementation> implementation;
};

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_REFERENCEEXECUTOR_H
