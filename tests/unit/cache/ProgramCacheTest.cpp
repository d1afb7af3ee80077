//===- ProgramCacheTest.cpp - Programs kept in memory and on disk ---------===//

#include "runtime/cache/ProgramCache.h"
#include "tests/unit/cache/CacheFixture.h"

#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

using namespace weft;
using namespace weft::test;

// Asks `cache` for someKey, counting compiles.
static ProgramBytes ask(ProgramCache &cache, int &compiles,
                        const CacheKey &key = someKey()) {
  llvm::Expected<ProgramBytes> program =
      cache.getOrCompile(key, [&]() -> llvm::Expected<std::vector<uint8_t>> {
        ++compiles;
        return someProgram();
      });
  EXPECT_TRUE(static_cast<bool>(program));
  return program ? *program : nullptr;
}

static int filesIn(const std::string &folder) {
  std::error_code error;
  int count = 0;
  for (llvm::sys::fs::directory_iterator it(folder, error), end;
       it != end && !error; it.increment(error))
    ++count;
  return count;
}

static void overwrite(const std::string &path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << text;
  ASSERT_FALSE(error) << error.message();
}

TEST(ProgramCache, ASecondAskIsAMemoryHit) {
  ProgramCache cache("");
  int compiles = 0;
  ProgramBytes first = ask(cache, compiles), second = ask(cache, compiles);
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(first, second);
  EXPECT_EQ(cache.counts().memoryHits, 1);
  EXPECT_TRUE(cache.entryPath(someKey()).empty());
}

TEST(ProgramCache, AnotherProcessFindsTheEntry) {
  TemporaryFolder folder;
  int compiles = 0;
  ProgramCache first(folder.path + "/made/when/needed");
  ProgramBytes program = ask(first, compiles);
  ProgramCache second(folder.path + "/made/when/needed");
  ProgramBytes found = ask(second, compiles);
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(second.counts().diskHits, 1);
  EXPECT_EQ(*program, *found);
  // Nothing but the entry is left behind.
  EXPECT_EQ(filesIn(folder.path + "/made/when/needed"), 1);
}

TEST(ProgramCache, AnotherKeyIsAnotherEntry) {
  TemporaryFolder folder;
  ProgramCache cache(folder.path);
  int compiles = 0;
  CacheKey other = someKey();
  other.build = "4567";
  ask(cache, compiles);
  ask(cache, compiles, other);
  EXPECT_EQ(compiles, 2);
  EXPECT_EQ(filesIn(folder.path), 2);
}

TEST(ProgramCache, ADamagedEntryIsCompiledAnewAndReplaced) {
  TemporaryFolder folder;
  int compiles = 0;
  std::string path = ProgramCache(folder.path).entryPath(someKey());
  for (llvm::StringRef damage : {"", "WEFTCACH", "rubbish of some length"}) {
    overwrite(path, damage);
    compiles = 0;
    ProgramCache damaged(folder.path);
    ask(damaged, compiles);
    EXPECT_EQ(compiles, 1) << damage.str();
    ProgramCache replaced(folder.path);
    ask(replaced, compiles);
    EXPECT_EQ(compiles, 1) << damage.str();
  }
}

TEST(ProgramCache, AnUnusableFolderIsOneWarningAndMemory) {
  TemporaryFolder folder;
  overwrite(folder.path + "/file", "not a folder");
  std::vector<std::string> warnings;
  ProgramCache cache(folder.path + "/file", [&](llvm::StringRef text) {
    warnings.push_back(text.str());
  });
  int compiles = 0;
  CacheKey other = someKey();
  other.build = "4567";
  ask(cache, compiles);
  ask(cache, compiles);
  ask(cache, compiles, other);
  EXPECT_EQ(compiles, 2);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find(folder.path + "/file"), std::string::npos);
  EXPECT_NE(warnings[0].find("WEFT_CACHE_DIR"), std::string::npos);
}

// Writes fail as on a full disk: a limit on the size of files stands for it.
static int askWithoutRoom(const std::string &folder) {
  signal(SIGXFSZ, SIG_IGN);
  rlimit limit{64, 64};
  setrlimit(RLIMIT_FSIZE, &limit);
  int warnings = 0, compiles = 0;
  ProgramCache cache(folder, [&](llvm::StringRef) { ++warnings; });
  bool got = ask(cache, compiles) != nullptr;
  return got && warnings == 1 && filesIn(folder) == 0 ? 0 : 1;
}

TEST(ProgramCache, AFullDiskIsAWarningAndLeavesNothing) {
  TemporaryFolder folder;
  EXPECT_EXIT(_exit(askWithoutRoom(folder.path)), testing::ExitedWithCode(0),
              "");
}

TEST(ProgramCache, AFailureIsToldAndNotKept) {
  ProgramCache cache("");
  llvm::Expected<ProgramBytes> failed = cache.getOrCompile(
      someKey(), []() -> llvm::Expected<std::vector<uint8_t>> {
        return llvm::createStringError("out of luck");
      });
  ASSERT_FALSE(static_cast<bool>(failed));
  EXPECT_EQ(llvm::toString(failed.takeError()), "out of luck");
  int compiles = 0;
  ask(cache, compiles);
  EXPECT_EQ(compiles, 1);
}

TEST(ProgramCache, AnInvalidProgramIsNotKept) {
  TemporaryFolder folder;
  ProgramCache cache(folder.path);
  llvm::Expected<ProgramBytes> failed = cache.getOrCompile(
      someKey(), []() -> llvm::Expected<std::vector<uint8_t>> {
        return std::vector<uint8_t>(64, 1);
      });
  EXPECT_FALSE(static_cast<bool>(failed));
  llvm::consumeError(failed.takeError());
  EXPECT_EQ(filesIn(folder.path), 0);
}

