//===- rings.cuh - Tiles that one thread copies and others use ------------===//
//
// A ring is a number of tiles in shared memory and two barriers for each: full
// and empty, 8 bytes each, all of the full ones first. The producer's thread,
// or one lane of its warp, starts bulk copies; a consumer is a warpgroup. Both
// sides walk the slots in turn, each with its own cursors, which `ring_advance`
// moves on.
//
// Named barriers of the consumers: 1 all of them, 2 to 4 each alone, 5 to 7 the
// turns of each.
//
// Tiles have the 128-byte swizzle: blocks of 64 columns one after the other, a
// block's row being 128 bytes whose 16-byte chunks stand at chunk ^ (row % 8).
//
//===----------------------------------------------------------------------===//

#pragma once

#include "weft/fragments.cuh"
#include "weft/types.cuh"

/// What the host describes for a bulk copy: a tensor of (columns, rows, heads,
/// batch) and a box of 64 columns and a tile's rows.
struct alignas(64) tensor_map {
  uint32_t opaque[32];
};

/// The next slot of a ring, and which pass over the ring it is in (0 or 1).
struct ring_cursor {
  int32_t slot, phase;
};

template <int stages> WEFT_DEVICE void ring_advance(ring_cursor *cursor) {
  if (stages == 1) {
    cursor->phase ^= 1;
  } else if (++cursor->slot == stages) {
    cursor->slot = 0;
    cursor->phase ^= 1;
  }
}

// ---- barriers --------------------------------------------------------------

WEFT_DEVICE void barrier_init(uint32_t barrier, int32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;"
               :
               : "r"(barrier), "r"(count)
               : "memory");
}
WEFT_DEVICE void barrier_arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];"
               :
               : "r"(barrier)
               : "memory");
}
/// Arrives, and says that copies will bring so many bytes.
WEFT_DEVICE void barrier_expect(uint32_t barrier, int32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;"
               :
               : "r"(barrier), "r"(bytes)
               : "memory");
}
/// Waits until the phase of that parity is complete. Of a fresh barrier the
/// phase of parity 1 is.
WEFT_DEVICE void barrier_wait(uint32_t barrier, int32_t parity) {
  asm volatile("{\n"
               ".reg .pred done;\n"
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n"
               "@!done bra again;\n"
               "}"
               :
               : "r"(barrier), "r"(parity)
               : "memory");
}

/// Makes a ring's barriers ready: so many arrivals fill a slot and empty it.
template <int stages>
WEFT_DEVICE void ring_init(uint32_t barriers, int32_t producers,
                           int32_t consumers) {
#pragma unroll
  for (int i = 0; i < stages; ++i) {
    barrier_init(barriers + 8 * i, producers);
    barrier_init(barriers + 8 * (stages + i), consumers);
  }
}
/// Bulk copies see barriers that were made ready before.
WEFT_DEVICE void ring_init_done() {
  asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

// ---- producer --------------------------------------------------------------

/// Waits until the next slot is empty and starts the copy that fills it: `rows`
/// rows from `row` on and `blocks` * 64 columns. What is outside the tensor is
/// zero.
template <int stages, int rows, int blocks>
WEFT_DEVICE void ring_send(uint32_t ring, uint32_t barriers,
                           const ring_cursor *cursor, const tensor_map &map,
                           int32_t row, int32_t head, int32_t sequence) {
  constexpr int blockBytes = rows * 128;
  uint32_t full = barriers + 8 * cursor->slot;
  barrier_wait(full + 8 * stages, cursor->phase ^ 1);
  barrier_expect(full, blocks * blockBytes);
  uint32_t target = ring + cursor->slot * (blocks * blockBytes);
#pragma unroll
  for (int block = 0; block < blocks; ++block)
    asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::"
                 "complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], [%6];"
                 :
                 : "r"(target + block * blockBytes), "l"(&map), "r"(64 * block),
                   "r"(row), "r"(head), "r"(sequence), "r"(full)
                 : "memory");
}

