//===- ParallelTest.cpp - Work on the cores that are free -----------------===//

#include "runtime/support/Parallel.h"

#include "llvm/Support/Threading.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace weft;

TEST(Parallel, EachPartIsDoneOnce) {
  for (size_t count : {0, 1, 2, 100}) {
    std::vector<std::atomic<int>> done(count);
    forEachInParallel(count, [&](size_t i) { ++done[i]; });
    for (std::atomic<int> &times : done)
      EXPECT_EQ(times, 1);
  }
}

TEST(Parallel, TwoPartsRunAtOnce) {
  if (llvm::hardware_concurrency().compute_thread_count() < 2)
    GTEST_SKIP() << "one core";
  std::mutex mutex;
  std::condition_variable changed;
  int here = 0;
  bool met = true;
  forEachInParallel(2, [&](size_t) {
    std::unique_lock<std::mutex> lock(mutex);
    ++here;
    changed.notify_all();
    met &= changed.wait_for(lock, std::chrono::seconds(30),
                            [&] { return here == 2; });
  });
  EXPECT_TRUE(met);
}

TEST(Parallel, CallsTogetherTakeNoMoreThreadsThanCores) {
  unsigned cores = llvm::hardware_concurrency().compute_thread_count();
  std::atomic<int> running = 0, most = 0;
  auto work = [&](size_t) {
    int now = ++running;
    for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);)
      ;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --running;
  };
  std::vector<std::thread> callers;
  for (unsigned i = 0; i < 4 * cores; ++i)
    callers.emplace_back([&] { forEachInParallel(8, work); });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_LE(most, int(cores));
}

// Nor does a child wait for threads that only its parent has.
TEST(Parallel, AChildBeginsWithAllCores) {
  std::mutex mutex;
  std::condition_variable changed;
  bool busy = false, done = false;
  unsigned cores = llvm::hardware_concurrency().compute_thread_count();
  std::atomic<unsigned> running = 0;
  std::thread other([&] {
    forEachInParallel(cores, [&](size_t) {
      std::unique_lock<std::mutex> lock(mutex);
      busy = ++running == cores;
      changed.notify_all();
      changed.wait(lock, [&] { return done; });
    });
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return busy; });
  }
  pid_t child = fork();
  if (!child) {
    alarm(20);
    size_t parts = 0;
    forEachInParallel(1, [&](size_t) { ++parts; });
    _exit(parts == 1 ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  {
    std::lock_guard<std::mutex> lock(mutex);
    done = true;
    changed.notify_all();
  }
  other.join();
}

[[noreturn]] static void workWithoutThreads() {
  rlimit none = {64 << 10, 64 << 10};
  setrlimit(RLIMIT_AS, &none);
  size_t done = 0;
  forEachInParallel(3, [&](size_t) { ++done; });
  _exit(done == 3 ? 0 : 1);
}

// There is no memory for another stack.
TEST(Parallel, WithoutThreadsTheCallerDoesIt) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer needs memory of its own";
#endif
  EXPECT_EXIT(workWithoutThreads(), testing::ExitedWithCode(0), "");
}
