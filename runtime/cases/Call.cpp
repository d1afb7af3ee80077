//===- Call.cpp - One call of a case, resolved and placed -----------------===//

#include "runtime/cases/Call.h"

#include "llvm/ADT/Twine.h"

#include <algorithm>

using namespace weft;
using namespace weft::cases;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Spec and sizes
//===----------------------------------------------------------------------===//

static SideLayout sideLayout(Layout layout, const CallSide &side) {
  SideLayout result;
  result.layout = classOf(layout);
  result.padded = result.layout == LayoutClass::Thd
                      ? side.cuSeqlensPadded.has_value()
                      : side.seqlens.has_value();
  return result;
}

static WindowBound bound(const std::optional<int64_t> &value, bool constant) {
  if (!value)
    return {};
  return {constant ? WindowBound::Kind::Constant : WindowBound::Kind::RunTime,
          constant ? *value : 0};
}

static Expected<AttentionSpec> specOf(const CaseFile &file,
                                      const CaseCall &call) {
  if (file.headsQ % file.headsKv != 0)
    return error("heads_q " + Twine(file.headsQ) +
                 " is not a multiple of heads_kv " + Twine(file.headsKv) +
                 "; every key head serves the same number of query heads");
  AttentionSpec spec;
  spec.pass = file.pass;
  spec.dtype = file.dtype;
  spec.headDim = file.headDim;
  spec.headDimV = file.headDimV;
  spec.headRatio = file.headsQ / file.headsKv;
  spec.q = sideLayout(file.layoutQ, call.q);
  spec.kv = sideLayout(file.layoutKv, call.kv);
  spec.mask = file.mask;
  spec.left = bound(file.left, file.constantBounds);
  spec.right = bound(file.right, file.constantBounds);
  spec.score = file.softcap ? ScoreKind::Softcap : ScoreKind::None;
  spec.deterministic = file.deterministic;
  if (Error e = spec.validate())
    return e;
  return spec.canonical();
}

/// `columns` is the larger head dim.
static Error resolveSide(const CallSide &given, int64_t heads, int64_t columns,
                         SideLayout layout, int64_t batch, StringRef name,
                         SideSizes &side,
                         std::vector<SequenceRows> &sequences) {
  side.heads = heads;
  if (layout.layout == LayoutClass::Thd) {
    const std::vector<int32_t> &starts =
        given.cuSeqlensPadded ? *given.cuSeqlensPadded : *given.cuSeqlens;
    side.rows = given.total ? *given.total : std::max(starts.back(), 0);
    side.cuSeqlens = given.cuSeqlens->data();
    if (given.cuSeqlensPadded)
      side.cuSeqlensPadded = given.cuSeqlensPadded->data();
  } else {
    // Both factors fit 31 bits.
    side.seqlen = *given.seqlen;
    side.rows = batch * side.seqlen;
    if (given.seqlens)
      side.seqlens = given.seqlens->data();
  }
  if (__int128(side.rows) * heads * columns > maxTensorElements)
    return error("a tensor of " + Twine(side.rows) + " rows and " +
                 Twine(heads) +
                 " heads is larger than a case may hold (2^33 elements)");
  side.maxSeqlen = given.maxSeqlen.value_or(0);
  Expected<std::vector<SequenceRows>> read =
      readSequences(side, layout, batch, name);
  if (!read)
    return read.takeError();
  sequences = std::move(*read);
  int64_t longest = 0;
  for (const SequenceRows &sequence : sequences)
    longest = std::max(longest, sequence.used);
  if (given.maxSeqlen && *given.maxSeqlen < longest)
    return error("max_seqlen_" + name + " " + Twine(*given.maxSeqlen) +
                 " is below a sequence's length, " + Twine(longest));
  if (!given.maxSeqlen)
    side.maxSeqlen = longest;
  return Error::success();
}

