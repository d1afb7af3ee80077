//===- Driver.cpp - The CUDA driver, opened at run time -------------------===//

#include "runtime/cuda/Driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <string>

using namespace weft;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string cudaVersion(int version) {
  return std::to_string(version / 1000) + "." +
         std::to_string(version % 1000 / 10);
}

static Error tooOld(const Twine &found) {
  return error("the CUDA driver is too old: " + found + "; weft needs CUDA " +
               cudaVersion(CudaDriver::oldestVersion) +
               " or newer, update the NVIDIA driver to " +
               CudaDriver::oldestRelease + " or newer");
}

char CudaError::ID = 0;

bool CudaError::isSticky() const {
  switch (status) {
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
  case CUDA_ERROR_ECC_UNCORRECTABLE:
  case CUDA_ERROR_NVLINK_UNCORRECTABLE:
  case CUDA_ERROR_MPS_CLIENT_TERMINATED:
#if CUDA_VERSION >= 12080
  case CUDA_ERROR_CONTAINED:
#endif
  case CUDA_ERROR_CONTEXT_IS_DESTROYED:
    return true;
  default:
    return false;
  }
}

Error CudaDriver::check(CUresult status, const Twine &what) const {
  if (status == CUDA_SUCCESS)
    return Error::success();
  const char *name = nullptr, *description = nullptr;
  std::string number = ("CUDA error " + Twine(int(status))).str();
  if (cuGetErrorName(status, &name) != CUDA_SUCCESS || !name)
    name = number.c_str();
  if (cuGetErrorString(status, &description) != CUDA_SUCCESS || !description)
    description = "no description";
  std::string message =
      (what + " failed: " + name + " (" + description + ")").str();
  if (CudaError(status, "").isSticky())
    message += "; work launched earlier in this CUDA context failed, and the "
               "context is lost: find that fault (compute-sanitizer), restart "
               "the process";
  return llvm::make_error<CudaError>(status, std::move(message));
}

std::string CudaDriver::versionText() const {
  int version = 0;
  if (cuDriverGetVersion(&version) != CUDA_SUCCESS)
    return "unknown";
  return cudaVersion(version);
}

#define WEFT_TEXT_OF(name) #name
#define WEFT_SYMBOL(name) WEFT_TEXT_OF(name)

Expected<std::unique_ptr<CudaDriver>> CudaDriver::open(const char *path) {
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return error("no CUDA driver: " + Twine(dlerror()) +
                 "; install the NVIDIA driver (" + oldestRelease +
                 " or newer), or use the reference executor");
  auto driver = std::make_unique<CudaDriver>();
  const char *missing = nullptr;
#define WEFT_RESOLVE(name)                                                     \
  driver->name =                                                               \
      reinterpret_cast<decltype(&::name)>(dlsym(library, WEFT_SYMBOL(name)));  \
  if (!driver->name && !missing)                                               \
    missing = WEFT_SYMBOL(name);
  WEFT_CUDA_ENTRY_POINTS(WEFT_RESOLVE)
#undef WEFT_RESOLVE
  if (!driver->cuInit || !driver->cuDriverGetVersion ||
      !driver->cuGetErrorName || !driver->cuGetErrorString)
    return error(Twine(path) + " is not a CUDA driver: it has no function " +
                 missing);
  // Needs no cuInit, which an old driver may fail for other reasons.
  int version = 0;
  CUresult status = driver->cuDriverGetVersion(&version);
  if (status == CUDA_ERROR_STUB_LIBRARY)
    return error("no CUDA driver: " + Twine(path) +
                 " is the CUDA Toolkit's stub, for linking only; take its "
                 "folder out of LD_LIBRARY_PATH, or name the NVIDIA driver's "
                 "libcuda.so.1 in WEFT_LIBCUDA");
  if (Error e = driver->check(status, "asking the CUDA driver for its version"))
    return e;
  if (version < oldestVersion)
    return tooOld("it supports CUDA " + cudaVersion(version));
  if (missing)
    return tooOld("it has no function " + Twine(missing));
  if (Error e =
          driver->check(driver->cuInit(0), "initialising the CUDA driver"))
    return e;
  return driver;
}

Expected<const CudaDriver *> CudaDriver::get() {
  struct Opened {
    std::unique_ptr<CudaDriver> driver;
    std::string message;
  };
  // Never destroyed: executors may outlive static objects.
  static const Opened &opened = *[] {
    auto *result = new Opened;
    const char *path = std::getenv("WEFT_LIBCUDA");
    auto driver = open(path && *path ? path : "libcuda.so.1");
    if (driver)
      result->driver = std::move(*driver);
    else
      result->message = llvm::toString(driver.takeError());
    return result;
  }();
  if (!opened.driver)
    return error(opened.message);
  return opened.driver.get();
}
