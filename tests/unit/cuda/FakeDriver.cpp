//===- FakeDriver.cpp - A CUDA driver that writes down its calls ----------===//

#include "tests/unit/cuda/FakeDriver.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <cstring>

using namespace weft;
using llvm::Twine;

static FakeDriver fake;

FakeDriver &FakeDriver::reset() {
  fake = FakeDriver();
  return fake;
}

static CUresult statusOf(const char *name) {
  auto failure = fake.failures.find(name);
  if (failure == fake.failures.end() || fake.failuresLeft == 0)
    return CUDA_SUCCESS;
  if (fake.failuresLeft > 0)
    --fake.failuresLeft;
  return failure->second;
}

static uintptr_t current() {
  return fake.contexts.empty() ? 0 : fake.contexts.back();
}

/// Notes work on `stream`, which must belong to the current context.
static CUresult note(const char *name, CUstream stream, const Twine &line) {
  if (CUresult status = statusOf(name); status != CUDA_SUCCESS)
    return status;
  if (!current() || (stream && stream != FakeDriver::stream(current())))
    return CUDA_ERROR_INVALID_CONTEXT;
  fake.work.push_back(("ctx" + Twine(current()) + " " + line).str());
  return CUDA_SUCCESS;
}

static std::string hex(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

static void addContexts(CudaDriver &d) {
  d.cuDevicePrimaryCtxRetain = [](CUcontext *context, CUdevice device) {
    *context = reinterpret_cast<CUcontext>(uintptr_t(device + 1));
    ++fake.retained;
    return statusOf("cuDevicePrimaryCtxRetain");
  };
  d.cuDevicePrimaryCtxRelease = [](CUdevice) {
    --fake.retained;
    return CUDA_SUCCESS;
  };
  d.cuCtxGetCurrent = [](CUcontext *context) {
    *context = reinterpret_cast<CUcontext>(current());
    return CUDA_SUCCESS;
  };
  d.cuCtxPushCurrent = [](CUcontext context) {
    fake.contexts.push_back(reinterpret_cast<uintptr_t>(context));
    return CUDA_SUCCESS;
  };
  d.cuCtxPopCurrent = [](CUcontext *context) {
    if (fake.contexts.empty())
      return CUDA_ERROR_INVALID_CONTEXT;
    *context = reinterpret_cast<CUcontext>(current());
    fake.contexts.pop_back();
    return CUDA_SUCCESS;
  };
  d.cuCtxGetDevice = [](CUdevice *device) {
    *device = current() == 1 ? 0 : 1;
    return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  };
  d.cuCtxGetId = [](CUcontext context, unsigned long long *id) {
    *id = reinterpret_cast<uintptr_t>(context);
    return CUDA_SUCCESS;
  };
  d.cuPointerGetAttribute = [](void *data, CUpointer_attribute,
                               CUdeviceptr pointer) {
    *static_cast<int *>(data) = pointer >= 0x1000000000 ? 1 : 0;
    return statusOf("cuPointerGetAttribute");
  };
  d.cuStreamGetCtx = [](CUstream stream, CUcontext *context) {
    if (CUresult status = statusOf("cuStreamGetCtx"); status != CUDA_SUCCESS)
      return status;
    *context = reinterpret_cast<CUcontext>(reinterpret_cast<uintptr_t>(stream) -
                                           0x100);
    return CUDA_SUCCESS;
  };
  d.cuStreamCreate = [](CUstream *stream, unsigned) {
    *stream = FakeDriver::stream(current());
    return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  };
  d.cuStreamDestroy = [](CUstream) {
    return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  };
  d.cuStreamIsCapturing = [](CUstream, CUstreamCaptureStatus *status) {
    *status = fake.capturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                             : CU_STREAM_CAPTURE_STATUS_NONE;
    return CUDA_SUCCESS;
  };
  d.cuThreadExchangeStreamCaptureMode = [](CUstreamCaptureMode *) {
    return CUDA_SUCCESS;
  };
  d.cuStreamSynchronize = [](CUstream stream) {
    return note("cuStreamSynchronize", stream, "wait");
  };
}

static void addDevices(CudaDriver &d) {
  d.cuDeviceGetCount = [](int *count) {
    *count = 2;
    return CUDA_SUCCESS;
  };
  d.cuDeviceGet = [](CUdevice *device, int ordinal) {
    *device = ordinal;
    return CUDA_SUCCESS;
  };
  d.cuDeviceGetName = [](char *name, int size, CUdevice) {
    std::strncpy(name, "Fake GPU", size);
    return CUDA_SUCCESS;
  };
  d.cuDeviceGetAttribute = [](int *value, CUdevice_attribute attribute,
                              CUdevice device) {
    switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = 100 + device;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = fake.major;
      break;
    default:
      *value = 0;
    }
    return CUDA_SUCCESS;
  };
}

