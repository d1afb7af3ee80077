//===- FileLock.h - A lock that dies with its holder ------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CACHE_FILELOCK_H
#define WEFT_RUNTIME_CACHE_FILELOCK_H

#include "llvm/ADT/StringRef.h"

#include <string>
#include <system_error>

namespace weft {

/// An exclusive lock among processes and threads, tied to a file by flock: the
/// kernel drops it when the holder dies, however it dies. A child that the
/// holder forks does not hold it. The file names the holder and is removed when
/// the lock is given back; one that a killed process left is taken over.
class FileLock {
public:
  FileLock() = default;
  FileLock(const FileLock &) = delete;
  FileLock &operator=(const FileLock &) = delete;
  ~FileLock() { release(); }

  /// Takes the lock of the file `path` without waiting. Success;
  /// `operation_would_block` if somebody holds it; else why there is no such
  /// lock here (a folder that cannot be written, a file system without locks).
  std::error_code tryTake(const std::string &path);

  bool held() const;
  void release();

private:
  int descriptor = -1;
  unsigned generation = 0; ///< of the process that took it
  std::string file;
};

/// Who holds the lock of the file `path`, as it wrote there: "process 4711 on
/// node3"; "another process" if that cannot be read.
std::string lockHolder(const std::string &path);

} // namespace weft

#endif // WEFT_RUNTIME_CACHE_FILELOCK_H
