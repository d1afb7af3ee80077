//===- arithmetic.cuh - Scalars: what C++ has no operator for -------------===//

#pragma once

#include "weft/types.cuh"

// ---- integers --------------------------------------------------------------

WEFT_DEVICE int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }
WEFT_DEVICE int64_t greater(int64_t a, int64_t b) { return a > b ? a : b; }

/// a / b rounded down; b is not zero.
WEFT_DEVICE int64_t floor_div(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient - (a % b != 0 && (a < 0) != (b < 0));
}

/// a / b rounded up; b is not zero.
WEFT_DEVICE int64_t ceil_div(int64_t a, int64_t b) {
  int64_t quotient = a / b;
  return quotient + (a % b != 0 && (a < 0) == (b < 0));
}

/// The bound of a loop over tiles of which there are less than 2^30, so that
/// nothing is lost.
WEFT_DEVICE int32_t loop_bound(int64_t x) {
  return static_cast<int32_t>(lesser(greater(x, -(1 << 30)), 1 << 30));
}

// ---- f32 -------------------------------------------------------------------

/// 2^x; 0 for -inf. Relative error 2^-22.
WEFT_DEVICE float exp2_approx(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// log2(x). Error 2^-22, absolute near 1 and relative elsewhere.
WEFT_DEVICE float log2_approx(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// a / b, at most 2 ulp off, over the whole range.
WEFT_DEVICE float divide(float a, float b) {
  float y;
  asm("div.full.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}

/// The other one if one is NaN.
WEFT_DEVICE float greater_number(float a, float b) { return fmaxf(a, b); }
WEFT_DEVICE float lesser_number(float a, float b) { return fminf(a, b); }

/// NaN if one is NaN.
WEFT_DEVICE float maximum(float a, float b) {
  float y;
  asm("max.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}
WEFT_DEVICE float minimum(float a, float b) {
  float y;
  asm("min.NaN.f32 %0, %1, %2;" : "=f"(y) : "f"(a), "f"(b));
  return y;
}

// ---- 16-bit floats ---------------------------------------------------------

/// Rounds to nearest even.
WEFT_DEVICE uint16_t round_bf16(float x) {
  uint16_t y;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}
WEFT_DEVICE uint16_t round_f16(float x) {
  uint16_t y;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(y) : "f"(x));
  return y;
}

/// Rounds two to nearest even; `low` is the half at the lower address.
WEFT_DEVICE uint32_t pack_bf16(float low, float high) {
  uint32_t y;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
}
WEFT_DEVICE uint32_t pack_f16(float low, float high) {
  uint32_t y;
  asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(y) : "f"(high), "f"(low));
  return y;
}

WEFT_DEVICE float widen_bf16(uint16_t x) {
  return __int_as_float(static_cast<int32_t>(x) << 16);
}
WEFT_DEVICE float widen_f16(uint16_t x) {
  float y;
  asm("cvt.f32.f16 %0, %1;" : "=f"(y) : "h"(x));
  return y;
}

WEFT_DEVICE uint32_t join_halves(uint16_t low, uint16_t high) {
  return low | static_cast<uint32_t>(high) << 16;
}
/// The half of a word that element `e` of a tile is, two elements a word.
WEFT_DEVICE uint16_t half_of(uint32_t word, int32_t e) {
  return static_cast<uint16_t>(e % 2 ? word >> 16 : word);
}
