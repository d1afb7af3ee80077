//===- FileLock.cpp - A lock that dies with its holder --------------------===//

#include "runtime/cache/FileLock.h"

#include "runtime/support/ForkHooks.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <cerrno>
#include <mutex>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace weft {

static std::error_code lastError() {
  return std::error_code(errno, std::generic_category());
}

namespace {
/// The locks this process holds. A lock belongs to the open file, which a child
/// shares: it would outlive its holder there.
struct HeldLocks {
  std::mutex mutex;
  std::vector<int> descriptors;
  unsigned generation = 0; ///< forks between this process and the first

  static HeldLocks &get() {
    static HeldLocks &held = *[] {
      auto *made = new HeldLocks;
      new ForkHooks([made] { made->mutex.lock(); },
                    [made] { made->mutex.unlock(); },
                    [made] { made->inChild(); });
      return made;
    }();
    return held;
  }

private:
  void inChild() {
    for (int descriptor : descriptors)
      ::close(descriptor);
    descriptors.clear();
    ++generation;
    mutex.unlock();
  }
};
} // namespace

// Whether the open file is still the one at `path`.
static bool isAt(int descriptor, const std::string &path) {
  struct stat opened, there;
  return ::fstat(descriptor, &opened) == 0 &&
         ::stat(path.c_str(), &there) == 0 && opened.st_dev == there.st_dev &&
         opened.st_ino == there.st_ino;
}

static void nameHolder(int descriptor) {
  char host[64] = {};
  if (::gethostname(host, sizeof host - 1))
    host[0] = 0;
  std::string text =
      ("process " + Twine(::getpid()) + " on " + (*host ? host : "this host"))
          .str();
  // Only for people: a disk without room for it changes nothing.
  if (::ftruncate(descriptor, 0) == 0)
    (void)!::pwrite(descriptor, text.data(), text.size(), 0);
}

std::error_code FileLock::tryTake(const std::string &path) {
  release();
  HeldLocks &held = HeldLocks::get();
  // The last holder removes the file: then a new one has to be made.
  for (int attempt = 0; attempt < 16; ++attempt) {
    // No fork between opening and noting what a child has to close.
    std::lock_guard<std::mutex> lock(held.mutex);
    int opened = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    // Another user's, who lets us read: enough for flock.
    if (opened < 0 && errno == EACCES)
      opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (opened < 0) {
      if (errno == EINTR)
        continue;
      return lastError();
    }
    if (::flock(opened, LOCK_EX | LOCK_NB)) {
      std::error_code error = lastError();
      ::close(opened);
      if (error == std::errc::interrupted)
        continue;
      return error;
    }
    if (!isAt(opened, path)) {
      ::close(opened);
      continue;
    }
    nameHolder(opened);
    descriptor = opened;
    generation = held.generation;
    file = path;
    held.descriptors.push_back(opened);
    return {};
  }
  return std::make_error_code(std::errc::operation_would_block);
}

bool FileLock::held() const {
  if (descriptor < 0)
    return false;
  HeldLocks &held = HeldLocks::get();
  std::lock_guard<std::mutex> lock(held.mutex);
  return generation == held.generation;
}

void FileLock::release() {
  if (descriptor < 0)
    return;
  HeldLocks &held = HeldLocks::get();
  std::lock_guard<std::mutex> lock(held.mutex);
  // In a child of the holder it is gone already.
  if (generation == held.generation) {
    // While it is still held: whoever waits sees that the file is another's.
    ::unlink(file.c_str());
    ::close(descriptor);
    llvm::erase(held.descriptors, descriptor);
  }
  descriptor = -1;
}

std::string lockHolder(const std::string &path) {
  std::string text(128, '\0');
  int opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ssize_t count = -1;
  if (opened >= 0) {
    count = ::read(opened, text.data(), text.size());
    ::close(opened);
  }
  if (count <= 0)
    return "another process";
  text.resize(count);
  return text;
}

} // namespace weft
