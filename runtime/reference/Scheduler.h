//===- Scheduler.h - Resident CTAs without preemption -----------*- C++ -*-===//
//
// A GPU of R CTAs: tasks are dispatched in a seeded random order as places come
// free, a dispatched task stays until it is done, and resident ones take turns
// at random. A task that waits keeps its place.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_REFERENCE_SCHEDULER_H
#define WEFT_RUNTIME_REFERENCE_SCHEDULER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>
#include <string>

namespace weft::reference {

/// A small seeded generator (splitmix64), the same on every machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  /// In [0, bound).
  uint64_t below(uint64_t bound) { return next() % bound; }

private:
  uint64_t state;
};

class Task {
public:
  enum class Progress {
    Ran,     ///< did something; there is more
    Waiting, ///< did nothing: waits for another task
    Done,
  };
  virtual ~Task() = default;
  /// Runs up to the next point where another task may go on.
  virtual llvm::Expected<Progress> step() = 0;
  /// Who this is, and what for if it waits; for messages.
  virtual std::string describe() const = 0;
};

/// Makes a task when it is dispatched.
using MakeTask = llvm::function_ref<std::unique_ptr<Task>(int64_t index)>;

/// Runs tasks 0 .. count - 1, `resident` (0: all) at a time. An error of a task
/// ends the run. If every resident task waits, nobody can end the wait: an
/// error that names them.
llvm::Error runTasks(int64_t count, int64_t resident, Random &random,
                     MakeTask make);

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_SCHEDULER_H
