//===- AssembleProgram.h - CUDA text to a launch program --------*- C++ -*-===//
//
// The last step of a compile: every kernel's text becomes a cubin inside the
// launch program.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_COMPILE_ASSEMBLEPROGRAM_H
#define WEFT_RUNTIME_COMPILE_ASSEMBLEPROGRAM_H

#include "compiler/Compiler.h"
#include "runtime/compile/KernelCompiler.h"

#include "llvm/Support/Error.h"

#include <string>
#include <utility>
#include <vector>

namespace weft {

struct AssembledProgram {
  program::ProgramT program; ///< every kernel with its cubin
  std::vector<CompiledKernel>
      kernels; ///< one per kernel of `program`, in order
  /// Wall milliseconds per step: those of the text, then "nvrtc".
  std::vector<std::pair<std::string, double>> stageMilliseconds;
};

/// Compiles the kernels of `text` for `target`, at once where cores are free.
/// The program must already name its spec and target. Errors: kernels and
/// sources that do not match, and those of compileKernel.
llvm::Expected<AssembledProgram>
assembleProgram(CompiledText text, const Target &target,
                const CompileOptions &options = {});

} // namespace weft

#endif // WEFT_RUNTIME_COMPILE_ASSEMBLEPROGRAM_H