TEST(ProgramCache, ManyThreadsCompileOnce) {
  ProgramCache cache("");
  std::atomic<int> compiles = 0, answers = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&] {
      llvm::Expected<ProgramBytes> program = cache.getOrCompile(
          someKey(), [&]() -> llvm::Expected<std::vector<uint8_t>> {
            ++compiles;
            // Until another thread waits, so that the flight is shared.
            for (int tries = 0; !cache.counts().waits && tries < 5000; ++tries)
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return someProgram();
          });
      if (program)
        ++answers;
      else
        llvm::consumeError(program.takeError());
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(answers, 8);
  ProgramCache::Counts counts = cache.counts();
  EXPECT_GE(counts.waits, 1);
  EXPECT_EQ(counts.waits + counts.memoryHits + counts.compiles, 8);
}

TEST(ProgramCache, AFailureReachesAllWhoWait) {
  ProgramCache cache("");
  std::atomic<int> failures = 0;
  auto ask = [&] {
    llvm::Expected<ProgramBytes> program = cache.getOrCompile(
        someKey(), [&]() -> llvm::Expected<std::vector<uint8_t>> {
          for (int tries = 0; !cache.counts().waits && tries < 5000; ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          return llvm::createStringError("out of luck");
        });
    if (!program && llvm::toString(program.takeError()) == "out of luck")
      ++failures;
  };
  std::thread one(ask), two(ask);
  one.join();
  two.join();
  EXPECT_EQ(failures, 2);
}

TEST(ProgramCache, ARejectedProgramIsDroppedAndCompiledAnew) {
  TemporaryFolder folder;
  ProgramCache cache(folder.path);
  int compiles = 0;
  ProgramBytes program = ask(cache, compiles);
  // Another one than the cache has: nothing to drop.
  cache.drop(someKey(), std::make_shared<const std::vector<uint8_t>>(5, 1));
  EXPECT_EQ(ask(cache, compiles), program);
  cache.drop(someKey(), program);
  EXPECT_EQ(filesIn(folder.path), 0);
  ask(cache, compiles);
  EXPECT_EQ(compiles, 2);
  EXPECT_EQ(filesIn(folder.path), 1);
}

TEST(ProgramCache, LimitsComeFromTheEnvironment) {
  std::vector<std::string> warnings;
  auto limits = [&](const char *bytes, const char *entries) {
    setenv("WEFT_CACHE_MAX_BYTES", bytes, 1);
    setenv("WEFT_CACHE_MAX_ENTRIES", entries, 1);
    CacheLimits read = ProgramCache::limitsOfEnvironment(
        [&](llvm::StringRef warning) { warnings.push_back(warning.str()); });
    unsetenv("WEFT_CACHE_MAX_BYTES");
    unsetenv("WEFT_CACHE_MAX_ENTRIES");
    return read;
  };
  EXPECT_EQ(limits("512M", "10").bytes, uint64_t(512) << 20);
  EXPECT_EQ(limits("3G", "10").bytes, uint64_t(3) << 30);
  EXPECT_EQ(limits("12345", "10").bytes, 12345u);
  EXPECT_EQ(limits("1K", "10").entries, 10u);
  EXPECT_TRUE(warnings.empty());
  for (const char *wrong : {"", "0", "-1", "1.5G", "1T", "99999999999G"}) {
    warnings.clear();
    EXPECT_EQ(limits(wrong, "1").bytes, CacheLimits().bytes) << wrong;
    EXPECT_EQ(warnings.size(), 1u) << wrong;
    warnings.clear();
    EXPECT_EQ(limits("1", wrong).entries, CacheLimits().entries) << wrong;
    EXPECT_EQ(warnings.size(), 1u) << wrong;
  }
}

TEST(ProgramCache, PublishingKeepsTheLimits) {
  TemporaryFolder folder;
  ProgramCache::Options options;
  options.directory = folder.path;
  options.limits.entries = 3;
  ProgramCache cache(options);
  int compiles = 0;
  for (int i = 0; i < 6; ++i) {
    CacheKey key = someKey();
    key.build = std::to_string(i);
    ask(cache, compiles, key);
    EXPECT_TRUE(llvm::sys::fs::exists(cache.entryPath(key)));
  }
  EXPECT_EQ(filesIn(folder.path), 3);
}

TEST(ProgramCache, ARelativeFolderIsWhereItWas) {
  TemporaryFolder folder;
  llvm::SmallString<128> before;
  ASSERT_FALSE(llvm::sys::fs::current_path(before));
  ASSERT_FALSE(llvm::sys::fs::set_current_path(folder.path));
  ProgramCache cache("kernels");
  ASSERT_FALSE(llvm::sys::fs::set_current_path(before));
  int compiles = 0;
  ask(cache, compiles);
  EXPECT_EQ(filesIn(folder.path + "/kernels"), 1);
}

TEST(ProgramCache, TheFolderComesFromTheEnvironment) {
  setenv("WEFT_CACHE_DIR", "/some/where", 1);
  EXPECT_EQ(ProgramCache::defaultDirectory(), "/some/where");
  unsetenv("WEFT_CACHE_DIR");
  setenv("XDG_CACHE_HOME", "/xdg", 1);
  EXPECT_EQ(ProgramCache::defaultDirectory(), "/xdg/weft");
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/home/someone", 1);
  EXPECT_EQ(ProgramCache::defaultDirectory(), "/home/someone/.cache/weft");
}
