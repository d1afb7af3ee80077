//===- ForkTest.cpp - A cache in processes that fork ----------------------===//

#include "tests/faults/CacheFixture.h"

#include "llvm/Support/Path.h"

#include <csignal>
#include <thread>

#include <unistd.h>

using namespace weft;
using namespace weft::test;
using std::chrono::milliseconds;

using Fork = CacheFaults;

TEST_F(Fork, BeforeFirstUse) {
  ProgramCache cache(options());
  Process child([&] { return ask(cache) ? 0 : 1; });
  EXPECT_TRUE(ask(cache));
  EXPECT_EQ(child.wait(), 0);
  EXPECT_EQ(compiles.get(), 1);
}

TEST_F(Fork, AfterFirstUse) {
  ProgramCache cache(options());
  EXPECT_TRUE(ask(cache));
  Process child([&] {
    CacheKey key = someKey();
    key.build = "another";
    return ask(cache) && cache.counts().memoryHits == 1 && ask(cache, key) ? 0
                                                                           : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_TRUE(ask(cache));
  EXPECT_EQ(compiles.get(), 2);
}

// The thread that compiles is not in the child, and its lock is not either.
TEST_F(Fork, WhileAThreadCompilesTheSameKey) {
  ProgramCache cache(options());
  std::atomic<bool> compiling = false, finish = false;
  std::thread thread([&] {
    EXPECT_TRUE(ask(cache, someKey(), [&] {
      compiling = true;
      eventually([&] { return finish.load(); });
    }));
  });
  ASSERT_TRUE(eventually([&] { return compiling.load(); }));
  Process child([&] { return ask(cache) ? 0 : 1; });
  // It waits for the parent, as any process does.
  EXPECT_EQ(child.wait(milliseconds(200)), -1);
  finish = true;
  EXPECT_EQ(child.wait(), 0);
  thread.join();
  EXPECT_EQ(compiles.get(), 1);
}

TEST_F(Fork, AChildDoesNotKeepItsParentsLock) {
  // A process that compiles, forks a child that lives on, and is killed.
  std::string childLives = folder.path + "/child";
  Process parent([&] {
    askAnew(someKey(), [&] {
      if (fork() == 0) {
        SharedCount(childLives).add();
        // Until the test is over and its folder gone.
        for (int i = 0; i < 2000 && SharedCount(childLives).get(); ++i)
          sleepFor(milliseconds(10));
        _exit(0);
      }
      sleepFor(std::chrono::minutes(1));
    });
    return 0;
  });
  ASSERT_TRUE(eventually([&] { return SharedCount(childLives).get() == 1; }));
  parent.signal(SIGKILL);
  EXPECT_EQ(parent.wait(), 1000 + SIGKILL);
  auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(askAnew());
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
}

TEST_F(Fork, InsideACompile) {
  // The child goes on with the compile; the lock is the parent's alone.
  ProgramCache cache(options());
  std::optional<Process> child;
  pid_t parent = getpid();
  bool got = ask(cache, someKey(), [&] {
    child.emplace([] { return 0; });
    EXPECT_EQ(child->wait(), 0);
    CacheDirectory folder(directory, false);
    FileLock lock;
    EXPECT_EQ(folder.tryLock(someKey(), lock),
              std::errc::operation_would_block);
  });
  EXPECT_TRUE(got);
  EXPECT_EQ(getpid(), parent);
}

TEST_F(Fork, WhileThreadsUseTheCache) {
  // Forks fall into every moment of four threads' work.
  ProgramCache cache(options());
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; !stop; ++i) {
        CacheKey key = someKey();
        key.build = std::to_string(t % 2) + "." + std::to_string(i % 50);
        ProgramCache own(options());
        if (!ask(i % 3 ? cache : own, key))
          ADD_FAILURE() << "thread " << t;
      }
    });
  for (int i = 0; i < 100; ++i) {
    Process child([&, i] {
      CacheKey key = someKey();
      key.build = std::to_string(i % 2) + "." + std::to_string(i % 50);
      return ask(cache, key) && ask(cache) ? 0 : 1;
    });
    int status = child.wait(std::chrono::seconds(20));
    EXPECT_EQ(status, 0) << "fork " << i;
    if (status)
      break;
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
}

//===----------------------------------------------------------------------===//
// ForksWait
//===----------------------------------------------------------------------===//

TEST_F(Fork, WaitsForWhoIsInside) {
  std::atomic<bool> inside = false, left = false;
  std::thread thread([&] {
    ForksWait wait;
    inside = true;
    sleepFor(milliseconds(300));
    left = true;
  });
  ASSERT_TRUE(eventually([&] { return inside.load(); }));
  Process child([&] {
    ForksWait again;
    return left ? 0 : 1;
  });
  EXPECT_EQ(child.wait(), 0);
  thread.join();
}

TEST_F(Fork, DoesNotWaitForItself) {
  ForksWait inside;
  auto start = std::chrono::steady_clock::now();
  Process child([] { return 0; });
  EXPECT_EQ(child.wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}
