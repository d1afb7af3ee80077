//===- Context.h - The CUDA context a call runs in --------------*- C++ -*-===//
//
// A call may come from a thread without a current context, or with that of
// another device. It runs in the context of its stream, or of the device that
// holds its memory, and leaves the caller's context as it was.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CUDA_CONTEXT_H
#define WEFT_RUNTIME_CUDA_CONTEXT_H

#include "runtime/cuda/Driver.h"

#include "llvm/ADT/ArrayRef.h"

namespace weft {

/// A context that is current for as long as this lives.
class CudaContextScope {
public:
  /// Makes the context of `stream` current. The default streams (null, legacy,
  /// per-thread) belong to no context: theirs is the current one if that is of
  /// the device which holds the first device address of `pointers`, else that
  /// device's primary context; without such an address the current context, or
  /// device 0's primary context.
  static llvm::Expected<CudaContextScope>
  forCall(const CudaDriver &driver, CUstream stream,
          llvm::ArrayRef<const void *> pointers);

  /// Makes the primary context of `device` current.
  static llvm::Expected<CudaContextScope> forDevice(const CudaDriver &driver,
                                                    CUdevice device);

  CudaContextScope(CudaContextScope &&other);
  CudaContextScope &operator=(CudaContextScope &&) = delete;
  ~CudaContextScope();

  CUdevice device() const { return contextDevice; }
  /// A number no other context of this process ever has.
  unsigned long long id() const { return contextId; }

private:
  explicit CudaContextScope(const CudaDriver &driver) : driver(&driver) {}
  llvm::Error push(CUcontext context);
  llvm::Error pushPrimary(CUdevice device);
  llvm::Error identify();

  const CudaDriver *driver;
  int pushed = 0;
  CUdevice retained = -1; ///< device whose primary context this retains
  CUdevice contextDevice = -1;
  unsigned long long contextId = 0;
};

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_CONTEXT_H
