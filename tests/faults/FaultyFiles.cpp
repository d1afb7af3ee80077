//===- FaultyFiles.cpp - File operations that fail on order ---------------===//

#include "tests/faults/FaultyFiles.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {
struct Order {
  const char *function = "";
  std::string part;
  int error = 0;
  std::atomic<int> left = 0;
};
Order order;
} // namespace

// Whether this call fails by order.
static bool fails(const char *function, const char *path) {
  if (order.left <= 0 || std::strcmp(function, order.function) ||
      !std::strstr(path, order.part.c_str()))
    return false;
  --order.left;
  errno = order.error;
  return true;
}

namespace weft::test {

FaultyFiles::FaultyFiles(const char *function, std::string part, int error,
                         int times) {
  order.function = function;
  order.part = std::move(part);
  order.error = error;
  order.left = times;
}

FaultyFiles::~FaultyFiles() { order.left = 0; }

int FaultyFiles::left() const { return order.left; }

} // namespace weft::test

extern "C" {

int open(const char *path, int flags, ...) {
  if (fails("open", path))
    return -1;
  va_list more;
  va_start(more, flags);
  mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, mode_t) : 0;
  va_end(more);
  return int(syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int rename(const char *from, const char *to) noexcept {
  if (fails("rename", to))
    return -1;
  return int(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int fsync(int file) {
  char name[64], path[4096];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", file);
  ssize_t length = readlink(name, path, sizeof path - 1);
  path[length < 0 ? 0 : length] = 0;
  if (fails("fsync", path))
    return -1;
  return int(syscall(SYS_fsync, file));
}

} // extern "C"
