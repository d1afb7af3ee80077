//===- CacheCommand.h - weftc's command about the cache ---------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFTC_CACHECOMMAND_H
#define WEFT_TOOLS_WEFTC_CACHECOMMAND_H

#include "runtime/cache/CacheDirectory.h"

#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace weft {

enum class CacheAction { List, Verify, Prune, Clear };

/// Does `action` in the folder `directory` (empty: the one that the environment
/// names) and tells `os` about it:
///   list    every entry, latest used first: size, last use, target, spec
///   verify  reads every entry; false if one is damaged
///   prune   removes damaged entries, what killed processes left, and what is
///           too much for `limits`
///   clear   removes every entry and every leftover
/// Whatever a live process reads or makes stays, and so does every file that is
/// not weft's. An error if there is no folder to look into.
llvm::Expected<bool> runCacheCommand(CacheAction action, std::string directory,
                                     const CacheLimits &limits,
                                     llvm::raw_ostream &os);

} // namespace weft

#endif // WEFT_TOOLS_WEFTC_CACHECOMMAND_H
