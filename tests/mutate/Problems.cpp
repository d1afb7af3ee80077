//===- Problems.cpp - A problem that reaches every domain -----------------===//

#include "tests/mutate/Problems.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace weft;
using namespace weft::cases;

/// Used lengths, by sequence. The longest have several tiles, the last one
/// partly filled.
static constexpr int32_t kQueries[] = {0, 37, 131, 5};
static constexpr int32_t kKeys[] = {33, 0, 90, 20};

static CallSide sideOf(const SideLayout &layout,
                       llvm::ArrayRef<int32_t> lengths) {
  CallSide side;
  int32_t longest = *std::max_element(lengths.begin(), lengths.end());
  if (layout.layout == LayoutClass::Batch) {
    // All sequences have the same rows unless used lengths are given.
    side.seqlen = layout.padded ? longest + 9 : longest / 2;
    if (layout.padded)
      side.seqlens = lengths.vec();
    return side;
  }
  side.cuSeqlens.emplace(1, 0);
  for (int32_t length : lengths)
    side.cuSeqlens->push_back(side.cuSeqlens->back() + length);
  int32_t end = side.cuSeqlens->back();
  if (layout.padded) {
    side.cuSeqlensPadded.emplace(1, 3);
    for (int32_t length : lengths)
      side.cuSeqlensPadded->push_back(side.cuSeqlensPadded->back() + length +
                                      5);
    end = side.cuSeqlensPadded->back();
  }
  side.total = end + 7;
  return side;
}

static CaseFile problemOf(const AttentionSpec &spec, uint64_t seed) {
  CaseFile file;
  file.name = "mutate";
  file.pass = spec.pass;
  file.dtype = spec.dtype;
  file.headsKv = 2;
  file.headsQ = file.headsKv * spec.headRatio;
  file.headDim = spec.headDim;
  file.headDimV = spec.headDimV;
  auto layout = [](const SideLayout &side) {
    return side.layout == LayoutClass::Thd ? Layout::THD : Layout::BSHD;
  };
  file.layoutQ = layout(spec.q);
  file.layoutKv = layout(spec.kv);
  file.mask = spec.mask;
  auto bound = [](const WindowBound &bound,
                  int64_t runTime) -> std::optional<int64_t> {
    switch (bound.kind) {
    case WindowBound::Kind::Unlimited:
      return std::nullopt;
    case WindowBound::Kind::RunTime:
      return runTime;
    case WindowBound::Kind::Constant:
      return bound.value;
    }
    return std::nullopt;
  };
  file.left = bound(spec.left, 30);
  file.right = bound(spec.right, 10);
  file.constantBounds = spec.left.kind == WindowBound::Kind::Constant ||
                        spec.right.kind == WindowBound::Kind::Constant;
  if (spec.score == ScoreKind::Softcap)
    file.softcap = 20;
  file.deterministic = spec.deterministic;
  file.inputs.seed = int64_t(seed);
  file.inputs.nanGaps = true;
  file.inputs.randomOLse = spec.isBackward();
  file.inputs.onesDOut = spec.scalarDOut;
  CaseCall &call = file.calls.emplace_back();
  call.q = sideOf(spec.q, kQueries);
  call.kv = sideOf(spec.kv, kKeys);
  if (spec.q.layout == LayoutClass::Batch ||
      spec.kv.layout == LayoutClass::Batch)
    call.batch = int64_t(std::size(kQueries));
  return file;
}

std::vector<CaseFile> weft::mutate::problemsOf(const AttentionSpec &spec,
                                               uint64_t seed) {
  std::vector<CaseFile> problems = {problemOf(spec, seed)};
  for (bool query : {true, false}) {
    const SideLayout &layout = query ? spec.q : spec.kv;
    if (layout.layout != LayoutClass::Batch || layout.padded)
      continue;
    CaseFile empty = problemOf(spec, seed);
    (query ? empty.calls[0].q : empty.calls[0].kv).seqlen = 0;
    problems.push_back(std::move(empty));
  }
  return problems;
}
