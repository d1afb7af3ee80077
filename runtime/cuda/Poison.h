//===- Poison.h - Filling results before a run ------------------*- C++ -*-===//
//
// Poison mode fills the workspace and every element of every result with a
// pattern before a run, so that an answer that depends on what memory held is
// seen. The bytes between a view's elements belong to somebody else.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CUDA_POISON_H
#define WEFT_RUNTIME_CUDA_POISON_H

#include "runtime/cuda/Driver.h"
#include "runtime/spec/Problem.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace weft {

/// `height` runs of `width` elements, `pitch` bytes apart.
struct StridedFill {
  uint64_t address = 0;
  int64_t pitch = 0; ///< 0 where height is 1
  int64_t width = 0;
  int64_t height = 0;
};

/// One dimension of a view; the stride counts elements.
struct ViewDim {
  int64_t extent = 0;
  int64_t stride = 0;
};

/// Covers every element of the view at `address` once, and nothing else, in as
/// few fills as its strides allow. Stops at the first error of `fill`.
llvm::Error
forEachFill(uint64_t address, int64_t elementBytes,
            llvm::ArrayRef<ViewDim> dims,
            llvm::function_ref<llvm::Error(const StridedFill &)> fill);

/// Fills the results of the pass with bytes of `value`, on `stream`.
llvm::Error poisonResults(const CudaDriver &driver, const Problem &problem,
                          const AttentionSpec &spec, uint8_t value,
                          CUstream stream);

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_POISON_H
