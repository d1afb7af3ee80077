//===- PackFile.h - Packs on disk, while they are made ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PACK_PACKFILE_H
#define WEFT_RUNTIME_PACK_PACKFILE_H

#include "runtime/pack/Pack.h"

namespace weft {

/// Writes a pack of `entries` to `path`, under another name first: who reads
/// `path` meanwhile sees the old file or the new one. Replaces nothing but a
/// regular file (`fileToReplace`), and removes what killed processes left
/// beside it. No two entries are for the same problem. Gives the bytes of the
/// file.
llvm::Expected<uint64_t> writePack(llvm::StringRef path,
                                   llvm::ArrayRef<PackEntry> entries);

/// The programs that a compile has finished, kept beside its pack until all are
/// there: a header, then packs of one entry each, one behind the other. What
/// was being written when a process died is dropped by the next.
class PartFile {
public:
  /// Opens or makes `path`. An error if it cannot be written, if another
  /// process has it open, or if it is no such file.
  static llvm::Expected<std::unique_ptr<PartFile>> open(std::string path);
  PartFile(const PartFile &) = delete;
  /// The file stays.
  ~PartFile();

  /// What was in the file when it was opened.
  llvm::ArrayRef<std::shared_ptr<const Pack>> packs() const { return found; }

  /// Adds a program. When it returns, it survives the process.
  llvm::Error append(const PackEntry &entry);

  /// Deletes the file.
  llvm::Error remove();

private:
  PartFile(std::string path, int descriptor)
      : path(std::move(path)), descriptor(descriptor) {}
  llvm::Error read();
  llvm::Error cannot(std::error_code reason) const;

  std::string path;
  int descriptor;
  uint64_t end = 0; ///< where the next pack goes
  std::vector<std::shared_ptr<const Pack>> found;
};

} // namespace weft

#endif // WEFT_RUNTIME_PACK_PACKFILE_H
