//===- CacheFaultsTest.cpp - A cache among failing processes --------------===//

#include "tests/faults/CacheFixture.h"
#include "tests/faults/FaultyFiles.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <random>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weft;
using namespace weft::test;
using std::chrono::milliseconds;

namespace {
/// On a folder of this machine, and on one that counts as a network's.
class Processes : public CacheFaults, public testing::WithParamInterface<bool> {
protected:
  Processes() { network = GetParam(); }
};
} // namespace

INSTANTIATE_TEST_SUITE_P(, Processes, testing::Values(false, true),
                         [](auto &info) {
                           return info.param ? "Network" : "Local";
                         });

//===----------------------------------------------------------------------===//
// Many at once
//===----------------------------------------------------------------------===//

TEST_P(Processes, ThirtyTwoColdOnOneKeyCompileOnce) {
  std::vector<Process> processes;
  for (int i = 0; i < 32; ++i)
    processes.emplace_back([this] {
      return askAnew(someKey(), [] { sleepFor(milliseconds(300)); }) ? 0 : 1;
    });
  for (Process &process : processes)
    EXPECT_EQ(process.wait(), 0);
  EXPECT_EQ(compiles.get(), 1);
  EXPECT_TRUE(leftovers().empty());
}

TEST_F(CacheFaults, KeysDoNotWaitForEachOther) {
  // Each holds its compile until all four compile.
  std::vector<Process> processes;
  for (int i = 0; i < 4; ++i)
    processes.emplace_back([this, i] {
      CacheKey key = someKey();
      key.build = std::to_string(i);
      bool together = false;
      bool got = askAnew(key, [&] {
        together = eventually([this] { return compiles.get() == 4; });
      });
      return got && together ? 0 : 1;
    });
  for (Process &process : processes)
    EXPECT_EQ(process.wait(), 0);
}

TEST_F(CacheFaults, PruningTakesNothingFromReaders) {
  // Five keys, room for two: every process removes what others ask for.
  std::vector<Process> processes;
  for (int p = 0; p < 4; ++p)
    processes.emplace_back([this, p] {
      std::mt19937 random(p);
      ProgramCache::Options limited = options();
      limited.limits.entries = 2;
      auto end = std::chrono::steady_clock::now() + milliseconds(1500);
      while (std::chrono::steady_clock::now() < end) {
        CacheKey key = someKey();
        key.build = std::to_string(random() % 5);
        ProgramCache cache(limited);
        if (!ask(cache, key))
          return 1;
      }
      return warnings ? 2 : 0;
    });
  for (Process &process : processes)
    EXPECT_EQ(process.wait(), 0);
  EXPECT_GT(compiles.get(), 5);
}

//===----------------------------------------------------------------------===//
// Killed and stopped
//===----------------------------------------------------------------------===//

TEST_P(Processes, KilledAtAnyMomentLeavesNothingThatHarms) {
  std::mt19937 random(1);
  int killed = 0, finished = 0;
  for (int round = 0; round < 150; ++round) {
    // Compiles for a moment, writes, flushes, renames, cleans up.
    Process process([this] {
      for (int i = 0;; ++i) {
        CacheKey key = someKey();
        key.build = std::to_string(i);
        ProgramCache cache(options());
        if (!ask(cache, key, [] { sleepFor(std::chrono::microseconds(300)); }))
          return 1;
      }
    });
    sleepFor(std::chrono::microseconds(random() % 15000));
    process.signal(SIGKILL);
    (process.wait() == 1000 + SIGKILL ? killed : finished)++;
    // What it left is whole.
    auto entries = CacheDirectory(directory).entries();
    ASSERT_TRUE(static_cast<bool>(entries));
    for (const CacheDirectory::Entry &entry : *entries) {
      auto file = llvm::MemoryBuffer::getFile(entry.path);
      ASSERT_TRUE(static_cast<bool>(file));
      llvm::Expected<CacheEntry> parsed =
          parseEntry(llvm::arrayRefFromStringRef((*file)->getBuffer()));
      ASSERT_TRUE(static_cast<bool>(parsed))
          << llvm::toString(parsed.takeError());
      // The next round begins anew.
      if (round % 2)
        unlink(entry.path.c_str());
    }
  }
  EXPECT_EQ(killed, 150);
  EXPECT_EQ(finished, 0);
  // And nobody waits for the dead.
  auto start = std::chrono::steady_clock::now();
  CacheKey key = someKey();
  key.build = "another";
  EXPECT_TRUE(askAnew() && askAnew(key));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(warnings, 0);
  // Elsewhere temporary files stay for a day: another machine may write them.
  for (const std::string &name : leftovers())
    EXPECT_TRUE(*network && llvm::StringRef(name).starts_with("tmp-")) << name;
}

