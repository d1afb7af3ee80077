//===- copy.cuh - Global memory to shared memory, 16 bytes a thread -------===//
//
// `target` is an address in the shared window, a multiple of 16. A chunk that
// does not exist is zero, and `source` is not read.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "weft/types.cuh"

/// Starts the copy of 8 elements; `source` is a multiple of 16.
WEFT_DEVICE void copy_chunk(uint32_t target, const uint16_t *source,
                            bool exists) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(target), "l"(source), "r"(exists ? 16 : 0)
               : "memory");
}

/// Closes the group of copies that this thread started.
WEFT_DEVICE void copy_commit() {
  asm volatile("cp.async.commit_group;" : : : "memory");
}

/// Waits until at most `pending` of this thread's groups are under way.
template <int pending> WEFT_DEVICE void copy_wait() {
  asm volatile("cp.async.wait_group %0;" : : "n"(pending) : "memory");
}

WEFT_DEVICE void store_shared(uint32_t target, uint32_t a, uint32_t b,
                              uint32_t c, uint32_t d) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};"
               :
               : "r"(target), "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

/// Copies 8 elements from any address, before it returns.
WEFT_DEVICE void copy_elements(uint32_t target, const uint16_t *source,
                               bool exists) {
  uint32_t words[4] = {0, 0, 0, 0};
  if (exists) {
#pragma unroll
    for (int i = 0; i < 4; ++i)
      words[i] = source[2 * i] | static_cast<uint32_t>(source[2 * i + 1]) << 16;
  }
  store_shared(target, words[0], words[1], words[2], words[3]);
}

/// Repeats one element 8 times.
WEFT_DEVICE void copy_repeated(uint32_t target, const uint16_t *source,
                               bool exists) {
  uint32_t word = exists ? *source * 0x10001u : 0;
  store_shared(target, word, word, word, word);
}
