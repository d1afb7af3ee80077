//===- OldDriver.c - A CUDA driver that is too old --------------*- C -*-===//

#include <stdlib.h>

#include <cuda.h>

CUresult cuInit(unsigned flags) {
  (void)flags;
  return CUDA_ERROR_NO_DEVICE;
}
/* The toolkit's stub says so, if a test wants it. */
CUresult cuDriverGetVersion(int *version) {
  if (getenv("WEFT_TEST_STUB"))
    return CUDA_ERROR_STUB_LIBRARY;
  *version = 11040;
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **name) {
  (void)error;
  *name = "name";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char **text) {
  (void)error;
  *text = "text";
  return CUDA_SUCCESS;
}
