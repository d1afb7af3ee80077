//===- TestDevice.cpp - A sound kernel to try the checks on ---------------===//

#include "TestDevice.h"

#include "runtime/cases/Numbers.h"

#include <cmath>

using namespace weft;
using namespace weft::cases;

namespace {
constexpr int64_t tile = 32;

struct Kernel {
  const AttentionSpec &spec;
  const Problem &problem;
  Fault fault;
  std::vector<SequenceRows> sequencesQ, sequencesKv;
  std::vector<float> values; ///< of every bit pattern

  float round(float x) const {
    return float(decode(spec.dtype, encode(spec.dtype, x)));
  }
  template <typename T>
  T *at(const TensorView &view, const SideSizes &side, SideLayout layout,
        int64_t row, int64_t head, int64_t column) const {
    int64_t batch = layout.layout == LayoutClass::Batch ? row / side.seqlen : 0;
    int64_t inside = row - batch * side.seqlen;
    return static_cast<T *>(view.data) + batch * view.batchStride +
           inside * view.rowStride + head * view.headStride +
           column * view.columnStride;
  }
  template <typename T = uint16_t>
  T *q(const TensorView &view, int64_t row, int64_t head, int64_t c = 0) const {
    return at<T>(view, problem.q, spec.q, row, head, c);
  }
  uint16_t *kv(const TensorView &view, int64_t row, int64_t head,
               int64_t c = 0) const {
    return at<uint16_t>(view, problem.kv, spec.kv, row, head, c);
  }
  float load(const uint16_t *element) const { return values[*element]; }
  float dot(const TensorView &a, const uint16_t *x, const uint16_t *y,
            int64_t n) const {
    float sum = 0;
    for (int64_t c = 0; c < n; ++c)
      sum += load(x + c * a.columnStride) * load(y + c);
    return sum;
  }
  void store(uint16_t *element, float value) const {
    *element = encode(spec.dtype, value);
  }

  bool kept(int64_t i, int64_t j, int64_t queries, int64_t keys) const {
    if (fault == Fault::DropKey && j == keys / 2)
      return false;
    int64_t d = keys - queries;
    auto within = [&](int64_t center) {
      bool left = spec.left.kind == WindowBound::Kind::Unlimited ||
                  center - j <= (spec.left.kind == WindowBound::Kind::RunTime
                                     ? problem.windowLeft
                                     : spec.left.value);
      bool right = spec.right.kind == WindowBound::Kind::Unlimited ||
                   j - center <= (spec.right.kind == WindowBound::Kind::RunTime
                                      ? problem.windowRight
                                      : spec.right.value);
      return left && right;
    };
    switch (spec.mask) {
    case MaskKind::None:
      return true;
    case MaskKind::Causal:
      return j <= i;
    case MaskKind::CausalBottomRight:
      return j <= i + d;
    case MaskKind::SlidingWindow:
      return within(i);
    case MaskKind::SlidingWindowBottomRight:
      return within(i + d);
    }
    return false;
  }

  /// The score after its change; `slope` is the derivative of the change.
  float score(int64_t rowQ, int64_t head, int64_t rowKv, float &slope) const {
    float sum =
        dot(problem.query, q(problem.query, rowQ, head),
            kv(problem.key, rowKv, head / spec.headRatio), spec.headDim) *
        float(problem.scale);
    slope = 1;
    if (spec.score == ScoreKind::Softcap) {
      float cap = float(problem.softcap);
      float tangent = std::tanh(sum / cap);
      slope = 1 - tangent * tangent;
      sum = cap * tangent;
    }
    return sum;
  }

  void forward() const;
  void forwardRow(int64_t b, int64_t head, int64_t i) const;
  void backward() const;
  void backwardRow(int64_t b, int64_t head, int64_t i, std::vector<float> &dK,
                   std::vector<float> &dV) const;
  /// Zero (-inf for LSE) on rows that no sequence uses.
  void fillGaps(const TensorView &view, bool querySide, int64_t columns) const;
};
} // namespace

