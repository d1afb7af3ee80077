//===- types.cuh - Integers by width, and where a thread is ---------------===//
//
// No CUDA headers: NVRTC compiles an emitted kernel faster without them. Tiles
// of f16 and bf16 are 16-bit words, `uint16_t`, in registers and memory.
//
//===----------------------------------------------------------------------===//

#pragma once

#ifdef __CUDACC_RTC__
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long long int64_t;
typedef unsigned long long uint64_t;
#else
#include <stdint.h>
#endif

#define WEFT_DEVICE static __device__ __forceinline__

#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#endif
#ifndef NAN
#define NAN __int_as_float(0x7fffffff)
#endif

/// Four words that a thread copies as one.
struct alignas(16) uint128 {
  uint32_t words[4];
};
