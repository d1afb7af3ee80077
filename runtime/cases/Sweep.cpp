//===- Sweep.cpp - Random cases over the whole space of problems ----------===//

#include "runtime/cases/Sweep.h"

#include "runtime/cases/Numbers.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::cases;

namespace {
/// Small decisions from one stream.
class Dice {
public:
  Dice(uint64_t seed, uint64_t index) : stream(seed, index) {}
  int64_t below(int64_t n) {
    return int64_t(stream.bits(next++) % uint64_t(n));
  }
  int64_t between(int64_t least, int64_t most) {
    return least + below(most - least + 1);
  }
  bool chance(int percent) { return below(100) < percent; }
  template <typename T> T pick(std::initializer_list<T> list) {
    return list.begin()[below(int64_t(list.size()))];
  }

private:
  RandomStream stream;
  uint64_t next = 0;
};

/// Used lengths of the sequences of one call.
struct Lengths {
  std::vector<int64_t> q, kv;
};

class SweepBuilder {
public:
  SweepBuilder(uint64_t seed, uint64_t index) : dice(seed, index) {
    file.name = "sweep-" + std::to_string(seed) + "-" + std::to_string(index);
    file.inputs.seed = int64_t(index);
    drawHeads(index);
    drawLayouts();
    drawMask();
    drawNumbers();
    drawCalls();
    drawViews();
  }
  CaseFile take() { return std::move(file); }

private:
  void drawHeads(uint64_t index);
  void drawLayouts();
  void drawMask();
  void drawNumbers();
  void drawCalls();
  void drawViews();
  int64_t drawLength();
  Lengths drawLengths(double budget);
  CaseCall drawCall(double budget);
  void fillSide(CallSide &side, Layout layout,
                const std::vector<int64_t> &lengths, int64_t &batchSeqlen,
                bool padded);
  void fillThd(CallSide &side, const std::vector<int64_t> &lengths,
               bool padded);

  Dice dice;
  CaseFile file;
};
} // namespace

static double flops(const CaseFile &file, int64_t queries, int64_t keys) {
  double forward = 2.0 * double(queries) * double(keys) * double(file.headsQ) *
                   double(file.headDim + file.headDimV);
  return forward *
         ((file.runsForward() ? 1 : 0) + (file.isBackward() ? 2.5 : 0));
}

void SweepBuilder::drawHeads(uint64_t index) {
  static constexpr std::pair<int64_t, int64_t> dims[] = {
      {8, 8},   {16, 16},   {40, 40},   {64, 64},  {72, 72},
      {96, 96}, {128, 128}, {192, 128}, {256, 256}};
  static constexpr int64_t ratios[] = {1, 2, 3, 7, 8};
  std::tie(file.headDim, file.headDimV) = dims[index % 9];
  int64_t ratio = ratios[index % 5];
  file.headsKv = ratio >= 7 ? dice.between(1, 2) : dice.between(1, 3);
  file.headsQ = file.headsKv * ratio;
  file.pass = dice.chance(65) ? PassKind::Backward : PassKind::Forward;
  file.dtype = dice.chance(60) ? DType::BF16 : DType::F16;
  file.deterministic = file.isBackward() && dice.chance(50);
}

void SweepBuilder::drawLayouts() {
  auto plain = [&] {
    return dice.pick(
        {Layout::THD, Layout::THD, Layout::BSHD, Layout::SBHD, Layout::BHSD});
  };
  file.layoutQ = file.layoutKv = plain();
  if (file.headsQ == file.headsKv && file.headDim == file.headDimV &&
      dice.chance(60))
    file.layoutQ = file.layoutKv =
        dice.pick({Layout::BS3HD, Layout::BSH3D, Layout::SB3HD, Layout::SBH3D,
                   Layout::T3HD, Layout::TH3D});
  else if (dice.chance(30))
    file.layoutKv = plain();
}

void SweepBuilder::drawMask() {
  file.mask = MaskKind(dice.below(5));
  if (file.mask != MaskKind::SlidingWindow &&
      file.mask != MaskKind::SlidingWindowBottomRight)
    return;
  auto bound = [&]() -> std::optional<int64_t> {
    switch (dice.below(6)) {
    case 0:
      return std::nullopt;
    case 1:
      return 0;
    case 2:
      return dice.between(1, 5);
    case 3:
      return dice.between(1, 64);
    case 4:
      return dice.between(60, 200);
    default:
      return dice.chance(30) ? std::numeric_limits<int64_t>::max()
                             : dice.between(1, 20);
    }
  };
  file.left = bound();
  file.right = bound();
  file.constantBounds = (file.left || file.right) && dice.chance(40);
  if (!file.left && !file.right)
    file.mask = MaskKind::None;
}

