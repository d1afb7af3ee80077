//===- Overlap.h - Do two strided views share a byte? -----------*- C++ -*-===//
//
// Exact questions about the bytes that strided views cover, without walking
// their elements: interleaved tensors share an address range and no byte.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_SPEC_OVERLAP_H
#define WEFT_RUNTIME_SPEC_OVERLAP_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace weft {

/// The bytes [base + sum i_k * stride_k, .. + run) for all 0 <= i_k < extent_k.
struct ByteSet {
  struct Dim {
    int64_t extent = 0;
    int64_t stride = 0; ///< bytes, at least 0
  };

  uint64_t base = 0;
  int64_t run = 0; ///< contiguous bytes at each point; 0: empty
  llvm::SmallVector<Dim, 3> dims;

  bool empty() const;
  /// The bytes from the first to one past the last, or nothing if that passes
  /// 2^62.
  std::optional<int64_t> span() const;
};

/// `Unknown`: the strides are too irregular to decide within bounded work.
enum class Overlap { No, Yes, Unknown };

/// Whether some byte is in both sets. Spans must exist.
Overlap overlap(const ByteSet &a, const ByteSet &b);

/// Whether two different points of `set` cover the same byte.
Overlap overlapsItself(const ByteSet &set);

} // namespace weft

#endif // WEFT_RUNTIME_SPEC_OVERLAP_H
