//===- Nvrtc.h - NVRTC, found and opened at run time ------------*- C++ -*-===//
//
// weft links no NVRTC: the library is looked for when a kernel has to be
// compiled, so everything loads, and says something useful, without one.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_COMPILE_NVRTC_H
#define WEFT_RUNTIME_COMPILE_NVRTC_H

#include "llvm/Support/Error.h"

#include <nvrtc.h>

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

/// Which NVRTC a compile would use, known without opening it: one ingredient
/// of a cubin's cache key.
struct NvrtcIdentity {
  std::string path; ///< absolute, symbolic links resolved
  uint64_t bytes = 0;
  int64_t modified = 0; ///< nanoseconds since the epoch
  /// The same of its libnvrtc-builtins, a part of it in a file beside it:
  /// "name bytes modified"; empty if there is none.
  std::string builtins;

  /// "path bytes modified builtins" on one line.
  std::string str() const;
};

/// The folders and names an NVRTC is looked for under, best first: the file
/// that WEFT_NVRTC names and nothing else where it is set; else
/// LD_LIBRARY_PATH, CUDA_HOME, CUDA_PATH, /usr/local/cuda, the system's
/// library folders and the places pip installs it to.
std::vector<std::string> nvrtcCandidates();

/// The NVRTC a compile would use. An error lists what was tried and says how
/// to get one.
llvm::Expected<NvrtcIdentity> findNvrtc();

/// The entry points weft uses of an opened NVRTC.
class Nvrtc {
public:
  /// Opens the library at `path`. Opened libraries stay open, one per path, for
  /// the life of the process. Thread-safe.
  static llvm::Expected<const Nvrtc *> open(const std::string &path);

  int versionMajor = 0, versionMinor = 0;

  decltype(&nvrtcVersion) version = nullptr;
  decltype(&nvrtcGetErrorString) errorString = nullptr;
  decltype(&nvrtcCreateProgram) createProgram = nullptr;
  decltype(&nvrtcDestroyProgram) destroyProgram = nullptr;
  decltype(&nvrtcCompileProgram) compileProgram = nullptr;
  decltype(&nvrtcGetProgramLogSize) logSize = nullptr;
  decltype(&nvrtcGetProgramLog) log = nullptr;
  decltype(&nvrtcGetCUBINSize) cubinSize = nullptr;
  decltype(&nvrtcGetCUBIN) cubin = nullptr;
  decltype(&nvrtcGetPTXSize) ptxSize = nullptr;
  decltype(&nvrtcGetPTX) ptx = nullptr;
  decltype(&nvrtcGetNumSupportedArchs) architectureCount = nullptr;
  decltype(&nvrtcGetSupportedArchs) architectures = nullptr;

  /// Whether this NVRTC lists the compute capability of `architecture`
  /// ("sm_90a").
  bool supports(llvm::StringRef architecture) const;

private:
  Nvrtc() = default;
  llvm::Error load(const std::string &path);
};

} // namespace weft

#endif // WEFT_RUNTIME_COMPILE_NVRTC_H
