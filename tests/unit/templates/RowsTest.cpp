//===- RowsTest.cpp - Sequences, slots and rows of no sequence ------------===//

#include "Device.h"

#include "weft/rows.cuh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace {

/// Offsets of sequences with gaps between them.
struct Side {
  std::vector<int32_t> starts, used;
  int64_t rows = 0;
  int64_t batch() const { return starts.size() - 1; }
};

Side randomSide(std::mt19937 &random) {
  Side side;
  auto draw = [&](int n) { return int32_t(random() % n); };
  int batch = draw(6);
  side.starts.push_back(draw(3) ? 0 : draw(70));
  side.used.push_back(0);
  for (int i = 0; i < batch; ++i) {
    int length = draw(3) ? draw(200) : draw(2);
    side.used.push_back(side.used.back() + length);
    side.starts.push_back(side.starts.back() + length +
                          (draw(2) ? draw(70) : 0));
  }
  side.rows = side.starts.back() + (draw(2) ? draw(50) : 0);
  return side;
}

/// What the lanes of a warp find together, and in how many rounds.
int64_t sequenceOfSlotByWarp(const Side &side, int tile, int64_t slot,
                             int *rounds = nullptr) {
  slot_search search = {0, int32_t(side.batch())};
  while (search.low < search.high) {
    int count = 0;
    while (count < 32 && search_is_before(search, side.starts.data(), side.rows,
                                          tile, slot, count))
      ++count;
    slot_search next = search_narrowed(search, count);
    // Else it would not end.
    EXPECT_LT(next.high - next.low, search.high - search.low);
    EXPECT_GE(next.low, search.low);
    EXPECT_LE(next.high, search.high);
    if (rounds)
      ++*rounds;
    if (testing::Test::HasFailure())
      return -1;
    search = next;
  }
  return search.low - 1;
}

// Every batch around a whole number of rounds and of shares, with sequences
// that are empty, short and long.
TEST(Rows, AWarpFindsTheSequenceThatAThreadFinds) {
  std::mt19937 random(6);
  std::vector<int64_t> batches;
  for (int64_t batch = 0; batch < 70; ++batch)
    batches.push_back(batch);
  for (int64_t batch : {1023, 1024, 1025, 3000})
    batches.push_back(batch);
  for (int64_t batch : batches) {
    Side side;
    side.starts.push_back(random() % 2 * 40);
    for (int64_t i = 0; i < batch; ++i) {
      int length = random() % 3 ? random() % 3 * 50 : 0;
      side.starts.push_back(side.starts.back() + length);
    }
    side.rows = side.starts.back() + random() % 40;
    int tile = 16 << random() % 4;
    int64_t slots = (side.rows + tile - 1) / tile + batch;
    for (int64_t slot = 0; slot < slots; ++slot) {
      int rounds = 0;
      ASSERT_EQ(
          sequenceOfSlotByWarp(side, tile, slot, &rounds),
          sequence_of_slot(side.starts.data(), side.rows, batch, tile, slot))
          << "batch " << batch << ", slot " << slot;
      ASSERT_LE(rounds, batch <= 32 ? 1 : batch <= 1024 ? 2 : 3);
    }
  }
}

TEST(Rows, EverySlotIsOneTileAndEveryTileHasOne) {
  std::mt19937 random(1);
  for (int round = 0; round < 2000; ++round) {
    Side side = randomSide(random);
    int tile = 16 << random() % 4;
    std::vector<std::vector<int>> seen(side.batch());
    for (int64_t b = 0; b < side.batch(); ++b)
      seen[b].assign((side.used[b + 1] - side.used[b] + tile - 1) / tile, 0);
    int64_t slots = (side.rows + tile - 1) / tile + side.batch();
    for (int64_t slot = 0; slot < slots; ++slot) {
      int64_t b = sequence_of_slot(side.starts.data(), side.rows, side.batch(),
                                   tile, slot);
      ASSERT_GE(b, -1);
      ASSERT_LT(b, side.batch());
      int64_t t = slot - first_slot(side.starts.data(), side.rows, tile, b);
      ASSERT_GE(t, 0);
      bool exists = t * tile < packed_length(side.starts.data(),
                                             side.used.data(), side.rows, b);
      if (exists)
        ++seen.at(b).at(t);
    }
    for (const std::vector<int> &tiles : seen)
      for (int count : tiles)
        ASSERT_EQ(count, 1);
  }
}

TEST(Rows, PairedPlacesHoldEveryTile) {
  for (int64_t tiles = 0; tiles < 40; ++tiles)
    for (bool odd : {false, true}) {
      std::vector<int> seen(tiles + 3, 0);
      for (int64_t place = 0; place < tiles + 3; ++place) {
        int64_t tile = paired_tile(place, tiles, odd);
        ASSERT_GE(tile, 0);
        ASSERT_LT(tile, tiles + 3);
        ++seen[tile];
        // What a pair costs is the same for all pairs of a sequence, give or
        // take the middle tile.
        if (place % 2 == int64_t(odd) && place + 1 < tiles) {
          int64_t cost = tile + paired_tile(place + 1, tiles, odd);
          ASSERT_GE(cost, tiles - 1 - int64_t(odd));
          ASSERT_LE(cost, tiles);
        }
      }
      for (int count : seen)
        ASSERT_EQ(count, 1);
    }
}

