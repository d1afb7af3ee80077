//===- Device.cpp - The GPUs of this machine ------------------------------===//

#include "runtime/cuda/Device.h"

using namespace weft;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

Expected<int> weft::cudaDeviceCount(const CudaDriver &driver) {
  int count = 0;
  if (Error e = driver.check(driver.cuDeviceGetCount(&count),
                             "counting CUDA devices"))
    return e;
  return count;
}

Expected<int64_t> weft::cudaDeviceAttribute(const CudaDriver &driver,
                                            CUdevice device,
                                            CUdevice_attribute attribute) {
  int value = 0;
  if (Error e =
          driver.check(driver.cuDeviceGetAttribute(&value, attribute, device),
                       "reading attribute " + Twine(int(attribute)) +
                           " of CUDA device " + Twine(device)))
    return e;
  return value;
}

Expected<CudaDeviceInfo> weft::cudaDeviceInfo(const CudaDriver &driver,
                                              int ordinal) {
  Expected<int> count = cudaDeviceCount(driver);
  if (!count)
    return count.takeError();
  if (ordinal < 0 || ordinal >= *count)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "no CUDA device " + Twine(ordinal) +
                                       "; this machine shows " + Twine(*count) +
                                       ", counted from 0");
  CUdevice device = 0;
  if (Error e = driver.check(driver.cuDeviceGet(&device, ordinal),
                             "opening CUDA device " + Twine(ordinal)))
    return e;
  CudaDeviceInfo info;
  info.ordinal = ordinal;
  char name[256] = {};
  if (Error e =
          driver.check(driver.cuDeviceGetName(name, sizeof(name) - 1, device),
                       "reading the name of CUDA device " + Twine(ordinal)))
    return e;
  info.name = name;
  int64_t major = 0, minor = 0, pools = 0;
  for (auto [attribute, value] :
       {std::pair(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, &major),
        std::pair(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, &minor),
        std::pair(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, &info.smCount),
        std::pair(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                  &info.sharedPerCta),
        std::pair(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, &pools)}) {
    Expected<int64_t> read = cudaDeviceAttribute(driver, device, attribute);
    if (!read)
      return read.takeError();
    *value = *read;
  }
  info.major = major;
  info.minor = minor;
  info.memoryPools = pools != 0;
  return info;
}
