//===- turns.cuh - Order between the CTAs of a launch ---------------------===//
//
// One thread speaks for its CTA. Barriers of the CTA stand between what the
// others do and its acquire or release at the scope of the GPU, so that a CTA
// whose turn it is sees all that those before it wrote.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "weft/types.cuh"

/// One more in `counter`, 0 after `last`; gives what it was before.
WEFT_DEVICE uint32_t count_on(int32_t *counter, uint32_t last) {
  uint32_t before;
  asm volatile("atom.acq_rel.gpu.global.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(counter), "r"(last)
               : "memory");
  return before;
}

/// The number of this CTA in the order in which CTAs get here, once in a
/// kernel. The last one leaves the counter at 0.
WEFT_DEVICE uint32_t take_ticket(int32_t *counter) {
  __shared__ uint32_t ticket;
  if (threadIdx.x == 0)
    ticket = count_on(counter, gridDim.x - 1);
  __syncthreads();
  return ticket;
}

/// Waits until `counter` is `turn`.
WEFT_DEVICE void await_turn(const int32_t *counter, int64_t turn) {
  if (threadIdx.x == 0) {
    int32_t now;
    do
      asm volatile("ld.acquire.gpu.global.s32 %0, [%1];"
                   : "=r"(now)
                   : "l"(counter)
                   : "memory");
    while (now != turn);
  }
  __syncthreads();
}

/// Lets the next turn begin, or after the last of `count` makes the counter 0.
WEFT_DEVICE void end_turn(int32_t *counter, int64_t turn, int64_t count) {
  __syncthreads();
  if (threadIdx.x == 0)
    asm volatile("st.release.gpu.global.s32 [%0], %1;"
                 :
                 : "l"(counter),
                   "r"(static_cast<int32_t>(turn + 1 == count ? 0 : turn + 1))
                 : "memory");
}

/// Whether this CTA is the last of `count` to get here. It sees what the others
/// wrote before, and leaves the counter at 0.
WEFT_DEVICE bool arrive_last(int32_t *counter, int64_t count) {
  __shared__ uint32_t arrived;
  uint32_t last = static_cast<uint32_t>(count) - 1;
  __syncthreads();
  if (threadIdx.x == 0)
    arrived = count_on(counter, last);
  __syncthreads();
  return arrived == last;
}