TEST_P(Processes, WhoWaitsForAKilledOneCompiles) {
  Process holder([this] {
    askAnew(someKey(), [] { sleepFor(std::chrono::minutes(1)); });
    return 0;
  });
  ASSERT_TRUE(eventually([this] { return compiles.get() == 1; }));
  Process waiter([this] { return askAnew() ? 0 : 1; });
  // It waits as long as the other lives.
  EXPECT_EQ(waiter.wait(milliseconds(300)), -1);
  holder.signal(SIGKILL);
  EXPECT_EQ(waiter.wait(), 0);
  EXPECT_EQ(compiles.get(), 2);
}

TEST_P(Processes, AWaitIsBoundedAndToldOf) {
  Process holder([this] {
    askAnew(someKey(), [] { sleepFor(std::chrono::minutes(1)); });
    return 0;
  });
  ASSERT_TRUE(eventually([this] { return compiles.get() == 1; }));
  holder.signal(SIGSTOP);
  auto start = std::chrono::steady_clock::now();
  ProgramCache cache(options(/*wait=*/milliseconds(200)));
  EXPECT_TRUE(ask(cache));
  EXPECT_GE(std::chrono::steady_clock::now() - start, milliseconds(200));
  EXPECT_EQ(compiles.get(), 2);
  EXPECT_EQ(warnings, 1);
  EXPECT_NE(warning.find("waited "), std::string::npos) << warning;
  EXPECT_NE(warning.find("for process "), std::string::npos) << warning;
  EXPECT_NE(warning.find(someKey().spec), std::string::npos) << warning;
  // It is published all the same: nobody else waits.
  ProgramCache next(options());
  EXPECT_TRUE(ask(next));
  EXPECT_EQ(next.counts().diskHits, 1);
  holder.signal(SIGCONT);
}

//===----------------------------------------------------------------------===//
// Folders that cannot be used
//===----------------------------------------------------------------------===//

// Fills the disk of `directory`; runs in a process of its own.
static int askOnAFullDisk(const std::function<bool()> &ask, int &warnings,
                          const std::string &directory) {
  // Room for the folder and a lock, not for an entry: a file takes the rest.
  int filler = open((directory + "/filler").c_str(), O_WRONLY | O_CREAT, 0666);
  std::vector<char> block(4096, 1);
  while (write(filler, block.data(), block.size()) > 0)
    ;
  bool full = errno == ENOSPC;
  close(filler);
  if (!full)
    return 2;
  if (!ask() || !ask())
    return 3;
  if (warnings != 1)
    return 4;
  unlink((directory + "/filler").c_str());
  return 0;
}

TEST_F(CacheFaults, AFullDiskIsOneWarning) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(directory));
  Process process([this] {
    // A mount that only this process sees.
    if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
      return 77;
    if (mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
        mount("none", directory.c_str(), "tmpfs", 0, "size=64k"))
      return 77;
    int told = 0;
    ProgramCache::Options made = options();
    made.warn = [&](llvm::StringRef text) {
      told += text.contains("No space left on device");
    };
    ProgramCache cache(made);
    int round = 0;
    auto askForAnother = [&] {
      CacheKey key = someKey();
      key.build = std::to_string(round++);
      return ask(cache, key);
    };
    if (int failed = askOnAFullDisk(askForAnother, told, directory))
      return failed;
    // Room again: kept again, and nothing is left of what failed.
    if (!askForAnother())
      return 5;
    std::error_code error;
    int files = 0;
    for (llvm::sys::fs::directory_iterator it(directory, error), end;
         it != end && !error; it.increment(error))
      ++files;
    return files == 1 ? 0 : 60 + files;
  });
  int status = process.wait();
  if (status == 77)
    GTEST_SKIP() << "no tmpfs can be mounted here";
  EXPECT_EQ(status, 0);
}

