//===- Oracle.cpp - The fp64 formula and the number rule ------------------===//

#include "runtime/cases/Oracle.h"

#include "runtime/cases/Numbers.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/ThreadPool.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

using namespace weft;
using namespace weft::cases;

// The inner loops again for wider vectors, chosen when the program starts by
// what the CPU has (an "arch=" would be chosen on that very model alone). They
// give the same bits: FMA would not.
// Sanitizers instrument the choice itself, which runs before they are set up.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) &&         \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WEFT_WIDE_CLONES __attribute__((target_clones("default", "avx2")))
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
// Inner loops
//===----------------------------------------------------------------------===//

/// Rows that a loop takes at a time, so that what they share is loaded once and
/// no sum waits for the one before it. `n`, their length, is a multiple of 8.
static constexpr int64_t group = 4;
using RowGroup = std::array<const double *, group>;

/// sum a b and sum |a b| for each row b
WEFT_WIDE_CLONES static void dots(const double *__restrict a,
                                  const RowGroup &rows, int64_t n, double *sums,
                                  double *absolutes) {
  constexpr int64_t lanes = 8;
  const double *b0 = rows[0], *b1 = rows[1], *b2 = rows[2], *b3 = rows[3];
  double sum[group][lanes] = {}, absolute[group][lanes] = {};
  for (int64_t i = 0; i < n; i += lanes)
    for (int64_t l = 0; l < lanes; ++l) {
      double product0 = a[i + l] * b0[i + l], product1 = a[i + l] * b1[i + l];
      double product2 = a[i + l] * b2[i + l], product3 = a[i + l] * b3[i + l];
      sum[0][l] += product0;
      sum[1][l] += product1;
      sum[2][l] += product2;
      sum[3][l] += product3;
      absolute[0][l] += std::fabs(product0);
      absolute[1][l] += std::fabs(product1);
      absolute[2][l] += std::fabs(product2);
      absolute[3][l] += std::fabs(product3);
    }
  for (int64_t r = 0; r < group; ++r) {
    sums[r] = absolutes[r] = 0;
    for (int64_t l = 0; l < lanes; ++l) {
      sums[r] += sum[r][l];
      absolutes[r] += absolute[r][l];
    }
  }
}

/// into += x a and squares += y a^2 for each row a with its x and y
WEFT_WIDE_CLONES static void accumulate(double *__restrict into,
                                        double *__restrict squares,
                                        const RowGroup &rows, const double *x,
                                        const double *y, int64_t n) {
  const double *a0 = rows[0], *a1 = rows[1], *a2 = rows[2], *a3 = rows[3];
  double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
  double y0 = y[0], y1 = y[1], y2 = y[2], y3 = y[3];
  for (int64_t i = 0; i < n; ++i) {
    double sum = into[i], square = squares[i];
    sum += x0 * a0[i];
    sum += x1 * a1[i];
    sum += x2 * a2[i];
    sum += x3 * a3[i];
    square += y0 * a0[i] * a0[i];
    square += y1 * a1[i] * a1[i];
    square += y2 * a2[i] * a2[i];
    square += y3 * a3[i] * a3[i];
    into[i] = sum;
    squares[i] = square;
  }
}

