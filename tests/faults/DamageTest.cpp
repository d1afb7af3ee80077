//===- DamageTest.cpp - Entries that are not what they were ---------------===//

#include "tests/faults/CacheFixture.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

#include <fcntl.h>
#include <sys/stat.h>

using namespace weft;
using namespace weft::test;

namespace {
/// An entry on disk, changed in place and asked for.
class Damage : public CacheFaults {
protected:
  void SetUp() override {
    ASSERT_TRUE(askAnew());
    auto file = llvm::MemoryBuffer::getFile(entryPath());
    ASSERT_TRUE(static_cast<bool>(file));
    whole = (*file)->getBuffer().str();
    write(whole);
    int before = compiles.get();
    ASSERT_TRUE(askAnew());
    ASSERT_EQ(compiles.get(), before) << "the whole entry is a hit";
  }

  void write(llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream(entryPath(), error) << bytes;
    ASSERT_FALSE(error) << error.message();
  }

  /// Whether an entry of these bytes is compiled anew, silently, with the right
  /// result, and replaced by a whole one.
  void expectReplaced(const std::string &bytes, const llvm::Twine &what) {
    write(bytes);
    int before = compiles.get();
    EXPECT_TRUE(askAnew()) << what.str();
    EXPECT_EQ(compiles.get(), before + 1) << what.str();
    EXPECT_TRUE(askAnew()) << what.str();
    EXPECT_EQ(compiles.get(), before + 1) << what.str();
    EXPECT_EQ(warnings, 0) << warning;
  }

  std::string whole;
};
} // namespace

// Every bit of every region: the head, the description, the program, the
// checksum. In memory, as a disk would take minutes.
TEST_F(Damage, EveryFlippedBitIsFound) {
  std::vector<uint8_t> bytes(whole.begin(), whole.end());
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= 1 << bit % 8;
    llvm::Expected<CacheEntry> entry = parseEntry(bytes);
    EXPECT_FALSE(static_cast<bool>(entry)) << "bit " << bit;
    if (!entry)
      llvm::consumeError(entry.takeError());
    bytes[bit / 8] ^= 1 << bit % 8;
  }
}

TEST_F(Damage, FlipsOnDiskAreReplaced) {
  // Every byte of the head and of the checksum, and some between.
  for (size_t i = 0; i < whole.size();
       i += i < 24 || i + 17 > whole.size() ? 1 : 41) {
    std::string bytes = whole;
    bytes[i] ^= 1 << i % 8;
    expectReplaced(bytes, "byte " + llvm::Twine(i));
  }
}

TEST_F(Damage, CutsOnDiskAreReplaced) {
  for (size_t size = 0; size < whole.size(); size += size < 24 ? 5 : 67)
    expectReplaced(whole.substr(0, size), llvm::Twine(size) + " bytes");
  expectReplaced(whole.substr(0, whole.size() - 1), "all but one byte");
  expectReplaced(whole + whole, "twice");
  expectReplaced(std::string(whole.size(), '\0'), "zeros, as after a crash");
}

TEST_F(Damage, AnotherKeysEntryUnderThisNameIsReplaced) {
  CacheKey other = someKey();
  other.schedule += "x";
  ASSERT_TRUE(askAnew(other));
  auto file = llvm::MemoryBuffer::getFile(entryPath(other));
  ASSERT_TRUE(static_cast<bool>(file));
  expectReplaced((*file)->getBuffer().str(), "foreign");
}

TEST_F(Damage, AnotherVersionsEntryIsReplaced) {
  // Of an older or a newer library: whole, and another layout.
  for (char version : {0, 2, 127}) {
    std::vector<uint8_t> bytes = encodeEntry(someKey(), someProgram());
    bytes[8] = version;
    expectReplaced(std::string(bytes.begin(), bytes.end()),
                   "version " + llvm::Twine(int(version)));
  }
}

TEST_F(Damage, TwoLibraryVersionsShareAFolder) {
  CacheKey older = someKey(), newer = someKey();
  newer.build = "4567";
  for (int round = 0; round < 2; ++round)
    for (const CacheKey &key : {older, newer})
      EXPECT_TRUE(askAnew(key));
  EXPECT_EQ(compiles.get(), 2);
  EXPECT_TRUE(llvm::sys::fs::exists(entryPath(older)));
  EXPECT_TRUE(llvm::sys::fs::exists(entryPath(newer)));
}

// The clock is put back by a year: what is there has stamps of the future.
TEST_F(Damage, StampsOfTheFutureAreHits) {
  timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 365 * 24 * 3600;
  const timespec times[2] = {time, time};
  ASSERT_EQ(utimensat(AT_FDCWD, entryPath().c_str(), times, 0), 0);
  int before = compiles.get();
  EXPECT_TRUE(askAnew());
  EXPECT_EQ(compiles.get(), before);
  struct stat status;
  ASSERT_EQ(stat(entryPath().c_str(), &status), 0);
  EXPECT_LT(status.st_mtim.tv_sec, time.tv_sec - 1000) << "stamped anew";
}
