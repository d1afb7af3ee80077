//===- TargetName.h - Which target a device runs ----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_SPEC_TARGETNAME_H
#define WEFT_RUNTIME_SPEC_TARGETNAME_H

#include "llvm/ADT/Twine.h"

#include <string>

namespace weft {

/// The name of the target whose cubins a device of compute capability
/// `major`.`minor` runs, as NVRTC spells it: "sm_80", "sm_90a". weft need not
/// have that target.
inline std::string targetNameFor(int major, int minor) {
  // Cubins of an 8.x target run on later 8.y devices. 8.7 has more shared
  // memory than sm_86 asks for.
  if (major == 8 && minor == 7)
    minor = 6;
  // 'a' targets run on their own compute capability alone.
  return ("sm_" + llvm::Twine(major) + llvm::Twine(minor) +
          (major >= 9 ? "a" : ""))
      .str();
}

} // namespace weft

#endif // WEFT_RUNTIME_SPEC_TARGETNAME_H
