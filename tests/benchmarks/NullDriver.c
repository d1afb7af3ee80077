/*===- NullDriver.c - A CUDA driver that does nothing, quickly
-------------===*\
|*                                                                            *|
|* Has what weft asks of a driver, and a Hopper GPU on which every launch is  *|
|* done at once: what a call costs with it is what weft costs. It reads of a  *|
|* cubin what parameters its kernels take, as a driver does.                  *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include <cuda.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Attributes of a kernel's .nv.info section: one byte of form, one of kind, two
 * of size, the value. */
enum { kSizedForm = 4, kParameterKind = 0x17 };
enum { kMostParameters = 256 };

struct CUlib_st {
  const unsigned char *image;
};

struct CUkern_st {
  size_t count, offsets[kMostParameters], sizes[kMostParameters];
};

static const char stage[] = "a place to point to";

static CUcontext theContext(void) { return (CUcontext)stage; }

CUresult cuInit(unsigned flags) { return (void)flags, CUDA_SUCCESS; }
CUresult cuDriverGetVersion(int *version) {
  return *version = 13000, CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult status, const char **name) {
  return (void)status, *name = "CUDA_ERROR", CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult status, const char **text) {
  return (void)status, *text = "an error", CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *count) { return *count = 1, CUDA_SUCCESS; }
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return *device = ordinal, CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *name, int size, CUdevice device) {
  return (void)device, snprintf(name, size, "Null GPU"), CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  (void)device;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return *value = 9, CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return *value = 132, CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return *value = 232448, CUDA_SUCCESS;
  case CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED:
    return *value = 1, CUDA_SUCCESS;
  default:
    return *value = 0, CUDA_SUCCESS;
  }
}
CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device) {
  return (void)device, *context = theContext(), CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
  return (void)device, CUDA_SUCCESS;
}
/* The contexts of a thread, the current one last. */
enum { kMostContexts = 16 };
static __thread CUcontext contexts[kMostContexts];
static __thread int depth;

static CUcontext current(void) { return depth ? contexts[depth - 1] : NULL; }

CUresult cuCtxGetCurrent(CUcontext *context) {
  return *context = current(), CUDA_SUCCESS;
}
CUresult cuCtxPushCurrent(CUcontext context) {
  if (depth == kMostContexts)
    return CUDA_ERROR_OUT_OF_MEMORY;
  return contexts[depth++] = context, CUDA_SUCCESS;
}
CUresult cuCtxPopCurrent(CUcontext *context) {
  if (!depth)
    return CUDA_ERROR_INVALID_CONTEXT;
  return *context = contexts[--depth], CUDA_SUCCESS;
}
CUresult cuCtxSetCurrent(CUcontext context) {
  CUcontext last;
  if (depth)
    cuCtxPopCurrent(&last);
  return context ? cuCtxPushCurrent(context) : CUDA_SUCCESS;
}
/* What a real driver, too, refuses to a thread without a current context. */
static CUresult withContext(void) {
  return current() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxGetDevice(CUdevice *device) { return *device = 0, withContext(); }
CUresult cuCtxGetId(CUcontext context, unsigned long long *id) {
  return (void)context, *id = 1, CUDA_SUCCESS;
}
CUresult cuStreamCreate(CUstream *stream, unsigned flags) {
  return (void)flags, *stream = (CUstream)stage, withContext();
}
CUresult cuStreamDestroy(CUstream stream) {
  return (void)stream, withContext();
}
CUresult cuStreamSynchronize(CUstream stream) {
  return (void)stream, withContext();
}
CUresult cuStreamGetCtx(CUstream stream, CUcontext *context) {
  return (void)stream, *context = theContext(), CUDA_SUCCESS;
}
CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  return (void)stream, *status = CU_STREAM_CAPTURE_STATUS_NONE, CUDA_SUCCESS;
}
CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  return (void)mode, CUDA_SUCCESS;
}
CUresult cuPointerGetAttribute(void *value, CUpointer_attribute attribute,
                               CUdeviceptr pointer) {
  (void)attribute, (void)pointer;
  return *(int *)value = 0, CUDA_SUCCESS;
}
CUresult cuMemAlloc(CUdeviceptr *pointer, size_t bytes) {
  /* Nobody looks at it. */
  static _Atomic CUdeviceptr next = 0x1000000000;
  CUdeviceptr taken = (bytes + 0xffff) & ~(size_t)0xffff;
  *pointer = (next += taken) - taken;
  return withContext();
}
CUresult cuMemFree(CUdeviceptr pointer) { return (void)pointer, withContext(); }
CUresult cuMemAllocAsync(CUdeviceptr *pointer, size_t bytes, CUstream stream) {
  return (void)bytes, (void)stream, *pointer = 0x2000000000, withContext();
}
CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream stream) {
  return (void)pointer, (void)stream, withContext();
}
CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  return (void)to, (void)from, (void)bytes, (void)stream, withContext();
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count,
                         CUstream stream) {
  return (void)to, (void)value, (void)count, (void)stream, withContext();
}
CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count,
                          CUstream stream) {
  return (void)to, (void)value, (void)count, (void)stream, withContext();
}
CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count,
                          CUstream stream) {
  return (void)to, (void)value, (void)count, (void)stream, withContext();
}
CUresult cuMemsetD2D16Async(CUdeviceptr to, size_t pitch, unsigned short value,
                            size_t width, size_t height, CUstream stream) {
  return (void)to, (void)pitch, (void)value, (void)width, (void)height,
         (void)stream, withContext();
}
CUresult cuMemsetD2D32Async(CUdeviceptr to, size_t pitch, unsigned value,
                            size_t width, size_t height, CUstream stream) {
  return (void)to, (void)pitch, (void)value, (void)width, (void)height,
         (void)stream, withContext();
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image,
                           CUjit_option *options, void **values, unsigned count,
                           CUlibraryOption *more, void **moreValues,
                           unsigned moreCount) {
  (void)options, (void)values, (void)count, (void)more, (void)moreValues,
      (void)moreCount;
  if (memcmp(image, ELFMAG, SELFMAG))
    return CUDA_ERROR_INVALID_IMAGE;
  *library = malloc(sizeof **library);
  (*library)->image = image;
  return CUDA_SUCCESS;
}
CUresult cuLibraryUnload(CUlibrary library) {
  return free(library), CUDA_SUCCESS;
}