TEST_F(CacheFaults, ALimitOnFileSizesIsOneWarning) {
  Process process([this] {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{64, 64};
    setrlimit(RLIMIT_FSIZE, &limit);
    ProgramCache cache(options());
    if (!ask(cache) || warnings != 1 || !ask(cache) || warnings != 1)
      return 1;
    return leftovers().empty() ? 0 : 2;
  });
  EXPECT_EQ(process.wait(), 0);
}

// Runs `run` as a user who may not write what root owns.
static int asNobody(const std::function<int()> &run) {
  if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
    return 77;
  return run();
}

TEST_F(CacheFaults, AReadOnlyFolderIsReadAndOneWarning) {
  EXPECT_TRUE(askAnew());
  EXPECT_EQ(compiles.get(), 1);
  chmod(directory.c_str(), 0555);
  chmod(folder.path.c_str(), 0777);
  chmod(entryPath().c_str(), 0444);
  Process process([this] {
    return asNobody([this] {
      ProgramCache cache(options());
      // What is there is used, without a word.
      if (!ask(cache) || cache.counts().diskHits != 1 || warnings)
        return 1;
      for (const char *build : {"one", "two"}) {
        CacheKey key = someKey();
        key.build = build;
        if (!ask(cache, key) || warnings != 1)
          return 2;
      }
      return warning.find("WEFT_CACHE_DIR") == std::string::npos ? 3 : 0;
    });
  });
  int status = process.wait();
  chmod(directory.c_str(), 0755);
  if (status == 77)
    GTEST_SKIP() << "cannot become another user here";
  EXPECT_EQ(status, 0);
}

TEST_F(CacheFaults, AnUnreadableEntryIsCompiled) {
  EXPECT_TRUE(askAnew());
  chmod(directory.c_str(), 0777);
  chmod(folder.path.c_str(), 0777);
  chmod(entryPath().c_str(), 0000);
  chmod((folder.path + "/compiles").c_str(), 0666);
  Process process([this] {
    return asNobody([this] {
      ProgramCache cache(options());
      return ask(cache) && cache.counts().compiles == 1 && !warnings ? 0 : 1;
    });
  });
  int status = process.wait();
  if (status == 77)
    GTEST_SKIP() << "cannot become another user here";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(compiles.get(), 2);
}

TEST_F(CacheFaults, AFolderInTheWayOfAnEntryIsOneWarning) {
  ASSERT_FALSE(llvm::sys::fs::create_directories(entryPath() + "/full"));
  ProgramCache cache(options());
  EXPECT_TRUE(ask(cache));
  EXPECT_EQ(warnings, 1);
  EXPECT_TRUE(leftovers().empty());
}

TEST_F(CacheFaults, AFolderRemovedUnderUsIsMadeAgain) {
  ProgramCache cache(options());
  EXPECT_TRUE(ask(cache));
  llvm::sys::fs::remove_directories(directory);
  CacheKey key = someKey();
  key.build = "another";
  EXPECT_TRUE(ask(cache, key,
                  [this] { llvm::sys::fs::remove_directories(directory); }));
  EXPECT_EQ(warnings, 0);
  EXPECT_TRUE(llvm::sys::fs::exists(entryPath(key)));
}

