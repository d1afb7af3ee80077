//===- Call.h - One call of a case, resolved and placed ---------*- C++ -*-===//
//
// From what a case file says about call n to its spec, sizes, sequences and
// the place of every tensor in its allocation.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CASES_CALL_H
#define WEFT_RUNTIME_CASES_CALL_H

#include "runtime/cases/CaseFile.h"
#include "runtime/spec/Offsets.h"
#include "runtime/spec/Problem.h"

namespace weft::cases {

struct ResolvedCall {
  /// Of the case's pass, canonical; `align` and `scalarDOut` are facts of the
  /// pointers and not yet derived.
  AttentionSpec spec;
  int64_t batch = 0;
  /// Lists point into the case file.
  SideSizes q, kv;
  std::vector<SequenceRows> sequencesQ, sequencesKv;

  const SideSizes &side(TensorId id) const { return isQuerySide(id) ? q : kv; }
  const std::vector<SequenceRows> &sequences(TensorId id) const {
    return isQuerySide(id) ? sequencesQ : sequencesKv;
  }
};

/// What the largest tensor of a case may hold; more is refused before anything
/// is allocated.
inline constexpr int64_t maxTensorElements = int64_t(1) << 33;

/// What the library would refuse about call `n` before looking at pointers
/// (a head dim, a head ratio), and malformed offsets and lengths, are errors.
/// `file` must outlive the result.
llvm::Expected<ResolvedCall> resolveCall(const CaseFile &file, size_t n);

/// Where a tensor lies, in elements from the start of its allocation. A row is
/// a row of the buffer: batch * seqlen + position in batch layouts.
struct Placement {
  int64_t batches = 1; ///< 1 for thd
  int64_t rowsPerBatch = 0;
  int64_t heads = 0;
  int64_t columns = 1;
  int64_t elementBytes = 2;
  int64_t offset = 0;
  int64_t batchStride = 0, rowStride = 0, headStride = 0;
  int64_t columnStride = 1; ///< 0: a scalar dO
  /// Allocation of this name; interleaved tensors share one.
  llvm::StringRef allocation;

  int64_t rows() const { return batches * rowsPerBatch; }
  int64_t elements() const { return rows() * heads * columns; }
  /// The first element of a row and head.
  int64_t at(int64_t row, int64_t head) const {
    int64_t batch = batches == 1 ? 0 : row / rowsPerBatch;
    return offset + batch * batchStride +
           (row - batch * rowsPerBatch) * rowStride + head * headStride;
  }
  /// Bytes of the allocation up to the tensor's end, or nothing if they do not
  /// fit 2^62.
  std::optional<int64_t> endBytes() const;
};

Placement place(const CaseFile &file, const ResolvedCall &call, TensorId id);

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_CALL_H
