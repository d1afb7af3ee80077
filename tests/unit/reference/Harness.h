//===- Harness.h - Small plans for the reference executor -------*- C++ -*-===//
//
// A module with one kernel that reads "query" and writes "out", both f32 on the
// query side, around a body that a test gives.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_UNIT_REFERENCE_HARNESS_H
#define WEFT_TESTS_UNIT_REFERENCE_HARNESS_H

#include "runtime/reference/ReferenceExecutor.h"

#include <string>
#include <vector>

namespace weft::reference {

/// What a module of one kernel varies in.
struct ModuleText {
  int64_t columns = 4;
  std::string grid = "<q, 16, heads_q>";
  std::string queryContract = "in, [valid]";
  std::string outContract = "out, [valid]";
  /// States that plan.return promises of "out".
  std::string outStates = "valid = defined";
  std::string ctas = "1000";
  /// Ops behind the launch, on %o1.
  std::string afterLaunch;
  std::string returned = "%o1";
  /// Ops of the body: %query, %out, %scale and the sequence %b, tile %t, head
  /// %h are there, and so are %rows = rows [16 t, 16 t + 16) of the sequence,
  /// but for a grid of all rows held.
  std::string body;

  std::string str() const;
};

/// One query side in thd or batch layout with its memory; rows x heads x
/// columns, packed.
struct TestCall {
  int64_t batch = 1, rows = 0, heads = 1, columns = 4;
  std::vector<int32_t> cuSeqlens, cuSeqlensPadded, seqlens;
  std::vector<float> query, out;
  double scale = 1;
  ReferenceOptions options;

  /// Batch layout of one sequence, or of `batch` of rows / batch rows.
  static TestCall dense(int64_t rows, int64_t columns = 4, int64_t heads = 1,
                        int64_t batch = 1);
  static TestCall thd(int64_t rows, std::vector<int32_t> cuSeqlens,
                      std::vector<int32_t> cuSeqlensPadded = {},
                      int64_t columns = 4, int64_t heads = 1);

  Problem problem();
  /// Fresh results, then the run.
  llvm::Error run(llvm::StringRef module);
  float at(int64_t row, int64_t column = 0, int64_t head = 0) const {
    return out[size_t((row * heads + head) * columns + column)];
  }
};

/// The message of an error, or "" for success.
inline std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : "";
}

} // namespace weft::reference

#endif // WEFT_TESTS_UNIT_REFERENCE_HARNESS_H