/// The same for all lanes of a warp together: one of them copies. No branch
/// parts them, which would cost registers that producers do not have.
template <int stages, int rows, int blocks>
WEFT_DEVICE void ring_send_by_warp(uint32_t ring, uint32_t barriers,
                                   const ring_cursor *cursor,
                                   const tensor_map &map, int32_t row,
                                   int32_t head, int32_t sequence) {
  constexpr int blockBytes = rows * 128;
  uint32_t full = barriers + 8 * cursor->slot;
  barrier_wait(full + 8 * stages, cursor->phase ^ 1);
  asm volatile("{\n"
               ".reg .pred one;\n"
               "elect.sync _|one, 0xffffffff;\n"
               "@one mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n"
               "}"
               :
               : "r"(full), "n"(blocks * blockBytes)
               : "memory");
  uint32_t target = ring + cursor->slot * (blocks * blockBytes);
#pragma unroll
  for (int block = 0; block < blocks; ++block)
    asm volatile("{\n"
                 ".reg .pred one;\n"
                 "elect.sync _|one, 0xffffffff;\n"
                 "@one cp.async.bulk.tensor.4d.shared::cluster.global."
                 "mbarrier::complete_tx::bytes [%0], [%1, {%2, %3, %4, %5}], "
                 "[%6];\n"
                 "}"
                 :
                 : "r"(target + block * blockBytes), "l"(&map), "r"(64 * block),
                   "r"(row), "r"(head), "r"(sequence), "r"(full)
                 : "memory");
}

/// The lanes of a warp copy a vector of `rows` values of rows `stride` apart
/// into the next slot; of those only `left` exist, the others are `pad`.
template <int stages, int rows>
WEFT_DEVICE void ring_send_vector(uint32_t ring, uint32_t barriers,
                                  const ring_cursor *cursor,
                                  const float *source, int64_t stride,
                                  int32_t left, float pad, int32_t lane) {
  uint32_t full = barriers + 8 * cursor->slot;
  barrier_wait(full + 8 * stages, cursor->phase ^ 1);
  uint32_t target = ring + cursor->slot * (rows * 4);
  constexpr int count = (rows + 31) / 32;
  float values[count];
#pragma unroll
  for (int i = 0; i < count; ++i) {
    int row = lane + 32 * i;
    values[i] = row < left ? source[row * stride] : pad;
  }
#pragma unroll
  for (int i = 0; i < count; ++i)
    if (int row = lane + 32 * i; rows % 32 == 0 || row < rows)
      asm volatile("st.shared.f32 [%0], %1;"
                   :
                   : "r"(target + 4 * vector_place(row)), "f"(values[i])
                   : "memory");
  barrier_arrive(full);
}

/// Copies a vector that lies as lanes want it into the next slot.
template <int stages, int bytes>
WEFT_DEVICE void ring_send_piece(uint32_t ring, uint32_t barriers,
                                 const ring_cursor *cursor,
                                 const float *source) {
  uint32_t full = barriers + 8 * cursor->slot;
  barrier_wait(full + 8 * stages, cursor->phase ^ 1);
  barrier_expect(full, bytes);
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%0], [%1], %2, [%3];"
               :
               : "r"(ring + cursor->slot * bytes), "l"(source), "n"(bytes),
                 "r"(full)
               : "memory");
}

// ---- consumers -------------------------------------------------------------

/// Waits for the next tile; its address.
template <int stages, int bytes>
WEFT_DEVICE uint32_t ring_receive(uint32_t ring, uint32_t barriers,
                                  const ring_cursor *cursor) {
  barrier_wait(barriers + 8 * cursor->slot, cursor->phase);
  return ring + cursor->slot * bytes;
}

/// The same where `when` holds, and then the cursor moves on; else the address
/// alone.
template <int stages, int bytes>
WEFT_DEVICE uint32_t ring_receive_when(uint32_t ring, uint32_t barriers,
                                       ring_cursor *cursor, bool when) {
  uint32_t tile = ring + cursor->slot * bytes;
  if (when) {
    barrier_wait(barriers + 8 * cursor->slot, cursor->phase);
    ring_advance<stages>(cursor);
  }
  return tile;
}

/// The slot `back` before the cursor's.
template <int stages, int back>
WEFT_DEVICE int32_t ring_slot(const ring_cursor *cursor) {
  int32_t slot = cursor->slot - back % stages;
  if (stages == 2)
    slot = cursor->slot ^ back % 2;
  else if (slot < 0)
    slot += stages;
  return slot;
}

