//===- memory.cuh - Registers from and to global memory -------------------===//
//
// What does not exist is not touched; a load gives `pad` instead.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "weft/types.cuh"

WEFT_DEVICE float load_or(const float *source, bool exists, float pad) {
  return exists ? *source : pad;
}
WEFT_DEVICE uint16_t load_or(const uint16_t *source, bool exists,
                             uint16_t pad) {
  return exists ? *source : pad;
}

/// Two neighbours at once; `source` is aligned to both.
WEFT_DEVICE void load_pair_or(float *target, const float *source, bool exists,
                              float pad) {
  float2 pair = exists ? *reinterpret_cast<const float2 *>(source)
                       : float2{pad, pad};
  target[0] = pair.x;
  target[1] = pair.y;
}
WEFT_DEVICE void load_pair_or(uint16_t *target, const uint16_t *source,
                              bool exists, uint16_t pad) {
  uint32_t pair = exists ? *reinterpret_cast<const uint32_t *>(source)
                         : pad * 0x10001u;
  target[0] = static_cast<uint16_t>(pair);
  target[1] = static_cast<uint16_t>(pair >> 16);
}

WEFT_DEVICE void store(float *target, float value) { *target = value; }
WEFT_DEVICE void store(uint16_t *target, uint16_t value) { *target = value; }

/// Two neighbours at once; `target` is aligned to both.
WEFT_DEVICE void store_pair(float *target, float a, float b) {
  *reinterpret_cast<float2 *>(target) = float2{a, b};
}
WEFT_DEVICE void store_pair(uint16_t *target, uint16_t a, uint16_t b) {
  *reinterpret_cast<uint32_t *>(target) = a | static_cast<uint32_t>(b) << 16;
}

/// Adds to memory as one operation.
WEFT_DEVICE void atomic_add(float *target, float value) {
  asm volatile("red.global.add.f32 [%0], %1;"
               :
               : "l"(target), "f"(value)
               : "memory");
}
