//===- FragmentsTest.cpp - Fragments against the tables of the PTX ISA ----===//
//
// ldmatrix and mma.m16n8k16 are acted out for the 32 lanes of a warp, as the
// PTX ISA defines them. Emitted products walk blocks as here; the elements they
// leave in a lane must be those that `row_of` and `column_of` name.
//
//===----------------------------------------------------------------------===//

#include "Device.h"

#include "weft/fragments.cuh"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <vector>

namespace {

constexpr int kLanes = 32;
using Words = std::array<std::array<uint32_t, 4>, kLanes>;

/// Shared memory with 16-bit integers for elements; sums are exact.
struct Shared {
  explicit Shared(int bytes) : bytes(bytes) {}
  std::vector<uint8_t> bytes;
  void put(int address, uint16_t value) {
    std::memcpy(&bytes.at(address), &value, 2);
  }
  uint16_t get(int address) const {
    uint16_t value;
    std::memcpy(&value, &bytes.at(address), 2);
    return value;
  }
};

/// ldmatrix.x4 [.trans]: lane 8 m + r names row r of matrix m. A lane gets of
/// each matrix row lane / 4, columns 2 (lane % 4) and the next; of the
/// transpose with `transposed`.
Words loadMatrix(const Shared &shared,
                 const std::array<uint32_t, kLanes> &addresses,
                 bool transposed) {
  Words words;
  for (int matrix = 0; matrix < 4; ++matrix)
    for (int lane = 0; lane < kLanes; ++lane) {
      uint16_t halves[2];
      for (int i = 0; i < 2; ++i) {
        int row = lane / 4, column = lane % 4 * 2 + i;
        if (transposed)
          std::swap(row, column);
        EXPECT_EQ(addresses[8 * matrix + row] % 16, 0u);
        halves[i] = shared.get(addresses[8 * matrix + row] + 2 * column);
      }
      words[lane][matrix] = halves[0] | uint32_t(halves[1]) << 16;
    }
  return words;
}

int halfOf(uint32_t word, int i) { return int16_t(word >> (16 * i)); }

/// The tables of "Matrix Fragments for mma.m16n8k16" (16-bit types).
struct Place {
  int row, column;
};
Place placeOfA(int lane, int i) { // i of a0..a7
  bool upper = i < 2 || (i >= 4 && i < 6);
  return {lane / 4 + (upper ? 0 : 8), lane % 4 * 2 + i % 2 + (i < 4 ? 0 : 8)};
}
Place placeOfB(int lane, int i) { // i of b0..b3
  return {lane % 4 * 2 + i % 2 + (i < 2 ? 0 : 8), lane / 4};
}
Place placeOfC(int lane, int i) { // i of c0..c3
  return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2};
}

using Accumulator = std::array<std::vector<float>, kLanes>;

/// mma.m16n8k16 on `d` from element `first` on, with a's words from `firstA`
/// and b's from `firstB` of each lane.
template <typename A>
void multiplyAdd(Accumulator &d, int first, const A &a, int firstA,
                 const Words &b, int firstB) {
  float ma[16][16], mb[16][8];
  for (int lane = 0; lane < kLanes; ++lane) {
    for (int i = 0; i < 8; ++i) {
      Place p = placeOfA(lane, i);
      ma[p.row][p.column] = halfOf(a[lane][firstA + i / 2], i % 2);
    }
    for (int i = 0; i < 4; ++i) {
      Place p = placeOfB(lane, i);
      mb[p.row][p.column] = halfOf(b[lane][firstB + i / 2], i % 2);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane)
    for (int i = 0; i < 4; ++i) {
      Place p = placeOfC(lane, i);
      for (int k = 0; k < 16; ++k)
        d[lane][first + i] += ma[p.row][k] * mb[k][p.column];
    }
}

int valueAt(int row, int column, int seed) {
  return (row * 7 + column * 13 + seed) % 11 - 5;
}

/// A tile in shared memory as `!warp.shared` lays it out.
template <int rows, int columns> struct Tile {
  static constexpr int stride = 2 * columns + 16;
  Shared shared{rows * stride};
  explicit Tile(int seed) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c)
        shared.put(r * stride + 2 * c, valueAt(r, c, seed));
  }
};

template <typename Offset>
std::array<uint32_t, kLanes> addresses(int base, Offset offset) {
  std::array<uint32_t, kLanes> result;
  for (int lane = 0; lane < kLanes; ++lane)
    result[lane] = base + offset(lane);
  return result;
}

