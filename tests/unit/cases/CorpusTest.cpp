//===- CorpusTest.cpp - What the fuzzer found, again ----------------------===//
//
// Every input that once took a parser to a new place. A crash or a text that
// does not write back to itself ends the test program.
//
//===----------------------------------------------------------------------===//

#include "fuzz/ParseFuzz.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

TEST(Corpus, EveryInputIsReadOrRefused) {
  int inputs = 0;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(WEFT_FUZZ_CORPUS, code), end;
       it != end && !code; it.increment(code), ++inputs) {
    auto buffer = llvm::MemoryBuffer::getFile(it->path());
    ASSERT_TRUE(bool(buffer)) << it->path();
    weft::cases::parseAnything((*buffer)->getBuffer());
  }
  EXPECT_GT(inputs, 300);
}
