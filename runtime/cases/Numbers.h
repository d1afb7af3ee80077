//===- Numbers.h - Element types and seeded numbers -------------*- C++ -*-===//
//
// Exact conversion of f16 and bf16, and random numbers that are the same on
// every machine: integer arithmetic and exactly rounded operations only.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CASES_NUMBERS_H
#define WEFT_RUNTIME_CASES_NUMBERS_H

#include "runtime/spec/AttentionSpec.h"

#include <cstdint>

namespace weft::cases {

/// The value of 16 bits of `dtype`; NaN and infinity included.
double decode(DType dtype, uint16_t bits);

/// The values of `count` numbers that lie behind each other.
void decodeRow(DType dtype, const void *from, int64_t count, double *to);

/// `value` rounded once to `dtype`, to nearest, ties to even; too large gives
/// infinity.
uint16_t encode(DType dtype, double value);

/// The same for `count` numbers, written behind each other.
void encodeRow(DType dtype, const double *from, int64_t count, void *to);

/// Relative size of one rounding: 2^-8 for bf16, 2^-11 for f16.
double roundingUnit(DType dtype);

/// A stream of numbers addressed by index: value i of stream s under a seed
/// does not depend on what else is drawn, or in which order.
class RandomStream {
public:
  RandomStream(uint64_t seed, uint64_t stream);

  /// 64 random bits (SplitMix64 at counter `index`).
  uint64_t bits(uint64_t index) const;
  /// A number of mean 0 and variance 1: the sum of 12 uniform numbers of 16
  /// bits. Close to normal (and never beyond 6) without a libm, whose results
  /// differ between machines.
  double normal(uint64_t index) const;

private:
  uint64_t key;
};

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_NUMBERS_H
