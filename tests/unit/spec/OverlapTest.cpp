//===- OverlapTest.cpp - The exact test against enumeration ---------------===//

#include "runtime/spec/Overlap.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

using namespace weft;

/// How many points cover each byte.
static std::map<uint64_t, int> enumerate(const ByteSet &set) {
  std::map<uint64_t, int> bytes;
  if (set.empty())
    return bytes;
  std::vector<uint64_t> points = {set.base};
  for (const ByteSet::Dim &dim : set.dims) {
    std::vector<uint64_t> next;
    for (uint64_t point : points)
      for (int64_t i = 0; i < dim.extent; ++i)
        next.push_back(point + i * dim.stride);
    points = next;
  }
  for (uint64_t point : points)
    for (int64_t i = 0; i < set.run; ++i)
      ++bytes[point + i];
  return bytes;
}

TEST(Overlap, AgreesWithEnumeration) {
  std::mt19937 random(1);
  auto draw = [&](int lo, int hi) {
    return int(random() % (hi - lo + 1)) + lo;
  };
  int met = 0, met2 = 0;
  const int trials = 20000;
  for (int trial = 0; trial < trials; ++trial) {
    ByteSet sets[2];
    for (ByteSet &set : sets) {
      set.base = 1000 + draw(0, 60);
      set.run = draw(0, 9) == 0 ? 0 : draw(1, 4);
      for (int d = draw(0, 3); d > 0; --d)
        set.dims.push_back({draw(0, 30) == 0 ? 0 : draw(1, 4), draw(0, 40)});
    }
    auto a = enumerate(sets[0]), b = enumerate(sets[1]);
    bool shared = false, self = false;
    for (auto [byte, count] : a) {
      shared |= b.count(byte) != 0;
      self |= count > 1;
    }
    met += shared;
    met2 += self;
    ASSERT_EQ(overlap(sets[0], sets[1]), shared ? Overlap::Yes : Overlap::No)
        << trial;
    ASSERT_EQ(overlapsItself(sets[0]), self ? Overlap::Yes : Overlap::No)
        << trial;
  }
  // Both answers were common.
  EXPECT_GT(met, trials / 10);
  EXPECT_LT(met, trials * 9 / 10);
  EXPECT_GT(met2, trials / 10);
  EXPECT_LT(met2, trials * 9 / 10);
}

TEST(Overlap, LargeInterleavedViewsAreQuick) {
  // bs3hd: 64 x 100000 rows of 3 x 32 heads x 128 columns of 2 bytes.
  auto slice = [](int64_t which) {
    int64_t row = 3 * 32 * 256;
    return ByteSet{uint64_t(0x7f0000000000 + which * 32 * 256),
                   256,
                   {{64, 100000 * row}, {100000, row}, {32, 256}}};
  };
  EXPECT_EQ(overlap(slice(0), slice(1)), Overlap::No);
  EXPECT_EQ(overlap(slice(2), slice(1)), Overlap::No);
  EXPECT_EQ(overlapsItself(slice(0)), Overlap::No);
  ByteSet shifted = slice(1);
  shifted.base -= 2;
  EXPECT_EQ(overlap(slice(0), shifted), Overlap::Yes);
}

TEST(Overlap, IrregularStridesInClosedForm) {
  // Coprime strides over huge extents, checked by arithmetic: 3 x - 5 y = 1
  // has solutions, 6 x - 4 y = 1 has none.
  ByteSet a{0, 1, {{int64_t(1) << 40, 3}}};
  ByteSet b{1, 1, {{int64_t(1) << 40, 5}}};
  EXPECT_EQ(overlap(a, b), Overlap::Yes);
  a.dims[0].stride = 6;
  b.dims[0].stride = 4;
  EXPECT_EQ(overlap(a, b), Overlap::No);
  b.base = 2;
  EXPECT_EQ(overlap(a, b), Overlap::Yes);
}

TEST(Overlap, SpanPastTheLimit) {
  ByteSet set{0, 2, {{3, int64_t(1) << 61}}};
  EXPECT_FALSE(set.span().has_value());
  set.dims[0].extent = 2;
  EXPECT_EQ(set.span(), (int64_t(1) << 61) + 2);
  set.dims[0].extent = 0;
  EXPECT_EQ(set.span(), 0);
}