/// The tile `back` slots before the cursor's.
template <int stages, int bytes, int back>
WEFT_DEVICE uint32_t ring_held(uint32_t ring, const ring_cursor *cursor) {
  return ring + ring_slot<stages, back>(cursor) * bytes;
}
/// The same where `when` holds, else the next one, which is waited for.
template <int stages, int bytes, int back>
WEFT_DEVICE uint32_t ring_held_or_next(uint32_t ring, uint32_t barriers,
                                       const ring_cursor *cursor, bool when) {
  static_assert(back == 1, "the cursor is at the next one");
  if (!when)
    barrier_wait(barriers + 8 * cursor->slot, cursor->phase);
  int32_t slot = when ? ring_slot<stages, back>(cursor) : cursor->slot;
  return ring + slot * bytes;
}

/// Each warp puts 16 rows of an A operand, turned, into the next slot: as
/// columns of a swizzled tile of `rows` rows. `words` are a lane's.
template <int stages, int rows, int blocks>
WEFT_DEVICE void ring_deposit(uint32_t ring, uint32_t barriers,
                              const ring_cursor *cursor, const uint32_t *words,
                              int32_t warp, int32_t lane) {
  constexpr int blockBytes = rows * 128;
  uint32_t full = barriers + 8 * cursor->slot;
  barrier_wait(full + 8 * stages, cursor->phase ^ 1);
  // 16 columns are two chunks of 16 bytes, in a block of four warps.
  int32_t row = lane / 16 * 8 + lane % 8;
  int32_t chunk = (warp % 4 * 2 + lane / 8 % 2) ^ lane % 8;
  uint32_t target = ring + cursor->slot * (blocks * blockBytes) +
                    warp / 4 * blockBytes + row * 128 + chunk * 16;
#pragma unroll
  for (int i = 0; i < rows / 16; ++i)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], "
                 "{%1, %2, %3, %4};"
                 :
                 : "r"(target + i * 2048), "r"(words[4 * i]),
                   "r"(words[4 * i + 1]), "r"(words[4 * i + 2]),
                   "r"(words[4 * i + 3])
                 : "memory");
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  __syncwarp();
  if (lane == 0)
    barrier_arrive(full);
}

/// The empty barrier of the slot `back` before the cursor's.
template <int stages, int back>
WEFT_DEVICE uint32_t ring_empty(uint32_t barriers, const ring_cursor *cursor) {
  return barriers + 8 * (ring_slot<stages, back>(cursor) + stages);
}

/// Gives back the tile `back` slots before the cursor's.
template <int stages, int back>
WEFT_DEVICE void ring_give_back(uint32_t barriers, const ring_cursor *cursor,
                                int32_t thread) {
  if (thread % 128 == 0)
    barrier_arrive(ring_empty<stages, back>(barriers, cursor));
}

/// The same for a vector, which every thread reads for itself. Every thread
/// says so too: racecheck does not follow one lane that speaks for its warp.
template <int stages, int back>
WEFT_DEVICE void ring_give_back_vector(uint32_t barriers,
                                       const ring_cursor *cursor) {
  barrier_arrive(ring_empty<stages, back>(barriers, cursor));
}

/// The values of a lane's columns of a vector.
template <int columns>
WEFT_DEVICE void read_columns(float *values, uint32_t vector, int32_t lane) {
#pragma unroll
  for (int block = 0; block < columns / 16; ++block)
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(values[4 * block]), "=f"(values[4 * block + 1]),
                   "=f"(values[4 * block + 2]), "=f"(values[4 * block + 3])
                 : "r"(vector + 64 * block + 16 * (lane % 4))
                 : "memory");
}

/// The warpgroups of `consumers` come one after the other, round and round:
/// each waits for its turn, at a barrier of its own, where the one before
/// arrives.
template <int consumers> WEFT_DEVICE void take_turn(int32_t warpgroup) {
  asm volatile("bar.sync %0, 256;" : : "r"(5 + warpgroup) : "memory");
}
template <int consumers> WEFT_DEVICE void pass_turn(int32_t warpgroup) {
  int32_t next = warpgroup == consumers - 1 ? 0 : warpgroup + 1;
  asm volatile("bar.arrive %0, 256;" : : "r"(5 + next) : "memory");
}

