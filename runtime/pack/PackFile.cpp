//===- PackFile.cpp - Packs on disk, while they are made ------------------===//

#include "runtime/pack/PackFile.h"

#include "runtime/support/OutputFile.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
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

//===----------------------------------------------------------------------===//
// Packs on their way
//===----------------------------------------------------------------------===//

// A pack is written to PACK.tmp-xxxxxxxx, whose lock its writer holds for as
// long as it lives.
static constexpr StringLiteral temporaryInfix = ".tmp-",
                               temporaryModel = "%%%%%%%%";

static bool isAt(int file, const std::string &path) {
  struct stat opened, there;
  return fstat(file, &opened) == 0 && lstat(path.c_str(), &there) == 0 &&
         S_ISREG(opened.st_mode) && opened.st_dev == there.st_dev &&
         opened.st_ino == there.st_ino;
}

// Removes `path` if it is a pack, or the beginning of one, that no live process
// is writing.
static void removeLeftover(const std::string &path) {
  int file = open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0)
    return;
  scope_exit close([&] { ::close(file); });
  char begin[packMagic.size()];
  if (flock(file, LOCK_EX | LOCK_NB) != 0 || !isAt(file, path))
    return;
  ssize_t length = pread(file, begin, sizeof begin, 0);
  if (length >= 0 && packMagic.starts_with(StringRef(begin, length)))
    unlink(path.c_str());
}

// Removes what killed processes left of the pack `path`.
static void removeLeftovers(StringRef path) {
  std::string prefix = (sys::path::filename(path) + temporaryInfix).str();
  StringRef folder = sys::path::parent_path(path);
  std::error_code error;
  for (sys::fs::directory_iterator it(folder.empty() ? "." : folder, error),
       end;
       it != end && !error; it.increment(error)) {
    StringRef digits = sys::path::filename(it->path());
    if (digits.consume_front(prefix) &&
        digits.size() == temporaryModel.size() &&
        all_of(digits, [](char c) { return isHexDigit(c); }))
      removeLeftover(it->path());
  }
}

// A new file beside `path`, locked.
static std::error_code makeTemporary(StringRef path, int &file,
                                     SmallVectorImpl<char> &name) {
  while (true) {
    if (std::error_code error = sys::fs::createUniqueFile(
            path + temporaryInfix + temporaryModel, file, name,
            sys::fs::OF_None, sys::fs::perms(0666 & ~022)))
      return error;
    // A file system without locks keeps what killed processes leave.
    (void)flock(file, LOCK_EX);
    // Between the two, it looked like a leftover.
    if (isAt(file, std::string(name.begin(), name.end())))
      return {};
    close(file);
  }
}

Expected<uint64_t> writePack(StringRef name, ArrayRef<PackEntry> entries) {
  Expected<std::string> path = fileToReplace(name);
  if (!path)
    return path.takeError();
  removeLeftovers(*path);
  std::vector<uint8_t> bytes = encodePack(entries);
  int file = -1;
  SmallString<256> temporary;
  std::error_code error = makeTemporary(*path, file, temporary);
  if (!error) {
    error = writeAt(file, bytes, 0);
    if (!error)
      error = sys::fs::rename(temporary, *path);
    if (error)
      sys::fs::remove(temporary);
    close(file);
  }
  if (error)
    return createStringError("cannot write pack '" + name +
                             "': " + error.message());
  return bytes.size();
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

// Before the first pack: what tells a part from a pack of that name, and from
// whatever else a user has there.
static constexpr StringLiteral partMagic = "WEFTPART";
static constexpr uint64_t partHeaderBytes = 64;

Error PartFile::cannot(std::error_code reason) const {
  return createStringError("cannot write '" + Twine(path) +
                           "': " + reason.message());
}

Expected<std::unique_ptr<PartFile>> PartFile::open(std::string path) {
  // A pipe must not make us wait for its other end.
  int descriptor =
      ::open(path.c_str(), O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644);
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
  char begin[partMagic.size()];
  ssize_t length = 0;
  if (status.type() == sys::fs::file_type::regular_file) {
    length = pread(descriptor, begin, sizeof begin, 0);
    if (length < 0)
      return cannot(lastError());
  }
  // The header may be cut short too.
  if (status.type() != sys::fs::file_type::regular_file ||
      !partMagic.starts_with(StringRef(begin, length)))
    return createStringError(
        "'" + Twine(path) +
        "' is in the way: programs are kept there until all are compiled, and "
        "it is not a file of an earlier compile; move it, or choose another "
        "file with -o");
  if (status.getSize() < partHeaderBytes)
    return Error::success();
  end = partHeaderBytes;
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
  if (end == 0) {
    bytes.insert(bytes.begin(), partHeaderBytes, 0);
    copy(arrayRefFromStringRef(partMagic), bytes.begin());
  }
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
