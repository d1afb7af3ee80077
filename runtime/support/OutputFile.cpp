//===- OutputFile.cpp - Files that a user names for output ----------------===//

#include "runtime/support/OutputFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <climits>

#include <unistd.h>

using namespace llvm;

namespace weft {

static Error cannotWrite(const Twine &path, const Twine &reason) {
  return createStringError("cannot write '" + path + "': " + reason);
}

static Error cannotWrite(const Twine &path, std::error_code reason) {
  return cannotWrite(path, reason.message());
}

// "" for a regular file.
static StringRef oddKind(sys::fs::file_type type) {
  switch (type) {
  case sys::fs::file_type::regular_file:
    return "";
  case sys::fs::file_type::directory_file:
    return "a folder";
  case sys::fs::file_type::block_file:
  case sys::fs::file_type::character_file:
    return "a device";
  case sys::fs::file_type::fifo_file:
    return "a pipe";
  case sys::fs::file_type::socket_file:
    return "a socket";
  default:
    return "no file";
  }
}

// What the link `path` says, seen from where it is.
static std::error_code followLink(SmallVectorImpl<char> &path) {
  char target[PATH_MAX];
  std::string link(path.begin(), path.end());
  ssize_t length = ::readlink(link.c_str(), target, sizeof target);
  if (length < 0)
    return std::error_code(errno, std::generic_category());
  StringRef text(target, length);
  if (sys::path::is_absolute(text))
    path.clear();
  else
    sys::path::remove_filename(path);
  sys::path::append(path, text);
  return {};
}

// Whether files can be made in the folder of `path`.
static std::error_code checkFolder(StringRef path) {
  // Not the folder at hand: no file has an empty name.
  if (path.empty())
    return std::make_error_code(std::errc::no_such_file_or_directory);
  StringRef folder = sys::path::parent_path(path);
  return sys::fs::access(folder.empty() ? "." : folder,
                         sys::fs::AccessMode::Write);
}

Expected<std::string> fileToReplace(StringRef path) {
  SmallString<256> file(path);
  for (int links = 0; links < 40; ++links) {
    sys::fs::file_status status;
    std::error_code error = sys::fs::status(file, status, /*follow=*/false);
    if (!error && status.type() == sys::fs::file_type::symlink_file) {
      error = followLink(file);
      if (!error)
        continue;
    }
    // A new file needs its folder, and so does a rename.
    if (!error || error == std::errc::no_such_file_or_directory) {
      bool isNew = bool(error);
      error = checkFolder(file);
      if (StringRef kind = isNew ? "" : oddKind(status.type()); !kind.empty()) {
        std::string is = file == path
                             ? "it is "
                             : ("it leads to '" + file + "', which is ").str();
        return cannotWrite(path,
                           is + kind + "; name a regular file, or a new one");
      }
    }
    if (error)
      return cannotWrite(path, error);
    return file.str().str();
  }
  return cannotWrite(path, "too many links");
}

Error checkWritable(StringRef path) {
  sys::fs::file_status status;
  std::error_code error = sys::fs::status(path, status);
  if (error == std::errc::no_such_file_or_directory)
    error = checkFolder(path);
  else if (!error && status.type() == sys::fs::file_type::directory_file)
    error = std::make_error_code(std::errc::is_a_directory);
  else if (!error)
    error = sys::fs::access(path, sys::fs::AccessMode::Write);
  return error ? cannotWrite(path, error) : Error::success();
}

Error writeFile(const Twine &path, StringRef bytes) {
  std::error_code error;
  raw_fd_ostream stream(path.str(), error);
  if (!error) {
    stream << bytes;
    stream.close();
    error = stream.error();
    stream.clear_error();
  }
  return error ? cannotWrite(path, error) : Error::success();
}

} // namespace weft
