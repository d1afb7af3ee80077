//===- Target.cpp - What the compiler knows of an architecture ------------===//

#include "compiler/target/Target.h"

#include "runtime/spec/TargetName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Error.h"

using namespace llvm;

namespace weft {

static constexpr int64_t kKiB = 1024;

// Shared memory figures are those of the CUDA programming guide's table of
// compute capabilities: the driver keeps 1 KB of an SM's memory per CTA.
static const Target kTargets[] = {
    {.name = "sm_80",
     .major = 8,
     .minor = 0,
     .sharedPerCta = 163 * kKiB,
     .sharedPerSm = 164 * kKiB},
    {.name = "sm_86",
     .major = 8,
     .minor = 6,
     .sharedPerCta = 99 * kKiB,
     .sharedPerSm = 100 * kKiB},
    {.name = "sm_89",
     .major = 8,
     .minor = 9,
     .sharedPerCta = 99 * kKiB,
     .sharedPerSm = 100 * kKiB},
    {.name = "sm_90a",
     .major = 9,
     .minor = 0,
     .sharedPerCta = 227 * kKiB,
     .sharedPerSm = 228 * kKiB,
     .bulkCopies = true,
     .warpgroupMma = true,
     .earlyLaunches = true},
    {.name = "sm_100a",
     .major = 10,
     .minor = 0,
     .sharedPerCta = 227 * kKiB,
     .sharedPerSm = 228 * kKiB,
     .bulkCopies = true,
     .earlyLaunches = true},
    {.name = "sm_120a",
     .major = 12,
     .minor = 0,
     .sharedPerCta = 99 * kKiB,
     .sharedPerSm = 100 * kKiB,
     .bulkCopies = true,
     .earlyLaunches = true},
};

ArrayRef<Target> allTargets() { return kTargets; }

static std::string targetNames() {
  return join(map_range(kTargets, [](const Target &t) { return t.name.str(); }),
              ", ");
}

Expected<const Target *> targetByName(StringRef name) {
  const Target *found = find_if(
      kTargets, [&](const Target &target) { return target.name == name; });
  if (found != std::end(kTargets))
    return found;
  return createStringError(Twine("target '") + name +
                           "' is not known; use one of " + targetNames());
}

Expected<const Target *> targetForDevice(int major, int minor) {
  std::string name = targetNameFor(major, minor);
  const Target *found = find_if(
      kTargets, [&](const Target &target) { return target.name == name; });
  if (found != std::end(kTargets))
    return found;
  return createStringError(
      "the device has compute capability " + Twine(major) + "." + Twine(minor) +
      ", for which weft has no target (it has " + targetNames() +
      "); use a GPU of compute capability 8.0, 8.6, 8.7, 8.9, 9.0, 10.0 or "
      "12.0");
}

} // namespace weft
