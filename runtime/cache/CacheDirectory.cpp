//===- CacheDirectory.cpp - Compiled programs on disk ---------------------===//

#include "runtime/cache/CacheDirectory.h"

#include "runtime/cache/CacheEntry.h"
#include "runtime/support/Log.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

#include <algorithm>
#include <cerrno>
#include <thread>

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

using namespace llvm;
using std::chrono::system_clock;

namespace weft {

static constexpr StringLiteral kEntrySuffix = ".weft", kLockSuffix = ".lock",
                               kTemporaryPrefix = "tmp-";
static constexpr size_t kHashDigits = 32;

// A file of a network file system that nobody has touched for so long is not
// being written.
static constexpr std::chrono::hours kLeftoverAge{24};

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

//===----------------------------------------------------------------------===//
// Trying again
//===----------------------------------------------------------------------===//

// Other machines rename, remove and make files under our hands; a file system
// says so in these ways, and is right again a moment later.
static bool passes(std::error_code error) {
  return error == std::errc::interrupted ||
         error == std::errc::resource_unavailable_try_again ||
         error == std::errc::device_or_resource_busy || error.value() == ESTALE;
}

// What `attempt` gives, up to four times, while it fails with what passes.
template <typename Attempt> static std::error_code tryAgain(Attempt attempt) {
  std::chrono::milliseconds pause{5};
  for (int left = 3;; --left, pause *= 4) {
    std::error_code error = attempt();
    if (!error || left == 0 || !passes(error))
      return error;
    std::this_thread::sleep_for(pause);
  }
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

namespace {
/// An open file that closes itself.
class OpenFile {
public:
  OpenFile(const std::string &path, int flags) {
    do
      descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    while (descriptor < 0 && errno == EINTR);
  }
  OpenFile &operator=(OpenFile &&other) {
    std::swap(descriptor, other.descriptor);
    return *this;
  }
  ~OpenFile() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  explicit operator bool() const { return descriptor >= 0; }
  int operator*() const { return descriptor; }

private:
  int descriptor;
};
} // namespace

static std::error_code readAll(int file, std::vector<uint8_t> &bytes) {
  struct stat status;
  if (::fstat(file, &status))
    return lastError();
  if (!S_ISREG(status.st_mode))
    return std::make_error_code(std::errc::invalid_argument);
  bytes.resize(status.st_size);
  size_t done = 0;
  // Read, not mapped: a file cut short meanwhile is an error and no signal.
  while (done < bytes.size()) {
    ssize_t count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno != EINTR)
      return lastError();
    if (count == 0)
      break;
    done += std::max<ssize_t>(count, 0);
  }
  bytes.resize(done);
  return {};
}

static std::error_code writeAll(int file, ArrayRef<uint8_t> bytes) {
  while (!bytes.empty()) {
    ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR)
      return lastError();
    bytes = bytes.drop_front(std::max<ssize_t>(count, 0));
  }
  return {};
}

// To the disk, so that a crash of the machine leaves the old file or the new
// one. File systems that do not know how are let be.
static std::error_code flush(int file) {
  if (::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP)
    return {};
  return lastError();
}

static system_clock::time_point modified(const struct stat &status) {
  return system_clock::time_point(
      std::chrono::duration_cast<system_clock::duration>(
          std::chrono::seconds(status.st_mtim.tv_sec) +
          std::chrono::nanoseconds(status.st_mtim.tv_nsec)));
}

static bool isEntryName(StringRef name) {
  return name.consume_back(kEntrySuffix) && name.size() == kHashDigits &&
         all_of(name, [](char c) { return isHexDigit(c); });
}

static bool isLockName(StringRef name) {
  return name.consume_back(kLockSuffix) && name.size() == kHashDigits &&
         all_of(name, [](char c) { return isHexDigit(c); });
}

static std::string temporaryName() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, 0) != sizeof number)
    number = system_clock::now().time_since_epoch().count() ^ ::getpid();
  return formatv("{0}{1:x-16}", kTemporaryPrefix, number).str();
}

//===----------------------------------------------------------------------===//
// Where other machines may be
//===----------------------------------------------------------------------===//

static bool isNetworkFileSystem(const std::string &path) {
  struct statfs status;
  // A folder not made yet is on its parent's file system.
  std::string folder = path;
  while (::statfs(folder.c_str(), &status)) {
    StringRef parent = sys::path::parent_path(folder);
    if (errno != ENOENT || parent.empty())
      return false;
    folder = parent.str();
  }
  switch (uint32_t(status.f_type)) {
  case 0x00006969: // NFS
  case 0x0000517B: // SMB
  case 0xFF534D42: // CIFS
  case 0xFE534D42: // SMB 2
  case 0x0BD00BD0: // Lustre
  case 0x47504653: // GPFS
  case 0x00C36400: // Ceph
  case 0x5346414F: // AFS
  case 0x73757245: // Coda
  case 0x01021997: // 9P
  case 0x65735546: // FUSE, which may be anything
  case 0x19830326: // BeeGFS
  case 0x7461636F: // OCFS2
  case 0x01161970: // GFS2
  case 0xAAD7AAEA: // PanFS
    return true;
  default:
    return false;
  }
}

