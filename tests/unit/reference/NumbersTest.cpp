//===- NumbersTest.cpp - Element types and whole-tile arithmetic ----------===//

#include "runtime/reference/Numbers.h"
#include "runtime/reference/Scheduler.h"
#include "runtime/reference/Tile.h"
#include "runtime/reference/TileMath.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

using namespace weft::reference;

static constexpr float infinity = std::numeric_limits<float>::infinity();

TEST(Numbers, EveryF16AndBF16ComesBackAsItWas) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint16_t narrow = uint16_t(bits);
    for (Element element : {Element::F16, Element::BF16}) {
      float value =
          element == Element::F16 ? fromF16(narrow) : fromBF16(narrow);
      uint16_t back = element == Element::F16 ? toF16(value) : toBF16(value);
      if (std::isnan(value))
        EXPECT_TRUE(std::isnan(element == Element::F16 ? fromF16(back)
                                                       : fromBF16(back)));
      else
        ASSERT_EQ(back, narrow);
    }
  }
}

TEST(Numbers, RoundsToNearestEven) {
  EXPECT_EQ(roundTo(Element::BF16, 1 + 0x1p-8f), 1);
  EXPECT_EQ(roundTo(Element::BF16, 1 + 0x1.8p-7f), 1 + 0x1p-6f);
  EXPECT_EQ(roundTo(Element::BF16, 1 + 0x1.02p-8f), 1 + 0x1p-7f);
  EXPECT_EQ(roundTo(Element::F16, 1 + 0x1p-11f), 1);
  EXPECT_EQ(roundTo(Element::F16, 1 + 0x1.8p-10f), 1 + 0x1p-9f);
  EXPECT_EQ(roundTo(Element::F16, 65519.996f), 65504);
  EXPECT_EQ(roundTo(Element::F16, -65520), -infinity);
  EXPECT_EQ(roundTo(Element::F16, 0x1p-25f), 0);
  EXPECT_EQ(roundTo(Element::F16, 0x1.8p-24f), 0x1p-23f);
  EXPECT_EQ(roundTo(Element::F16, 0x1.ff8p-15f), 0x1.ff8p-15f);
  EXPECT_EQ(roundTo(Element::F16, 0x1.ffcp-15f), 0x1p-14f);
  EXPECT_EQ(roundTo(Element::F32, 1 + 0x1p-23f), 1 + 0x1p-23f);
}

#ifdef __FLT16_MAX__
TEST(Numbers, F16AgreesWithTheCompilers) {
  Random random(5);
  for (int i = 0; i < 200000; ++i) {
    // Around the range of f16 and beyond its ends.
    float value = std::ldexp(float(int64_t(random.next()) >> 32) * 0x1p-31f,
                             int(random.below(48)) - 30);
    ASSERT_EQ(roundTo(Element::F16, value), float(_Float16(value))) << value;
  }
}
#endif

TEST(TileMath, ProductsOfAnyShape) {
  Random random(1);
  for (auto [m, n, k] : {std::array<int64_t, 3>{1, 1, 1},
                         {4, 16, 3},
                         {5, 17, 2},
                         {7, 15, 9},
                         {64, 48, 32},
                         {3, 40, 16}}) {
    // Small integers: sums are exact in any order.
    auto draw = [&](int64_t count) {
      std::vector<float> values(static_cast<size_t>(count));
      for (float &value : values)
        value = float(random.below(9)) - 4;
      return values;
    };
    std::vector<float> a = draw(m * k), b = draw(k * n), acc = draw(m * n);
    std::vector<float> expected = acc;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        for (int64_t s = 0; s < k; ++s)
          expected[size_t(i * n + j)] +=
              a[size_t(i * k + s)] * b[size_t(s * n + j)];
    multiplyAdd(a.data(), b.data(), acc.data(), m, n, k);
    EXPECT_EQ(acc, expected) << m << " " << n << " " << k;

    std::vector<float> turned(a.size());
    transpose(a.data(), turned.data(), m, k);
    for (int64_t i = 0; i < m; ++i)
      for (int64_t s = 0; s < k; ++s)
        ASSERT_EQ(turned[size_t(s * m + i)], a[size_t(i * k + s)]);
  }
}

TEST(TileMath, NaNReachesProductsAndMaxima) {
  float nan = std::numeric_limits<float>::quiet_NaN();
  // A NaN times 0 is NaN: no product is skipped.
  std::vector<float> a(4, 0), b(64, 1), acc(16, 0);
  b[5] = nan;
  multiplyAdd(a.data(), b.data(), acc.data(), 1, 16, 4);
  EXPECT_TRUE(std::isnan(acc[5]));
  EXPECT_EQ(acc[4], 0);
  float row[3] = {1, nan, 3}, max;
  rowMax(row, &max, 1, 3);
  EXPECT_TRUE(std::isnan(max));
}

TEST(TileMath, SoftmaxStepOfARowWithoutKeys) {
  float scores[4] = {-infinity, -infinity, 1, -infinity};
  float max[2] = {-infinity, -infinity}, sum[2] = {0, 0}, rescale[2];
  softmaxStep(scores, max, sum, rescale, 2, 2);
  EXPECT_EQ(scores[0], 0);
  EXPECT_EQ(max[0], -infinity);
  EXPECT_EQ(sum[0], 0);
  EXPECT_EQ(rescale[0], 0);
  EXPECT_EQ(scores[2], 1);
  EXPECT_EQ(scores[3], 0);
  EXPECT_EQ(max[1], 1);
  EXPECT_EQ(sum[1], 1);
  float more[4] = {0, 2, 3, -1};
  softmaxStep(more, max, sum, rescale, 2, 2);
  EXPECT_EQ(more[0], 0.25f);
  EXPECT_EQ(sum[0], 1.25f);
  EXPECT_EQ(rescale[0], 0);
  EXPECT_EQ(rescale[1], 0.25f);
  EXPECT_EQ(sum[1], 0.25f + 1 + 0x1p-4f);
  EXPECT_EQ(max[1], 3);
}

TEST(Tile, AHolderMoreMeansACopy) {
  TilePool pool;
  TileRef a = pool.take(64);
  char *data = a.as<char>();
  EXPECT_TRUE(a.isOnlyHolder());
  {
    TileRef b = a;
    EXPECT_FALSE(a.isOnlyHolder());
  }
  EXPECT_TRUE(a.isOnlyHolder());
  a = TileRef();
  // Blocks are used again.
  EXPECT_EQ(pool.take(64).as<char>(), data);
}
