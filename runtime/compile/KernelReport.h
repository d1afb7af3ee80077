//===- KernelReport.h - What the assembler said of one kernel ---*- C++ -*-===//
//
// NVRTC's log with `--ptxas-options=-v`, read into numbers.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_COMPILE_KERNELREPORT_H
#define WEFT_RUNTIME_COMPILE_KERNELREPORT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weft {

struct KernelReport {
  /// The kernel was found in the log. Numbers below mean nothing without.
  bool found = false;
  int64_t registers = 0;       ///< per thread
  int64_t spillStoreBytes = 0; ///< per thread
  int64_t spillLoadBytes = 0;  ///< per thread
  int64_t stackBytes = 0;      ///< per thread, arrays in local memory included
  int64_t sharedBytes = 0;     ///< static shared memory of a CTA
  int64_t barriers = 0;
  /// Compiler and assembler warnings, one line each, in order. Among them those
  /// that cost speed: wgmma serialised (C7510 and its kin), setmaxnreg ignored.
  std::vector<std::string> warnings;

  bool spills() const { return spillStoreBytes || spillLoadBytes; }
};

/// Reads what `log` says of the kernel named `kernel`. Warnings are not tied to
/// a kernel: every one in the log is taken.
KernelReport parseReport(llvm::StringRef log, llvm::StringRef kernel);

/// {"registers": .., "spill_store_bytes": .., "spill_load_bytes": ..,
///  "stack_bytes": .., "shared_bytes": .., "barriers": .., "warnings": [..]}
llvm::json::Object toJson(const KernelReport &report);

} // namespace weft

#endif // WEFT_RUNTIME_COMPILE_KERNELREPORT_H