CacheDirectory::CacheDirectory(std::string path, std::optional<bool> network)
    : directory(std::move(path)), network(network) {}

bool CacheDirectory::onNetwork() const {
  return network.value_or(isNetworkFileSystem(directory));
}

std::string CacheDirectory::entryPath(const CacheKey &key) const {
  return directory + "/" + key.hash() + kEntrySuffix.str();
}

// A folder of this machine and user for the locks of folders on a network;
// empty if there is none that can be trusted.
static std::string localLockFolder() {
  SmallString<64> root("/dev/shm");
  if (!sys::fs::is_directory(root))
    sys::path::system_temp_directory(/*ErasedOnReboot=*/true, root);
  std::string folder = (root + "/weft-locks-" + Twine(::geteuid())).str();
  struct stat status;
  // Anybody may have made a folder or a link of that name.
  if ((::mkdir(folder.c_str(), 0700) && errno != EEXIST) ||
      ::lstat(folder.c_str(), &status) || !S_ISDIR(status.st_mode) ||
      status.st_uid != ::geteuid())
    return "";
  return folder;
}

// How the names of a folder's locks begin there.
static std::string localLockPrefix(StringRef directory) {
  return formatv("{0:x-16}-", xxh3_64bits(directory)).str();
}

std::string CacheDirectory::lockPath(const CacheKey &key) const {
  std::string name = key.hash() + kLockSuffix.str();
  if (!onNetwork())
    return directory + "/" + name;
  std::string folder = localLockFolder();
  return folder.empty() ? "" : folder + "/" + localLockPrefix(directory) + name;
}

std::error_code CacheDirectory::tryLock(const CacheKey &key,
                                        FileLock &lock) const {
  std::string path = lockPath(key);
  if (path.empty())
    return std::make_error_code(std::errc::no_lock_available);
  std::error_code error = lock.tryTake(path);
  if (error != std::errc::no_such_file_or_directory)
    return error;
  if (std::error_code made = sys::fs::create_directories(directory))
    return made;
  return lock.tryTake(path);
}

std::string CacheDirectory::holderOf(const CacheKey &key) const {
  return lockHolder(lockPath(key));
}

//===----------------------------------------------------------------------===//
// Entries
//===----------------------------------------------------------------------===//

