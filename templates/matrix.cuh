//===- matrix.cuh - ldmatrix and mma.sync ---------------------------------===//

#pragma once

#include "weft/types.cuh"

/// Four 8x8 matrices of 16-bit elements from shared memory; lane i gives the
/// address of row i % 8 of matrix i / 8. Word m of a lane holds row lane / 4,
/// columns 2 (lane % 4) and the next of matrix m.
WEFT_DEVICE void load_matrix(uint32_t *words, uint32_t address) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
      : "r"(address)
      : "memory");
}

/// The same, each matrix transposed.
WEFT_DEVICE void load_matrix_transposed(uint32_t *words, uint32_t address) {
  asm volatile(
      "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
      : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])
      : "r"(address)
      : "memory");
}

/// d += a b with a [16, 16], b [16, 8], d [16, 8] in f32; the warp holds them
/// as fragments.
WEFT_DEVICE void mma_bf16(float *d, const uint32_t *a, const uint32_t *b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
WEFT_DEVICE void mma_f16(float *d, const uint32_t *a, const uint32_t *b) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
      "{%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
