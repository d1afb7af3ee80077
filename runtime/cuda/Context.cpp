//===- Context.cpp - The CUDA context a call runs in ----------------------===//

#include "runtime/cuda/Context.h"

#include <optional>
#include <utility>

using namespace weft;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

CudaContextScope::CudaContextScope(CudaContextScope &&other)
    : driver(other.driver), pushed(std::exchange(other.pushed, 0)),
      retained(std::exchange(other.retained, -1)),
      contextDevice(other.contextDevice), contextId(other.contextId) {}

CudaContextScope::~CudaContextScope() {
  // What was pushed here can be popped; there is nobody to tell otherwise.
  CUcontext popped = nullptr;
  for (; pushed > 0; --pushed)
    (void)driver->cuCtxPopCurrent(&popped);
  if (retained >= 0)
    (void)driver->cuDevicePrimaryCtxRelease(retained);
}

Error CudaContextScope::push(CUcontext context) {
  if (Error e = driver->check(driver->cuCtxPushCurrent(context),
                              "making the CUDA context of the call current"))
    return e;
  ++pushed;
  return Error::success();
}

Error CudaContextScope::pushPrimary(CUdevice device) {
  CUcontext context = nullptr;
  if (Error e = driver->check(
          driver->cuDevicePrimaryCtxRetain(&context, device),
          "opening the primary context of CUDA device " + Twine(device)))
    return e;
  retained = device;
  return push(context);
}

Error CudaContextScope::identify() {
  if (Error e = driver->check(driver->cuCtxGetDevice(&contextDevice),
                              "asking a CUDA context for its device"))
    return e;
  CUcontext context = nullptr;
  if (Error e = driver->check(driver->cuCtxGetCurrent(&context),
                              "asking for the current CUDA context"))
    return e;
  return driver->check(driver->cuCtxGetId(context, &contextId),
                       "asking a CUDA context for its number");
}

/// The device that holds the first device address among `pointers`.
static std::optional<CUdevice> deviceOf(const CudaDriver &driver,
                                        ArrayRef<const void *> pointers) {
  for (const void *pointer : pointers) {
    int ordinal = -1;
    // Fails for memory CUDA does not know, which says nothing.
    if (pointer &&
        driver.cuPointerGetAttribute(
            &ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
            reinterpret_cast<CUdeviceptr>(pointer)) == CUDA_SUCCESS &&
        ordinal >= 0)
      return ordinal;
  }
  return std::nullopt;
}

Expected<CudaContextScope> CudaContextScope::forDevice(const CudaDriver &driver,
                                                       CUdevice device) {
  CudaContextScope scope(driver);
  if (Error e = scope.pushPrimary(device))
    return e;
  if (Error e = scope.identify())
    return e;
  return scope;
}

Expected<CudaContextScope>
CudaContextScope::forCall(const CudaDriver &driver, CUstream stream,
                          ArrayRef<const void *> pointers) {
  CudaContextScope scope(driver);
  CUcontext current = nullptr;
  if (Error e = driver.check(driver.cuCtxGetCurrent(&current),
                             "asking for the current CUDA context"))
    return e;

  if (stream && stream != CU_STREAM_LEGACY && stream != CU_STREAM_PER_THREAD) {
    CUcontext owner = nullptr;
    CUresult status = driver.cuStreamGetCtx(stream, &owner);
    // Some drivers answer only while a context, any, is current.
    if (status == CUDA_ERROR_INVALID_CONTEXT && !current) {
      if (Error e = scope.pushPrimary(deviceOf(driver, pointers).value_or(0)))
        return e;
      status = driver.cuStreamGetCtx(stream, &owner);
    }
    if (Error e =
            driver.check(status, "asking the stream for its CUDA context"))
      return e;
    if (owner != current)
      if (Error e = scope.push(owner))
        return e;
    if (Error e = scope.identify())
      return e;
    return scope;
  }

  std::optional<CUdevice> device = deviceOf(driver, pointers);
  if (current) {
    if (Error e = scope.identify())
      return e;
    if (!device || *device == scope.contextDevice)
      return scope;
  }
  if (Error e = scope.pushPrimary(device.value_or(0)))
    return e;
  if (Error e = scope.identify())
    return e;
  return scope;
}