void Kernel::fillGaps(const TensorView &view, bool querySide,
                      int64_t columns) const {
  if (fault == Fault::SkipGaps)
    return;
  const SideSizes &side = querySide ? problem.q : problem.kv;
  std::vector<bool> used(side.rows);
  for (SequenceRows sequence : querySide ? sequencesQ : sequencesKv)
    std::fill_n(used.begin() + sequence.start, sequence.used, true);
  for (int64_t row = 0; row < side.rows; ++row)
    for (int64_t head = 0; head < side.heads && !used[row]; ++head)
      for (int64_t c = 0; c < columns; ++c)
        store(at<uint16_t>(view, side, querySide ? spec.q : spec.kv, row, head,
                           c),
              0);
  if (view.data != problem.out.data)
    return;
  for (int64_t row = 0; row < side.rows; ++row)
    for (int64_t head = 0; head < side.heads && !used[row]; ++head)
      *q<float>(problem.lse, row, head) = -INFINITY;
}

void Kernel::forwardRow(int64_t b, int64_t head, int64_t i) const {
  int64_t queries = sequencesQ[b].used, keys = sequencesKv[b].used;
  int64_t row = sequencesQ[b].start + i;
  std::vector<float> o(spec.headDimV);
  float top = -INFINITY, sum = 0;
  for (int64_t first = 0; first < keys; first += tile) {
    std::vector<float> s;
    float newTop = top;
    for (int64_t j = first; j < std::min(first + tile, keys); ++j) {
      float slope;
      s.push_back(kept(i, j, queries, keys)
                      ? score(row, head, sequencesKv[b].start + j, slope)
                      : -INFINITY);
      newTop = std::max(newTop, s.back());
    }
    if (newTop == -INFINITY)
      continue;
    float rescale = std::exp(top - newTop);
    top = newTop;
    sum *= rescale;
    for (float &x : o)
      x *= rescale;
    for (size_t j = 0; j < s.size(); ++j) {
      float p = std::exp(s[j] - top);
      sum += p;
      float roundedP = round(p);
      const uint16_t *v =
          kv(problem.value, sequencesKv[b].start + first + int64_t(j),
             head / spec.headRatio);
      for (int64_t c = 0; c < spec.headDimV; ++c)
        o[c] += roundedP * load(v + c);
    }
  }
  for (int64_t c = 0; c < spec.headDimV; ++c)
    store(q(problem.out, row, head, c), sum == 0 ? 0 : o[c] / sum);
  float lse = sum == 0 ? -INFINITY : top + std::log(sum);
  *q<float>(problem.lse, row, head) =
      fault == Fault::LseBase2 ? lse * 1.442695f : lse;
}

void Kernel::forward() const {
  for (int64_t b = 0; b < problem.batch; ++b)
    for (int64_t head = 0; head < problem.q.heads; ++head)
      for (int64_t i = 0; i < sequencesQ[b].used; ++i)
        forwardRow(b, head, i);
  fillGaps(problem.out, true, spec.headDimV);
}

