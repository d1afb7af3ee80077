//===- PoisonTest.cpp - A view's own elements and no other ----------------===//

#include "runtime/cuda/Poison.h"

#include <gtest/gtest.h>

#include <vector>

using namespace weft;

namespace {

constexpr int64_t base = 1 << 12;

/// Applies the fills of a view of 2-byte elements to counters; the number of
/// fills is left in `fills`.
std::vector<int> counts(llvm::ArrayRef<ViewDim> dims, int *fills = nullptr) {
  std::vector<int> memory(16384, 0);
  int calls = 0;
  llvm::cantFail(forEachFill(base, 2, dims, [&](const StridedFill &fill) {
    ++calls;
    EXPECT_TRUE(fill.height == 1 || fill.pitch >= fill.width * 2);
    for (int64_t y = 0; y < fill.height; ++y)
      for (int64_t x = 0; x < fill.width; ++x)
        ++memory.at((fill.address - base + y * fill.pitch) / 2 + x);
    return llvm::Error::success();
  }));
  if (fills)
    *fills = calls;
  return memory;
}

/// The same by walking every element.
std::vector<int> expected(llvm::ArrayRef<ViewDim> dims) {
  std::vector<int> memory(16384, 0);
  std::vector<int64_t> index(dims.size(), 0);
  for (const ViewDim &dim : dims)
    if (dim.extent == 0)
      return memory;
  while (true) {
    int64_t at = 0;
    for (size_t d = 0; d < dims.size(); ++d)
      at += index[d] * dims[d].stride;
    ++memory.at(at);
    size_t d = 0;
    while (d < dims.size() && ++index[d] == dims[d].extent)
      index[d++] = 0;
    if (d == dims.size())
      return memory;
  }
}

TEST(Poison, CoversEachElementOnce) {
  const std::vector<std::vector<ViewDim>> views = {
      {{8, 1}, {5, 24}, {3, 8}, {2, 120}},   // packed bshd
      {{8, 1}, {5, 8}, {3, 40}, {2, 120}},   // packed bhsd
      {{8, 1}, {5, 72}, {3, 8}, {2, 360}},   // a third of an interleaved qkv
      {{8, 1}, {5, 100}, {3, 10}, {2, 700}}, // gaps everywhere
      {{8, 1}, {5, 30}, {3, 9}, {1, 0}},     // one batch, free stride
      {{1, 1}, {5, 1}, {3, 7}, {2, 50}},     // LSE with padding
      {{1, 1}, {5, 3}, {3, 1}, {2, 50}},     // LSE, heads innermost
      {{8, 1}, {5, 2000}, {1, 3}, {1, 0}},   // one head
      {{1, 1}, {1, 0}, {1, 0}, {1, 0}},      // one element
      {{8, 1}, {0, 8}, {3, 8}, {2, 0}},      // no rows
      {{8, 1}, {2, 30}, {3, 100}, {2, 11}},  // strides in no usual order
  };
  for (size_t i = 0; i < views.size(); ++i)
    EXPECT_EQ(counts(views[i]), expected(views[i])) << "view " << i;
}

TEST(Poison, PackedIsOneFill) {
  int fills = 0;
  counts({{8, 1}, {5, 24}, {3, 8}, {2, 120}}, &fills);
  EXPECT_EQ(fills, 1);
  counts({{8, 1}, {5, 72}, {3, 8}, {2, 360}}, &fills);
  EXPECT_EQ(fills, 1);
  counts({{8, 1}, {0, 8}, {3, 8}, {2, 0}}, &fills);
  EXPECT_EQ(fills, 0);
}

TEST(Poison, WideStridesDoNotBecomeAPitch) {
  std::vector<StridedFill> fills;
  int64_t wide = int64_t(1) << 31;
  const ViewDim dims[] = {{8, 1}, {3, wide}, {2, 8}};
  llvm::cantFail(forEachFill(base, 2, dims, [&](const StridedFill &fill) {
    fills.push_back(fill);
    return llvm::Error::success();
  }));
  ASSERT_EQ(fills.size(), 3u);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(fills[i].address, uint64_t(base + i * wide * 2));
    EXPECT_EQ(fills[i].width, 16);
    EXPECT_EQ(fills[i].height, 1);
  }
}

TEST(Poison, StopsAtAnError) {
  int calls = 0;
  llvm::Error error = forEachFill(base, 2, {{8, 1}, {3, 100}, {2, 1000}},
                                  [&](const StridedFill &) {
                                    ++calls;
                                    return llvm::createStringError("stop");
                                  });
  EXPECT_EQ(llvm::toString(std::move(error)), "stop");
  EXPECT_EQ(calls, 1);
}

} // namespace
