//===- ParseFuzz.h - What the fuzzer and the corpus test run ----*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_CASES_FUZZ_PARSEFUZZ_H
#define WEFT_TESTS_UNIT_CASES_FUZZ_PARSEFUZZ_H

#include "runtime/cases/Call.h"

#include <cstdlib>

namespace weft::cases {

inline void require(bool holds) {
  if (!holds)
    std::abort();
}

inline void parseSpec(llvm::StringRef text) {
  llvm::Expected<AttentionSpec> spec = AttentionSpec::parse(text);
  if (!spec)
    return llvm::consumeError(spec.takeError());
  llvm::Expected<AttentionSpec> again = AttentionSpec::parse(spec->str());
  require(bool(again));
  require(*again == *spec);
}

inline void parseCase(llvm::StringRef text) {
  llvm::Expected<CaseFile> file = CaseFile::parse(text);
  if (!file)
    return llvm::consumeError(file.takeError());
  llvm::Expected<CaseFile> again = CaseFile::parse(file->toJson());
  require(bool(again));
  require(again->toJson() == file->toJson());
  for (size_t n = 0; n < file->calls.size(); ++n) {
    // Lists of millions of sequences are legal, and slow under a fuzzer.
    if (file->calls[n].batch.value_or(0) > 10000)
      continue;
    llvm::Expected<ResolvedCall> call = resolveCall(*file, n);
    if (!call) {
      llvm::consumeError(call.takeError());
      continue;
    }
    for (size_t id = 0; id < numTensors; ++id)
      (void)place(*file, *call, TensorId(id)).endBytes();
  }
}

/// The first byte picks the parser.
inline void parseAnything(llvm::StringRef text) {
  if (text.consume_front("s"))
    parseSpec(text);
  else
    parseCase(text.drop_front(text.empty() ? 0 : 1));
}

} // namespace weft::cases

#endif // WEFT_TESTS_UNIT_CASES_FUZZ_PARSEFUZZ_H
