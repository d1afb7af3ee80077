//===- Executor.h - Running a launch program on a GPU -----------*- C++ -*-===//
//
// Runs a launch program and nothing else, the same from a fresh compile and
// from a pack: memsets and launches on the caller's stream, in order.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CUDA_EXECUTOR_H
#define WEFT_RUNTIME_CUDA_EXECUTOR_H

#include "runtime/cuda/Driver.h"
#include "runtime/program/Formula.h"
#include "runtime/spec/Problem.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <optional>

namespace weft {

struct CudaRunOptions {
  /// Copies offsets and lengths to the host, which waits for the stream, and
  /// refuses malformed ones. Not for a stream under capture.
  bool checkOffsets = false;
  /// Fills the workspace the program uses and the results' own elements with
  /// this byte first. 0xFF makes every number a NaN.
  std::optional<uint8_t> poison = std::nullopt;
  /// Multiprocessors that variants and grids are chosen for; absent: the
  /// device's. For tests: `workspaceBytes` goes by the device.
  std::optional<int64_t> smCount = std::nullopt;
};

/// A launch program ready to run. Thread-safe; runs many problems. Destroy it
/// only when the work it launched is done and graphs captured from it are gone.
class CudaExecutor {
public:
  /// Checks `bytes` and keeps `owner`, which holds them; without one they are
  /// copied. Loads nothing onto a device yet.
  static llvm::Expected<std::unique_ptr<CudaExecutor>>
  create(llvm::ArrayRef<uint8_t> bytes, const CudaDriver &driver,
         std::shared_ptr<const void> owner = nullptr);
  ~CudaExecutor();

  /// Enqueues the program for `problem` on its stream and returns. The problem
  /// is checked first; nothing is launched once something is wrong. Workspace:
  /// the problem's, aligned to 256 bytes and large enough, or, where that is
  /// null, taken from the stream's pool and given back in stream order. No
  /// device memory is read on the host, so a stream under capture is fine.
  /// The thread needs no current context and keeps the one it has. Once its
  /// kernels are loaded and the thread has run it before, it allocates nothing
  /// and takes no lock.
  llvm::Error run(const Problem &problem,
                  const CudaRunOptions &options = {}) const;

  /// Bytes of workspace that `run` would need; 0: none. The device is found as
  /// `run` finds it.
  llvm::Expected<int64_t> workspaceBytes(const Problem &problem) const;

  /// What the program was compiled for.
  const AttentionSpec &spec() const { return programSpec; }
  const program::Program &program() const;

private:
  struct State;
  CudaExecutor(std::unique_ptr<State> state, AttentionSpec spec);

  std::unique_ptr<State> state;
  AttentionSpec programSpec;
};

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_EXECUTOR_H