ProgramBytes CacheDirectory::read(const CacheKey &key) const {
  std::string path = entryPath(key);
  bool shared = onNetwork();
  std::vector<uint8_t> bytes;
  std::error_code error = tryAgain([&]() -> std::error_code {
    OpenFile file(path, O_RDONLY);
    if (!file && errno == ENOENT && shared) {
      // This machine may remember that there was none: opening a folder makes
      // it ask.
      OpenFile(directory, O_RDONLY | O_DIRECTORY);
      file = OpenFile(path, O_RDONLY);
    }
    if (!file)
      return lastError();
    // `prune` leaves what is being read. On a network nobody else would see it,
    // and a file removed there is ESTALE here.
    if (!shared)
      (void)::flock(*file, LOCK_SH | LOCK_NB);
    if (std::error_code failed = readAll(*file, bytes))
      return failed;
    // Just used. Not our file, or not a disk to write on: it stays older.
    const timespec times[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
    (void)::futimens(*file, times);
    return {};
  });
  if (error) {
    if (error != std::errc::no_such_file_or_directory)
      log(LogLevel::Debug,
          "cannot read '" + Twine(path) + "': " + error.message());
    return nullptr;
  }
  Expected<std::vector<uint8_t>> program = decodeEntry(key, bytes);
  if (!program) {
    // Compiled anew and replaced.
    log(LogLevel::Debug,
        "'" + Twine(path) + "': " + toString(program.takeError()));
    return nullptr;
  }
  return std::make_shared<const std::vector<uint8_t>>(std::move(*program));
}

std::error_code CacheDirectory::publish(const CacheKey &key,
                                        ArrayRef<uint8_t> program) const {
  std::vector<uint8_t> bytes = encodeEntry(key, program);
  std::string path = entryPath(key);
  bool shared = onNetwork();
  auto attempt = [&]() -> std::error_code {
    if (std::error_code error = sys::fs::create_directories(directory))
      return error;
    std::string temporary = directory + "/" + temporaryName();
    std::error_code error;
    {
      OpenFile file(temporary, O_WRONLY | O_CREAT | O_EXCL);
      if (!file)
        return lastError();
      // Whoever cleans up sees that its writer lives; and may have come first.
      if (!shared) {
        (void)::flock(*file, LOCK_EX);
        struct stat status;
        if (!::fstat(*file, &status) && !status.st_nlink)
          return std::make_error_code(std::errc::no_such_file_or_directory);
      }
      error = writeAll(*file, bytes);
      if (!error)
        error = flush(*file);
      if (!error && ::rename(temporary.c_str(), path.c_str()))
        error = lastError();
    }
    if (error) {
      ::unlink(temporary.c_str());
      return error;
    }
    if (OpenFile folder(directory, O_RDONLY | O_DIRECTORY); folder)
      (void)flush(*folder);
    return {};
  };
  std::error_code error = tryAgain(attempt);
  // Somebody cleared the folder meanwhile, or took the file for a leftover
  // before it was locked.
  for (int more = 0; more < 10 && error == std::errc::no_such_file_or_directory;
       ++more)
    error = tryAgain(attempt);
  return error;
}

void CacheDirectory::remove(const CacheKey &key) const {
  ::unlink(entryPath(key).c_str());
}

//===----------------------------------------------------------------------===//
// Keeping order
//===----------------------------------------------------------------------===//

/// What a folder holds of ours.
struct CacheDirectory::Listing {
  std::error_code error;
  std::vector<Entry> entries, temporaries;
  std::vector<std::string> locks;
};

CacheDirectory::Listing CacheDirectory::scan() const {
  Listing listing;
  DIR *folder = ::opendir(directory.c_str());
  if (!folder) {
    listing.error = lastError();
    return listing;
  }
  while (dirent *item = ::readdir(folder)) {
    StringRef name = item->d_name;
    std::string path = directory + "/" + name.str();
    if (isLockName(name)) {
      listing.locks.push_back(path);
      continue;
    }
    bool temporary = name.starts_with(kTemporaryPrefix);
    struct stat status;
    if ((!temporary && !isEntryName(name)) || ::lstat(path.c_str(), &status) ||
        !S_ISREG(status.st_mode))
      continue;
    (temporary ? listing.temporaries : listing.entries)
        .push_back({path, uint64_t(status.st_size), modified(status)});
  }
  ::closedir(folder);
  // Stamps from the future (the clock was put back) count as now, or they would
  // stay for ever. Names make the order one.
  system_clock::time_point now = system_clock::now();
  for (Entry &entry : listing.entries)
    entry.used = std::min(entry.used, now);
  sort(listing.entries, [](const Entry &a, const Entry &b) {
    return std::tie(b.used, a.path) < std::tie(a.used, b.path);
  });
  return listing;
}

Expected<std::vector<CacheDirectory::Entry>> CacheDirectory::entries() const {
  Listing listing = scan();
  if (listing.error && listing.error != std::errc::no_such_file_or_directory)
    return createStringError("cannot read the cache folder '" + directory +
                             "': " + listing.error.message());
  return std::move(listing.entries);
}

bool CacheDirectory::removeEntry(const std::string &path) const {
  if (!onNetwork()) {
    OpenFile file(path, O_RDONLY);
    // Not readable for us, but perhaps removable.
    if (file && ::flock(*file, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
      return false;
    struct stat opened, there;
    if (file && (::fstat(*file, &opened) || ::lstat(path.c_str(), &there) ||
                 opened.st_ino != there.st_ino))
      return false; // replaced meanwhile
    return ::unlink(path.c_str()) == 0 || errno == ENOENT;
  }
  return ::unlink(path.c_str()) == 0 || errno == ENOENT;
}

uint64_t CacheDirectory::removeLeftovers(const Listing &listing) const {
  uint64_t removed = 0;
  auto removeLock = [&](const std::string &path) {
    FileLock lock;
    removed += !lock.tryTake(path);
  };
  if (onNetwork()) {
    std::error_code error;
    std::string prefix = localLockPrefix(directory);
    for (sys::fs::directory_iterator it(localLockFolder(), error), end;
         it != end && !error; it.increment(error))
      if (StringRef name = sys::path::filename(it->path());
          name.consume_front(prefix) && isLockName(name))
        removeLock(it->path());
    // Locks tell nothing of other machines; the times of files are those of one
    // clock, the server's.
    system_clock::time_point latest;
    for (const std::vector<Entry> *list :
         {&listing.entries, &listing.temporaries})
      for (const Entry &entry : *list)
        latest = std::max(latest, entry.used);
    for (const Entry &entry : listing.temporaries)
      if (latest - entry.used > kLeftoverAge)
        removed += ::unlink(entry.path.c_str()) == 0;
    return removed;
  }
  for (const Entry &entry : listing.temporaries)
    removed += removeEntry(entry.path);
  for (const std::string &path : listing.locks)
    removeLock(path);
  return removed;
}

CacheDirectory::Removed CacheDirectory::prune(const CacheLimits &limits,
                                              const CacheKey *keep) const {
  Removed removed;
  Listing listing = scan();
  if (listing.error)
    return removed;
  removed.leftovers = removeLeftovers(listing);
  uint64_t bytes = 0, entries = listing.entries.size();
  for (const Entry &entry : listing.entries)
    bytes += entry.bytes;
  std::string kept = keep ? entryPath(*keep) : "";
  for (const Entry &entry : reverse(listing.entries)) {
    if (bytes <= limits.bytes && entries <= limits.entries)
      break;
    if (entry.path == kept)
      continue;
    if (!removeEntry(entry.path)) {
      ++removed.kept;
      continue;
    }
    bytes -= entry.bytes;
    --entries;
    ++removed.entries;
    removed.bytes += entry.bytes;
  }
  return removed;
}

} // namespace weft
