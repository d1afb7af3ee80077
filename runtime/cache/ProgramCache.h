//===- ProgramCache.h - Compiled programs, kept -----------------*- C++ -*-===//
//
// Programs with their cubins, in memory and on disk. Whatever asks for a key at
// a time, it is compiled once: threads of a process wait for the first of them,
// processes of a machine for the one that holds the key's lock.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CACHE_PROGRAMCACHE_H
#define WEFT_RUNTIME_CACHE_PROGRAMCACHE_H

#include "runtime/cache/CacheDirectory.h"
#include "runtime/support/ForkHooks.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"

#include <functional>
#include <mutex>

namespace weft {

/// What "512", "512K", "512M" or "2G" says.
std::optional<uint64_t> parseByteCount(llvm::StringRef text);

class ProgramCache {
public:
  /// Told of what does not work as wished, from any thread; the trouble with a
  /// folder once a cache. It may not fork.
  using Warn = std::function<void(llvm::StringRef)>;

  struct Options {
    /// Where entries are kept, made when first needed; empty: in memory alone.
    std::string directory;
    CacheLimits limits;
    /// How long to wait for another process that compiles the same key. Then it
    /// is compiled here too.
    std::chrono::milliseconds wait{120000};
    /// Whether other machines use the folder; absent: as its file system says.
    std::optional<bool> network;
    /// Absent: warnings go to the log.
    Warn warn;
  };

  explicit ProgramCache(Options options);

  /// Options as the environment says: limits of WEFT_CACHE_MAX_BYTES ("512M")
  /// and WEFT_CACHE_MAX_ENTRIES.
  explicit ProgramCache(std::string directory, Warn warn = {});

  /// In the folder that the environment names (`defaultDirectory`); warns, when
  /// something is compiled, if it names none.
  static std::unique_ptr<ProgramCache> ofEnvironment(Warn warn = {});

  /// WEFT_CACHE_DIR (empty: there is to be none), else $XDG_CACHE_HOME/weft,
  /// else
  /// ~/.cache/weft, else empty.
  static std::string defaultDirectory();
  /// A warning for each variable that says nothing sensible.
  static CacheLimits limitsOfEnvironment(const Warn &warn);

  /// The program of `key`: from memory, from disk, or from `compile`. A failure
  /// of `compile` goes to all threads that wait for it, and is not kept; a
  /// folder that cannot be used is a warning and no failure. Thread-safe, also
  /// across forks; `compile` must not ask this cache for the same key.
  llvm::Expected<ProgramBytes> getOrCompile(
      const CacheKey &key,
      llvm::function_ref<llvm::Expected<std::vector<uint8_t>>()> compile);

  /// Drops `rejected`, which a driver did not take, from memory and disk, so
  /// that the key is compiled anew; nothing if the key has another program by
  /// now.
  void drop(const CacheKey &key, const ProgramBytes &rejected);

  struct Counts {
    int64_t memoryHits = 0, diskHits = 0, compiles = 0;
    int64_t waits = 0; ///< for another thread
  };
  Counts counts() const;

  /// The file that holds, or would hold, the entry of `key`; empty in memory.
  std::string entryPath(const CacheKey &key) const;

private:
  struct Flight;
  /// What came of a key that was not in memory.
  struct Found {
    ProgramBytes program;
    std::string error; ///< if there is no program
    bool fromDisk = false;
  };

  Found
  find(const CacheKey &key,
       llvm::function_ref<llvm::Expected<std::vector<uint8_t>>()> compile);
  ProgramBytes waitForOthers(const CacheKey &key, FileLock &lock) const;
  /// Why `program` was not kept on disk; empty: it was.
  std::string keep(const CacheKey &key, const ProgramBytes &program);
  void tell(const llvm::Twine &message) const;
  void warnOnce(const llvm::Twine &message);

  const Options options;
  const std::optional<CacheDirectory> disk;
  bool expectsFolder = false;

  mutable std::mutex mutex; ///< of all below
  /// By CacheKey::text.
  llvm::StringMap<ProgramBytes> memory;
  llvm::StringMap<std::shared_ptr<Flight>> flights;
  Counts count;
  bool warned = false;
  const ForkHooks forkHooks;
};

} // namespace weft

#endif // WEFT_RUNTIME_CACHE_PROGRAMCACHE_H
