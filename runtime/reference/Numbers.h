//===- Numbers.h - Element types and their rounding -------------*- C++ -*-===//
//
// Elements of buffers and tiles. f16 and bf16 values are kept as f32 that the
// narrow type can hold exactly; memory holds their 16 bits.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_REFERENCE_NUMBERS_H
#define WEFT_RUNTIME_REFERENCE_NUMBERS_H

#include <bit>
#include <cstdint>
#include <cstring>

namespace weft::reference {

/// I32 is that of counters, which no tile holds.
enum class Element : uint8_t { F16, BF16, F32, I32, I64, I1 };

inline bool isFloat(Element element) { return element <= Element::F32; }

/// Bytes of one element in memory.
inline int64_t memoryBytes(Element element) {
  return element == Element::F32 || element == Element::I32 ? 4
         : element == Element::I64                          ? 8
                                                            : 2;
}
/// Bytes of one element of a tile.
inline int64_t tileBytes(Element element) {
  return isFloat(element) ? 4 : element == Element::I64 ? 8 : 1;
}

inline float fromBF16(uint16_t bits) {
  return std::bit_cast<float>(uint32_t(bits) << 16);
}

/// Round to nearest even; a NaN stays one.
inline uint16_t toBF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint32_t rounded = bits + 0x7fff + ((bits >> 16) & 1);
  bool nan = (bits & 0x7fffffff) > 0x7f800000;
  return uint16_t((nan ? bits | 0x400000 : rounded) >> 16);
}

inline float fromF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16;
  uint32_t rest = bits & 0x7fff;
  // Subnormals: the bits count units of 2^-24.
  if (rest < 0x400)
    return std::bit_cast<float>(
        sign | std::bit_cast<uint32_t>(float(rest) * 0x1p-24f));
  uint32_t exponent = rest >= 0x7c00 ? 0xff : (rest >> 10) + 112;
  return std::bit_cast<float>(sign | (exponent << 23) | ((rest & 0x3ff) << 13));
}

/// Round to nearest even, 65520 and above to infinity; a NaN stays one.
inline uint16_t toF16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  uint16_t sign = uint16_t((bits >> 16) & 0x8000);
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000)
    return sign | 0x7e00;
  if (magnitude >= 0x477ff000)
    return sign | 0x7c00;
  // Below 2^-14 the unit is 2^-24, which is the unit of f32 at 0.5.
  if (magnitude < 0x38800000)
    return sign | uint16_t(std::bit_cast<uint32_t>(
                               std::bit_cast<float>(magnitude) + 0.5f) -
                           0x3f000000);
  uint32_t rounded = magnitude + 0xfff + ((magnitude >> 13) & 1);
  return sign | uint16_t((rounded - 0x38000000) >> 13);
}

/// `value` as the type holds it.
inline float roundTo(Element element, float value) {
  switch (element) {
  case Element::F16:
    return fromF16(toF16(value));
  case Element::BF16:
    return fromBF16(toBF16(value));
  default:
    return value;
  }
}

/// Reads and writes one element of memory as a float.
inline float readElement(Element element, const char *at) {
  if (element == Element::F32) {
    float value;
    std::memcpy(&value, at, 4);
    return value;
  }
  if (element == Element::I32) {
    int32_t value;
    std::memcpy(&value, at, 4);
    return float(value);
  }
  uint16_t bits;
  std::memcpy(&bits, at, 2);
  return element == Element::BF16 ? fromBF16(bits) : fromF16(bits);
}
inline void writeElement(Element element, char *at, float value) {
  if (element == Element::F32) {
    std::memcpy(at, &value, 4);
    return;
  }
  if (element == Element::I32) {
    auto number = int32_t(value);
    std::memcpy(at, &number, 4);
    return;
  }
  uint16_t bits = element == Element::BF16 ? toBF16(value) : toF16(value);
  std::memcpy(at, &bits, 2);
}

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_NUMBERS_H
