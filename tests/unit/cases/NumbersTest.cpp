//===- NumbersTest.cpp - Conversions against APFloat, random streams ------===//

#include "runtime/cases/Numbers.h"

#include "llvm/ADT/APFloat.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace weft;
using namespace weft::cases;
using llvm::APFloat;

static const llvm::fltSemantics &semantics(DType dtype) {
  return dtype == DType::F16 ? APFloat::IEEEhalf() : APFloat::BFloat();
}

TEST(Numbers, EveryBitPatternDecodesAndEncodesBack) {
  for (DType dtype : {DType::F16, DType::BF16})
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      APFloat exact(semantics(dtype), llvm::APInt(16, bits));
      double value = decode(dtype, uint16_t(bits));
      if (exact.isNaN()) {
        ASSERT_TRUE(std::isnan(value)) << bits;
        ASSERT_TRUE(std::isnan(decode(dtype, encode(dtype, value)))) << bits;
        continue;
      }
      ASSERT_EQ(value, exact.convertToDouble()) << bits;
      ASSERT_EQ(encode(dtype, value), bits);
    }
}

TEST(Numbers, RoundsToNearestEven) {
  std::mt19937_64 random(7);
  for (DType dtype : {DType::F16, DType::BF16})
    for (int i = 0; i < 200000; ++i) {
      // Around every magnitude of the type, halfway points included.
      double value = decode(dtype, uint16_t(random()));
      if (!std::isfinite(value))
        continue;
      double next = decode(dtype, uint16_t(encode(dtype, value) + 1));
      if (std::isfinite(next))
        value += (next - value) * double(random() % 5) / 4;
      if (random() % 4 == 0)
        value = std::nextafter(value, 0.0);
      APFloat exact(value);
      bool lost;
      exact.convert(semantics(dtype), APFloat::rmNearestTiesToEven, &lost);
      ASSERT_EQ(encode(dtype, value), exact.bitcastToAPInt().getZExtValue())
          << value;
    }
  EXPECT_EQ(decode(DType::F16, encode(DType::F16, 65519)), 65504);
  EXPECT_EQ(decode(DType::F16, encode(DType::F16, 65520)), INFINITY);
  EXPECT_EQ(decode(DType::F16, encode(DType::F16, -1e300)), -INFINITY);
  EXPECT_EQ(roundingUnit(DType::BF16), 0x1p-8);
  EXPECT_EQ(roundingUnit(DType::F16), 0x1p-11);
}

TEST(Numbers, StreamsAreFixedAndNormal) {
  // Computed apart from this code; it never changes, or recorded cases would.
  EXPECT_EQ(RandomStream(0, 0).bits(0), RandomStream(0, 0).bits(0));
  EXPECT_NE(RandomStream(0, 0).bits(0), RandomStream(0, 1).bits(0));
  EXPECT_NE(RandomStream(0, 1).bits(0), RandomStream(1, 0).bits(0));
  EXPECT_EQ(RandomStream(42, 3).normal(7), 0x1.9794000000000p-1);

  RandomStream stream(1, 2);
  const int count = 200000;
  double moments[5] = {};
  int beyond2 = 0;
  for (int i = 0; i < count; ++i) {
    double x = stream.normal(i);
    ASSERT_LE(std::fabs(x), 6);
    beyond2 += std::fabs(x) > 2;
    for (int k = 1; k <= 4; ++k)
      moments[k] += std::pow(x, k) / count;
  }
  EXPECT_NEAR(moments[1], 0, 0.01);
  EXPECT_NEAR(moments[2], 1, 0.01);
  EXPECT_NEAR(moments[3], 0, 0.05);
  EXPECT_NEAR(moments[4], 2.9, 0.1); // 3 for a normal distribution
  EXPECT_NEAR(double(beyond2) / count, 0.0455, 0.003);
}
