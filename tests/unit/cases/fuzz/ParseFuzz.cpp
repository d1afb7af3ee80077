//===- ParseFuzz.cpp - Specs and case files under a fuzzer ----------------===//
//
// A libFuzzer target. The first byte picks the parser: 's' reads a spec, any
// other a case file, whose calls are then resolved and placed. What parses must
// write back to the same text. The corpus beside this file is replayed by the
// unit tests; to go on from it (clang 14 or newer):
//
//   clang++ -std=c++20 -fsanitize=fuzzer,address,undefined -fno-rtti -I. \
//     -I/usr/lib/llvm-22/include tests/unit/cases/fuzz/ParseFuzz.cpp \
//     runtime/spec/*.cpp runtime/cases/{CaseFile,JsonFields,Call}.cpp \
//     /usr/lib/llvm-22/lib/libLLVMSupport.a .. -o parse-fuzz
//   ./parse-fuzz -max_len=4096 CORPUS
//
//===----------------------------------------------------------------------===//

#include "ParseFuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  weft::cases::parseAnything(
      llvm::StringRef(reinterpret_cast<const char *>(data), size));
  return 0;
}
