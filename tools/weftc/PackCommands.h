//===- PackCommands.h - weftc's commands about packs ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFTC_PACKCOMMANDS_H
#define WEFT_TOOLS_WEFTC_PACKCOMMANDS_H

#include "runtime/compile/KernelCompiler.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace weft {

struct PackCompile {
  std::string manifest, output;
  /// In place of those that the manifest names; empty: those.
  std::vector<std::string> targets;
  std::string shard = "0/1"; ///< i/n: every n-th problem, from the i-th
  unsigned jobs = 0;         ///< compiles at a time; 0: one per core
  CompileOptions options;
  llvm::StringRef tuning; ///< in place of the targets' own, if not empty
};

/// Compiles the problems of a manifest into a pack. What the pack or its part
/// file (OUTPUT.part) already holds, made of the same, is not compiled again.
/// Problems that fail are told at the end, and leave the others their pack.
/// False if some failed.
llvm::Expected<bool> compilePack(const PackCompile &request);

/// Prints what a pack holds, and checks all of it. False if something is
/// damaged.
llvm::Expected<bool> inspectPack(llvm::StringRef path, bool json);

/// One pack of several. The same problem may be in more than one of them if its
/// program is the same.
llvm::Error mergePacks(llvm::StringRef output,
                       llvm::ArrayRef<std::string> inputs);

} // namespace weft

#endif // WEFT_TOOLS_WEFTC_PACKCOMMANDS_H
