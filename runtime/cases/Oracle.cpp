//===- Oracle.cpp - The fp64 formula and the number rule ------------------===//

#include "runtime/cases/Oracle.h"

#include "runtime/cases/Numbers.h"

#include "llvm/Support/ThreadPool.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::cases;

// The inner loops again for wider vectors, chosen when the program starts.
// Sanitizers instrument the choice itself, which runs before they are set up.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WEFT_WIDE_CLONES                                                       \
  __attribute__((target_clones("default", "arch=haswell")))
#else
#define WEFT_WIDE_CLONES
#endif

static constexpr int64_t farDistance = int64_t(1) << 40;
static constexpr double infinity = std::numeric_limits<double>::infinity();

KeyRange weft::cases::keysOf(const CaseFile &file, int64_t i, int64_t queries,
                             int64_t keys) {
  int64_t diagonal = i;
  if (file.mask == MaskKind::CausalBottomRight ||
      file.mask == MaskKind::SlidingWindowBottomRight)
    diagonal += keys - queries;
  KeyRange range{0, keys};
  switch (file.mask) {
  case MaskKind::None:
    break;
  case MaskKind::Causal:
  case MaskKind::CausalBottomRight:
    range.last = diagonal + 1;
    break;
  case MaskKind::SlidingWindow:
  case MaskKind::SlidingWindowBottomRight:
    // A bound may be as large as int64 holds, far past any sequence.
    if (file.left)
      range.first = diagonal - std::min(*file.left, farDistance);
    if (file.right)
      range.last = diagonal + std::min(*file.right, farDistance) + 1;
    break;
  }
  range.first = std::clamp<int64_t>(range.first, 0, keys);
  range.last = std::clamp(range.last, range.first, keys);
  return range;
}

//===----------------------------------------------------------------------===//
// Inner loops; `n` is a multiple of 8
//===----------------------------------------------------------------------===//

/// sum a b and sum |a b|
WEFT_WIDE_CLONES static void dot(const double *a, const double *b, int64_t n,
                                 double &sum, double &absolute) {
  double sums[8] = {}, absolutes[8] = {};
  for (int64_t i = 0; i < n; i += 8)
    for (int64_t l = 0; l < 8; ++l) {
      double product = a[i + l] * b[i + l];
      sums[l] += product;
      absolutes[l] += std::fabs(product);
    }
  sum = absolute = 0;
  for (int64_t l = 0; l < 8; ++l) {
    sum += sums[l];
    absolute += absolutes[l];
  }
}

/// into += x a and squares += y a^2
WEFT_WIDE_CLONES static void accumulate(double *into, double *squares,
                                        const double *a, double x, double y,
                                        int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    into[i] += x * a[i];
    squares[i] += y * a[i] * a[i];
  }
}

WEFT_WIDE_CLONES static void add(double *into, const double *a, double x,
                                 int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    into[i] += x * a[i];
}

//===----------------------------------------------------------------------===//
// One key head of one sequence
//===----------------------------------------------------------------------===//

namespace {
/// Rows of one head, as doubles.
using Matrix = std::vector<double>;

struct Inputs {
  HostTensor q, k, v, o, lse, dO;
};

/// Everything that tasks share.
struct Job {
  const CaseFile &file;
  const ResolvedCall &call;
  Inputs in;
  Reference &reference;
  double scale, unit;

  bool backward() const { return file.isBackward(); }
  bool givenOLse() const { return !file.runsForward(); }
};

/// Computes the results of one sequence's rows for one key head and its group
/// of query heads.
class Task {
public:
  Task(const Job &job, int64_t sequence, int64_t keyHead)
      : job(job), rowsQ(job.call.sequencesQ[sequence]),
        rowsKv(job.call.sequencesKv[sequence]), keyHead(keyHead),
        dim(job.file.headDim), dimV(job.file.headDimV) {}
  void run();

private:
  void runRow(int64_t head, int64_t i);
  void scores(KeyRange keys);
  void forwardRow(int64_t head, int64_t i, KeyRange keys);
  void backwardRow(int64_t head, int64_t i, KeyRange keys);
  /// Writes value and bound of one row from sums and sums of squares.
  void write(TensorId id, int64_t row, int64_t head, const double *value,
             const double *squares, double valueFactor);
  double atLeast(double x) const {
    return job.file.dtype == DType::F16 ? std::max(x, 0x1p-14) : x;
  }