static void addMemory(CudaDriver &d) {
  d.cuMemAlloc = [](CUdeviceptr *pointer, size_t bytes) {
    *pointer = reinterpret_cast<CUdeviceptr>(std::aligned_alloc(256, bytes));
    ++fake.allocations;
    return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  };
  d.cuMemFree = [](CUdeviceptr pointer) {
    std::free(reinterpret_cast<void *>(pointer));
    --fake.allocations;
    return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
  };
  d.cuMemAllocAsync = [](CUdeviceptr *pointer, size_t bytes, CUstream stream) {
    *pointer = 0;
    CUresult status = note("cuMemAllocAsync", stream, "take " + Twine(bytes));
    if (status == CUDA_SUCCESS) {
      *pointer = FakeDriver::poolAddress;
      ++fake.taken;
    }
    return status;
  };
  d.cuMemFreeAsync = [](CUdeviceptr pointer, CUstream stream) {
    --fake.taken;
    return note("cuMemFreeAsync", stream, "free " + hex(pointer));
  };
  d.cuMemcpyAsync = [](CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
    std::memcpy(reinterpret_cast<void *>(to),
                reinterpret_cast<const void *>(from), bytes);
    return note("cuMemcpyAsync", stream, "copy " + Twine(bytes));
  };
  d.cuMemsetD8Async = [](CUdeviceptr pointer, unsigned char value, size_t count,
                         CUstream stream) {
    return note("cuMemsetD8Async", stream,
                "set8 " + hex(pointer) + " " + hex(value) + " x " +
                    Twine(count));
  };
  d.cuMemsetD16Async = [](CUdeviceptr pointer, unsigned short value,
                          size_t count, CUstream stream) {
    return note("cuMemsetD16Async", stream,
                "set16 " + hex(pointer) + " " + hex(value) + " x " +
                    Twine(count));
  };
  d.cuMemsetD32Async = [](CUdeviceptr pointer, unsigned value, size_t count,
                          CUstream stream) {
    return note("cuMemsetD32Async", stream,
                "set32 " + hex(pointer) + " " + hex(value) + " x " +
                    Twine(count));
  };
  d.cuMemsetD2D16Async = [](CUdeviceptr pointer, size_t pitch,
                            unsigned short value, size_t width, size_t height,
                            CUstream stream) {
    return note("cuMemsetD2D16Async", stream,
                "set16 " + hex(pointer) + " " + hex(value) + " x " +
                    Twine(width) + " x " + Twine(height) + " every " +
                    Twine(pitch));
  };
  d.cuMemsetD2D32Async = [](CUdeviceptr pointer, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream) {
    return note("cuMemsetD2D32Async", stream,
                "set32 " + hex(pointer) + " " + hex(value) + " x " +
                    Twine(width) + " x " + Twine(height) + " every " +
                    Twine(pitch));
  };
}

static void addKernels(CudaDriver &d) {
  d.cuLibraryLoadData = [](CUlibrary *library, const void *, CUjit_option *,
                           void **, unsigned, CUlibraryOption *, void **,
                           unsigned) {
    CUresult status = statusOf("cuLibraryLoadData");
    if (status == CUDA_SUCCESS)
      ++fake.libraries;
    *library = reinterpret_cast<CUlibrary>(0x10);
    return status;
  };
  d.cuLibraryUnload = [](CUlibrary) {
    --fake.libraries;
    return CUDA_SUCCESS;
  };
  d.cuLibraryGetKernel = [](CUkernel *kernel, CUlibrary, const char *) {
    *kernel = reinterpret_cast<CUkernel>(0x20);
    return statusOf("cuLibraryGetKernel");
  };
  d.cuKernelGetFunction = [](CUfunction *function, CUkernel) {
    *function = reinterpret_cast<CUfunction>(0x30);
    return statusOf("cuKernelGetFunction");
  };
  d.cuKernelSetAttribute = [](CUfunction_attribute attribute, int value,
                              CUkernel, CUdevice device) {
    fake.work.push_back(("attribute " + Twine(int(attribute)) + " = " +
                         Twine(value) + " on device " + Twine(device))
                            .str());
    return statusOf("cuKernelSetAttribute");
  };
  d.cuFuncGetParamInfo = [](CUfunction, size_t index, size_t *, size_t *size) {
    if (index >= fake.parameterBytes.size())
      return CUDA_ERROR_INVALID_VALUE;
    *size = fake.parameterBytes[index];
    return CUDA_SUCCESS;
  };
  d.cuTensorMapEncodeTiled = [](auto *, auto...) {
    return statusOf("cuTensorMapEncodeTiled");
  };
  d.cuLaunchKernelEx = [](const CUlaunchConfig *config, CUfunction,
                          void **parameters, void **) {
    std::string line =
        ("launch " + Twine(config->gridDimX) + " x " +
         Twine(config->blockDimX) + " shared " + Twine(config->sharedMemBytes))
            .str();
    for (unsigned i = 0; i < config->numAttrs; ++i) {
      const CUlaunchAttribute &attribute = config->attrs[i];
      if (attribute.id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION)
        line += (" cluster " + Twine(attribute.value.clusterDim.x)).str();
      else
        line += " early";
    }
    std::vector<uint64_t> values;
    for (size_t i = 0; i < fake.parameterBytes.size(); ++i) {
      uint64_t value = 0;
      std::memcpy(&value, parameters[i], fake.parameterBytes[i]);
      values.push_back(value);
    }
    CUresult status = note("cuLaunchKernelEx", config->hStream, line);
    if (status == CUDA_SUCCESS) {
      fake.parameters.push_back(values);
      if (fake.kernel)
        fake.kernel(values);
    }
    return status;
  };
}

const CudaDriver &FakeDriver::driver() {
  static const CudaDriver driver = [] {
    CudaDriver d;
    d.cuGetErrorName = [](CUresult status, const char **name) {
      *name = status == CUDA_ERROR_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
              : status == CUDA_ERROR_ILLEGAL_ADDRESS
                  ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                  : "CUDA_ERROR_OTHER";
      return CUDA_SUCCESS;
    };
    d.cuInit = [](unsigned) { return statusOf("cuInit"); };
    d.cuDriverGetVersion = [](int *version) {
      *version = 12090;
      return CUDA_SUCCESS;
    };
    d.cuGetErrorString = [](CUresult, const char **text) {
      *text = "text";
      return CUDA_SUCCESS;
    };
    addContexts(d);
    addDevices(d);
    addMemory(d);
    addKernels(d);
    return d;
  }();
  return driver;
}
