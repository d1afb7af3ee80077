//===- CacheDirectoryTest.cpp - What a folder keeps and lets go -----------===//

#include "runtime/cache/CacheDirectory.h"
#include "tests/unit/cache/CacheFixture.h"

#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace weft;
using namespace weft::test;

namespace {
class Directory : public testing::Test {
protected:
  /// An entry of `number`, used `minutes` ago.
  CacheKey put(int number, int minutes) {
    CacheKey key = keyOf(number);
    EXPECT_FALSE(directory.publish(key, someProgram()));
    setUsed(key, -minutes);
    return key;
  }
  static CacheKey keyOf(int number) {
    CacheKey key = someKey();
    key.build = std::to_string(number);
    return key;
  }
  void setUsed(const CacheKey &key, int minutesFromNow) {
    timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    now.tv_sec += 60 * minutesFromNow;
    const timespec times[2] = {{0, UTIME_OMIT}, now};
    EXPECT_EQ(utimensat(AT_FDCWD, directory.entryPath(key).c_str(), times, 0),
              0);
  }
  bool has(int number) {
    return llvm::sys::fs::exists(directory.entryPath(keyOf(number)));
  }
  void write(const std::string &name) {
    std::error_code error;
    llvm::raw_fd_ostream(folder.path + "/" + name, error) << "text";
    ASSERT_FALSE(error) << error.message();
  }
  bool exists(const std::string &name) {
    return llvm::sys::fs::exists(folder.path + "/" + name);
  }

  TemporaryFolder folder;
  CacheDirectory directory{folder.path, /*network=*/false};
};
} // namespace

TEST_F(Directory, TheEntriesUsedLongestAgoGo) {
  for (int i = 0; i < 5; ++i)
    put(i, /*minutes=*/10 * (5 - i));
  CacheDirectory::Removed removed = directory.prune({1 << 30, 3});
  EXPECT_EQ(removed.entries, 2u);
  EXPECT_EQ(removed.kept, 0u);
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(has(i), i >= 2) << i;
}

TEST_F(Directory, ReadingIsUsing) {
  for (int i = 0; i < 3; ++i)
    put(i, 10 * (3 - i));
  ASSERT_TRUE(directory.read(keyOf(0)));
  directory.prune({1 << 30, 1});
  EXPECT_TRUE(has(0));
  EXPECT_FALSE(has(1) || has(2));
}

TEST_F(Directory, BytesAreLimited) {
  for (int i = 0; i < 4; ++i)
    put(i, 10 * (4 - i));
  uint64_t size = 0;
  ASSERT_FALSE(llvm::sys::fs::file_size(directory.entryPath(keyOf(0)), size));
  CacheDirectory::Removed removed = directory.prune({2 * size, 100});
  EXPECT_EQ(removed.entries, 2u);
  EXPECT_EQ(removed.bytes, 2 * size);
  EXPECT_FALSE(has(0) || has(1));
}

TEST_F(Directory, WhatIsKeptIsKept) {
  for (int i = 0; i < 2; ++i)
    put(i, 10 * (2 - i));
  CacheKey oldest = keyOf(0);
  directory.prune({1, 1}, &oldest);
  EXPECT_TRUE(has(0));
  EXPECT_FALSE(has(1));
}

TEST_F(Directory, WhatIsBeingReadIsKept) {
  for (int i = 0; i < 3; ++i)
    put(i, 10 * (3 - i));
  int reader = open(directory.entryPath(keyOf(0)).c_str(), O_RDONLY);
  ASSERT_EQ(flock(reader, LOCK_SH), 0);
  CacheDirectory::Removed removed = directory.prune({1 << 30, 1});
  EXPECT_EQ(removed.kept, 1u);
  EXPECT_TRUE(has(0));
  EXPECT_FALSE(has(1));
  close(reader);
}

TEST_F(Directory, AClockPutBackKeepsNothingForEver) {
  CacheKey future = put(0, 0);
  setUsed(future, 60 * 24 * 365);
  put(1, 10);
  // Counts as used now, and so is the last to go, but goes.
  directory.prune({1 << 30, 1});
  EXPECT_TRUE(has(0));
  EXPECT_FALSE(has(1));
  put(2, 0);
  usleep(1000);
  ASSERT_TRUE(directory.read(keyOf(2)));
  ASSERT_TRUE(directory.read(keyOf(0)));
  // Used again it has a stamp of today.
  setUsed(keyOf(0), -10);
  directory.prune({1 << 30, 1});
  EXPECT_FALSE(has(0));
  EXPECT_TRUE(has(2));
}