/// into += x a for each row a with its x
WEFT_WIDE_CLONES static void add(double *__restrict into, const RowGroup &rows,
                                 const double *x, int64_t n) {
  const double *a0 = rows[0], *a1 = rows[1], *a2 = rows[2], *a3 = rows[3];
  double x0 = x[0], x1 = x[1], x2 = x[2], x3 = x[3];
  for (int64_t i = 0; i < n; ++i) {
    double sum = into[i];
    sum += x0 * a0[i];
    sum += x1 * a1[i];
    sum += x2 * a2[i];
    sum += x3 * a3[i];
    into[i] = sum;
  }
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
  /// Adds the pending query rows to dK and dV.
  void flush();
  /// Keys `from` on; past the last, row `last - 1` again.
  RowGroup keyGroup(const std::vector<double> &matrix, int64_t columns,
                    int64_t from, int64_t last) const {
    RowGroup rows;
    for (int64_t r = 0; r < group; ++r)
      rows[r] = &matrix[std::min(from + r, last - 1) * columns];
    return rows;
  }
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
  // One query row. Those with an element per key have `group` more, which are
  // zero where they are weights.
  Matrix o, oSquares, dQ, dQSquares, pK;
  std::vector<double> s, absolute, slope, p, squared, dP, dPAbsolute, keyWeight;
  double lse = 0;
  /// A query row, and what of it goes to each key: of q and its square to dK,
  /// of dO to dV. Zero where it does not see the key.
  struct Pending {
    Matrix q, dO;
    std::vector<double> dK, dKSquared, dV, dVSquared;
    KeyRange keys;
  };
  std::array<Pending, group> pending;
  int64_t numPending = 0; ///< complete; the next one is being made
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
  for (auto *row :
       {&s, &absolute, &slope, &p, &squared, &dP, &dPAbsolute, &keyWeight})
    row->assign(rowsKv.used + group, 0);
  for (Pending &row : pending) {
    row.q.assign(dim, 0);
    row.dO.assign(dimV, 0);
    for (auto *weights : {&row.dK, &row.dKSquared, &row.dV, &row.dVSquared})
      weights->assign(rowsKv.used, 0);
  }
  int64_t ratio = job.call.spec.headRatio;
  for (int64_t head = keyHead * ratio; head < (keyHead + 1) * ratio; ++head)
    for (int64_t i = 0; i < rowsQ.used; ++i)
      runRow(head, i);
  flush();
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
  job.in.q.loadRow(row, head, pending[numPending].q.data());
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
  const double *q = pending[numPending].q.data();
  for (int64_t j = keys.first; j < keys.last; j += group)
    dots(q, keyGroup(k, dim, j, keys.last), dim, &s[j], &absolute[j]);
  for (int64_t j = keys.first; j < keys.last; ++j) {
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

/// The elements behind the range's end are zero: they are of no key.
static void endWeights(std::vector<double> &weights, int64_t last) {
  std::fill_n(weights.begin() + last, group, 0.0);
}

void Task::forwardRow(int64_t head, int64_t i, KeyRange keys) {
  o.assign(dimV, 0);
  oSquares.assign(dimV, 0);
  double top = 0;
  for (int64_t j = keys.first; j < keys.last; ++j) {
    double size = atLeast(p[j]) * (1 + 0x1p-22 * absolute[j] / job.unit);
    squared[j] = size * size;
    top = std::max(top, absolute[j]);
  }
  endWeights(p, keys.last);
  endWeights(squared, keys.last);
  for (int64_t j = keys.first; j < keys.last; j += group)
    accumulate(o.data(), oSquares.data(), keyGroup(v, dimV, j, keys.last),
               &p[j], &squared[j], dimV);
  int64_t row = rowsQ.start + i;
  write(TensorId::O, row, head, o.data(), oSquares.data(), 1);
  TensorReference &reference = job.reference[TensorId::Lse];
  size_t at = row * job.call.q.heads + head;
  reference.value[at] = lse;
  reference.bound[at] = 0x1p-20 * (1 + top);
}

void Task::backwardRow(int64_t head, int64_t i, KeyRange keys) {
  Pending &row = pending[numPending];
  row.keys = keys;
  job.in.dO.loadRow(rowsQ.start + i, head, row.dO.data());
  double delta = 0, gSquared = 0;
  for (int64_t c = 0; c < dimV; ++c) {
    double product = row.dO[c] * o[c];
    delta += product;
    gSquared += product * product;
  }
  for (int64_t j = keys.first; j < keys.last; j += group)
    dots(row.dO.data(), keyGroup(v, dimV, j, keys.last), dimV, &dP[j],
         &dPAbsolute[j]);
  double small = 0x1p-22 / job.unit;
  for (int64_t j = keys.first; j < keys.last; ++j) {
    double e = small * absolute[j];
    double difference = dP[j] - delta;
    double w = slope[j] * std::fabs(difference) * (1 + e) +
               small * slope[j] * dPAbsolute[j];
    if (job.file.softcap)
      w += std::fabs(difference) *
           (small + slope[j] * 2 * e / *job.file.softcap);
    w = atLeast(p[j] * w);
    double size = atLeast(p[j]);
    // Of dQ; s and P have served.
    s[j] = p[j] * difference * slope[j];
    squared[j] = w * w;
    keyWeight[j] = slope[j] * size;
    row.dK[j] = s[j];
    row.dKSquared[j] = w * w + keyWeight[j] * keyWeight[j] * gSquared;
    double roundedP = size * (1 + e);
    row.dV[j] = p[j];
    row.dVSquared[j] = roundedP * roundedP;
    keyUsed[j] = true;
  }
  dQ.assign(dim, 0);
  dQSquares.assign(dim, 0);
  pK.assign(dim, 0);
  for (auto *weights : {&s, &squared, &keyWeight})
    endWeights(*weights, keys.last);
  for (int64_t j = keys.first; j < keys.last; j += group) {
    RowGroup rows = keyGroup(k, dim, j, keys.last);
    accumulate(dQ.data(), dQSquares.data(), rows, &s[j], &squared[j], dim);
    add(pK.data(), rows, &keyWeight[j], dim);
  }
  for (int64_t c = 0; c < dim; ++c)
    dQSquares[c] += gSquared * pK[c] * pK[c];
  write(TensorId::DQ, rowsQ.start + i, head, dQ.data(), dQSquares.data(),
        job.scale);
  if (++numPending == group)
    flush();
}

void Task::flush() {
  RowGroup queries, gradients;
  KeyRange keys{rowsKv.used, 0}; // that any of them sees
  for (int64_t r = 0; r < group; ++r) {
    queries[r] = pending[r].q.data();
    gradients[r] = pending[r].dO.data();
    if (r < numPending) {
      keys.first = std::min(keys.first, pending[r].keys.first);
      keys.last = std::max(keys.last, pending[r].keys.last);
    }
  }
  for (int64_t j = keys.first; j < keys.last; ++j) {
    double x[group], y[group];
    for (int64_t r = 0; r < group; ++r) {
      x[r] = pending[r].dK[j];
      y[r] = pending[r].dKSquared[j];
    }
    accumulate(&dK[j * dim], &dKSquares[j * dim], queries, x, y, dim);
    for (int64_t r = 0; r < group; ++r) {
      x[r] = pending[r].dV[j];
      y[r] = pending[r].dVSquared[j];
    }
    accumulate(&dV[j * dimV], &dVSquares[j * dimV], gradients, x, y, dimV);
  }
  for (Pending &row : llvm::MutableArrayRef(pending).take_front(numPending))
    for (auto *weights : {&row.dK, &row.dKSquared, &row.dV, &row.dVSquared})
      std::fill(weights->begin() + row.keys.first,
                weights->begin() + row.keys.last, 0.0);
  numPending = 0;
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
