//===- Bindings.h - The values a launch passes to a kernel ------*- C++ -*-===//
//
// A launch names its arguments by role; a problem holds their values. This is
// where the two meet, without CUDA: the executor's kernel parameters as bytes.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_PROGRAM_BINDINGS_H
#define WEFT_RUNTIME_PROGRAM_BINDINGS_H

#include "runtime/program/Formula.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <vector>

namespace weft::program {

const TensorView &tensorOf(const Problem &problem, TensorRole role);
int64_t strideOf(const TensorView &view, StrideKind kind);
const int32_t *offsetsOf(const Problem &problem, OffsetsRole role);

/// Bytes of a tensor's element: 4 for LSE, else 2.
int64_t elementBytes(TensorRole role);

/// One kernel parameter by value; the first `size` bytes count. Aligned as the
/// driver wants tensor maps, so it goes into containers that allocate with the
/// alignment of what they hold (SmallVector's memory has malloc's).
struct alignas(64) Parameter {
  // Not zeroed: most are 8 bytes, and there are many in a call.
  Parameter() {}

  std::array<uint8_t, 128> bytes;
  uint8_t size = 0; ///< 4, 8, or 128 for a tensor map
};

/// Writes the 128 bytes of the CUtensorMap of a recipe.
using EncodeTensorMap = llvm::function_ref<llvm::Error(
    const TensorMapRecipe &recipe, uint8_t *bytes)>;

/// What the arguments of a call are taken from.
struct CallValues {
  const Program &program;
  const Problem &problem;
  const FormulaValues &formulas;
  const Arena &arena;
  uint64_t workspace = 0; ///< the arena's address
  EncodeTensorMap encodeTensorMap;
};

/// Adds the parameters of a launch to `parameters`, in the order of its
/// arguments. A value that does not fit its type is an error.
llvm::Error addLaunchParameters(const Launch &launch, const CallValues &call,
                                std::vector<Parameter> &parameters);

} // namespace weft::program

#endif // WEFT_RUNTIME_PROGRAM_BINDINGS_H
