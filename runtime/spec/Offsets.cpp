//===- Offsets.cpp - Offsets and lengths read on the host -----------------===//

#include "runtime/spec/Offsets.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace weft;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static std::string entry(const Twine &list, int64_t index, int64_t value) {
  return (list + "[" + Twine(index) + "] = " + Twine(value)).str();
}

/// An offsets list that begins at a legal start and never decreases.
static Error checkList(const int32_t *offsets, int64_t batch,
                       const std::string &list, bool fromZero) {
  if (fromZero ? offsets[0] != 0 : offsets[0] < 0)
    return error(entry(list, 0, offsets[0]) + " is not a legal start; " +
                 (fromZero ? "prefix sums start at 0"
                           : "padded offsets start at 0 or above"));
  for (int64_t b = 0; b < batch; ++b)
    if (offsets[b + 1] < offsets[b])
      return error(entry(list, b + 1, offsets[b + 1]) + " is below " +
                   entry(list, b, offsets[b]) + "; offsets never decrease");
  return Error::success();
}

static Error readThd(const SideSizes &side, bool padded, int64_t batch,
                     StringRef name, std::vector<SequenceRows> &sequences) {
  std::string usedName = ("cu_seqlens_" + name).str();
  std::string startName = padded ? usedName + "_padded" : usedName;
  const int32_t *used = side.cuSeqlens;
  const int32_t *start = padded ? side.cuSeqlensPadded : used;
  if (!used || !start) {
    if (batch == 0 && side.rows == 0)
      return Error::success();
    return error((used ? startName : usedName) + " is null; give batch + 1 = " +
                 Twine(batch + 1) + " int32 offsets");
  }
  if (Error e = checkList(used, batch, usedName, /*fromZero=*/true))
    return e;
  if (padded)
    if (Error e = checkList(start, batch, startName, /*fromZero=*/false))
      return e;
  if (start[batch] > side.rows)
    return error(entry(startName, batch, start[batch]) +
                 " is past the rows held; total_" + name + " is " +
                 Twine(side.rows));
  for (int64_t b = 0; b < batch; ++b) {
    int64_t length = int64_t(used[b + 1]) - used[b];
    int64_t slot = int64_t(start[b + 1]) - start[b];
    if (slot < length)
      return error("sequence " + Twine(b) + " has " + Twine(length) +
                   " rows in " + usedName + " but its slot in " + startName +
                   " holds " + Twine(slot) +
                   "; a slot is at least as long as its sequence");
    sequences.push_back({start[b], length});
  }
  return Error::success();
}

static Error readBatch(const SideSizes &side, bool padded, int64_t batch,
                       StringRef name, std::vector<SequenceRows> &sequences) {
  std::string list = ("seqlens_" + name).str();
  if (padded && !side.seqlens && batch != 0)
    return error(list + " is null; give batch = " + Twine(batch) +
                 " int32 lengths");
  for (int64_t b = 0; b < batch; ++b) {
    int64_t length = padded ? side.seqlens[b] : side.seqlen;
    if (length < 0 || length > side.seqlen)
      return error(entry(list, b, length) + " is outside [0, seqlen_" + name +
                   " = " + Twine(side.seqlen) + "]");
    sequences.push_back({b * side.seqlen, length});
  }
  return Error::success();
}

Expected<std::vector<SequenceRows>> weft::readSequences(const SideSizes &side,
                                                        SideLayout layout,
                                                        int64_t batch,
                                                        StringRef name) {
  std::vector<SequenceRows> sequences;
  if (Error e = layout.layout == LayoutClass::Thd
                    ? readThd(side, layout.padded, batch, name, sequences)
                    : readBatch(side, layout.padded, batch, name, sequences))
    return e;
  int64_t longest = 0;
  for (const SequenceRows &sequence : sequences)
    longest = std::max(longest, sequence.used);
  if (side.maxSeqlen != 0 && side.maxSeqlen < longest)
    return error("max_seqlen_" + name + " " + Twine(side.maxSeqlen) +
                 " is below a sequence's length, " + Twine(longest) +
                 "; give at least that, or 0 for unknown");
  return sequences;
}

Error weft::checkOffsets(const Problem &problem, const AttentionSpec &spec) {
  Expected<std::vector<SequenceRows>> q =
      readSequences(problem.q, spec.q, problem.batch, "q");
  if (!q)
    return q.takeError();
  return readSequences(problem.kv, spec.kv, problem.batch, "kv").takeError();
}
