//===- Devices.h - The devices that cases run on ----------------*- C++ -*-===//
//
// Puts the compiler and an executor together as a device for cases, for
// weft-run and the numerics sweep.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_WEFT_RUN_DEVICES_H
#define WEFT_TOOLS_WEFT_RUN_DEVICES_H

#include "runtime/cases/Device.h"

#include <optional>
#include <string>

namespace weft {

struct DeviceOptions {
  /// reference: the target whose schedules run on the CPU.
  std::string target = "sm_90a";
  /// reference: CTAs of a launch that run at a time, 0 for all. Absent: 1, 2, 7
  /// or all, picked by the seed of the run.
  std::optional<int64_t> residentCtas;
  /// cuda: which GPU.
  int ordinal = 0;
  /// cuda: a pack that plans are taken from; what it lacks is compiled. Empty:
  /// none.
  std::string pack;
};

/// The plan and tile code of a spec, run on the CPU. `run` may be called from
/// several threads.
llvm::Expected<std::unique_ptr<cases::Device>>
createReferenceDevice(const DeviceOptions &options = {});

/// The compiled kernels of a spec on a GPU. `run` may be called from several
/// threads. An error says what is missing: a driver, a GPU, NVRTC.
llvm::Expected<std::unique_ptr<cases::Device>>
createCudaDevice(const DeviceOptions &options = {});

/// The device called `name`: "reference" or "cuda".
llvm::Expected<std::unique_ptr<cases::Device>>
createDevice(llvm::StringRef name, const DeviceOptions &options = {});

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_DEVICES_H
