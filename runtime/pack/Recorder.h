//===- Recorder.h - Which plans a running application used ------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PACK_RECORDER_H
#define WEFT_RUNTIME_PACK_RECORDER_H

#include "runtime/support/ForkHooks.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <mutex>
#include <string>

namespace weft {

/// Writes a manifest of the problems that were asked for, one line each, to a
/// file that other processes may be writing too. A problem that the file held
/// when it was opened is not written again.
class Recorder {
public:
  explicit Recorder(std::string path) : path(std::move(path)) {}

  /// Adds `spec` (canonical) for `target`. Thread-safe, also across forks.
  llvm::Error note(llvm::StringRef spec, llvm::StringRef target);

private:
  const std::string path;
  std::mutex mutex; ///< of all below
  bool read = false;
  bool isCutShort = false; ///< the file's last line, as somebody left it
  llvm::StringSet<> lines;
  const ForkHooks forkHooks{[this] { mutex.lock(); },
                            [this] { mutex.unlock(); },
                            [this] { mutex.unlock(); }};
};

/// What WEFT_RECORD asks for; null without it.
std::unique_ptr<Recorder> environmentRecorder();

} // namespace weft

#endif // WEFT_RUNTIME_PACK_RECORDER_H
