//===- Parallel.cpp - Work on the cores that are free ---------------------===//

#include "runtime/support/Parallel.h"

#include "llvm/Support/Threading.h"

#include <atomic>
#include <csignal>
#include <pthread.h>
#include <vector>

namespace weft {

namespace {
/// Threads that are inside of some call.
std::atomic<std::size_t> working = 0;

struct Task {
  std::size_t count;
  const std::function<void(std::size_t)> &work;
  std::atomic<std::size_t> next = 0;

  void run() {
    for (std::size_t i; (i = next++) < count;)
      work(i);
  }
};
} // namespace

static void *help(void *task) {
  static_cast<Task *>(task)->run();
  --working;
  return nullptr;
}

/// Begins a thread that helps; false if there is none to be had. Neither
/// std::thread nor LLVM's pools: there they end the process.
static bool beginHelper(pthread_t &helper, Task &task) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes))
    return false;
  pthread_attr_setstacksize(&attributes, 8 << 20);
  // Signals are for the host's own threads.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool began = !pthread_create(&helper, &attributes, help, &task);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return began;
}

void forEachInParallel(std::size_t count,
                       const std::function<void(std::size_t)> &work) {
  static const std::size_t cores =
      llvm::hardware_concurrency().compute_thread_count();
  Task task{count, work};
  std::vector<pthread_t> helpers;
  ++working;
  while (helpers.size() + 1 < count) {
    pthread_t helper;
    if (++working > cores || !beginHelper(helper, task)) {
      --working;
      break;
    }
    helpers.push_back(helper);
  }
  task.run();
  for (pthread_t helper : helpers)
    pthread_join(helper, nullptr);
  --working;
}

} // namespace weft
