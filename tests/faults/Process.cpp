//===- Process.cpp - Processes to kill ------------------------------------===//

#include "tests/faults/Process.h"

#include <csignal>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using std::chrono::steady_clock;

namespace weft::test {

Process::Process(std::function<int()> run) : id(fork()) {
  if (id == 0)
    _exit(run());
}

Process::~Process() {
  if (id <= 0)
    return;
  kill(id, SIGKILL);
  waitpid(id, nullptr, 0);
}

void Process::signal(int number) const { kill(id, number); }

int Process::wait(std::chrono::milliseconds limit) {
  steady_clock::time_point end = steady_clock::now() + limit;
  int status = 0;
  while (waitpid(id, &status, WNOHANG) == 0) {
    if (steady_clock::now() > end)
      return -1;
    sleepFor(std::chrono::milliseconds(1));
  }
  id = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

void SharedCount::add() const {
  int file = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0666);
  (void)!write(file, "x", 1);
  close(file);
}

int SharedCount::get() const {
  struct stat status;
  return stat(path.c_str(), &status) ? 0 : int(status.st_size);
}

bool eventually(const std::function<bool()> &holds) {
  steady_clock::time_point end = steady_clock::now() + std::chrono::seconds(30);
  while (!holds()) {
    if (steady_clock::now() > end)
      return false;
    sleepFor(std::chrono::milliseconds(1));
  }
  return true;
}

void sleepFor(std::chrono::microseconds time) {
  std::this_thread::sleep_for(time);
}

} // namespace weft::test
