//===- Hint.h - Which word was meant ----------------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_SPEC_HINT_H
#define WEFT_RUNTIME_SPEC_HINT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace weft {

/// "; did you mean 'layout'?" for the word of `known` that is nearest to
/// `given`, or "" if none is near: one edit for every three letters.
inline std::string hint(llvm::StringRef given,
                        llvm::ArrayRef<llvm::StringRef> known) {
  unsigned least = (given.size() + 2) / 3 + 1;
  llvm::StringRef nearest;
  for (llvm::StringRef word : known) {
    unsigned distance = given.edit_distance_insensitive(
        word, /*AllowReplacements=*/true, /*MaxEditDistance=*/least);
    if (distance < least) {
      least = distance;
      nearest = word;
    }
  }
  return nearest.empty() ? "" : ("; did you mean '" + nearest + "'?").str();
}

} // namespace weft

#endif // WEFT_RUNTIME_SPEC_HINT_H
