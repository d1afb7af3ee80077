//===- OffsetsCheck.cpp - The option check_offsets ------------------------===//

#include "runtime/cuda/OffsetsCheck.h"

#include "runtime/spec/Offsets.h"

#include <list>
#include <vector>

using namespace weft;
using llvm::Error;

Error weft::checkDeviceOffsets(const CudaDriver &driver, const Problem &problem,
                               const AttentionSpec &spec) {
  CUstream stream = static_cast<CUstream>(problem.stream);
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (Error e = driver.check(driver.cuStreamIsCapturing(stream, &capture),
                             "asking whether the stream is being captured"))
    return e;
  if (capture != CU_STREAM_CAPTURE_STATUS_NONE)
    return llvm::createStringError(
        llvm::inconvertibleErrorCode(),
        "check_offsets reads offsets on the host, which a stream under "
        "capture does not allow; turn it off for the capture");

  Problem onHost = problem;
  std::list<std::vector<int32_t>> copies;
  auto copy = [&](const int32_t *&list, int64_t entries) -> Error {
    if (!list || entries == 0)
      return Error::success();
    std::vector<int32_t> &host = copies.emplace_back(entries);
    CUresult status = driver.cuMemcpyAsync(
        reinterpret_cast<CUdeviceptr>(host.data()),
        reinterpret_cast<CUdeviceptr>(list), entries * sizeof(int32_t), stream);
    list = host.data();
    return driver.check(status, "copying offsets to the host");
  };
  for (SideSizes *side : {&onHost.q, &onHost.kv}) {
    if (Error e = copy(side->cuSeqlens, onHost.batch + 1))
      return e;
    if (Error e = copy(side->cuSeqlensPadded, onHost.batch + 1))
      return e;
    if (Error e = copy(side->seqlens, onHost.batch))
      return e;
  }
  if (Error e = driver.check(driver.cuStreamSynchronize(stream),
                             "waiting for the stream to read offsets"))
    return e;
  return checkOffsets(onHost, spec);
}