/* The parameters that the section's attributes tell of. */
static void readParameters(const unsigned char *at, const unsigned char *end,
                           CUkernel kernel) {
  while (at + 4 <= end) {
    unsigned size = at[0] == kSizedForm ? at[2] | at[3] << 8 : 0;
    if (at[0] == kSizedForm && at[1] == kParameterKind && size >= 12) {
      unsigned short ordinal, offset;
      unsigned flags;
      memcpy(&ordinal, at + 8, sizeof ordinal);
      memcpy(&offset, at + 10, sizeof offset);
      memcpy(&flags, at + 12, sizeof flags);
      if (ordinal < kMostParameters) {
        kernel->offsets[ordinal] = offset;
        kernel->sizes[ordinal] = flags >> 18;
        if (kernel->count <= ordinal)
          kernel->count = ordinal + 1u;
      }
    }
    at += 4 + size;
  }
}

CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                            const char *name) {
  const unsigned char *image = library->image;
  Elf64_Ehdr header;
  memcpy(&header, image, sizeof header);
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(image + header.e_shoff);
  const char *names =
      (const char *)image + sections[header.e_shstrndx].sh_offset;
  char wanted[256];
  snprintf(wanted, sizeof wanted, ".nv.info.%s", name);
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    if (strcmp(names + sections[i].sh_name, wanted))
      continue;
    /* As long as the process: nobody gives kernels back. */
    *kernel = calloc(1, sizeof **kernel);
    const unsigned char *begin = image + sections[i].sh_offset;
    readParameters(begin, begin + sections[i].sh_size, *kernel);
    return CUDA_SUCCESS;
  }
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  return *function = (CUfunction)kernel, CUDA_SUCCESS;
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                              CUkernel kernel, CUdevice device) {
  return (void)attribute, (void)value, (void)kernel, (void)device, CUDA_SUCCESS;
}
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                            size_t *size) {
  CUkernel kernel = (CUkernel)function;
  if (index >= kernel->count)
    return CUDA_ERROR_INVALID_VALUE;
  *offset = kernel->offsets[index];
  *size = kernel->sizes[index];
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **extra) {
  (void)config, (void)extra;
  /* A driver copies them. */
  static __thread unsigned char buffer[4096];
  CUkernel kernel = (CUkernel)function;
  for (size_t i = 0; i < kernel->count; ++i)
    memcpy(buffer + kernel->offsets[i] % 3968, parameters[i],
           kernel->sizes[i] > 128 ? 128 : kernel->sizes[i]);
  return CUDA_SUCCESS;
}
CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *sizes, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *steps, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  (void)type, (void)rank, (void)address, (void)sizes, (void)strides, (void)box,
      (void)steps, (void)interleave, (void)swizzle, (void)promotion, (void)fill;
  return memset(map, 0, sizeof *map), CUDA_SUCCESS;
}