Expected<ResolvedCall> weft::cases::resolveCall(const CaseFile &file,
                                                size_t n) {
  const CaseCall &given = file.calls[n];
  ResolvedCall call;
  Expected<AttentionSpec> spec = specOf(file, given);
  if (!spec)
    return spec.takeError();
  call.spec = *spec;
  if (given.batch)
    call.batch = *given.batch;
  else
    call.batch =
        int64_t((given.q.cuSeqlens ? *given.q.cuSeqlens : *given.kv.cuSeqlens)
                    .size()) -
        1;
  int64_t columns = std::max(file.headDim, file.headDimV);
  if (Error e = resolveSide(given.q, file.headsQ, columns, spec->q, call.batch,
                            "q", call.q, call.sequencesQ))
    return e;
  if (Error e = resolveSide(given.kv, file.headsKv, columns, spec->kv,
                            call.batch, "kv", call.kv, call.sequencesKv))
    return e;
  if (isInterleaved(file.layoutQ) && call.q.rows != call.kv.rows)
    return error("the query side holds " + Twine(call.q.rows) +
                 " rows and the key side " + Twine(call.kv.rows) +
                 "; an interleaved layout holds both in one buffer");
  return call;
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

std::optional<int64_t> Placement::endBytes() const {
  if (elements() == 0)
    return 0;
  using Wide = __int128;
  Wide end = Wide(offset) + Wide(batches - 1) * batchStride +
             Wide(rowsPerBatch - 1) * rowStride + Wide(heads - 1) * headStride +
             (columns - 1) * columnStride + 1;
  end *= elementBytes;
  if (end > Wide(1) << 62)
    return std::nullopt;
  return int64_t(end);
}

/// The product, or a stride that no check lets through.
static int64_t times(int64_t a, int64_t b) {
  return int64_t(std::min<__int128>(__int128(a) * b, int64_t(1) << 61));
}

static int64_t pick(const std::optional<int64_t> &given, int64_t packed) {
  return given ? *given : packed;
}

/// Packed strides, from the innermost dimension out; a stride that is given
/// replaces its own and carries into those outside it.
static void setStrides(Placement &place, Layout layout, int64_t batch,
                       const TensorStrides &given) {
  int64_t columns = place.columns, heads = place.heads,
          rows = place.rowsPerBatch;
  bool headInside = layout == Layout::BSH3D || layout == Layout::SBH3D ||
                    layout == Layout::TH3D;
  bool slotsInside = isInterleaved(layout) && !headInside;
  if (layout == Layout::BHSD) {
    place.rowStride = pick(given.row, columns);
    place.headStride = pick(given.head, times(rows, place.rowStride));
    place.batchStride = pick(given.batch, times(heads, place.headStride));
    return;
  }
  place.headStride = pick(given.head, headInside ? 3 * columns : columns);
  int64_t group = times(times(heads, place.headStride), slotsInside ? 3 : 1);
  switch (layout) {
  case Layout::SBHD:
  case Layout::SB3HD:
  case Layout::SBH3D:
    place.batchStride = pick(given.batch, group);
    place.rowStride = pick(given.row, times(batch, place.batchStride));
    return;
  default:
    place.rowStride = pick(given.row, group);
    place.batchStride = pick(given.batch, times(rows, place.rowStride));
    return;
  }
}

/// The layout of O and dO beside interleaved Q, K and V.
static Layout plain(Layout layout) {
  switch (layout) {
  case Layout::BS3HD:
  case Layout::BSH3D:
    return Layout::BSHD;
  case Layout::SB3HD:
  case Layout::SBH3D:
    return Layout::SBHD;
  case Layout::T3HD:
  case Layout::TH3D:
    return Layout::THD;
  default:
    return layout;
  }
}

static void placeLse(Placement &place, const TensorStrides &given) {
  place.columns = 1;
  place.elementBytes = 4;
  place.rowStride = pick(given.row, 1);
  place.headStride =
      pick(given.head, times(place.rowsPerBatch, place.rowStride));
  place.batchStride = pick(given.batch, times(place.heads, place.headStride));
}

Placement weft::cases::place(const CaseFile &file, const ResolvedCall &call,
                             TensorId id) {
  Placement place;
  bool querySide = isQuerySide(id);
  const SideSizes &side = call.side(id);
  Layout layout = querySide ? file.layoutQ : file.layoutKv;
  if (classOf(layout) == LayoutClass::Thd) {
    place.rowsPerBatch = side.rows;
  } else {
    place.batches = call.batch;
    place.rowsPerBatch = side.seqlen;
  }
  place.heads = side.heads;
  bool valueDim = id == TensorId::V || id == TensorId::O ||
                  id == TensorId::DO || id == TensorId::DV;
  place.columns = valueDim ? file.headDimV : file.headDim;
  place.allocation = nameOf(id);

  TensorStrides given;
  if (auto it = file.strides.find(id); it != file.strides.end())
    given = it->second;
  if (id == TensorId::Lse) {
    placeLse(place, given);
  } else if (id == TensorId::DO && file.inputs.onesDOut) {
    place.columnStride = 0;
  } else if (id == TensorId::O || id == TensorId::DO ||
             !isInterleaved(layout)) {
    setStrides(place, plain(layout), call.batch, given);
  } else {
    setStrides(place, layout, call.batch, given);
    bool gradient = id >= TensorId::DQ;
    int64_t which =
        int64_t(id) - int64_t(gradient ? TensorId::DQ : TensorId::Q);
    bool headInside = layout == Layout::BSH3D || layout == Layout::SBH3D ||
                      layout == Layout::TH3D;
    place.offset = which * place.columns * (headInside ? 1 : place.heads);
    place.allocation = gradient ? "dqkv" : "qkv";
  }
  if (auto it = file.offsets.find(id); it != file.offsets.end())
    place.offset = it->second;
  return place;
}
