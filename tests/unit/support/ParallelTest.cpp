//===- ParallelTest.cpp - Work on the cores that are free -----------------===//

#include "runtime/support/Parallel.h"

#include "llvm/Support/Threading.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <sys/resource.h>
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

// Where it is called from many threads it begins none beside them.
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
  for (unsigned i = 0; i < cores; ++i)
    callers.emplace_back([&] { forEachInParallel(8, work); });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_LE(most, int(2 * cores) - 1);
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
