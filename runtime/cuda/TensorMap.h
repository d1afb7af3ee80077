//===- TensorMap.h - Descriptors of bulk tensor copies ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CUDA_TENSORMAP_H
#define WEFT_RUNTIME_CUDA_TENSORMAP_H

#include "runtime/cuda/Driver.h"
#include "runtime/program/Program.h"
#include "runtime/spec/Problem.h"

namespace weft {

/// Writes the CUtensorMap of `recipe` for the tensor of `problem`: dimensions
/// (columns, rows, heads, batch), so that a box never reaches past the rows of
/// one sequence's slot (batch layouts) or of the tensor (thd). A tensor without
/// elements gets zeros.
llvm::Error encodeTensorMap(const CudaDriver &driver,
                            const program::TensorMapRecipe &recipe,
                            const Problem &problem, const AttentionSpec &spec,
                            CUtensorMap &map);

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_TENSORMAP_H
