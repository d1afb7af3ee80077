//===- thread.cuh - A thread's place, and barriers of a CTA ---------------===//

#pragma once

#include "weft/types.cuh"

WEFT_DEVICE int32_t thread_index() { return threadIdx.x; }
WEFT_DEVICE int64_t cta_index() { return blockIdx.x; }

/// A value that is the same for all lanes of a warp, known as such.
WEFT_DEVICE int32_t warp_uniform(int32_t value) {
  return __shfl_sync(0xffffffffu, value, 0);
}

/// All threads of the CTA have come this far and see what each wrote.
WEFT_DEVICE void cta_barrier() { __syncthreads(); }

/// Whether `condition` holds for every thread of the CTA. A barrier.
WEFT_DEVICE bool cta_all(bool condition) {
  return __syncthreads_and(condition);
}

/// Address of the CTA's dynamic shared memory, in the shared window.
WEFT_DEVICE uint32_t shared_memory() {
  extern __shared__ uint128 weft_shared[];
  return static_cast<uint32_t>(__cvta_generic_to_shared(weft_shared));
}
