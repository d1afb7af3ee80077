//===- Driver.h - The CUDA driver, opened at run time -----------*- C++ -*-===//
//
// weft links no libcuda: it is opened when a GPU is asked for, so everything
// loads, and says something useful, on a machine without one.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CUDA_DRIVER_H
#define WEFT_RUNTIME_CUDA_DRIVER_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <cuda.h>

#include <memory>
#include <string>
#include <utility>

namespace weft {

/// The entry points weft uses. cuda.h renames some to a version (_v2); the
/// members below carry the renamed names, which are the library's symbols.
#define WEFT_CUDA_ENTRY_POINTS(X)                                              \
  X(cuInit)                                                                    \
  X(cuDriverGetVersion)                                                        \
  X(cuGetErrorName)                                                            \
  X(cuGetErrorString)                                                          \
  X(cuDeviceGetCount)                                                          \
  X(cuDeviceGet)                                                               \
  X(cuDeviceGetName)                                                           \
  X(cuDeviceGetAttribute)                                                      \
  X(cuDevicePrimaryCtxRetain)                                                  \
  X(cuDevicePrimaryCtxRelease)                                                 \
  X(cuCtxGetCurrent)                                                           \
  X(cuCtxPushCurrent)                                                          \
  X(cuCtxPopCurrent)                                                           \
  X(cuCtxGetDevice)                                                            \
  X(cuCtxGetId)                                                                \
  X(cuStreamCreate)                                                            \
  X(cuStreamDestroy)                                                           \
  X(cuStreamSynchronize)                                                       \
  X(cuStreamGetCtx)                                                            \
  X(cuStreamIsCapturing)                                                       \
  X(cuThreadExchangeStreamCaptureMode)                                         \
  X(cuPointerGetAttribute)                                                     \
  X(cuMemAlloc)                                                                \
  X(cuMemFree)                                                                 \
  X(cuMemAllocAsync)                                                           \
  X(cuMemFreeAsync)                                                            \
  X(cuMemcpyAsync)                                                             \
  X(cuMemsetD8Async)                                                           \
  X(cuMemsetD16Async)                                                          \
  X(cuMemsetD32Async)                                                          \
  X(cuMemsetD2D16Async)                                                        \
  X(cuMemsetD2D32Async)                                                        \
  X(cuLibraryLoadData)                                                         \
  X(cuLibraryUnload)                                                           \
  X(cuLibraryGetKernel)                                                        \
  X(cuKernelGetFunction)                                                       \
  X(cuKernelSetAttribute)                                                      \
  X(cuFuncGetParamInfo)                                                        \
  X(cuLaunchKernelEx)                                                          \
  X(cuTensorMapEncodeTiled)

/// A call that the driver refused.
class CudaError : public llvm::ErrorInfo<CudaError> {
public:
  static char ID;
  CudaError(CUresult status, std::string message)
      : status(status), text(std::move(message)) {}

  /// Every later call in the context fails too: the fault of earlier work.
  bool isSticky() const;

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

  const CUresult status;

private:
  std::string text;
};

/// An opened driver: a table of its functions. Tests fill one by hand.
struct CudaDriver {
#define WEFT_MEMBER(name) decltype(&::name) name = nullptr;
  WEFT_CUDA_ENTRY_POINTS(WEFT_MEMBER)
#undef WEFT_MEMBER

  /// The oldest CUDA version whose driver has what weft uses, as cuda.h counts
  /// (12.4), and the first driver release with it.
  static constexpr int oldestVersion = 12040;
  static constexpr const char *oldestRelease = "550";

  /// The machine's driver, libcuda.so.1, or the file that WEFT_LIBCUDA names.
  /// Opened and initialised once, for the life of the process; thread-safe. An
  /// error says what is missing and how to get it, the same at each call.
  static llvm::Expected<const CudaDriver *> get();

  /// Opens and initialises the driver at `path`; it stays open.
  static llvm::Expected<std::unique_ptr<CudaDriver>> open(const char *path);

  /// Success, or a CudaError: "<what> failed: <name> (<description>)". An error
  /// that a context never recovers from says so.
  llvm::Error check(CUresult status, const llvm::Twine &what) const;

  /// The newest CUDA that it supports, as people write it: "13.0"; "unknown"
  /// if it does not tell.
  std::string versionText() const;
};

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_DRIVER_H