TEST_F(Directory, LeftoversGoAndWhatIsNotOursStays) {
  put(0, 0);
  std::string hash = keyOf(1).hash();
  write("tmp-0123456789abcdef");
  write(hash + ".lock");
  for (const char *name : {"README", "foo.weft", "0123.lock", "tmp"})
    write(name);
  llvm::sys::fs::create_directory(folder.path + "/tmp-folder");
  CacheDirectory::Removed removed = directory.prune({1 << 30, 1});
  EXPECT_EQ(removed.leftovers, 2u);
  EXPECT_TRUE(has(0));
  EXPECT_FALSE(exists("tmp-0123456789abcdef") || exists(hash + ".lock"));
  for (const char *name :
       {"README", "foo.weft", "0123.lock", "tmp", "tmp-folder"})
    EXPECT_TRUE(exists(name)) << name;
}

TEST_F(Directory, WhatALiveProcessMakesIsNoLeftover) {
  write("tmp-0123456789abcdef");
  int writer = open((folder.path + "/tmp-0123456789abcdef").c_str(), O_RDONLY);
  ASSERT_EQ(flock(writer, LOCK_EX), 0);
  FileLock lock;
  ASSERT_FALSE(directory.tryLock(keyOf(0), lock));
  EXPECT_EQ(directory.prune({1, 1}).leftovers, 0u);
  EXPECT_TRUE(exists("tmp-0123456789abcdef"));
  EXPECT_TRUE(lock.held());
  close(writer);
}

TEST_F(Directory, OnANetworkAgeTellsWhatIsLeft) {
  CacheDirectory shared(folder.path, /*network=*/true);
  put(0, 0);
  write("tmp-0123456789abcdef");
  write("tmp-fedcba9876543210");
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  now.tv_sec -= 25 * 3600;
  const timespec times[2] = {{0, UTIME_OMIT}, now};
  utimensat(AT_FDCWD, (folder.path + "/tmp-fedcba9876543210").c_str(), times,
            0);
  EXPECT_EQ(shared.prune({1 << 30, 10}).leftovers, 1u);
  EXPECT_TRUE(exists("tmp-0123456789abcdef"));
  EXPECT_FALSE(exists("tmp-fedcba9876543210"));
}

TEST_F(Directory, LocksOfANetworkFolderLieOnThisMachine) {
  CacheDirectory shared(folder.path, true), same(folder.path, true);
  FileLock mine, other;
  ASSERT_FALSE(shared.tryLock(keyOf(0), mine));
  EXPECT_EQ(same.tryLock(keyOf(0), other), std::errc::operation_would_block);
  EXPECT_NE(shared.holderOf(keyOf(0)).find(std::to_string(getpid())),
            std::string::npos);
  std::error_code error;
  EXPECT_EQ(llvm::sys::fs::directory_iterator(folder.path, error),
            llvm::sys::fs::directory_iterator());
  // One that a killed process left goes, one that is held stays.
  EXPECT_EXIT(
      {
        FileLock left;
        (void)shared.tryLock(keyOf(1), left);
        raise(SIGKILL);
      },
      testing::KilledBySignal(SIGKILL), "");
  EXPECT_EQ(shared.prune({1, 1}).leftovers, 1u);
  EXPECT_TRUE(mine.held());
  TemporaryFolder another;
  EXPECT_FALSE(CacheDirectory(another.path, true).tryLock(keyOf(0), other));
}

TEST_F(Directory, ALockIsGivenBackWithItsFile) {
  FileLock first, second;
  ASSERT_FALSE(directory.tryLock(keyOf(0), first));
  EXPECT_EQ(directory.tryLock(keyOf(0), second),
            std::errc::operation_would_block);
  EXPECT_FALSE(second.held());
  first.release();
  EXPECT_FALSE(exists(keyOf(0).hash() + ".lock"));
  EXPECT_FALSE(directory.tryLock(keyOf(0), second));
  EXPECT_TRUE(second.held());
}

TEST_F(Directory, EntriesAreListedLatestFirst) {
  put(0, 30);
  put(1, 10);
  put(2, 20);
  auto entries = directory.entries();
  ASSERT_TRUE(static_cast<bool>(entries));
  ASSERT_EQ(entries->size(), 3u);
  EXPECT_EQ((*entries)[0].path, directory.entryPath(keyOf(1)));
  EXPECT_EQ((*entries)[2].path, directory.entryPath(keyOf(0)));
  auto none = CacheDirectory(folder.path + "/none").entries();
  ASSERT_TRUE(static_cast<bool>(none));
  EXPECT_TRUE(none->empty());
}
