//===- PackFile.cpp - Packs on disk, while they are made ------------------===//

#include "runtime/pack/PackFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

using namespace llvm;

namespace weft {

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

static std::error_code writeAt(int file, ArrayRef<uint8_t> bytes, uint64_t at) {
  while (!bytes.empty()) {
    ssize_t count = pwrite(file, bytes.data(), bytes.size(), at);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return lastError();
    bytes = bytes.drop_front(count);
    at += count;
  }
  return fsync(file) == 0 ? std::error_code() : lastError();
}

Expected<uint64_t> writePack(StringRef path, ArrayRef<PackEntry> entries) {
  std::vector<uint8_t> bytes = encodePack(entries);
  int file = -1;
  SmallString<256> temporary;
  std::error_code error =
      sys::fs::createUniqueFile(path + ".tmp-%%%%%%%%", file, temporary,
                                sys::fs::OF_None, sys::fs::perms(0666 & ~022));
  if (!error) {
    error = writeAt(file, bytes, 0);
    close(file);
    if (!error)
      error = sys::fs::rename(temporary, path);
    if (error)
      sys::fs::remove(temporary);
  }
  if (error)
    return createStringError("cannot write pack '" + path +
                             "': " + error.message());
  return bytes.size();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

Error PartFile::cannot(std::error_code reason) const {
  return createStringError("cannot write '" + Twine(path) +
                           "': " + reason.message());
}

Expected<std::unique_ptr<PartFile>> PartFile::open(std::string path) {
  int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  std::error_code error = descriptor < 0 ? lastError() : std::error_code();
  std::unique_ptr<PartFile> part(new PartFile(std::move(path), descriptor));
  if (error)
    return part->cannot(error);
  // Goes with its holder, however that ends.
  if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
    return errno == EWOULDBLOCK
               ? createStringError("another process is writing '" +
                                   Twine(part->path) +
                                   "'; wait for it, or choose another file")
               : part->cannot(lastError());
  if (Error failure = part->read())
    return failure;
  return part;
}

PartFile::~PartFile() {
  if (descriptor >= 0)
    close(descriptor);
}

Error PartFile::read() {
  sys::fs::file_status status;
  if (std::error_code error = sys::fs::status(descriptor, status))
    return cannot(error);
  if (status.getSize() == 0)
    return Error::success();
  std::error_code error;
  auto mapping = std::make_shared<sys::fs::mapped_file_region>(
      descriptor, sys::fs::mapped_file_region::priv, status.getSize(),
      /*offset=*/0, error);
  if (error)
    return cannot(error);
  ArrayRef<uint8_t> bytes(
      reinterpret_cast<const uint8_t *>(mapping->const_data()),
      mapping->size());
  while (uint64_t size = Pack::sizeOf(bytes.drop_front(end))) {
    Expected<std::shared_ptr<const Pack>> pack =
        Pack::fromMemory(bytes.slice(end, size), mapping, path);
    if (!pack) {
      // Half written: what follows cannot be found.
      consumeError(pack.takeError());
      break;
    }
    found.push_back(std::move(*pack));
    end += size;
  }
  return Error::success();
}

Error PartFile::append(const PackEntry &entry) {
  std::vector<uint8_t> bytes = encodePack(entry);
  if (std::error_code error = writeAt(descriptor, bytes, end))
    return cannot(error);
  end += bytes.size();
  return Error::success();
}

Error PartFile::remove() {
  if (std::error_code error = sys::fs::remove(path))
    return cannot(error);
  return Error::success();
}

} // namespace weft
