//===- KernelCompiler.h - CUDA text to cubin --------------------*- C++ -*-===//
//
// One kernel's CUDA C++ through NVRTC, with the device primitives of templates/
// as its named headers.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_COMPILE_KERNELCOMPILER_H
#define WEFT_RUNTIME_COMPILE_KERNELCOMPILER_H

#include "compiler/target/Target.h"
#include "runtime/compile/KernelReport.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace weft {

/// What changes the bytes of a cubin besides its text and target, and so is
/// part of its cache key.
struct CompileOptions {
  /// Source lines in the cubin, for profilers.
  bool lineInfo = false;
  /// More NVRTC options, handed on as they are ("--maxrregcount=128").
  std::vector<std::string> extra;

  /// One line that differs wherever two options differ.
  std::string str() const;
};

struct CompiledKernel {
  std::string name;
  std::string cubin;
  std::string ptx;
  std::string log; ///< NVRTC's and ptxas's, verbatim
  KernelReport report;
  double milliseconds = 0; ///< wall time in NVRTC
};

/// Compiles `text`, whose extern "C" entry is `name`, for `target`.
/// Thread-safe. Errors: no NVRTC, an NVRTC that does not know the target, text
/// that does not compile (with NVRTC's log).
llvm::Expected<CompiledKernel>
compileKernel(llvm::StringRef name, llvm::StringRef text, const Target &target,
              const CompileOptions &options = {});

} // namespace weft

#endif // WEFT_RUNTIME_COMPILE_KERNELCOMPILER_H
