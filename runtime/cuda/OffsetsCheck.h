//===- OffsetsCheck.h - The option check_offsets ----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CUDA_OFFSETSCHECK_H
#define WEFT_RUNTIME_CUDA_OFFSETSCHECK_H

#include "runtime/cuda/Driver.h"
#include "runtime/spec/Problem.h"

namespace weft {

/// Copies the offsets and lengths of a checked `problem` to the host, which
/// waits for its stream, and refuses malformed ones (spec/Offsets.h). An error
/// if the stream is being captured. A context is current.
llvm::Error checkDeviceOffsets(const CudaDriver &driver, const Problem &problem,
                               const AttentionSpec &spec);

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_OFFSETSCHECK_H
