//===- Log.cpp - What weft says of its own accord -------------------------===//

#include "runtime/support/Log.h"

#include "llvm/ADT/StringSwitch.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <optional>
#include <string>

#include <unistd.h>

using namespace llvm;

namespace weft {

static void write(StringRef level, const Twine &message) {
  std::string line = ("weft: " + level + ": " + message + "\n").str();
  // One call, so that the line stays whole; nobody to tell if it fails.
  while (::write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EINTR)
    ;
}

LogLevel logLevel() {
  const char *text = std::getenv("WEFT_LOG");
  if (!text || !*text)
    return LogLevel::Warning;
  auto level = StringSwitch<std::optional<LogLevel>>(text)
                   .Case("off", LogLevel::Off)
                   .Case("warning", LogLevel::Warning)
                   .Case("info", LogLevel::Info)
                   .Case("debug", LogLevel::Debug)
                   .Default(std::nullopt);
  if (level)
    return *level;
  static std::atomic<bool> told = false;
  if (!told.exchange(true))
    write("warning", "WEFT_LOG is '" + Twine(text) +
                         "'; it is one of off, warning, info, debug");
  return LogLevel::Warning;
}

void log(LogLevel level, const Twine &message) {
  if (!logs(level))
    return;
  switch (level) {
  case LogLevel::Off:
    return;
  case LogLevel::Warning:
    return write("warning", message);
  case LogLevel::Info:
    return write("info", message);
  case LogLevel::Debug:
    return write("debug", message);
  }
}

} // namespace weft
