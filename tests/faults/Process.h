//===- Process.h - Processes to kill ----------------------------*- C++ -*-===//

#ifndef WEFT_TESTS_FAULTS_PROCESS_H
#define WEFT_TESTS_FAULTS_PROCESS_H

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

namespace weft::test {

/// A forked child that runs one function and exits with what it returns, as a
/// process without GoogleTest: it must not use EXPECT. Killed with this object.
class Process {
public:
  explicit Process(std::function<int()> run);
  Process(Process &&other) : id(std::exchange(other.id, -1)) {}
  ~Process();

  void signal(int number) const;
  /// Its exit status; 1000 + the signal that ended it; -1 if it did not end
  /// within `limit`.
  int wait(std::chrono::milliseconds limit = std::chrono::seconds(60));

private:
  pid_t id;
};

/// Counts across processes: a file that grows by a byte.
class SharedCount {
public:
  explicit SharedCount(std::string path) : path(std::move(path)) {}
  void add() const;
  int get() const;

private:
  std::string path;
};

/// Waits until `holds`, up to half a minute; whether it did.
bool eventually(const std::function<bool()> &holds);

void sleepFor(std::chrono::microseconds time);

} // namespace weft::test

#endif // WEFT_TESTS_FAULTS_PROCESS_H
