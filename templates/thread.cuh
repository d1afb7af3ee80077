//===- thread.cuh - A thread's place, and barriers of a CTA ---------------===//

#pragma once

#include "weft/types.cuh"

/// Computed anew at each call: what follows from it need not live in registers
/// from one to the next.
WEFT_DEVICE int32_t thread_index() {
  int32_t index = threadIdx.x;
  asm volatile("" : "+r"(index));
  return index;
}
WEFT_DEVICE uint32_t cta_index() { return blockIdx.x; }
WEFT_DEVICE uint32_t cta_count() { return gridDim.x; }
/// The same, read at this place: nothing of it lives on.
WEFT_DEVICE uint32_t cta_index_here() {
  uint32_t index;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(index));
  return index;
}
WEFT_DEVICE uint32_t cta_count_here() {
  uint32_t count;
  asm volatile("mov.u32 %0, %%nctaid.x;" : "=r"(count));
  return count;
}

/// A value that is the same for all lanes of a warp, known as such.
WEFT_DEVICE int32_t warp_uniform(int32_t value) {
  return __shfl_sync(0xffffffffu, value, 0);
}

/// All threads of the CTA have come this far and see what each wrote.
WEFT_DEVICE void cta_barrier() { __syncthreads(); }

/// The launches before this one are done, and what they wrote is seen. Only of
/// devices that launch early there is something to wait for.
WEFT_DEVICE void await_launches() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/// Whether `condition` holds for every thread of the CTA. A barrier.
WEFT_DEVICE bool cta_all(bool condition) {
  return __syncthreads_and(condition);
}

/// The lanes of the warp for which the condition holds, a bit each.
WEFT_DEVICE uint32_t lanes_where(bool condition) {
  return __ballot_sync(0xffffffffu, condition);
}
/// The first of them; 32: there is none.
WEFT_DEVICE int32_t first_lane(uint32_t lanes) {
  return lanes ? __ffs(lanes) - 1 : 32;
}
WEFT_DEVICE bool is_lane_of(uint32_t lanes, int32_t lane) {
  return lanes >> lane & 1;
}

/// Address of the CTA's dynamic shared memory, in the shared window.
WEFT_DEVICE uint32_t shared_memory() {
  extern __shared__ uint128 weft_shared[];
  return static_cast<uint32_t>(__cvta_generic_to_shared(weft_shared));
}

/// The same value, taken anew at this place: what follows from it is computed
/// here. Without it a compiler takes sums with constants out of the loop
/// around, at a register each, instead of leaving them to be offsets of
/// instructions.
WEFT_DEVICE uint32_t anchor(uint32_t value) {
  asm volatile("" : "+r"(value));
  return value;
}
WEFT_DEVICE int64_t anchor(int64_t value) {
  asm volatile("" : "+l"(value));
  return value;
}
