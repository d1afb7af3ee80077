//===- warpgroup.cuh - Four warps and their matrix unit -------------------===//
//
// Products of a warpgroup run on beside it, in groups that are waited for. A
// kernel brings the products themselves, a function for each shape that it
// uses.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "weft/types.cuh"

/// Registers of each thread from here on: fewer, or more.
template <int count> WEFT_DEVICE void release_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(count));
}
template <int count> WEFT_DEVICE void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(count));
}

/// Whether some lane of the warp says so.
WEFT_DEVICE bool warp_any(bool condition) {
  return __any_sync(0xffffffffu, condition);
}

/// The CTA's dynamic shared memory from a multiple of 1024 on, as swizzled
/// tiles ask for.
WEFT_DEVICE uint32_t shared_tiles() {
  extern __shared__ uint128 weft_shared[];
  return (static_cast<uint32_t>(__cvta_generic_to_shared(weft_shared)) + 1023) &
         ~1023u;
}

// ---- groups of products ----------------------------------------------------

/// Waits until at most `younger` groups are under way.
template <int younger> WEFT_DEVICE void products_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(younger) : "memory");
}

/// Products wrote these registers, or read them until now: nothing of that
/// moves across this place.
template <int count> WEFT_DEVICE void settle(float *values) {
#pragma unroll
  for (int i = 0; i < count; ++i)
    asm volatile("" : "+f"(values[i]) : : "memory");
}
template <int count> WEFT_DEVICE void settle(uint32_t *values) {
#pragma unroll
  for (int i = 0; i < count; ++i)
    asm volatile("" : "+r"(values[i]) : : "memory");
}

/// The low word of the descriptor of a swizzled tile, which alone depends on
/// the place: address and the distance of blocks of 64 columns, in units of 16
/// bytes. The high word is the same for all: 1024 bytes from 8 rows to the
/// next, 128-byte swizzle. The distance matters for b as it lies ([k, n])
/// alone.
WEFT_DEVICE uint32_t descriptor(uint32_t address, uint32_t blockBytes) {
  return ((address & 0x3ffff) >> 4) | (blockBytes >> 4) << 16;
}