TEST(Rows, PairedTilesOfPackedSequencesAreEachTileOnce) {
  std::mt19937 random(3);
  for (int round = 0; round < 2000; ++round) {
    Side side = randomSide(random);
    const int32_t *starts = side.starts.data();
    int tile = 16 << random() % 4;
    std::vector<std::vector<int>> seen(side.batch());
    for (int64_t b = 0; b < side.batch(); ++b)
      seen[b].assign((side.used[b + 1] - side.used[b] + tile - 1) / tile, 0);
    int64_t slots = (side.rows + tile - 1) / tile + side.batch();
    for (int64_t slot = 0; slot < slots; ++slot) {
      int64_t b = sequence_of_slot(starts, side.rows, side.batch(), tile, slot);
      int64_t first = first_slot(starts, side.rows, tile, b);
      int64_t length = packed_length(starts, side.used.data(), side.rows, b);
      int64_t t =
          paired_tile(slot - first, (length + tile - 1) / tile, first % 2 != 0);
      ASSERT_GE(t, 0);
      if (t * tile < length)
        ++seen.at(b).at(t);
    }
    for (const std::vector<int> &tiles : seen)
      for (int count : tiles)
        ASSERT_EQ(count, 1);
  }
}

TEST(Rows, UnitsAreEverySlotOfEveryHeadOnce) {
  for (uint32_t slots : {1, 2, 3, 7, 8})
    for (uint32_t heads : {1, 2, 5, 12})
      for (uint32_t together = 1; together <= heads; ++together)
        for (uint32_t ctas : {1, 3, 10, 200})
          for (uint32_t pair : {1, 2}) {
            uint32_t units = (slots + pair - 1) / pair;
            std::vector<int> seen(slots * heads, 0);
            for (uint32_t cta = 0; cta < ctas; ++cta) {
              uint32_t steps = unit_steps(units * heads, pair, cta, ctas);
              for (uint32_t step = 0; step < steps; ++step) {
                uint32_t unit = step / pair * ctas + cta;
                uint32_t head = unit_head(unit, units, heads, together);
                uint32_t slot =
                    unit_number(unit, units, heads, together) * pair +
                    step % pair;
                if (slot < slots)
                  ++seen.at(slot * heads + head);
              }
            }
            for (int count : seen)
              ASSERT_EQ(count, 1);
          }
  EXPECT_EQ(heads_together(32, 4 << 20, 16 << 20), 4u);
  EXPECT_EQ(heads_together(32, int64_t(1) << 40, 16 << 20), 1u);
  EXPECT_EQ(heads_together(32, 0, 16 << 20), 32u);
}

TEST(Rows, UnusedRowsAreThoseOfNoSequence) {
  std::mt19937 random(2);
  for (int round = 0; round < 1000; ++round) {
    Side side = randomSide(random);
    std::vector<bool> used(side.rows, false);
    for (int64_t b = 0; b < side.batch(); ++b)
      for (int r = 0; r < side.used[b + 1] - side.used[b]; ++r)
        used[side.starts[b] + r] = true;
    for (int64_t row = 0; row < side.rows; ++row)
      ASSERT_EQ(is_unused_row(side.starts.data(), side.used.data(), side.rows,
                              side.batch(), row),
                !used[row]);
    bool inOrder = true;
    for (int thread = 0; thread < 3; ++thread)
      inOrder &= starts_in_order(side.starts.data(), side.rows, side.batch(),
                                 thread, 3);
    ASSERT_TRUE(inOrder);
  }
}

// Without padding the used lengths are the distances of the starts.
TEST(Rows, OutsideAreTheRowsInFrontAndBehind) {
  std::mt19937 random(4);
  for (int round = 0; round < 3000; ++round) {
    Side side = randomSide(random);
    if (round % 2)
      side.starts[random() % side.starts.size()] =
          int32_t(random() % 400) - 100;
    const int32_t *starts = side.starts.data();
    if (!starts_in_order(starts, side.rows, side.batch(), 0, 1))
      continue;
    for (int64_t row = 0; row < side.rows; ++row) {
      bool outside = is_outside_row(starts, side.rows, side.batch(), row);
      bool unused = is_unused_row(starts, starts, side.rows, side.batch(), row);
      // A start below 0 moves its sequence; no row is left out all the same.
      if (side.starts[0] >= 0)
        ASSERT_EQ(outside, unused) << "row " << row;
      else
        ASSERT_TRUE(outside || !unused) << "row " << row;
    }
  }
  EXPECT_TRUE(is_outside_row(nullptr, 5, 0, 3));
}

