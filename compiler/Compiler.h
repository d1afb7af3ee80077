//===- Compiler.h - From a spec to a launch program -----------*- C++ -*-===//
//
// The whole ladder as one call: spec -> attn -> plan -> tile -> warp -> emitc
// -> CUDA text, and the plan as a launch program whose cubins are still empty.
// No MLIR type appears here.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_COMPILER_H
#define WEFT_COMPILER_COMPILER_H

#include "compiler/target/Target.h"
#include "runtime/program/Program.h"
#include "runtime/spec/AttentionSpec.h"

#include "llvm/Support/Error.h"

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft {

/// CUDA C++ of one kernel. `name` is its extern "C" entry and the name of the
/// kernel in the program.
struct KernelSource {
  std::string name;
  std::string text;
};

struct CompiledText {
  std::vector<KernelSource> kernels; ///< one per kernel of `program`, in order
  program::ProgramT program;         ///< cubins empty
  /// Wall milliseconds per step of the ladder, in order, for the report; then
  /// "verify", what the proofs behind all of them took together.
  std::vector<std::pair<std::string, double>> stageMilliseconds;
};

/// The steps of the ladder whose IR can be shown and run again from.
enum class Stage { Attn, Plan, Tile, Warp, EmitC, Cuda };

/// Called with the text of each stage, in order (WEFT_DUMP, --emit).
using StageCallback = std::function<void(Stage, const std::string &)>;

/// Compiles `spec` (validated, canonical) for `target`. Thread-safe; every
/// failure is an Error that names the step.
llvm::Expected<CompiledText> compileToText(const AttentionSpec &spec,
                                           const Target &target,
                                           const StageCallback &onStage = {});

/// Compiles the module in `text`, which is at stage `from`, the rest of the
/// way (weftc compile FILE.mlir).
llvm::Expected<CompiledText>
compileStageToText(llvm::StringRef text, Stage from, const Target &target,
                   const StageCallback &onStage = {});

/// The tuning row that the schedule of `spec` on `target` comes from, as text:
/// one ingredient of a cubin's cache key, known before anything is compiled.
std::string scheduleKey(const AttentionSpec &spec, const Target &target);

} // namespace weft

#endif // WEFT_COMPILER_COMPILER_H