  const Job &job;
  SequenceRows rowsQ, rowsKv;
  int64_t keyHead, dim, dimV;
  Matrix k, v, dK, dKSquares, dV, dVSquares;
  std::vector<bool> keyUsed;
  // One query row.
  Matrix q, o, dO, oSquares, dQ, dQSquares, pK;
  std::vector<double> s, absolute, slope, p;
  double lse = 0;
};
} // namespace

static Matrix loadRows(const HostTensor &tensor, SequenceRows rows,
                       int64_t head) {
  int64_t columns = tensor.place.columns;
  Matrix matrix(rows.used * columns);
  for (int64_t i = 0; i < rows.used; ++i)
    tensor.loadRow(rows.start + i, head, &matrix[i * columns]);
  return matrix;
}

void Task::write(TensorId id, int64_t row, int64_t head, const double *value,
                 const double *squares, double valueFactor) {
  TensorReference &reference = job.reference[id];
  int64_t heads = job.call.side(id).heads;
  int64_t columns = id == TensorId::O || id == TensorId::DV ? dimV : dim;
  size_t at = (row * heads + head) * columns;
  for (int64_t c = 0; c < columns; ++c) {
    double exact = valueFactor * value[c];
    double size = std::fabs(valueFactor) * std::sqrt(squares[c]);
    reference.value[at + c] = exact;
    reference.bound[at + c] = 3 * job.unit * (size + std::fabs(exact)) + 1e-6;
  }
}

void Task::run() {
  k = loadRows(job.in.k, rowsKv, keyHead);
  v = loadRows(job.in.v, rowsKv, keyHead);
  keyUsed.assign(rowsKv.used, false);
  if (job.backward()) {
    dK.assign(k.size(), 0);
    dKSquares.assign(k.size(), 0);
    dV.assign(v.size(), 0);
    dVSquares.assign(v.size(), 0);
  }
  for (auto *row : {&s, &absolute, &slope, &p})
    row->resize(rowsKv.used);
  q.resize(dim);
  dO.resize(dimV);
  int64_t ratio = job.call.spec.headRatio;
  for (int64_t head = keyHead * ratio; head < (keyHead + 1) * ratio; ++head)
    for (int64_t i = 0; i < rowsQ.used; ++i)
      runRow(head, i);
  if (!job.backward())
    return;
  for (int64_t j = 0; j < rowsKv.used; ++j) {
    if (!keyUsed[j])
      continue; // exactly zero, as it is
    int64_t row = rowsKv.start + j;
    write(TensorId::DK, row, keyHead, &dK[j * dim], &dKSquares[j * dim],
          job.scale);
    write(TensorId::DV, row, keyHead, &dV[j * dimV], &dVSquares[j * dimV], 1);
  }
}

void Task::runRow(int64_t head, int64_t i) {
  KeyRange keys = keysOf(job.file, i, rowsQ.used, rowsKv.used);
  if (keys.first == keys.last)
    return; // O = 0, LSE = -inf, no gradient, as they are
  int64_t row = rowsQ.start + i;
  job.in.q.loadRow(row, head, q.data());
  scores(keys);
  if (job.givenOLse()) {
    lse = job.in.lse.load(row, head, 0);
    o.resize(dimV);
    job.in.o.loadRow(row, head, o.data());
  } else {
    double top = *std::max_element(&s[keys.first],
                                   &s[keys.first] + (keys.last - keys.first));
    double sum = 0;
    for (int64_t j = keys.first; j < keys.last; ++j)
      sum += std::exp(s[j] - top);
    lse = top + std::log(sum);
  }
  for (int64_t j = keys.first; j < keys.last; ++j)
    p[j] = std::exp(s[j] - lse);
  if (!job.givenOLse())
    forwardRow(head, i, keys);
  if (job.backward() && lse != -infinity)
    backwardRow(head, i, keys);
}

/// S, sum |q k| and the slope of the score change.
void Task::scores(KeyRange keys) {
  for (int64_t j = keys.first; j < keys.last; ++j) {
    dot(q.data(), &k[j * dim], dim, s[j], absolute[j]);
    s[j] *= job.scale;
    absolute[j] *= std::fabs(job.scale);
    slope[j] = 1;
    if (job.file.softcap) {
      double tangent = std::tanh(s[j] / *job.file.softcap);
      s[j] = *job.file.softcap * tangent;
      slope[j] = 1 - tangent * tangent;
    }
  }
}

