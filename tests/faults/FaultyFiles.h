//===- FaultyFiles.h - File operations that fail on order -------*- C++ -*-===//
//
// This program's own open, rename and fsync stand before the C library's.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_FAULTS_FAULTYFILES_H
#define WEFT_TESTS_FAULTS_FAULTYFILES_H

#include <string>

namespace weft::test {

/// While it lives, the next `times` calls of `function` on a path that contains
/// `part` fail with `error`. One at a time.
class FaultyFiles {
public:
  FaultyFiles(const char *function, std::string part, int error, int times);
  FaultyFiles(const FaultyFiles &) = delete;
  ~FaultyFiles();

  /// How many failures are left.
  int left() const;
};

} // namespace weft::test

#endif // WEFT_TESTS_FAULTS_FAULTYFILES_H
