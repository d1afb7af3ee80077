//===- TileMath.h - Arithmetic on whole tiles -------------------*- C++ -*-===//
//
// The loops in which the reference executor spends its time. Row-major f32,
// compiled for speed in every configuration.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_REFERENCE_TILEMATH_H
#define WEFT_RUNTIME_REFERENCE_TILEMATH_H

#include "runtime/reference/Numbers.h"

#include <cstdint>

namespace weft::reference {

/// acc [m, n] += a [m, k] b [k, n].
void multiplyAdd(const float *a, const float *b, float *acc, int64_t m,
                 int64_t n, int64_t k);

/// out [columns, rows] = in [rows, columns], transposed.
void transpose(const float *in, float *out, int64_t rows, int64_t columns);

/// Row maxima (a NaN wins) and row sums of [rows, columns].
void rowMax(const float *in, float *out, int64_t rows, int64_t columns);
void rowSum(const float *in, float *out, int64_t rows, int64_t columns);

/// `tile.softmax_step` in place: scores become p; max and sum become the new
/// ones; rescale is written.
void softmaxStep(float *scores, float *max, float *sum, float *rescale,
                 int64_t rows, int64_t columns);

/// Rounds every element to what `element` can hold.
void roundAll(Element element, float *values, int64_t count);

/// Elements of memory to f32 and back.
void readElements(Element element, const char *at, float *out, int64_t count);
void writeElements(Element element, char *at, const float *in, int64_t count);

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_TILEMATH_H
