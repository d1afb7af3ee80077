//===- Log.h - What weft says of its own accord -----------------*- C++ -*-===//
//
// Errors go to the caller. What a caller did not ask about (what was compiled,
// how long it took, a cache that cannot be used) goes to standard error, a line
// each, as far as WEFT_LOG wants it.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_SUPPORT_LOG_H
#define WEFT_RUNTIME_SUPPORT_LOG_H

#include "llvm/ADT/Twine.h"

namespace weft {

enum class LogLevel {
  Off,
  Warning, ///< works, but not as wished
  Info,    ///< one line per compile
  Debug    ///< every look into the cache, and why an entry was not taken
};

/// What WEFT_LOG says: off, warning (the default), info or debug. Read at every
/// call, so a process may change it; a word it does not know counts as the
/// default and is told once.
LogLevel logLevel();

inline bool logs(LogLevel level) { return logLevel() >= level; }

/// Writes "weft: <level>: <message>" as one line if WEFT_LOG wants it. Lines of
/// threads and processes do not mix. `message` has no newline.
void log(LogLevel level, const llvm::Twine &message);

} // namespace weft

#endif // WEFT_RUNTIME_SUPPORT_LOG_H
