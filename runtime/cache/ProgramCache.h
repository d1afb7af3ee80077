//===- ProgramCache.h - Compiled programs, kept -----------------*- C++ -*-===//
//
// Programs with their cubins, in memory and on disk. An entry is published by a
// rename, so a reader sees all of it or none; a damaged one is compiled anew
// and replaced.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CACHE_PROGRAMCACHE_H
#define WEFT_RUNTIME_CACHE_PROGRAMCACHE_H

#include "runtime/cache/CacheKey.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace weft {

/// A serialized launch program that `program::load` has passed.
using ProgramBytes = std::shared_ptr<const std::vector<uint8_t>>;

class ProgramCache {
public:
  /// Told once a cache, about the first failure to use its folder.
  using Warn = std::function<void(llvm::StringRef)>;

  /// Keeps entries in `directory`, which is made when first needed; in memory
  /// alone if it is empty. Without `warn`, warnings go to standard error.
  explicit ProgramCache(std::string directory, Warn warn = {});

  /// WEFT_CACHE_DIR, else $XDG_CACHE_HOME/weft, else ~/.cache/weft, else empty.
  static std::string defaultDirectory();

  /// The program of `key`: from memory, from disk, or from `compile`, which
  /// runs once however many threads ask at a time. A failure of `compile` goes
  /// to all who wait for it, and is not kept. Thread-safe; `compile` must not
  /// ask this cache for the same key.
  llvm::Expected<ProgramBytes> getOrCompile(
      const CacheKey &key,
      llvm::function_ref<llvm::Expected<std::vector<uint8_t>>()> compile);

  struct Counts {
    int64_t memoryHits = 0, diskHits = 0, compiles = 0, waits = 0;
  };
  Counts counts() const;

  /// The file that holds, or would hold, the entry of `key`; empty in memory.
  std::string entryPath(const CacheKey &key) const;

private:
  struct Flight;

  ProgramBytes readEntry(const CacheKey &key);
  void writeEntry(const CacheKey &key, const std::vector<uint8_t> &program);
  void warnOnce(const llvm::Twine &message);

  const std::string directory;
  const Warn warn;
  mutable std::mutex mutex; ///< of all below
  llvm::StringMap<ProgramBytes> memory;
  llvm::StringMap<std::shared_ptr<Flight>> flights;
  Counts count;
  bool warned = false;
};

} // namespace weft

#endif // WEFT_RUNTIME_CACHE_PROGRAMCACHE_H