// Whatever the offsets hold, no row outside the buffer is named, and every row
// is either of a sequence, or unused, or the offsets are found out of order.
// Who looks for the sequences makes no difference to that.
TEST(Rows, MalformedOffsetsStayInside) {
  std::mt19937 random(3);
  for (int round = 0; round < 6000; ++round) {
    bool byWarp = round % 2;
    Side side = randomSide(random);
    for (std::vector<int32_t> *list : {&side.starts, &side.used})
      for (int32_t &offset : *list)
        if (random() % 3 == 0)
          offset =
              random() % 4 ? int32_t(random() % 400) - 100 : int32_t(random());
    int tile = 32;
    int64_t slots = (side.rows + tile - 1) / tile + side.batch();
    std::vector<bool> written(side.rows, false);
    for (int64_t slot = 0; slot < slots; ++slot) {
      int64_t b = byWarp ? sequenceOfSlotByWarp(side, tile, slot)
                         : sequence_of_slot(side.starts.data(), side.rows,
                                            side.batch(), tile, slot);
      ASSERT_GE(b, -1);
      ASSERT_LT(b, side.batch());
      int64_t t = slot - first_slot(side.starts.data(), side.rows, tile, b);
      ASSERT_GE(t, 0);
      int64_t start = sequence_start(side.starts.data(), side.rows, b);
      int64_t length =
          packed_length(side.starts.data(), side.used.data(), side.rows, b);
      ASSERT_GE(start, 0);
      ASSERT_GE(length, 0);
      ASSERT_LE(start + length, side.rows);
      if (t * tile >= length)
        continue;
      int left = rows_within(length, t * tile, tile);
      for (int r = 0; r < left; ++r)
        written.at(start + t * tile + r) = true;
    }
    bool inOrder =
        starts_in_order(side.starts.data(), side.rows, side.batch(), 0, 1);
    for (int64_t row = 0; row < side.rows; ++row)
      ASSERT_TRUE(!inOrder || written[row] ||
                  is_unused_row(side.starts.data(), side.used.data(), side.rows,
                                side.batch(), row))
          << "row " << row;
  }
}

// Of a buffer with rows rounded up each sequence has ceil(length / tile) tiles
// from its first slot on, of floor(rows held / tile) + batch in all. Every
// start, length, gap and tail of up to three sequences around one tile.
TEST(Rows, RoundedSequencesHaveTilesToThemselves) {
  constexpr int tile = 4;
  int64_t fullest = 0;
  auto check = [&](std::vector<int32_t> starts, std::vector<int32_t> used,
                   int64_t rows) {
    int64_t batch = starts.size() - 1, tiles = rows / tile + batch, end = 0;
    for (int64_t b = 0; b < batch; ++b) {
      int64_t length = packed_length(starts.data(), used.data(), rows, b);
      int64_t first = first_slot(starts.data(), rows, tile, b);
      ASSERT_GE(first, end);
      end = first + (length + tile - 1) / tile;
      ASSERT_LE(end, tiles);
    }
    fullest = std::max(fullest, end - (tiles - 1));
  };
  for (int before = 0; before < 2 * tile; ++before)
    for (int a = 0; a <= 2 * tile; ++a)
      for (int gap = 0; gap <= tile; ++gap)
        for (int b = 0; b <= 2 * tile; ++b)
          for (int c = 0; c <= tile + 1; ++c)
            for (int tail = 0; tail <= tile; ++tail)
              check({before, before + a + gap, before + a + gap + b,
                     before + a + gap + b + c},
                    {0, a, a + b, a + b + c}, before + a + gap + b + c + tail);
  // No tile less would do.
  EXPECT_EQ(fullest, 1);
  // Whatever the offsets hold, they name no tile behind the last.
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    Side side = randomSide(random);
    for (std::vector<int32_t> *list : {&side.starts, &side.used})
      for (int32_t &offset : *list)
        if (random() % 3 == 0)
          offset = int32_t(random() % 400) - 100;
    int64_t tiles = side.rows / tile + side.batch();
    for (int64_t b = 0; b < side.batch(); ++b)
      ASSERT_LE(first_slot(side.starts.data(), side.rows, tile, b) +
                    (packed_length(side.starts.data(), side.used.data(),
                                   side.rows, b) +
                     tile - 1) /
                        tile,
                tiles);
  }
}

TEST(Rows, BatchLengthsAreClamped) {
  std::vector<int32_t> lengths{-5, 0, 7, 1000000};
  EXPECT_EQ(padded_length(lengths.data(), 10, 0), 0);
  EXPECT_EQ(padded_length(lengths.data(), 10, 1), 0);
  EXPECT_EQ(padded_length(lengths.data(), 10, 2), 7);
  EXPECT_EQ(padded_length(lengths.data(), 10, 3), 10);
}

TEST(Rows, RowsWithin) {
  EXPECT_EQ(rows_within(100, 64, 64), 36);
  EXPECT_EQ(rows_within(100, 128, 64), 0);
  EXPECT_EQ(rows_within(int64_t(1) << 40, 0, 64), 64);
}

} // namespace
