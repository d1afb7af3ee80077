//===- rows.cuh - Where sequences lie in a buffer -------------------------===//
//
// Offsets and lengths are read on the device and may hold anything: they are
// clamped here, so that no row outside the buffer is ever named. `starts` are
// the first rows of the sequences (batch + 1 offsets), `used` the prefix sums
// of their used lengths, `lengths` the used lengths of a batch layout, `rows`
// the rows held. A sequence below 0 does not exist and has no rows.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "weft/types.cuh"

WEFT_DEVICE int64_t clamp(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

/// First row of a sequence.
WEFT_DEVICE int64_t sequence_start(const int32_t *starts, int64_t rows,
                                   int64_t sequence) {
  return sequence < 0 ? 0 : clamp(starts[sequence], 0, rows);
}

/// Used length of a sequence of packed rows.
WEFT_DEVICE int64_t packed_length(const int32_t *starts, const int32_t *used,
                                  int64_t rows, int64_t sequence) {
  if (sequence < 0)
    return 0;
  int64_t length = static_cast<int64_t>(used[sequence + 1]) - used[sequence];
  return clamp(length, 0, rows - sequence_start(starts, rows, sequence));
}

/// Used length of a sequence of a batch layout with `seqlen` rows each.
WEFT_DEVICE int64_t padded_length(const int32_t *lengths, int64_t seqlen,
                                  int64_t sequence) {
  return clamp(lengths[sequence], 0, seqlen);
}

/// How many of the `count` rows from `first` on lie within `length`.
WEFT_DEVICE int32_t rows_within(int64_t length, int64_t first, int32_t count) {
  return static_cast<int32_t>(clamp(length - first, 0, count));
}

/// The slot of a sequence's first tile of `tile` rows: floor(start / tile) +
/// sequence. A sequence's tiles end before the next one's first slot.
WEFT_DEVICE int64_t first_slot(const int32_t *starts, int64_t rows,
                               int32_t tile, int64_t sequence) {
  return sequence_start(starts, rows, sequence) / tile + sequence;
}

/// The last sequence whose first slot is not past `slot`; -1: there is none.
WEFT_DEVICE int64_t sequence_of_slot(const int32_t *starts, int64_t rows,
                                     int64_t batch, int32_t tile,
                                     int64_t slot) {
  int64_t low = 0, high = batch;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (first_slot(starts, rows, tile, middle) <= slot)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

/// Sequences below `low` have their first slot at or before a slot that is
/// looked for, those from `high` on behind it. There are less than 2^31 slots,
/// and so sequences; producers have few registers.
struct slot_search {
  int32_t low, high;
};

/// How many of the sequences in between each of 32 lanes answers for.
WEFT_DEVICE int32_t search_share(slot_search search) {
  return static_cast<int32_t>(
      (static_cast<uint32_t>(search.high - search.low) + 31) / 32);
}
/// A lane's part of the search: whether the last sequence of its share has its
/// first slot at or before `slot`.
WEFT_DEVICE bool search_is_before(slot_search search, const int32_t *starts,
                                  int64_t rows, int32_t tile, uint32_t slot,
                                  int32_t lane) {
  int32_t last = search.low + (lane + 1) * search_share(search) - 1;
  if (last >= search.high)
    return false;
  int32_t start = starts[last], held = static_cast<int32_t>(rows);
  if (rows >> 31 == 0 && start > held)
    start = held;
  uint32_t before = start < 0 ? 0 : static_cast<uint32_t>(start);
  return before / static_cast<uint32_t>(tile) + static_cast<uint32_t>(last) <=
         slot;
}
/// What is left if the first `count` lanes said so and the next one did not.
WEFT_DEVICE slot_search search_narrowed(slot_search search, int32_t count) {
  int32_t share = search_share(search);
  int32_t low = search.low + count * share, high = low + share - 1;
  return {low, high < search.high ? high : search.high};
}

/// The last sequence that starts at or before `row`; -1: there is none.
WEFT_DEVICE int64_t sequence_of_row(const int32_t *starts, int64_t rows,
                                    int64_t batch, int64_t row) {
  int64_t low = 0, high = batch;
  while (low < high) {
    int64_t middle = (low + high) / 2;
    if (sequence_start(starts, rows, middle) <= row)
      low = middle + 1;
    else
      high = middle;
  }
  return low - 1;
}

/// Whether a row of a packed buffer belongs to no sequence.
WEFT_DEVICE bool is_unused_row(const int32_t *starts, const int32_t *used,
                               int64_t rows, int64_t batch, int64_t row) {
  int64_t sequence = sequence_of_row(starts, rows, batch, row);
  return sequence < 0 || row >= sequence_start(starts, rows, sequence) +
                                    packed_length(starts, used, rows, sequence);
}

/// The same where sequences use all of their rows and the starts never
/// decrease.
WEFT_DEVICE bool is_outside_row(const int32_t *starts, int64_t rows,
                                int64_t batch, int64_t row) {
  return batch < 1 || row < sequence_start(starts, rows, 0) ||
         row >= sequence_start(starts, rows, batch);
}

/// A thread's part of the question whether the starts never decrease: the
/// sequences `first`, `first + step`, ...
WEFT_DEVICE bool starts_in_order(const int32_t *starts, int64_t rows,
                                 int64_t batch, int32_t first, int32_t step) {
  bool in_order = true;
  for (int64_t i = first; i < batch; i += step)
    in_order &= starts[i] <= starts[i + 1] && starts[i + 1] <= rows;
  return in_order;
}

// ---- order of points -------------------------------------------------------
//
// Where the work of a tile grows with its number, a CTA takes units of two
// slots: a long tile of a sequence and a short one, which together are as much
// as any other two. Units are walked a group of heads at a time.

/// The tile that stands at a place of a sequence of so many tiles: the last,
/// the first, the last but one, .. With `odd` pairs begin at the second place,
/// and the first one has the tile of mean length.
WEFT_DEVICE int64_t paired_tile(int64_t place, int64_t tiles, bool odd) {
  if (place >= tiles)
    return place;
  int64_t middle = tiles / 2, paired = odd ? tiles - 1 : tiles;
  if (odd && place-- == 0)
    return middle;
  int64_t tile = place % 2 ? place / 2 : paired - 1 - place / 2;
  return odd && tile >= middle ? tile + 1 : tile;
}

/// How many of `heads` are walked together if `bytes` of each are to stay in a
/// cache for as long; at least one.
WEFT_DEVICE uint32_t heads_together(uint32_t heads, int64_t bytes,
                                    int64_t cache) {
  int64_t count = cache / (bytes < 1 ? 1 : bytes);
  return static_cast<uint32_t>(clamp(count, 1, heads));
}

/// Head and number of unit `unit` of `units` for each head: `together` heads
/// at a time, for each unit one head after the other.
WEFT_DEVICE uint32_t unit_head(uint32_t unit, uint32_t units, uint32_t heads,
                               uint32_t together) {
  uint32_t group = unit / (units * together), first = group * together;
  uint32_t size = heads - first < together ? heads - first : together;
  return first + (unit - first * units) % size;
}
WEFT_DEVICE uint32_t unit_number(uint32_t unit, uint32_t units, uint32_t heads,
                                 uint32_t together) {
  uint32_t group = unit / (units * together), first = group * together;
  uint32_t size = heads - first < together ? heads - first : together;
  return (unit - first * units) / size;
}

/// How many slots a CTA looks at that takes units cta, cta + ctas, .. of
/// `units`, with `slots` each.
WEFT_DEVICE uint32_t unit_steps(uint32_t units, uint32_t slots, uint32_t cta,
                                uint32_t ctas) {
  return cta < units ? ((units - 1 - cta) / ctas + 1) * slots : 0;
}