void Task::forwardRow(int64_t head, int64_t i, KeyRange keys) {
  o.assign(dimV, 0);
  oSquares.assign(dimV, 0);
  double top = 0;
  for (int64_t j = keys.first; j < keys.last; ++j) {
    double size = atLeast(p[j]) * (1 + 0x1p-22 * absolute[j] / job.unit);
    accumulate(o.data(), oSquares.data(), &v[j * dimV], p[j], size * size,
               dimV);
    top = std::max(top, absolute[j]);
  }
  int64_t row = rowsQ.start + i;
  write(TensorId::O, row, head, o.data(), oSquares.data(), 1);
  TensorReference &reference = job.reference[TensorId::Lse];
  size_t at = row * job.call.q.heads + head;
  reference.value[at] = lse;
  reference.bound[at] = 0x1p-20 * (1 + top);
}

void Task::backwardRow(int64_t head, int64_t i, KeyRange keys) {
  job.in.dO.loadRow(rowsQ.start + i, head, dO.data());
  double delta = 0, gSquared = 0;
  for (int64_t c = 0; c < dimV; ++c) {
    double product = dO[c] * o[c];
    delta += product;
    gSquared += product * product;
  }
  dQ.assign(dim, 0);
  dQSquares.assign(dim, 0);
  pK.assign(dim, 0);
  double small = 0x1p-22 / job.unit;
  for (int64_t j = keys.first; j < keys.last; ++j) {
    double dP, dPAbsolute;
    dot(dO.data(), &v[j * dimV], dimV, dP, dPAbsolute);
    double e = small * absolute[j];
    double difference = dP - delta;
    double w = slope[j] * std::fabs(difference) * (1 + e) +
               small * slope[j] * dPAbsolute;
    if (job.file.softcap)
      w += std::fabs(difference) *
           (small + slope[j] * 2 * e / *job.file.softcap);
    w = atLeast(p[j] * w);
    double size = atLeast(p[j]);
    double dS = p[j] * difference * slope[j];
    accumulate(dQ.data(), dQSquares.data(), &k[j * dim], dS, w * w, dim);
    add(pK.data(), &k[j * dim], slope[j] * size, dim);
    double gPart = slope[j] * size;
    accumulate(&dK[j * dim], &dKSquares[j * dim], q.data(), dS,
               w * w + gPart * gPart * gSquared, dim);
    double roundedP = size * (1 + e);
    accumulate(&dV[j * dimV], &dVSquares[j * dimV], dO.data(), p[j],
               roundedP * roundedP, dimV);
    keyUsed[j] = true;
  }
  for (int64_t c = 0; c < dim; ++c)
    dQSquares[c] += gSquared * pK[c] * pK[c];
  write(TensorId::DQ, rowsQ.start + i, head, dQ.data(), dQSquares.data(),
        job.scale);
}

//===----------------------------------------------------------------------===//
// All of a call
//===----------------------------------------------------------------------===//

Reference weft::cases::computeReference(const CaseFile &file,
                                        const ResolvedCall &call,
                                        const CaseMemory &memory,
                                        unsigned threads) {
  Reference reference;
  for (size_t i = 0; i < numTensors; ++i) {
    TensorId id = TensorId(i);
    if (!file.isResult(id))
      continue;
    size_t count = place(file, call, id).elements();
    // Rows that no task writes are exact.
    reference[id].value.assign(count, id == TensorId::Lse ? -infinity : 0);
    reference[id].bound.assign(count, 0);
  }
  auto tensor = [&](TensorId id) { return memory.tensor(call, id); };
  Inputs in{tensor(TensorId::Q),
            tensor(TensorId::K),
            tensor(TensorId::V),
            {},
            {},
            {}};
  if (!file.runsForward()) {
    in.o = tensor(TensorId::O);
    in.lse = tensor(TensorId::Lse);
  }
  if (file.isBackward())
    in.dO = tensor(TensorId::DO);
  Job job{
      file, call, in, reference, file.scaleValue(), roundingUnit(file.dtype)};

  // Tasks write disjoint rows and heads.
  std::atomic<int64_t> next = 0;
  auto work = [&] {
    for (int64_t task; (task = next++) < call.batch * file.headsKv;)
      Task(job, task / file.headsKv, task % file.headsKv).run();
  };
  if (threads == 1) {
    work();
    return reference;
  }
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(threads));
  for (unsigned i = 0; i < pool.getMaxConcurrency(); ++i)
    pool.async(work);
  pool.wait();
  return reference;
}
