//===- Device.h - What a case runs on ---------------------------*- C++ -*-===//
//
// The reference executor, the CUDA executor, or a stand-in of a test. A device
// gets host memory; one with memory of its own mirrors the allocations.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CASES_DEVICE_H
#define WEFT_RUNTIME_CASES_DEVICE_H

#include "runtime/cases/CaseMemory.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace weft::cases {

struct RunOptions {
  /// The executor's own poison mode: fill workspace and results (their own
  /// elements only) with this byte before the first launch. The case has done
  /// the same in host memory.
  std::optional<uint8_t> poison;
  /// Seeds whatever the executor leaves open (the order of CTAs).
  uint64_t seed = 0;
  /// Multiprocessors that a plan sees when it chooses its variant and its grid;
  /// absent: those of the device.
  std::optional<int64_t> smCount;
};

/// What plans are made for on a device.
struct CompiledFor {
  std::string target;            ///< "sm_90a"
  int64_t multiprocessors = 132; ///< that guards and grids see
};

class Device {
public:
  virtual ~Device() = default;

  /// "reference", "cuda", ..
  virtual llvm::StringRef name() const = 0;

  /// Bytes of workspace that one run of `problem` needs; its `workspace` is
  /// null. 0 for a device that keeps no workspace in the problem's memory.
  virtual llvm::Expected<int64_t> workspaceBytes(const AttentionSpec &spec,
                                                 const Problem &problem,
                                                 const RunOptions &options) = 0;

  /// Checks and runs one pass and returns when its results are in host memory.
  /// Every pointer of `problem` is null or within one allocation of `memory`,
  /// or one past its end; `spec` is canonical with its facts derived. A device
  /// that mirrors copies all allocations in, workspace and results included,
  /// and back: what a result or the workspace held before is part of the test.
  /// Nothing may be launched if an error is returned.
  virtual llvm::Error run(const AttentionSpec &spec, const Problem &problem,
                          llvm::ArrayRef<Allocation> memory,
                          const RunOptions &options) = 0;

  /// One pass of one problem, as `run` takes it.
  struct Job {
    const AttentionSpec &spec;
    const Problem &problem;
    llvm::ArrayRef<Allocation> memory;
    RunOptions options;
  };
  /// Runs two passes, which share no memory, `rounds` times each, so that their
  /// kernels may overlap: on a GPU on two streams. Here in turns.
  virtual llvm::Error runTogether(const Job &a, const Job &b, int rounds);

  virtual CompiledFor compiledFor() const = 0;

  /// How many runs each variant of the plans so far was chosen for, by name;
  /// empty for a device that cannot tell.
  virtual std::map<std::string, int64_t> variantsRun() const { return {}; }
};

/// Makes a device, or says why there is none (no GPU, not built in).
using DeviceFactory = std::function<llvm::Expected<std::unique_ptr<Device>>()>;

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_DEVICE_H