void Kernel::backwardRow(int64_t b, int64_t head, int64_t i,
                         std::vector<float> &dK, std::vector<float> &dV) const {
  int64_t queries = sequencesQ[b].used, keys = sequencesKv[b].used;
  int64_t row = sequencesQ[b].start + i, keyHead = head / spec.headRatio;
  const uint16_t *dO = q(problem.dOut, row, head);
  float delta = 0, lse = *q<float>(problem.lse, row, head);
  for (int64_t c = 0; c < spec.headDimV; ++c)
    delta += load(q(problem.out, row, head, c)) *
             load(q(problem.dOut, row, head, c));
  std::vector<float> dQ(spec.headDim);
  for (int64_t j = 0; j < keys; ++j) {
    if (!kept(i, j, queries, keys) || lse == -INFINITY)
      continue;
    int64_t rowKv = sequencesKv[b].start + j;
    float slope, dP;
    float p = std::exp(score(row, head, rowKv, slope) - lse);
    dP =
        dot(problem.dOut, dO, kv(problem.value, rowKv, keyHead), spec.headDimV);
    float roundedP = round(p);
    const uint16_t *query = q(problem.query, row, head);
    const uint16_t *key = kv(problem.key, rowKv, keyHead);
    float dS = round(p * (dP - delta) * slope);
    for (int64_t c = 0; c < spec.headDim; ++c) {
      dQ[c] += dS * load(key + c);
      dK[j * spec.headDim + c] += dS * load(query + c);
    }
    for (int64_t c = 0; c < spec.headDimV; ++c)
      dV[j * spec.headDimV + c] +=
          roundedP * load(dO + c * problem.dOut.columnStride);
  }
  for (int64_t c = 0; c < spec.headDim; ++c) {
    uint16_t *element = q(problem.dQuery, row, head, c);
    float start = load(element);
    bool keep = fault == Fault::ReadResult && !std::isnan(start);
    store(element, (keep ? start : 0) + float(problem.scale) * dQ[c]);
  }
  if (fault == Fault::WriteNeighbour)
    *q(problem.dQuery, row, head, spec.headDim) = 0x1234;
}

void Kernel::backward() const {
  float start = fault == Fault::ReadWorkspace
                    ? *static_cast<const float *>(problem.workspace)
                    : 0;
  for (int64_t b = 0; b < problem.batch; ++b)
    for (int64_t keyHead = 0; keyHead < problem.kv.heads; ++keyHead) {
      int64_t keys = sequencesKv[b].used;
      std::vector<float> dK(keys * spec.headDim, start);
      std::vector<float> dV(keys * spec.headDimV);
      for (int64_t head = keyHead * spec.headRatio;
           head < (keyHead + 1) * spec.headRatio; ++head)
        for (int64_t i = 0; i < sequencesQ[b].used; ++i)
          backwardRow(b, head, i, dK, dV);
      if (fault == Fault::SkipEmpty && sequencesQ[b].used == 0)
        continue;
      for (int64_t j = 0; j < keys; ++j) {
        int64_t row = sequencesKv[b].start + j;
        for (int64_t c = 0; c < spec.headDim; ++c)
          store(kv(problem.dKey, row, keyHead, c),
                float(problem.scale) * dK[j * spec.headDim + c]);
        for (int64_t c = 0; c < spec.headDimV; ++c)
          store(kv(problem.dValue, row, keyHead, c), dV[j * spec.headDimV + c]);
      }
    }
  fillGaps(problem.dQuery, true, spec.headDim);
  fillGaps(problem.dKey, false, spec.headDim);
  fillGaps(problem.dValue, false, spec.headDimV);
  if (fault == Fault::ReadWorkspace)
    static_cast<float *>(problem.workspace)[0] = 5;
  if (fault == Fault::WriteInput)
    *static_cast<uint16_t *>(problem.key.data) = 0;
}

llvm::Error TestDevice::run(const AttentionSpec &spec, const Problem &problem,
                            llvm::ArrayRef<Allocation> memory,
                            const RunOptions &options) {
  ++runs;
  if (llvm::Error e = checkProblem(problem, spec))
    return e;
  auto sequencesQ = readSequences(problem.q, spec.q, problem.batch, "q");
  auto sequencesKv = readSequences(problem.kv, spec.kv, problem.batch, "kv");
  if (!sequencesQ || !sequencesKv)
    return llvm::joinErrors(sequencesQ.takeError(), sequencesKv.takeError());
  Kernel kernel{spec, problem, fault, *sequencesQ, *sequencesKv, {}};
  for (uint32_t bits = 0; bits < 0x10000; ++bits)
    kernel.values.push_back(float(decode(spec.dtype, uint16_t(bits))));
  if (spec.isBackward())
    kernel.backward();
  else
    kernel.forward();
  if (fault == Fault::FailAfterWrite)
    return llvm::createStringError("the device gave up");
  return llvm::Error::success();
}
