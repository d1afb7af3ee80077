//===- Target.h - What the compiler knows of an architecture ---*- C++ -*-===//
//
// An architecture is data: how much of what a CTA may have, and which copy and
// matrix instructions exist. Passes ask the description, never the name.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_TARGET_TARGET_H
#define WEFT_COMPILER_TARGET_TARGET_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>

namespace weft {

struct Target {
  llvm::StringRef name;     ///< as NVRTC spells it: "sm_90a"
  int major = 0, minor = 0; ///< compute capability it runs on
  int64_t sharedPerCta = 0; ///< bytes of shared memory one CTA may have
  int64_t sharedPerSm = 0;  ///< bytes of shared memory of one SM
  int64_t registersPerSm = 65536;
  int64_t registersPerThread = 255;
  bool bulkCopies = false;   ///< TMA, mbarrier transactions
  bool warpgroupMma = false; ///< wgmma
  /// A launch may begin while the one before it runs (griddepcontrol).
  bool earlyLaunches = false;
  /// A tuning table (compiler/tuning) in place of the built-in one, as JSON.
  llvm::StringRef tuning = {};
};

/// Every target weft compiles for, oldest first.
llvm::ArrayRef<Target> allTargets();

/// The target named `name` ("sm_80", "sm_90a", ..), or an error that lists
/// what is allowed.
llvm::Expected<const Target *> targetByName(llvm::StringRef name);

/// The target whose cubins run on a device of compute capability
/// `major`.`minor`, or an error that names it and what is supported.
llvm::Expected<const Target *> targetForDevice(int major, int minor);

} // namespace weft

#endif // WEFT_COMPILER_TARGET_TARGET_H
