//===- Numbers.cpp - Element types and seeded numbers ---------------------===//

#include "runtime/cases/Numbers.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace weft;
using namespace weft::cases;

namespace {
struct Format {
  int mantissaBits; ///< stored ones
  int minExponent;  ///< of normal numbers
  int maxExponent;
};
} // namespace

static Format formatOf(DType dtype) {
  return dtype == DType::F16 ? Format{10, -14, 15} : Format{7, -126, 127};
}

double weft::cases::roundingUnit(DType dtype) {
  return std::ldexp(1.0, -(formatOf(dtype).mantissaBits + 1));
}

double weft::cases::decode(DType dtype, uint16_t bits) {
  if (dtype == DType::BF16)
    return llvm::bit_cast<float>(uint32_t(bits) << 16);
  // Half: the exponent's bias is moved to float's by a product, which is exact
  // for subnormal numbers too.
  uint32_t magnitude = uint32_t(bits & 0x7fff) << 13;
  if (magnitude >= 0x0f800000) // infinity and NaN
    magnitude |= 0x7f800000;
  else
    magnitude =
        llvm::bit_cast<uint32_t>(llvm::bit_cast<float>(magnitude) * 0x1p112f);
  return llvm::bit_cast<float>(magnitude | uint32_t(bits & 0x8000) << 16);
}

void weft::cases::decodeRow(DType dtype, const void *from, int64_t count,
                            double *to) {
  const char *data = static_cast<const char *>(from);
  auto each = [&](DType dtype) {
    for (int64_t i = 0; i < count; ++i) {
      uint16_t bits;
      std::memcpy(&bits, data + 2 * i, sizeof(bits));
      to[i] = decode(dtype, bits);
    }
  };
  if (dtype == DType::BF16)
    each(DType::BF16);
  else
    each(DType::F16);
}

/// 2^exponent, which must be a normal number.
static double powerOfTwo(int exponent) {
  return llvm::bit_cast<double>(uint64_t(1023 + exponent) << 52);
}

uint16_t weft::cases::encode(DType dtype, double value) {
  Format format = formatOf(dtype);
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t infinity =
      uint16_t((2 * format.maxExponent + 1) << format.mantissaBits);
  if (std::isnan(value))
    return sign | infinity | uint16_t(1 << (format.mantissaBits - 1));
  value = std::fabs(value);
  if (std::isinf(value))
    return sign | infinity;
  int exponent = std::max(int(llvm::bit_cast<uint64_t>(value) >> 52) - 1023,
                          format.minExponent);
  // In units of the last place at this exponent the number rounds to an
  // integer; a carry moves on to the next exponent by itself, and below
  // 2^mantissaBits the number is subnormal. The product is exact, and adding
  // 2^52 rounds to an integer.
  double scaled = value * powerOfTwo(format.mantissaBits - exponent);
  auto units = uint64_t((scaled + 0x1p52) - 0x1p52);
  uint64_t biased = uint64_t(exponent - format.minExponent);
  uint64_t encoded = (biased << format.mantissaBits) + units;
  return sign | uint16_t(std::min<uint64_t>(encoded, infinity));
}

void weft::cases::encodeRow(DType dtype, const double *from, int64_t count,
                            void *to) {
  char *data = static_cast<char *>(to);
  for (int64_t i = 0; i < count; ++i) {
    uint16_t bits = encode(dtype, from[i]);
    std::memcpy(data + 2 * i, &bits, sizeof(bits));
  }
}

static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}
static constexpr uint64_t step = 0x9e3779b97f4a7c15;

RandomStream::RandomStream(uint64_t seed, uint64_t stream)
    : key(mix(mix(seed + step) + step * (stream + 1))) {}

uint64_t RandomStream::bits(uint64_t index) const {
  return mix(key + step * (index + 1));
}

double RandomStream::normal(uint64_t index) const {
  // Four 16-bit numbers of a word are added in two 32-bit halves at once.
  uint64_t sum = 0;
  for (uint64_t i = 0; i < 3; ++i) {
    uint64_t word = bits(3 * index + i);
    sum += (word & 0x0000ffff0000ffff) + ((word >> 16) & 0x0000ffff0000ffff);
  }
  int64_t total = int64_t(sum & 0xffffffff) + int64_t(sum >> 32);
  return double(2 * total - 12 * 0xffff) * 0x1p-17;
}
