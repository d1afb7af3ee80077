//===- OldDriver.c - A CUDA driver that is too old --------------*- C -*-===//

#include <cuda.h>

CUresult cuInit(unsigned flags) {
  (void)flags;
  return CUDA_ERROR_NO_DEVICE;
}
CUresult cuDriverGetVersion(int *version) {
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