/// The consumers set the rows of a tile from `first` on to zero and wait for
/// one another; products see the zeros.
template <int rows, int blocks, int threads>
WEFT_DEVICE void clear_rows(uint32_t tile, int64_t first, int32_t thread) {
  int32_t begin = first < 0      ? 0
                  : first < rows ? static_cast<int32_t>(first)
                                 : rows;
  for (int32_t chunk = begin * 8 + thread; chunk < rows * 8; chunk += threads)
#pragma unroll
    for (int block = 0; block < blocks; ++block)
      asm volatile("st.shared.v4.b32 [%0], {%1, %1, %1, %1};"
                   :
                   : "r"(tile + block * (rows * 128) + chunk * 16), "r"(0)
                   : "memory");
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  asm volatile("bar.sync 1, %0;" : : "n"(threads) : "memory");
}

// ---- a warp's rows out of registers ----------------------------------------

/// Puts 16 rows of an accumulator, rounded, into a swizzled tile of `rows`
/// rows: `tile` is the first of the 16. `words` are a lane's pairs of elements.
template <int rows, int columns>
WEFT_DEVICE void stage_rows(uint32_t tile, const uint32_t *words,
                            int32_t lane) {
#pragma unroll
  for (int i = 0; i < columns / 16; ++i) {
    int32_t row = lane % 16, chunk = 2 * i + lane / 16;
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], "
                 "{%1, %2, %3, %4};"
                 :
                 : "r"(tile + chunk / 8 * (rows * 128) + row * 128 +
                       (chunk ^ row) % 8 * 16),
                   "r"(words[4 * i]), "r"(words[4 * i + 1]),
                   "r"(words[4 * i + 2]), "r"(words[4 * i + 3])
                 : "memory");
  }
  __syncwarp();
}

/// Stores 16 such rows, as far as there are `left`, from `target` on.
template <int rows, int columns>
WEFT_DEVICE void store_staged(uint32_t tile, uint16_t *target, int64_t stride,
                              int32_t left, int32_t lane) {
#pragma unroll
  for (int i = 0; i < columns / 16; ++i) {
    int32_t at = 32 * i + lane;
    int32_t row = at / (columns / 8), chunk = at % (columns / 8);
    uint32_t a, b, c, d;
    asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                 : "r"(tile + chunk / 8 * (rows * 128) + row * 128 +
                       (chunk ^ row) % 8 * 16)
                 : "memory");
    if (row < left)
      asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};"
                   :
                   : "l"(target + row * stride + chunk * 8), "r"(a), "r"(b),
                     "r"(c), "r"(d)
                   : "memory");
  }
}

/// All warps of a warpgroup have read what they staged; bulk copies may follow.
WEFT_DEVICE void staging_done(int32_t warpgroup) {
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  asm volatile("bar.sync %0, 128;" : : "r"(2 + warpgroup) : "memory");
}

/// Puts a lane's values of fragments into the warp's own place in shared
/// memory, whose last content has to be read first.
template <int count>
WEFT_DEVICE void stage_fragments(uint32_t staged, const float *values,
                                 int32_t lane) {
  if (lane == 0)
    asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
  __syncwarp();
#pragma unroll
  for (int i = 0; i < count / 4; ++i)
    asm volatile("st.shared.v4.f32 [%0], {%1, %2, %3, %4};"
                 :
                 : "r"(staged + i * 512 + lane * 16), "f"(values[4 * i]),
                   "f"(values[4 * i + 1]), "f"(values[4 * i + 2]),
                   "f"(values[4 * i + 3])
                 : "memory");
}

/// Adds what a warp has put there to memory: to `target`, which is the lane's
/// first value. Blocks of 64 columns are `block_stride` elements apart.
template <int columns, int block_stride>
WEFT_DEVICE void add_staged(float *target, uint32_t staged, int32_t lane) {
  constexpr int own = columns < 64 ? columns : 64;
  asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
  __syncwarp();
  if (lane == 0) {
#pragma unroll
    for (int block = 0; block < columns / own; ++block)
      asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 "
                   "[%0], [%1], %2;"
                   :
                   : "l"(target + block * block_stride),
                     "r"(staged + block * (own * 64)), "n"(own * 64)
                   : "memory");
    asm volatile("cp.async.bulk.commit_group;" : : : "memory");
  }
}
/// Until every add of this thread is done.
WEFT_DEVICE void adds_done() {
  asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}
