//===- CachedProgram.h - From a spec to a program that runs -----*- C++ -*-===//
//
// What the API and the programs call: the compiler, the compile service and the
// cache as one.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CACHE_CACHEDPROGRAM_H
#define WEFT_RUNTIME_CACHE_CACHEDPROGRAM_H

#include "compiler/Compiler.h"
#include "runtime/cache/ProgramCache.h"
#include "runtime/compile/AssembleProgram.h"
#include "runtime/compile/KernelCompiler.h"

namespace weft {

/// The key of `spec` (canonical) for `target`. Makes no text and opens no
/// library; an error if there is no NVRTC.
llvm::Expected<CacheKey> cacheKey(const AttentionSpec &spec,
                                  const Target &target,
                                  const CompileOptions &options = {});

/// Compiles `spec` for `target`, past any cache. With WEFT_DUMP set to a
/// folder, keeps the text of every stage, the PTX, the cubin and the log of
/// each kernel, and the error if it fails, in a folder there, named for the
/// spec, the target and the key (`cacheKey`). Forks wait for it (ForkHooks.h).
llvm::Expected<AssembledProgram>
compileProgram(const AttentionSpec &spec, const Target &target,
               const CompileOptions &options = {},
               const StageCallback &onStage = {});

/// The program of `spec` for `target`, from `cache` or compiled into it. With
/// WEFT_DUMP set it is always compiled.
llvm::Expected<ProgramBytes> cachedProgram(ProgramCache &cache,
                                           const AttentionSpec &spec,
                                           const Target &target,
                                           const CompileOptions &options = {});

/// The stage's name in file names and on command lines: "attn", .., "cuda".
llvm::StringRef stageName(Stage stage);

} // namespace weft

#endif // WEFT_RUNTIME_CACHE_CACHEDPROGRAM_H
