//===- TileMath.cpp - Arithmetic on whole tiles ---------------------------===//

#include "runtime/reference/TileMath.h"

#include <cmath>
#include <limits>

using namespace weft::reference;

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Eight elements at any address: one register, or as many as the machine
/// needs.
using Lanes [[gnu::vector_size(32), gnu::aligned(4), gnu::may_alias]] = float;
static constexpr int64_t lanes = 8;

/// Rows and columns of acc that one pass over k keeps in registers.
static constexpr int64_t blockRows = 4, blockColumns = 2 * lanes;

[[gnu::always_inline]] static inline void multiplyBlock(const float *a,
                                                        const float *b,
                                                        float *acc, int64_t n,
                                                        int64_t k) {
  auto at = [&](float *base, int64_t row, int64_t half) -> Lanes & {
    return *reinterpret_cast<Lanes *>(base + row * n + half * lanes);
  };
  Lanes sums[blockRows][2];
  for (int64_t i = 0; i < blockRows; ++i)
    for (int64_t half = 0; half < 2; ++half)
      sums[i][half] = at(acc, i, half);
  for (int64_t s = 0; s < k; ++s) {
    Lanes right[2] = {at(const_cast<float *>(b), s, 0),
                      at(const_cast<float *>(b), s, 1)};
    for (int64_t i = 0; i < blockRows; ++i)
      for (int64_t half = 0; half < 2; ++half)
        sums[i][half] += a[i * k + s] * right[half];
  }
  for (int64_t i = 0; i < blockRows; ++i)
    for (int64_t half = 0; half < 2; ++half)
      at(acc, i, half) = sums[i][half];
}

/// What is left over at the edges of the blocks.
[[gnu::always_inline]] static inline void
multiplyEdge(const float *a, const float *b, float *acc, int64_t rows,
             int64_t columns, int64_t n, int64_t k) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t s = 0; s < k; ++s)
      for (int64_t j = 0; j < columns; ++j)
        acc[i * n + j] += a[i * k + s] * b[s * n + j];
}

[[gnu::always_inline]] static inline void multiplyAll(const float *a,
                                                      const float *b,
                                                      float *acc, int64_t m,
                                                      int64_t n, int64_t k) {
  int64_t wholeRows = m / blockRows * blockRows;
  int64_t wholeColumns = n / blockColumns * blockColumns;
  for (int64_t j = 0; j < wholeColumns; j += blockColumns)
    for (int64_t i = 0; i < wholeRows; i += blockRows)
      multiplyBlock(a + i * k, b + j, acc + i * n + j, n, k);
  multiplyEdge(a + wholeRows * k, b, acc + wholeRows * n, m - wholeRows, n, n,
               k);
  multiplyEdge(a, b + wholeColumns, acc + wholeColumns, wholeRows,
               n - wholeColumns, n, k);
}

#if defined(__x86_64__) && defined(__GNUC__)
[[gnu::target("avx2,fma")]] static void multiplyAvx2(const float *a,
                                                     const float *b, float *acc,
                                                     int64_t m, int64_t n,
                                                     int64_t k) {
  multiplyAll(a, b, acc, m, n, k);
}
#endif

void weft::reference::multiplyAdd(const float *a, const float *b, float *acc,
                                  int64_t m, int64_t n, int64_t k) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const bool wide =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (wide)
    return multiplyAvx2(a, b, acc, m, n, k);
#endif
  multiplyAll(a, b, acc, m, n, k);
}

void weft::reference::transpose(const float *in, float *out, int64_t rows,
                                int64_t columns) {
  constexpr int64_t block = 16;
  for (int64_t i = 0; i < rows; i += block)
    for (int64_t j = 0; j < columns; j += block)
      for (int64_t r = i; r < rows && r < i + block; ++r)
        for (int64_t c = j; c < columns && c < j + block; ++c)
          out[c * rows + r] = in[r * columns + c];
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void weft::reference::rowMax(const float *in, float *out, int64_t rows,
                             int64_t columns) {
  for (int64_t i = 0; i < rows; ++i, in += columns) {
    float best = -std::numeric_limits<float>::infinity();
    bool nan = false;
    for (int64_t j = 0; j < columns; ++j) {
      nan |= in[j] != in[j];
      best = in[j] > best ? in[j] : best;
    }
    out[i] = nan ? std::numeric_limits<float>::quiet_NaN() : best;
  }
}

void weft::reference::rowSum(const float *in, float *out, int64_t rows,
                             int64_t columns) {
  for (int64_t i = 0; i < rows; ++i, in += columns) {
    float part[lanes] = {};
    int64_t whole = columns / lanes * lanes;
    for (int64_t j = 0; j < whole; j += lanes)
      for (int64_t l = 0; l < lanes; ++l)
        part[l] += in[j + l];
    float sum = 0;
    for (float lane : part)
      sum += lane;
    for (int64_t j = whole; j < columns; ++j)
      sum += in[j];
    out[i] = sum;
  }
}

void weft::reference::softmaxStep(float *scores, float *max, float *sum,
                                  float *rescale, int64_t rows,
                                  int64_t columns) {
  for (int64_t i = 0; i < rows; ++i) {
    float *row = scores + i * columns;
    float best;
    rowMax(row, &best, 1, columns);
    // A NaN on either side wins, as in the row maxima.
    float next = best > max[i] || best != best ? best : max[i];
    float reference =
        next == -std::numeric_limits<float>::infinity() ? 0 : next;
    rescale[i] = std::exp2(max[i] - reference);
    for (int64_t j = 0; j < columns; ++j)
      row[j] = std::exp2(row[j] - reference);
    float added;
    rowSum(row, &added, 1, columns);
    sum[i] = sum[i] * rescale[i] + added;
    max[i] = next;
  }
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

void weft::reference::roundAll(Element element, float *values, int64_t count) {
  if (element == Element::BF16)
    for (int64_t i = 0; i < count; ++i)
      values[i] = fromBF16(toBF16(values[i]));
  else if (element == Element::F16)
    for (int64_t i = 0; i < count; ++i)
      values[i] = fromF16(toF16(values[i]));
}

void weft::reference::readElements(Element element, const char *at, float *out,
                                   int64_t count) {
  if (element == Element::F32) {
    std::memcpy(out, at, size_t(count) * 4);
  } else if (element == Element::BF16) {
    for (int64_t i = 0; i < count; ++i) {
      uint16_t bits;
      std::memcpy(&bits, at + 2 * i, 2);
      out[i] = fromBF16(bits);
    }
  } else {
    for (int64_t i = 0; i < count; ++i) {
      uint16_t bits;
      std::memcpy(&bits, at + 2 * i, 2);
      out[i] = fromF16(bits);
    }
  }
}

void weft::reference::writeElements(Element element, char *at, const float *in,
                                    int64_t count) {
  if (element == Element::F32)
    std::memcpy(at, in, size_t(count) * 4);
  else
    for (int64_t i = 0; i < count; ++i)
      writeElement(element, at + 2 * i, in[i]);
}
