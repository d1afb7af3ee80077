//===- Turns.h - What the plans of turns/ give ------------------*- C++ -*-===//
//
// Problems for tests/gpu/turns/*.mlir and, as loops on the host, what these
// plans give for them. GPU and reference executor run the same ones.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_GPU_TURNS_H
#define WEFT_TESTS_GPU_TURNS_H

#include "runtime/spec/Problem.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::turns {

inline constexpr int64_t tileRows = 64, columns = 64;
/// How often a plan launches its kernel.
inline constexpr int64_t launches = 2;

/// Numbers of any sign and of magnitudes so far apart that their sum in f32
/// depends on the order of the adds.
std::vector<float> farApart(int64_t count);

/// Everything is f32, in bshd.
struct Call {
  int64_t batch, headsQ, headsKv, rowsQ, rowsKv;

  int64_t queryElements() const { return batch * rowsQ * headsQ * columns; }
  int64_t keyElements() const { return batch * rowsKv * headsKv * columns; }
  /// The larger of the two: memory for any tensor.
  int64_t elements() const { return std::max(queryElements(), keyElements()); }
  int64_t tilesKv() const { return (rowsKv + tileRows - 1) / tileRows; }
  size_t queryAt(int64_t b, int64_t row, int64_t head, int64_t column) const {
    return ((b * rowsQ + row) * headsQ + head) * columns + column;
  }
  size_t keyAt(int64_t b, int64_t row, int64_t head, int64_t column) const {
    return ((b * rowsKv + row) * headsKv + head) * columns + column;
  }

  /// Every input is `input`; `result` is "out" or "d_key", and what the plan
  /// does not write lies in `spare`: twice `elements` of f32.
  Problem problem(float *input, float *result, float *spare,
                  bool backward) const;
};

/// ordered.mlir: "out", the key tiles added in their order, or from the last
/// to the first.
std::vector<float> orderedSums(const Call &call, const std::vector<float> &key,
                               bool reversed = false);
/// last.mlir, whose head ratio is 32: "d_key", the heads of a group added in
/// their order.
inline constexpr int64_t lastRatio = 32;
std::vector<float> groupSums(const Call &call, const std::vector<float> &query);

} // namespace weft::turns

#endif // WEFT_TESTS_GPU_TURNS_H
