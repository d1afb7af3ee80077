//===- Device.h - The GPUs of this machine ----------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CUDA_DEVICE_H
#define WEFT_RUNTIME_CUDA_DEVICE_H

#include "runtime/cuda/Driver.h"

#include <cstdint>
#include <string>

namespace weft {

struct CudaDeviceInfo {
  int ordinal = 0;
  std::string name;         ///< "NVIDIA H200"
  int major = 0, minor = 0; ///< compute capability
  int64_t smCount = 0;
  int64_t sharedPerCta = 0; ///< most bytes of shared memory of one CTA
  bool memoryPools = false; ///< has stream-ordered allocation
};

llvm::Expected<int> cudaDeviceCount(const CudaDriver &driver);

/// An error if there is no device `ordinal`.
llvm::Expected<CudaDeviceInfo> cudaDeviceInfo(const CudaDriver &driver,
                                              int ordinal);

/// One attribute of a device.
llvm::Expected<int64_t> cudaDeviceAttribute(const CudaDriver &driver,
                                            CUdevice device,
                                            CUdevice_attribute attribute);

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_DEVICE_H
