//===- CaseDevice.h - Running cases on a GPU --------------------*- C++ -*-===//
//
// Mirrors the host memory of a case on a GPU and runs its passes there with
// the CUDA executor.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CUDA_CASEDEVICE_H
#define WEFT_RUNTIME_CUDA_CASEDEVICE_H

#include "runtime/cases/Device.h"
#include "runtime/cuda/Device.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace weft {

/// Where a case's programs come from (a compiler with its cache, or a pack).
/// Specs are canonical with their facts derived.
struct CaseProgramSource {
  /// The bytes of the launch program of `spec` for this device. Called from
  /// several threads at once, for different specs.
  std::function<llvm::Expected<std::vector<uint8_t>>(
      const AttentionSpec &spec, const CudaDeviceInfo &device)>
      program;
  std::string target; ///< that programs are compiled for
};

/// The GPU `ordinal` as a device for cases. Programs are asked for once per
/// spec. Runs may be called from several threads: each takes streams and memory
/// of its own. An error says why there is no such GPU.
llvm::Expected<std::unique_ptr<cases::Device>>
makeCudaCaseDevice(const CudaDriver &driver, int ordinal,
                   CaseProgramSource source);

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_CASEDEVICE_H
