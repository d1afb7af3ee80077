//===- Side.cpp - The sequences and row domains of one side ---------------===//

#include "runtime/reference/Side.h"

#include <algorithm>

using namespace weft;
using namespace weft::reference;

static void readThd(Side &side, const SideSizes &sizes, int64_t batch) {
  const int32_t *used = sizes.cuSeqlens;
  const int32_t *start = sizes.cuSeqlensPadded ? sizes.cuSeqlensPadded : used;
  auto clamped = [&](int64_t row) {
    return std::clamp<int64_t>(row, 0, side.rows);
  };
  for (int64_t b = 0; b < batch; ++b) {
    int64_t length = int64_t(used[b + 1]) - used[b];
    int64_t slot = int64_t(start[b + 1]) - start[b];
    if (start[b] < 0 || start[b + 1] > side.rows || length < 0 || length > slot)
      side.wellFormed = false;
    int64_t first = clamped(start[b]);
    side.sequences.push_back(
        {first, std::clamp<int64_t>(length, 0, side.rows - first)});
  }
  if (batch == 0 && (start[0] < 0 || start[0] > side.rows))
    side.wellFormed = false;
  std::fill(side.domains.begin() + clamped(start[batch]), side.domains.end(),
            TailRows);
}

static void readBatch(Side &side, const SideSizes &sizes, int64_t batch) {
  for (int64_t b = 0; b < batch; ++b) {
    int64_t used = sizes.seqlens ? sizes.seqlens[b] : side.seqlen;
    side.sequences.push_back(
        {b * side.seqlen, std::clamp<int64_t>(used, 0, side.seqlen)});
  }
}

Side Side::read(const SideSizes &sizes, int64_t batch, std::string name) {
  Side side;
  side.name = std::move(name);
  side.heads = sizes.heads;
  side.rows = sizes.rows;
  side.seqlen = sizes.seqlen;
  side.thd = sizes.cuSeqlens;
  side.domains.assign(size_t(side.rows), GapRows);
  if (side.thd)
    readThd(side, sizes, batch);
  else
    readBatch(side, sizes, batch);
  if (!side.wellFormed)
    std::fill(side.domains.begin(), side.domains.end(), GapRows);
  side.markSequences();
  return side;
}

void Side::markSequences() {
  for (const Sequence &sequence : sequences)
    for (int64_t i = 0; i < sequence.used; ++i)
      domains[size_t(sequence.start + i)] =
          wellFormed ? ValidRows : RowDomains(GapRows | ValidRows);
}

Side Side::rounded(int64_t tile) const {
  auto tilesOf = [&](int64_t rows) { return rows / tile + (rows % tile != 0); };
  int64_t batch = int64_t(sequences.size());
  Side side = *this;
  side.name += " (rounded to " + std::to_string(tile) + ")";
  side.seqlen = tilesOf(seqlen) * tile;
  side.rows = thd ? (rows / tile + batch) * tile : batch * side.seqlen;
  side.domains.assign(size_t(side.rows), GapRows);
  if (thd && wellFormed) {
    // Where the next sequence's tiles would begin.
    int64_t end =
        std::find(domains.begin(), domains.end(), TailRows) - domains.begin();
    std::fill(side.domains.begin() + (end / tile + batch) * tile,
              side.domains.end(), TailRows);
  }
  for (int64_t b = 0; b < batch; ++b) {
    Sequence &sequence = side.sequences[size_t(b)];
    sequence.start = thd ? (sequence.start / tile + b) * tile : b * side.seqlen;
    sequence.used = tilesOf(sequence.used) * tile;
  }
  side.markSequences();
  return side;
}

std::string Side::describeRow(int64_t row) const {
  std::string text = "row " + std::to_string(row) + " of the " + name + " side";
  for (size_t b = 0; b < sequences.size(); ++b)
    if (row >= sequences[b].start &&
        row < sequences[b].start + sequences[b].used)
      return text + " (row " + std::to_string(row - sequences[b].start) +
             " of sequence " + std::to_string(b) + ")";
  return text +
         (domains[size_t(row)] & TailRows ? " (a tail row)" : " (a gap row)");
}
