//===- memory.cuh - Registers from and to global memory -------------------===//
//
// What does not exist is not touched; a load gives `pad` instead.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "weft/types.cuh"

WEFT_DEVICE float load_or(const float *source, bool exists, float pad) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0;\n"
               "  @p ld.global.f32 %0, [%1]; }"
               : "+f"(pad)
               : "l"(source), "r"(static_cast<int32_t>(exists)));
  return pad;
}
WEFT_DEVICE uint16_t load_or(const uint16_t *source, bool exists,
                             uint16_t pad) {
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0;\n"
               "  @p ld.global.u16 %0, [%1]; }"
               : "+h"(pad)
               : "l"(source), "r"(static_cast<int32_t>(exists)));
  return pad;
}

/// Two neighbours at once; `source` is aligned to both.
WEFT_DEVICE void load_pair_or(float *target, const float *source, bool exists,
                              float pad) {
  target[0] = target[1] = pad;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %3, 0;\n"
               "  @p ld.global.v2.f32 {%0, %1}, [%2]; }"
               : "+f"(target[0]), "+f"(target[1])
               : "l"(source), "r"(static_cast<int32_t>(exists)));
}
WEFT_DEVICE uint32_t load_word_or(const uint16_t *source, bool exists,
                                  uint16_t pad) {
  uint32_t word = pad * 0x10001u;
  asm volatile("{ .reg .pred p; setp.ne.s32 p, %2, 0;\n"
               "  @p ld.global.u32 %0, [%1]; }"
               : "+r"(word)
               : "l"(source), "r"(static_cast<int32_t>(exists)));
  return word;
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
WEFT_DEVICE void store_word(uint16_t *target, uint32_t pair) {
  *reinterpret_cast<uint32_t *>(target) = pair;
}

/// Adds to memory as one operation.
WEFT_DEVICE void atomic_add(float *target, float value) {
  asm volatile("red.global.add.f32 [%0], %1;"
               :
               : "l"(target), "f"(value)
               : "memory");
}

/// A lane's values of a warp's 16 rows in fragments, from its first one on;
/// blocks of 64 columns are `block_stride` elements apart.
template <int columns, int block_stride>
WEFT_DEVICE void load_fragments(float *values, const float *source) {
#pragma unroll
  for (int i = 0; i < columns / 8; ++i)
    asm volatile("ld.global.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(values[4 * i]), "=f"(values[4 * i + 1]),
                   "=f"(values[4 * i + 2]), "=f"(values[4 * i + 3])
                 : "l"(source + i / 8 * block_stride + i % 8 * 128)
                 : "memory");
}
