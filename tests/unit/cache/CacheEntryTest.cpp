//===- CacheEntryTest.cpp - A damaged entry is never loaded ---------------===//

#include "runtime/cache/CacheEntry.h"
#include "tests/unit/cache/CacheFixture.h"

using namespace weft;
using namespace weft::test;

static bool decodes(const CacheKey &key, llvm::ArrayRef<uint8_t> file) {
  llvm::Expected<std::vector<uint8_t>> program = decodeEntry(key, file);
  if (program)
    return true;
  llvm::consumeError(program.takeError());
  return false;
}

TEST(CacheEntry, GivesBackWhatWasPut) {
  std::vector<uint8_t> program = someProgram();
  std::vector<uint8_t> file = encodeEntry(someKey(), program);
  llvm::Expected<std::vector<uint8_t>> read = decodeEntry(someKey(), file);
  ASSERT_TRUE(static_cast<bool>(read)) << llvm::toString(read.takeError());
  EXPECT_EQ(*read, program);
}

TEST(CacheEntry, SaysWhatItIs) {
  std::vector<uint8_t> file = encodeEntry(someKey(), someProgram());
  std::string text(file.begin(), file.end());
  EXPECT_NE(text.find("\"target\":\"sm_90a\""), std::string::npos);
  EXPECT_NE(text.find(someKey().spec), std::string::npos);
}

TEST(CacheEntry, EveryFlippedByteIsFound) {
  std::vector<uint8_t> file = encodeEntry(someKey(), someProgram());
  for (size_t i = 0; i < file.size(); ++i) {
    file[i] ^= 0x20;
    EXPECT_FALSE(decodes(someKey(), file)) << "byte " << i;
    file[i] ^= 0x20;
  }
  EXPECT_TRUE(decodes(someKey(), file));
}

TEST(CacheEntry, EveryCutIsFound) {
  std::vector<uint8_t> file = encodeEntry(someKey(), someProgram());
  for (size_t size = 0; size < file.size(); ++size)
    EXPECT_FALSE(decodes(someKey(), llvm::ArrayRef(file).take_front(size)))
        << size << " bytes";
  file.push_back(0);
  EXPECT_FALSE(decodes(someKey(), file));
}

TEST(CacheEntry, AnotherKeysEntryIsRefused) {
  std::vector<uint8_t> file = encodeEntry(someKey(), someProgram());
  CacheKey other = someKey();
  other.nvrtc += "0";
  EXPECT_FALSE(decodes(other, file));
}

TEST(CacheEntry, ACorrectEntryOfNoProgramIsRefused) {
  EXPECT_FALSE(decodes(someKey(), encodeEntry(someKey(), {})));
  EXPECT_FALSE(decodes(
      someKey(), encodeEntry(someKey(), std::vector<uint8_t>(100, 0xff))));
}
