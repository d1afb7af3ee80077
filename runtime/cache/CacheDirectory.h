//===- CacheDirectory.h - Compiled programs on disk -------------*- C++ -*-===//
//
// A folder that any number of processes, of any versions of weft, on any number
// of machines use at once:
//
//   HASH.weft   an entry (CacheEntry.h), published by a rename: a reader sees
//               all of it or none. Its time of modification is when it was last
//               used, set by us.
//   HASH.lock   whoever compiles that entry holds its lock
//   tmp-RANDOM  an entry on its way
//
// Nothing here ends a process or fails a compile: what cannot be read is
// compiled, what cannot be written is kept in memory.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CACHE_CACHEDIRECTORY_H
#define WEFT_RUNTIME_CACHE_CACHEDIRECTORY_H

#include "runtime/cache/CacheKey.h"
#include "runtime/cache/FileLock.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft {

/// A serialized launch program that `program::load` has passed.
using ProgramBytes = std::shared_ptr<const std::vector<uint8_t>>;

/// How much a folder may hold.
struct CacheLimits {
  uint64_t bytes = uint64_t(1) << 30;
  uint64_t entries = 4096;
};

class CacheDirectory {
public:
  /// `path` is absolute; it is made when first written to. `network`: whether
  /// other machines use it as well; absent: as its file system says.
  explicit CacheDirectory(std::string path,
                          std::optional<bool> network = std::nullopt);

  const std::string &path() const { return directory; }
  std::string entryPath(const CacheKey &key) const;

  /// The program of `key`; null where there is none, or none that can be read
  /// or is whole. Marks it as just used.
  ProgramBytes read(const CacheKey &key) const;

  /// Puts the program of `key` in place of what is there.
  std::error_code publish(const CacheKey &key,
                          llvm::ArrayRef<uint8_t> program) const;

  /// Removes the entry of `key`.
  void remove(const CacheKey &key) const;

  /// Takes the lock of `key` without waiting (FileLock::tryTake): in the
  /// folder, or, where that is on a network, in one of this machine, since
  /// locks of other machines may hang, or outlive them.
  std::error_code tryLock(const CacheKey &key, FileLock &lock) const;
  /// Who holds it, for people.
  std::string holderOf(const CacheKey &key) const;

  struct Entry {
    std::string path;
    uint64_t bytes = 0;
    std::chrono::system_clock::time_point used;
  };
  /// All entries, latest used first; an error if the folder cannot be read,
  /// none if there is no folder.
  llvm::Expected<std::vector<Entry>> entries() const;

  struct Removed {
    uint64_t entries = 0, bytes = 0;
    uint64_t leftovers = 0; ///< of processes that are gone
    uint64_t kept = 0;      ///< entries that could not be removed
  };
  /// Removes what killed processes left, and the entries that were not used for
  /// longest until the rest is within `limits`. Leaves entries that a live
  /// process is reading or making, that of `keep`, and files that are not ours.
  Removed prune(const CacheLimits &limits,
                const CacheKey *keep = nullptr) const;

  /// Removes one entry unless a live process is reading it.
  bool removeEntry(const std::string &path) const;

private:
  struct Listing;
  Listing scan() const;
  uint64_t removeLeftovers(const Listing &listing) const;
  bool onNetwork() const;
  std::string lockPath(const CacheKey &key) const;

  const std::string directory;
  const std::optional<bool> network;
};

} // namespace weft

#endif // WEFT_RUNTIME_CACHE_CACHEDIRECTORY_H
