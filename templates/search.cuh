//===- search.cuh - A warp looks for the sequence of a slot ---------------===//

#pragma once

#include "weft/rows.cuh"
#include "weft/thread.cuh"

/// The last sequence whose first slot is not past `slot`; -1: there is none.
/// All lanes of the warp ask for the same slot, and look at 32 offsets at once:
/// two rounds for up to 1024 sequences.
WEFT_DEVICE int64_t sequence_of_slot_by_warp(const int32_t *starts,
                                             int64_t rows, int64_t batch,
                                             int32_t tile, uint32_t slot,
                                             int32_t lane) {
  slot_search search = {0, static_cast<int32_t>(batch)};
  while (search.low < search.high) {
    uint32_t before =
        lanes_where(search_is_before(search, starts, rows, tile, slot, lane));
    search = search_narrowed(search, first_lane(~before));
  }
  return search.low - 1;
}