void SweepBuilder::drawNumbers() {
  double usual = 1 / std::sqrt(double(file.headDim));
  bool largeScale = false;
  if (dice.chance(40)) {
    file.scale = dice.pick({0.0, -usual, 0.1 * usual, 0.1, 3 * usual, 1.0});
    largeScale = *file.scale > usual;
  }
  if (dice.chance(20))
    file.softcap = dice.pick({1.0, 5.0, 20.0, 50.0});
  file.inputs.std = dice.pick({1.0, 1.0, 1.0, 0.5, 2.0});
  file.inputs.nanGaps = dice.chance(60);
  file.workspace = dice.pick({Fill::NaN, Fill::NaN, Fill::Zero, Fill::Ones});
  if (!file.isBackward())
    return;
  file.inputs.onesDOut = dice.chance(15);
  // A given LSE has nothing to do with the scores: P = exp(S - LSE) must stay
  // within f16.
  if (!largeScale && dice.chance(20)) {
    file.inputs.randomOLse = true;
    file.inputs.std = std::min(file.inputs.std, 1.0);
  }
}

int64_t SweepBuilder::drawLength() {
  if (dice.chance(30))
    return dice.between(1, 200);
  return dice.pick<int64_t>({0,   0,   1,   1,   2,   15,  16,  17,  31,
                             32,  33,  63,  64,  65,  95,  96,  97,  127,
                             128, 129, 191, 192, 193, 255, 256, 257, 320});
}

Lengths SweepBuilder::drawLengths(double budget) {
  Lengths lengths;
  int64_t batch = dice.chance(3)   ? 0
                  : dice.chance(8) ? dice.between(5, 20)
                                   : dice.between(1, 4);
  bool same = isInterleaved(file.layoutQ) || dice.chance(40);
  for (int64_t b = 0; b < batch; ++b) {
    lengths.q.push_back(drawLength());
    lengths.kv.push_back(same ? lengths.q.back() : drawLength());
  }
  // Shorten the dearest sequence until the whole is cheap enough.
  for (;;) {
    double total = 0, most = -1;
    int64_t dearest = 0;
    for (int64_t b = 0; b < batch; ++b) {
      double cost = flops(file, lengths.q[b], lengths.kv[b]);
      total += cost;
      if (cost > most) {
        most = cost;
        dearest = b;
      }
    }
    if (total <= budget)
      return lengths;
    int64_t &q = lengths.q[dearest], &kv = lengths.kv[dearest];
    int64_t &longer = q > kv ? q : kv;
    int64_t shorter = std::min(drawLength(), longer - 1);
    if (same)
      q = kv = shorter;
    else
      longer = shorter;
  }
}

void SweepBuilder::fillThd(CallSide &side, const std::vector<int64_t> &lengths,
                           bool padded) {
  side.cuSeqlens.emplace(1, 0);
  for (int64_t length : lengths)
    side.cuSeqlens->push_back(side.cuSeqlens->back() + int32_t(length));
  int64_t end = side.cuSeqlens->back();
  if (padded) {
    side.cuSeqlensPadded.emplace(1, int32_t(dice.pick({0, 0, 3, 16})));
    for (int64_t length : lengths)
      side.cuSeqlensPadded->push_back(
          side.cuSeqlensPadded->back() +
          int32_t(length + dice.pick({0, 0, 1, 5, 64})));
    end = side.cuSeqlensPadded->back();
  }
  if (dice.chance(30))
    side.total = end + dice.pick({1, 7, 130});
}

void SweepBuilder::fillSide(CallSide &side, Layout layout,
                            const std::vector<int64_t> &lengths,
                            int64_t &batchSeqlen, bool padded) {
  int64_t longest = lengths.empty()
                        ? dice.between(0, 5)
                        : *std::max_element(lengths.begin(), lengths.end());
  if (classOf(layout) == LayoutClass::Thd) {
    fillThd(side, lengths, padded);
  } else {
    batchSeqlen = longest + (padded ? dice.pick({0, 1, 20}) : 0);
    side.seqlen = batchSeqlen;
    bool uneven = llvm::any_of(
        lengths, [&](int64_t length) { return length != batchSeqlen; });
    if (uneven || padded)
      side.seqlens.emplace(lengths.begin(), lengths.end());
  }
  if (dice.chance(20))
    side.maxSeqlen = longest + dice.pick({0, 9});
}

