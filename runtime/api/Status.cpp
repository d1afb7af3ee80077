//===- Status.cpp - From the library's errors to the C interface's --------===//

#include "runtime/api/Status.h"

#include "runtime/cuda/Kernels.h"
#include "runtime/pack/NotPrecompiled.h"

using namespace llvm;

namespace weft {

char StatusError::ID = 0;

std::string &lastError() {
  static thread_local std::string message;
  return message;
}

weft_status fail(weft_status status, const Twine &message) {
  lastError() = message.str();
  return status;
}

static weft_status statusOf(const CudaError &error) {
  if (error.isSticky())
    return WEFT_DEVICE_LOST;
  return error.status == CUDA_ERROR_OUT_OF_MEMORY ? WEFT_OUT_OF_MEMORY
                                                  : WEFT_LAUNCH_FAILED;
}

weft_status fail(Error error, weft_status otherwise) {
  weft_status status = otherwise;
  std::string message;
  auto note = [&](const ErrorInfoBase &info, weft_status its) {
    status = its;
    message = info.message();
  };
  handleAllErrors(
      std::move(error), [&](const StatusError &e) { note(e, e.status); },
      [&](const CudaError &e) { note(e, statusOf(e)); },
      [&](const RejectedKernels &e) { note(e, WEFT_LAUNCH_FAILED); },
      [&](const NotPrecompiled &e) { note(e, WEFT_NOT_PRECOMPILED); },
      [&](const ErrorInfoBase &e) { note(e, otherwise); });
  return fail(status, message);
}

} // namespace weft
