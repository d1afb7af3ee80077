//===- NotPrecompiled.cpp - A problem that is in no pack ------------------===//

#include "runtime/pack/NotPrecompiled.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace weft {

std::string manifestLine(StringRef spec, StringRef target) {
  // Neither has a character that JSON escapes.
  return ("{\"spec\": \"" + spec + "\", \"arch\": \"" + target + "\"}").str();
}

char NotPrecompiled::ID = 0;

NotPrecompiled::NotPrecompiled(StringRef spec, StringRef target,
                               ArrayRef<std::shared_ptr<const Pack>> packs) {
  text = ("'" + spec + "' is not precompiled for " + target).str();
  SmallVector<StringRef> others;
  std::string looked;
  for (const std::shared_ptr<const Pack> &pack : packs) {
    for (const PackEntry &entry : pack->entries())
      if (entry.spec == spec)
        others.push_back(entry.target);
    looked += (looked.empty() ? "" : ", ") + pack->name().str();
  }
  if (packs.empty())
    text += "; no pack is loaded";
  else if (others.empty())
    text += " (looked in " + looked + ")";
  else
    text += " (" + looked + (packs.size() == 1 ? " has" : " have") +
            " it for " + join(others, ", ") + ")";
  text += "; add this line to the manifest and compile the pack again: " +
          manifestLine(spec, target);
}

} // namespace weft