CaseCall SweepBuilder::drawCall(double budget) {
  Lengths lengths = drawLengths(budget);
  CaseCall call;
  int64_t batch = int64_t(lengths.q.size());
  int64_t seqlen = 0;
  bool padded = dice.chance(50);
  fillSide(call.q, file.layoutQ, lengths.q, seqlen, padded);
  if (isInterleaved(file.layoutQ)) {
    // One buffer: the same rows on both sides. Used lengths of the key side may
    // still be its own.
    call.kv = call.q;
    if (call.kv.seqlens && dice.chance(50))
      for (int32_t &length : *call.kv.seqlens)
        length = int32_t(dice.between(0, length));
    call.kv.maxSeqlen.reset();
  } else {
    fillSide(call.kv, file.layoutKv, lengths.kv, seqlen, dice.chance(50));
  }
  if (classOf(file.layoutQ) == LayoutClass::Batch ||
      classOf(file.layoutKv) == LayoutClass::Batch)
    call.batch = batch;
  return call;
}

void SweepBuilder::drawCalls() {
  // A few dear ones; most stay cheap, so that many run.
  double budget = maxSweepFlops * dice.pick({0.05, 0.1, 0.2, 0.2, 0.9});
  int64_t count = dice.chance(25) ? dice.between(2, 3) : 1;
  for (int64_t n = 0; n < count; ++n)
    file.calls.push_back(drawCall(budget / double(count)));
  if (count != 3)
    return;
  // The first problem again, after another one.
  file.calls[2] = file.calls[0];
  if (!file.isReproducible())
    return;
  file.expect.resize(3);
  file.expect[2].sameAsCall = 0;
}

void SweepBuilder::drawViews() {
  if (isInterleaved(file.layoutQ))
    return;
  size_t tensors = file.isBackward() ? numTensors : 5;
  bool aligned = dice.chance(50);
  for (size_t i = 0; i < tensors; ++i) {
    TensorId id = TensorId(i);
    bool querySide = isQuerySide(id);
    Layout layout = querySide ? file.layoutQ : file.layoutKv;
    int64_t heads = querySide ? file.headsQ : file.headsKv;
    int64_t columns = std::max(file.headDim, file.headDimV);
    bool scalar = id == TensorId::DO && file.inputs.onesDOut;
    if (dice.chance(15))
      file.offsets[id] = aligned && id != TensorId::Lse ? 8 * dice.between(1, 9)
                                                        : dice.between(1, 9);
    if (scalar || !dice.chance(15))
      continue;
    TensorStrides &strides = file.strides[id];
    int64_t extra = aligned ? dice.pick({8, 64}) : dice.pick({1, 4, 12});
    // The number rule takes the roundings of a group's heads as independent,
    // which those of one query, or of one dO, are not.
    bool addsUp = file.isBackward() && querySide && file.headsQ > file.headsKv;
    if (id == TensorId::Lse)
      strides.row = dice.between(1, 3);
    else if (layout == Layout::BHSD)
      strides.row = columns + extra;
    else if (!file.isResult(id) && dice.chance(20) && !addsUp) {
      strides.head = 0; // expanded over the heads
      (layout == Layout::SBHD ? strides.batch : strides.row) = columns + extra;
    } else if (dice.chance(50))
      strides.head = columns + extra;
    else if (layout == Layout::SBHD)
      strides.batch = heads * columns + extra;
    else
      strides.row = heads * columns + extra;
  }
}

CaseFile weft::cases::sweepCase(uint64_t seed, uint64_t index) {
  return SweepBuilder(seed, index).take();
}

std::optional<int64_t> weft::cases::sweepSmCount(uint64_t index) {
  return index / 45 % 2 ? std::optional<int64_t>(1) : std::nullopt;
}

double weft::cases::flopsOf(const CaseFile &file, size_t n) {
  const CaseCall &call = file.calls[n];
  auto lengths = [](const CallSide &side, std::optional<int64_t> batch) {
    std::vector<int64_t> result;
    if (side.cuSeqlens)
      for (size_t b = 0; b + 1 < side.cuSeqlens->size(); ++b)
        result.push_back((*side.cuSeqlens)[b + 1] - (*side.cuSeqlens)[b]);
    else if (side.seqlens)
      result.assign(side.seqlens->begin(), side.seqlens->end());
    else
      result.assign(batch.value_or(0), side.seqlen.value_or(0));
    return result;
  };
  double total = 0;
  for (auto [queries, keys] :
       llvm::zip(lengths(call.q, call.batch), lengths(call.kv, call.batch)))
    total += flops(file, queries, keys);
  return total;
}
