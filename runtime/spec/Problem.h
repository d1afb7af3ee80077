//===- Problem.h - The run-time values of one call --------------*- C++ -*-===//
//
// Pointers, strides and sizes of one call. Shared by the CUDA executor, the
// reference executor and the case files. A leaf: no MLIR, no CUDA headers.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_SPEC_PROBLEM_H
#define WEFT_RUNTIME_SPEC_PROBLEM_H

#include "runtime/spec/AttentionSpec.h"

#include <cstdint>

namespace weft {

/// A tensor [batch, seqlen, heads, columns] (batch layouts) or [rows, heads,
/// columns] (thd) in any strides, in elements. The head dim is contiguous.
/// All strides and `columnStride` zero: one element seen everywhere (dO only).
/// LSE is [batch, heads, seqlen] or [heads, rows]: the same strides, no
/// columns. A null pointer is legal where the tensor has no elements.
struct TensorView {
  void *data = nullptr;
  int64_t batchStride = 0; ///< unused for thd
  int64_t rowStride = 0;
  int64_t headStride = 0;
  int64_t columnStride = 1; ///< 1, or 0 for the scalar dO
};

/// Sizes of one side. Offsets and lengths are int32 on the device that runs
/// the problem and are never copied to the host by a launch.
struct SideSizes {
  int64_t heads = 0;
  int64_t seqlen = 0; ///< batch layouts: rows of one sequence in the buffer
  int64_t rows = 0; ///< rows held: batch * seqlen, or the rows of a thd tensor
  int64_t maxSeqlen = 0; ///< hint for speed, 0: unknown
  /// thd: prefix sums of used lengths, batch + 1 entries.
  const int32_t *cuSeqlens = nullptr;
  /// thd with `padded`: where each sequence starts, batch + 1 entries.
  const int32_t *cuSeqlensPadded = nullptr;
  /// batch layouts with `padded`: used lengths, batch entries.
  const int32_t *seqlens = nullptr;
};

/// One call. Tensors a pass does not use stay empty.
struct Problem {
  int64_t batch = 0;
  SideSizes q, kv;
  TensorView query, key, value, out, lse; ///< lse: f32
  TensorView dOut, dQuery, dKey, dValue;
  double scale = 0; ///< finite; NaN or infinity is an error
  int64_t windowLeft = 0, windowRight = 0; ///< for run-time bounds
  double softcap = 0;                      ///< for ScoreKind::Softcap, > 0

  void *workspace = nullptr; ///< null: the executor takes it from its pool
  int64_t workspaceBytes = 0;
  void *stream = nullptr; ///< a CUstream
};

/// A run-time window bound as kernels get it, on every device: no farther than
/// `kFarthestDistance`.
inline int64_t kernelDistance(int64_t bound) {
  return bound < kFarthestDistance ? bound : kFarthestDistance;
}

/// The facts of a problem that select a specialisation, written into `spec`:
/// `align` and `scalarDOut`. The one place that derives them.
void deriveFacts(const Problem &problem, AttentionSpec &spec);

/// Counts, pointers, strides, scale and window bounds of `problem` against
/// `spec`, overlap of results with themselves, each other and the inputs
/// (element by element). Launches nothing, reads no device memory.
llvm::Error checkProblem(const Problem &problem, const AttentionSpec &spec);

} // namespace weft

#endif // WEFT_RUNTIME_SPEC_PROBLEM_H