TEST_F(CacheFaults, HomesThatAreNone) {
  Process process([this] {
    for (const char *name : {"WEFT_CACHE_DIR", "XDG_CACHE_HOME"})
      unsetenv(name);
    // A file.
    std::string home = folder.path + "/home";
    SharedCount(home).add();
    setenv("HOME", home.c_str(), 1);
    auto told = [this](llvm::StringRef text) {
      ++warnings;
      warning = text.str();
    };
    auto cache = ProgramCache::ofEnvironment(told);
    if (!ask(*cache) || warnings != 1 ||
        warning.find(home + "/.cache/weft") == std::string::npos)
      return 1;
    // Unset: the user's in the system's list, or none.
    unsetenv("HOME");
    if (geteuid() != 0 || setgid(4242) || setuid(4242))
      return 0;
    warnings = 0;
    cache = ProgramCache::ofEnvironment(told);
    if (!ask(*cache) || warnings != 1)
      return 2;
    CacheKey key = someKey();
    key.build = "another";
    return ask(*cache, key) && warnings == 1 ? 0 : 3;
  });
  EXPECT_EQ(process.wait(), 0);
}

//===----------------------------------------------------------------------===//
// File systems that answer late
//===----------------------------------------------------------------------===//

namespace {
class Transient
    : public CacheFaults,
      public testing::WithParamInterface<std::pair<const char *, int>> {};
} // namespace

INSTANTIATE_TEST_SUITE_P(, Transient,
                         testing::Values(std::pair("Stale", ESTALE),
                                         std::pair("Busy", EBUSY),
                                         std::pair("Again", EAGAIN)),
                         [](auto &info) { return info.param.first; });

TEST_P(Transient, ReadsAreTriedAgain) {
  EXPECT_TRUE(askAnew());
  FaultyFiles faulty("open", ".weft", GetParam().second, 2);
  ProgramCache cache(options());
  EXPECT_TRUE(ask(cache));
  EXPECT_EQ(cache.counts().diskHits, 1);
  EXPECT_EQ(faulty.left(), 0);
}

TEST_P(Transient, WritesAreTriedAgain) {
  for (const char *function : {"rename", "fsync"}) {
    llvm::sys::fs::remove_directories(directory);
    FaultyFiles faulty(function, directory, GetParam().second, 2);
    EXPECT_TRUE(askAnew());
    EXPECT_EQ(faulty.left(), 0);
    EXPECT_EQ(warnings, 0) << warning;
    EXPECT_TRUE(llvm::sys::fs::exists(entryPath())) << function;
    EXPECT_TRUE(leftovers().empty());
  }
}

TEST_P(Transient, WhatDoesNotPassIsCompiledInMemory) {
  EXPECT_TRUE(askAnew());
  int error = GetParam().second;
  {
    FaultyFiles faulty("open", ".weft", error, 1 << 20);
    ProgramCache cache(options());
    EXPECT_TRUE(ask(cache));
    EXPECT_EQ(cache.counts().compiles, 1);
    EXPECT_TRUE(ask(cache));
    EXPECT_EQ(cache.counts().memoryHits, 1);
  }
  EXPECT_EQ(warnings, 0);
  FaultyFiles faulty("rename", ".weft", error, 1 << 20);
  CacheKey key = someKey();
  key.build = "another";
  EXPECT_TRUE(askAnew(key));
  EXPECT_EQ(warnings, 1);
  EXPECT_TRUE(leftovers().empty());
}

TEST_F(CacheFaults, ARenameSeenLateIsFound) {
  network = true;
  EXPECT_TRUE(askAnew());
  // This machine remembers that there was no such file.
  FaultyFiles faulty("open", ".weft", ENOENT, 1);
  ProgramCache cache(options());
  EXPECT_TRUE(ask(cache));
  EXPECT_EQ(cache.counts().diskHits, 1);
  EXPECT_EQ(faulty.left(), 0);
}

TEST_F(CacheFaults, WithoutLocksEachCompiles) {
  FaultyFiles faulty("open", ".lock", ENOSYS, 1 << 20);
  EXPECT_TRUE(askAnew());
  EXPECT_EQ(warnings, 0);
  EXPECT_TRUE(llvm::sys::fs::exists(entryPath()));
}
