//===- Manifest.h - What a pack is to hold ----------------------*- C++ -*-===//
//
// A manifest is JSON Lines: a problem a line, in any order, any number of
// times; lines may be empty. `arch` is one target, a list of them, or left to
// the command line. A line with the spec alone may be the bare string.
//
//   {"spec": "forward bf16 head_dim=128 head_ratio=4 layout=thd mask=causal",
//    "arch": "sm_90a"}                                          (one line)
//   "backward bf16 head_dim=128 head_ratio=4 layout=thd mask=causal"
//
// The same as one JSON array is read too. WEFT_RECORD writes such a file, and
// the error `not_precompiled` names the line that is missing.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_PACK_MANIFEST_H
#define WEFT_RUNTIME_PACK_MANIFEST_H

#include "runtime/spec/AttentionSpec.h"

#include <vector>

namespace weft {

struct ManifestEntry {
  AttentionSpec spec;               ///< canonical
  std::vector<std::string> targets; ///< as the line names them; may be empty
  std::string place;                ///< "line 3"
};

/// Reads a manifest. An error names the line and says what is wrong with it; so
/// does one without any problem.
llvm::Expected<std::vector<ManifestEntry>> parseManifest(llvm::StringRef text);

} // namespace weft

#endif // WEFT_RUNTIME_PACK_MANIFEST_H
