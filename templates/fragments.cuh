//===- fragments.cuh - Which element of a tile a thread holds -------------===//
//
// A warp holds an accumulator tile of N columns as C fragments of
// mma.m16n8k16, block of 16 rows by block of 16 rows, and in each the blocks
// of 8 columns one after the other. A lane's element e, with its two halves
// (rows 0 to 7 and 8 to 15) and pairs of columns, is at `row_of`, `column_of`.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "weft/types.cuh"

/// Row of lane's element e among the warp's rows: a part that counts elements
/// and one of the lane.
template <int N> WEFT_DEVICE int32_t row_step(int32_t e) {
  return e / (N / 2) * 16 + e / 2 % 2 * 8;
}
WEFT_DEVICE int32_t lane_row(int32_t lane) { return lane / 4; }
template <int N> WEFT_DEVICE int32_t row_of(int32_t e, int32_t lane) {
  return row_step<N>(e) + lane_row(lane);
}

/// Column of a lane's element e, likewise.
template <int N> WEFT_DEVICE int32_t column_step(int32_t e) {
  return e % (N / 2) / 4 * 8 + e % 2;
}
WEFT_DEVICE int32_t lane_column(int32_t lane) { return lane % 4 * 2; }
template <int N> WEFT_DEVICE int32_t column_of(int32_t e, int32_t lane) {
  return column_step<N>(e) + lane_column(lane);
}

/// Which element of a row vector belongs to element e.
template <int N> WEFT_DEVICE int32_t row_slot(int32_t e) {
  return e / (N / 2) * 2 + e / 2 % 2;
}

/// Which element of a column vector belongs to element e.
template <int N> WEFT_DEVICE int32_t column_slot(int32_t e) {
  return e % (N / 2) / 4 * 2 + e % 2;
}

/// The same for elements of a row vector and of a column vector.
WEFT_DEVICE int32_t slot_row_step(int32_t e) { return e * 8; }
WEFT_DEVICE int32_t slot_column_step(int32_t e) { return e / 2 * 8 + e % 2; }
WEFT_DEVICE int32_t row_of_slot(int32_t e, int32_t lane) {
  return slot_row_step(e) + lane_row(lane);
}
WEFT_DEVICE int32_t column_of_slot(int32_t e, int32_t lane) {
  return slot_column_step(e) + lane_column(lane);
}

/// Where a vector's value stands in fragments: what a lane needs of 16 columns
/// of an accumulator is together.
WEFT_DEVICE constexpr int vector_place(int column) {
  return column / 16 * 16 + column % 8 / 2 * 4 + column % 16 / 8 * 2 +
         column % 2;
}

// What a lane adds to the address of a 16 x 16 block in shared memory for
// ldmatrix; `stride` is the bytes from one row to the next.

/// A block whose rows are its first index: an A fragment with `load_matrix`
/// (words a0 to a3), or two B fragments of a [k, n] tile with
/// `load_matrix_transposed` (words 0 and 1: columns 0 to 7; 2 and 3: 8 to 15).
template <int stride> WEFT_DEVICE uint32_t block_offset(int32_t lane) {
  return lane % 16 * stride + lane / 16 * 16;
}

/// Two B fragments of an [n, k] tile with `load_matrix` (words 0 and 1: rows 0
/// to 7; 2 and 3: 8 to 15).
template <int stride>
WEFT_DEVICE uint32_t block_offset_transposed(int32_t lane) {
  return (lane / 16 * 8 + lane % 8) * stride + lane / 8 % 2 * 16;
}