/// One warp's part, rows [firstRow, firstRow + m), of a [.., k] times b [k, n],
/// or b [n, k] transposed, walked as `warp-to-emitc` writes it.
template <int M, int N, int K, bool transposed>
void checkProduct(int firstRow) {
  Tile<2 * M, K> a(3);
  Tile<transposed ? N : K, transposed ? K : N> b(8);
  constexpr int bStride = decltype(b)::stride;
  constexpr int mBlocks = M / 16, nBlocks = N / 16, kBlocks = K / 16;
  Accumulator acc;
  for (auto &lane : acc)
    lane.assign(M * N / 32, 0);
  for (int k = 0; k < kBlocks; ++k) {
    std::vector<Words> aWords;
    for (int m = 0; m < mBlocks; ++m)
      aWords.push_back(
          loadMatrix(a.shared,
                     addresses(firstRow * a.stride + m * 16 * a.stride + k * 32,
                               block_offset<decltype(a)::stride>),
                     false));
    for (int n = 0; n < nBlocks; ++n) {
      int row = transposed ? n : k, column = transposed ? k : n;
      int base = row * 16 * bStride + column * 32;
      Words bWords =
          transposed
              ? loadMatrix(b.shared,
                           addresses(base, block_offset_transposed<bStride>),
                           false)
              : loadMatrix(b.shared, addresses(base, block_offset<bStride>),
                           true);
      for (int m = 0; m < mBlocks; ++m)
        for (int half = 0; half < 2; ++half)
          multiplyAdd(acc, (m * nBlocks + n) * 8 + 4 * half, aWords[m], 0,
                      bWords, 2 * half);
    }
  }
  for (int lane = 0; lane < kLanes; ++lane)
    for (int e = 0; e < M * N / 32; ++e) {
      int row = row_of<N>(e, lane), column = column_of<N>(e, lane);
      float expected = 0;
      for (int k = 0; k < K; ++k)
        expected +=
            valueAt(firstRow + row, k, 3) *
            (transposed ? valueAt(column, k, 8) : valueAt(k, column, 8));
      ASSERT_EQ(acc[lane][e], expected)
          << "lane " << lane << " element " << e << " row " << row << " column "
          << column;
    }
}

TEST(Fragments, ProductWithTransposedTile) {
  checkProduct<16, 16, 16, true>(0);
  checkProduct<32, 64, 48, true>(32);
  checkProduct<16, 80, 32, true>(16);
}

TEST(Fragments, ProductWithTile) {
  checkProduct<16, 16, 16, false>(0);
  checkProduct<32, 48, 64, false>(32);
  checkProduct<16, 96, 32, false>(16);
}

// An accumulator [M, K], packed word by word, is the A operand of the next
// product: word (m K/16 + k) 4 + i is register i of block (m, k).
TEST(Fragments, AccumulatorPacksToOperand) {
  constexpr int M = 32, K = 48, N = 32;
  std::array<std::vector<uint32_t>, kLanes> words;
  for (int lane = 0; lane < kLanes; ++lane)
    for (int w = 0; w < M * K / 64; ++w) {
      uint32_t halves[2];
      for (int i = 0; i < 2; ++i)
        halves[i] = uint16_t(valueAt(row_of<K>(2 * w + i, lane),
                                     column_of<K>(2 * w + i, lane), 1));
      words[lane].push_back(halves[0] | halves[1] << 16);
    }
  Tile<K, N> b(5);
  Accumulator acc;
  for (auto &lane : acc)
    lane.assign(M * N / 32, 0);
  for (int k = 0; k < K / 16; ++k)
    for (int n = 0; n < N / 16; ++n) {
      Words bWords = loadMatrix(b.shared,
                                addresses(k * 16 * b.stride + n * 32,
                                          block_offset<decltype(b)::stride>),
                                true);
      for (int m = 0; m < M / 16; ++m)
        for (int half = 0; half < 2; ++half)
          multiplyAdd(acc, (m * (N / 16) + n) * 8 + 4 * half, words,
                      (m * (K / 16) + k) * 4, bWords, 2 * half);
    }
  for (int lane = 0; lane < kLanes; ++lane)
    for (int e = 0; e < M * N / 32; ++e) {
      float expected = 0;
      for (int k = 0; k < K; ++k)
        expected += valueAt(row_of<N>(e, lane), k, 1) *
                    valueAt(k, column_of<N>(e, lane), 5);
      ASSERT_EQ(acc[lane][e], expected) << "lane " << lane << " element " << e;
    }
}

// The formulas of the warp dialect's table, each element held exactly once.
TEST(Fragments, ElementsAsTheDialectSays) {
  constexpr int M = 32, N = 48;
  std::vector<int> held(M * N, 0);
  for (int lane = 0; lane < kLanes; ++lane)
    for (int e = 0; e < M * N / 32; ++e) {
      int row = 16 * (e / 4 / (N / 8)) + 8 * (e / 2 % 2) + lane / 4;
      int column = 8 * (e / 4 % (N / 8)) + 2 * (lane % 4) + e % 2;
      EXPECT_EQ(row_of<N>(e, lane), row);
      EXPECT_EQ(column_of<N>(e, lane), column);
      EXPECT_EQ(row_step<N>(e) + lane_row(lane), row);
      EXPECT_EQ(column_step<N>(e) + lane_column(lane), column);
      // The vectors' elements that belong to it lie in the same row or column.
      EXPECT_EQ(row_of_slot(row_slot<N>(e), lane), row);
      EXPECT_EQ(column_of_slot(column_slot<N>(e), lane), column);
      ++held[row * N + column];
    }
  for (int count : held)
    EXPECT_EQ(count, 1);
}

// Eight rows that one ldmatrix phase reads lie in eight different groups of
// four banks.
TEST(Fragments, PaddedRowsMeetNoBankConflict) {
  for (int columns = 16; columns <= 256; columns += 16) {
    int stride = 2 * columns + 16, groups = 0;
    for (int row = 0; row < 8; ++row)
      groups |= 1 << (row * stride / 16 % 8);
    EXPECT_EQ(groups, 255) << columns;
  }
}

TEST(Fragments, VectorsPutALanesColumnsTogether) {
  for (int32_t lane = 0; lane < 32; ++lane)
    for (int32_t e = 0; e < 16; ++e)
      EXPECT_EQ(vector_place(column_of_slot(e, lane)),
                e / 4 * 16 + lane % 4 * 4 + e % 4);
}

} // namespace
