//===- Recorder.cpp - Which plans a running application used --------------===//

#include "runtime/pack/Recorder.h"

#include "runtime/pack/NotPrecompiled.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/LineIterator.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <unistd.h>

using namespace llvm;

namespace weft {

// One write to the end of the file: the lines of several processes do not mix.
static std::error_code append(const std::string &path, StringRef line) {
  int file =
      open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (file < 0)
    return std::error_code(errno, std::generic_category());
  ssize_t written;
  do
    written = write(file, line.data(), line.size());
  while (written < 0 && errno == EINTR);
  std::error_code error;
  if (written < 0)
    error = std::error_code(errno, std::generic_category());
  else if (size_t(written) != line.size())
    error = make_error_code(std::errc::no_space_on_device);
  close(file);
  return error;
}

Error Recorder::note(StringRef spec, StringRef target) {
  std::string line = manifestLine(spec, target);
  std::lock_guard<std::mutex> lock(mutex);
  // A pipe or a terminal would keep the application waiting.
  sys::fs::file_status status;
  if (!sys::fs::status(path, status) &&
      status.type() != sys::fs::file_type::regular_file)
    return createStringError("WEFT_RECORD: cannot write '" + Twine(path) +
                             "': it is no regular file");
  if (!read) {
    read = true;
    if (auto file = MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/true,
                                          /*IsVolatile=*/true)) {
      for (line_iterator it(**file); !it.is_at_eof(); ++it)
        lines.insert(it->trim());
      StringRef text = (*file)->getBuffer();
      isCutShort = !text.empty() && text.back() != '\n';
    }
  }
  if (!lines.insert(line).second)
    return Error::success();
  // A manifest may have empty lines.
  std::string separator = isCutShort ? "\n" : "";
  isCutShort = false;
  if (std::error_code error = append(path, separator + line + "\n"))
    return createStringError("WEFT_RECORD: cannot write '" + Twine(path) +
                             "': " + error.message());
  return Error::success();
}

std::unique_ptr<Recorder> environmentRecorder() {
  const char *path = std::getenv("WEFT_RECORD");
  return path && *path ? std::make_unique<Recorder>(path) : nullptr;
}

} // namespace weft
