//===- Offsets.h - Offsets and lengths read on the host ---------*- C++ -*-===//
//
// A launch never reads offsets on the host. The reference executor, weft-run
// and the option `check_offsets` do, and refuse malformed ones here. A leaf.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_SPEC_OFFSETS_H
#define WEFT_RUNTIME_SPEC_OFFSETS_H

#include "runtime/spec/Problem.h"

#include <vector>

namespace weft {

/// The rows of one sequence: `used` rows from row `start` of the buffer. Rows
/// of batch layouts are counted as batch * seqlen + position.
struct SequenceRows {
  int64_t start = 0;
  int64_t used = 0;
};

/// The sequences of one side. Offsets and lengths are read through the
/// pointers of `side`, which must be host memory, and must be legal: prefix
/// sums start at 0, never decrease and stay within the rows held; padded
/// offsets start at 0 or above, leave room for the used length of every
/// sequence and stay within the rows held; used lengths of batch layouts are
/// within [0, seqlen]; a given `maxSeqlen` is no smaller than a length. `name`
/// ("q" or "kv") appears in messages.
llvm::Expected<std::vector<SequenceRows>> readSequences(const SideSizes &side,
                                                        SideLayout layout,
                                                        int64_t batch,
                                                        llvm::StringRef name);

/// Both sides of `problem`, checked as above.
llvm::Error checkOffsets(const Problem &problem, const AttentionSpec &spec);

} // namespace weft

#endif // WEFT_RUNTIME_SPEC_OFFSETS_H
