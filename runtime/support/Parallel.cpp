//===- Parallel.cpp - Work on the cores that are free ---------------------===//

#include "runtime/support/Parallel.h"

#include "runtime/support/ForkHooks.h"

#include "llvm/Support/Threading.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <new>
#include <pthread.h>
#include <vector>

namespace weft {

namespace {
/// As many at work as the process may use cores.
class Slots {
public:
  void take() {
    std::unique_lock<std::mutex> lock(mutex);
    freed.wait(lock, [this] { return working < cores; });
    ++working;
  }
  bool tryTake() {
    std::lock_guard<std::mutex> lock(mutex);
    if (working >= cores)
      return false;
    ++working;
    return true;
  }
  void giveBack() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      --working;
    }
    freed.notify_one();
  }

private:
  const std::size_t cores = llvm::hardware_concurrency().compute_thread_count();
  std::mutex mutex;
  std::condition_variable freed;
  std::size_t working = 0;
  /// A child has none of the threads that work, or that wait.
  ForkHooks hooks{[this] { mutex.lock(); }, [this] { mutex.unlock(); },
                  [this] {
                    working = 0;
                    new (&freed) std::condition_variable;
                    mutex.unlock();
                  }};
};

Slots &slots() {
  static Slots *all = new Slots; // threads may outlive what ends a process
  return *all;
}

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
  slots().giveBack();
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
  Task task{count, work};
  std::vector<pthread_t> helpers;
  slots().take();
  while (helpers.size() + 1 < count && slots().tryTake()) {
    pthread_t helper;
    if (!beginHelper(helper, task)) {
      slots().giveBack();
      break;
    }
    helpers.push_back(helper);
  }
  task.run();
  slots().giveBack();
  for (pthread_t helper : helpers)
    pthread_join(helper, nullptr);
}

} // namespace weft
