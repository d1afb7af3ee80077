//===- Progress.h - How far a long compile is -------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFTC_PROGRESS_H
#define WEFT_TOOLS_WEFTC_PROGRESS_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <string>

namespace weft {

/// "1h 2m", "3m 4s", "5s".
std::string durationText(double seconds);

/// "[#####.....] 12 of 24, about 3m 4s left": `done` of `total` are done, some
/// of them in these `seconds`: `timed`.
std::string progressText(size_t done, size_t total, size_t timed,
                         double seconds);

/// A bar that stays on its line on a terminal; elsewhere a line every few
/// seconds. Not thread-safe.
class Progress {
public:
  /// `done` of `total` were done before.
  Progress(llvm::raw_ostream &stream, bool isTerminal, size_t done,
           size_t total);
  ~Progress();

  void step();
  /// A line of text that stays.
  void say(const llvm::Twine &line);
  double seconds() const;

private:
  void show();

  using Clock = std::chrono::steady_clock;
  llvm::raw_ostream &stream;
  const bool isTerminal;
  const size_t before, total;
  size_t done;
  const Clock::time_point start = Clock::now();
  Clock::time_point shown = start;
};

} // namespace weft

#endif // WEFT_TOOLS_WEFTC_PROGRESS_H
