//===- Schedule.cpp - Tiles and pipelines, chosen for a target ------------===//

#include "compiler/schedule/Schedule.h"

#include "compiler/tuning/Tuning.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <optional>
#include <set>

using namespace weft;
using llvm::Twine;
using plan::KernelKind;

/// Registers of a thread that are left to addresses, fragments on their way
/// from shared memory, row statistics and loop state. Measured, as are the
/// factors of `scores` below: NVRTC 13.0 reports no spill up to head dim 128
/// under the schedules that this leaves, for any mask and target.
static constexpr int64_t workingRegisters = 50;

/// Bytes at the end of each row of a tile in shared memory, so that ldmatrix
/// meets no bank conflict (`!warp.shared`).
static constexpr int64_t rowPadding = 16;

/// Registers of a consumer thread beside its fragments: with fewer, ptxas
/// spills and makes wgmma wait. As measured on sm_90a, for two and for three
/// consumers; in the forward P has `columns` columns. `irregular`: loop bounds
/// depend on the tile.
static int64_t consumerRegisters(KernelKind kind, int64_t columns,
                                 bool irregular) {
  if (kind == KernelKind::dqkv)
    return 8;
  if (kind == KernelKind::dkdv)
    return irregular ? 24 : 8;
  if (kind != KernelKind::forward)
    return 32;
  return 8 + 3 * columns / 10;
}

std::string Schedule::str() const {
  std::string text =
      ("rows = " + Twine(rows) + ", columns = " + Twine(columns) +
       ", warps = " + Twine(warps) + ", stages = " + Twine(stages))
          .str();
  if (mma != plan::MatrixUnit::warp)
    text += ", mma = " + plan::stringifyMatrixUnit(mma).str();
  if (valueStages)
    text += ", value_stages = " + std::to_string(valueStages);
  if (persistent)
    text += ", persistent = true";
  if (ctasPerSm != 1)
    text += ", ctas_per_sm = " + std::to_string(ctasPerSm);
  return text;
}

RoleRegisters weft::roleRegisters(int64_t warps, bool balanced,
                                  bool sendsVectors, int64_t ctasPerSm) {
  int64_t threads = 32 * warps + 128;
  int64_t launch = llvm::alignDown(65536 / (threads * ctasPerSm), 8);
  // Three consumers leave little: 152 registers are short by a few where a
  // CTA looks for its points, else the copying threads are, with 32. Those that
  // copy vectors need more yet.
  int64_t producer = sendsVectors ? (balanced ? 56 : 40)
                     : warps <= 8 ? 24
                     : balanced   ? 32
                                  : 40;
  int64_t consumer =
      llvm::alignDown((launch * threads - producer * 128) / (32 * warps), 8);
  return {launch, producer, std::min<int64_t>(consumer, 240)};
}

int64_t weft::sharedPerCta(const Target &target, int64_t ctasPerSm) {
  // A CTA takes more than it asks for: what a multiprocessor has beside its
  // only one.
  int64_t reserved = target.sharedPerSm - target.sharedPerCta;
  return llvm::alignDown(target.sharedPerSm / ctasPerSm - reserved, 128);
}

/// The cost of a kernel whose loop's tiles are swizzled column blocks.
static ScheduleCost warpgroupCost(KernelKind kind, const Schedule &schedule,
                                  const ScheduleProblem &problem) {
  auto tile = [](int64_t rows, int64_t columns) -> int64_t {
    return rows * 128 * llvm::divideCeil(columns, 64);
  };
  int64_t rows = schedule.rows, columns = schedule.columns;
  int64_t qk = problem.headDim, v = problem.headDimV;
  int64_t stages = schedule.stages;
  int64_t values = schedule.valueStages ? schedule.valueStages : stages;
  // Of 64 rows by 128 threads.
  auto accumulator = [](int64_t columns) -> int64_t {
    return llvm::alignTo(columns, 16) / 2;
  };
  int64_t scores = accumulator(columns), packed = scores / 2;
  int64_t derivative = problem.scoreChange ? scores : 0;
  int64_t ring = stages * tile(columns, qk) + values * tile(columns, v);
  int64_t both = tile(rows, qk) + tile(rows, v);
  // A value per column for LSE, and one for delta.
  int64_t vectors = 2 * stages * (4 * columns + barrierBytes);
  ScheduleCost cost;
  int64_t ownTiles = 2;
  switch (kind) {
  case KernelKind::dqkv:
    // Two tiles of dS, and dQ on its way out. dP's registers hold dQ before.
    cost = {both + ring + vectors + 2 * (tile(columns, rows) + barrierBytes) +
                2 * columns * tile(1, qk),
            accumulator(qk) + accumulator(v) + 2 * scores + 2 * packed +
                derivative};
    break;
  case KernelKind::dkdv:
    cost = {both + ring + vectors, accumulator(qk) + accumulator(v) +
                                       2 * scores + 2 * packed + derivative};
    break;
  case KernelKind::dk:
    cost = {both + ring + vectors,
            accumulator(qk) + 2 * scores + packed + derivative};
    break;
  case KernelKind::dv:
    cost = {tile(rows, qk) + ring + vectors, accumulator(v) + scores + packed};
    ownTiles = 1;
    break;
  case KernelKind::dq:
    cost = {both + ring, accumulator(qk) + 2 * scores + packed + derivative};
    break;
  default:
    // The scores, and two sets of P.
    cost = {tile(rows, qk) + ring, accumulator(v) + scores + 2 * packed};
    ownTiles = 1;
  }
  cost.sharedBytes +=
      barrierBytes * (ownTiles + stages + values) + swizzleAlignment;
  return cost;
}

plan::ScheduleAttr Schedule::toAttr(mlir::MLIRContext *context) const {
  return plan::ScheduleAttr::get(context, rows, columns, warps, stages, mma,
                                 valueStages, persistent, ctasPerSm);
}

ScheduleCost weft::scheduleCost(KernelKind kind, const Schedule &schedule,
                                const ScheduleProblem &problem) {
  if (schedule.mma == plan::MatrixUnit::warpgroup)
    return warpgroupCost(kind, schedule, problem);
  // Products work on columns in steps of 16.
  int64_t qk = llvm::alignTo(problem.headDim, 16);
  int64_t v = llvm::alignTo(problem.headDimV, 16);
  auto tile = [](int64_t rows, int64_t columns) {
    return rows * (2 * columns + rowPadding);
  };
  auto accumulator = [&](int64_t columns) {
    return schedule.rows * columns / (32 * schedule.warps);
  };
  int64_t rows = schedule.rows, columns = schedule.columns;
  int64_t scores = accumulator(columns);
  // The loop's tiles: K and V, or Q and dO, one of each per step.
  int64_t ring = schedule.stages * (tile(columns, qk) + tile(columns, v));
  // The derivative of a score change is one more tile of the scores' shape.
  int64_t derivative = problem.scoreChange ? scores : 0;
  switch (kind) {
  case KernelKind::forward:
    // S, and P as it is rounded.
    return {tile(rows, qk) + ring, accumulator(v) + 2 * scores};
  case KernelKind::dqkv:
  case KernelKind::dkdv:
    // S, dP and both rounded; LSE and delta, each a value per column.
    return {tile(rows, qk) + tile(rows, v) + ring,
            accumulator(qk) + accumulator(v) + scores * 9 / 2 + derivative};
  case KernelKind::dk:
    return {tile(rows, qk) + tile(rows, v) + ring,
            accumulator(qk) + scores * 9 / 2 + derivative};
  case KernelKind::dv:
    return {tile(rows, qk) + ring, accumulator(v) + scores * 5 / 2};
  case KernelKind::dq:
    // LSE and delta are a value per row here.
    return {tile(rows, qk) + tile(rows, v) + ring,
            accumulator(qk) + 3 * scores + derivative};
  case KernelKind::delta:
  case KernelKind::reduce:
  case KernelKind::convert:
  case KernelKind::fill:
    // Elements go through registers one by one.
    return {0, 0};
  }
  llvm_unreachable("all kinds are handled");
}

/// Whether a warp of the producer copies a value per column, LSE and delta,
/// with a step's tiles.
static bool sendsVectors(KernelKind kind) {
  return kind == KernelKind::dkdv || kind == KernelKind::dk ||
         kind == KernelKind::dv;
}

/// Whether a kernel of that kind can be built so on `target`, and fits.
static bool isLegal(const Schedule &schedule, KernelKind kind,
                    const ScheduleProblem &problem, const Target &target) {
  bool warpgroups = schedule.mma == plan::MatrixUnit::warpgroup;
  if (warpgroups && (!target.warpgroupMma || !target.bulkCopies ||
                     problem.align != 16 || problem.uniformDOut))
    return false;
  // dS is handed from one warpgroup to the others, and each makes 64 rows of
  // dQ: its own, or those of all with 64 or 32 columns of its own.
  if (kind == KernelKind::dqkv &&
      (!warpgroups || problem.headDim % 64 ||
       (schedule.columns != 16 * schedule.warps &&
        (schedule.columns != 64 || schedule.warps != 8 ||
         problem.headDim > 128))))
    return false;
  if (32 * schedule.warps + 128 > 2048 / schedule.ctasPerSm)
    return false;
  ScheduleCost cost = scheduleCost(kind, schedule, problem);
  if (cost.sharedBytes > sharedPerCta(target, schedule.ctasPerSm))
    return false;
  if (warpgroups)
    return cost.registers +
               consumerRegisters(kind, schedule.columns,
                                 problem.ragged || problem.masked) <=
           roleRegisters(schedule.warps, sendsVectors(kind) && problem.masked,
                         sendsVectors(kind), schedule.ctasPerSm)
               .consumer;
  return cost.registers + workingRegisters <=
         std::min(target.registersPerThread,
                  target.registersPerSm / (32 * schedule.warps));
}

/// The first legal schedule of the rows of `table` that hold the problem;
/// `last` becomes the last one seen.
static std::optional<Schedule> firstLegal(const TuningTable &table,
                                          KernelKind kind,
                                          const ScheduleProblem &problem,
                                          const Target &target,
                                          Schedule &last) {
  for (const TuningRow &row : table.rows) {
    if (!row.holds(kind, problem))
      continue;
    for (const Schedule &schedule : row.schedules)
      if (isLegal(schedule, kind, problem, target))
        return schedule;
    last = row.schedules.back();
  }
  return std::nullopt;
}

llvm::Expected<Schedule> weft::chooseSchedule(KernelKind kind,
                                              const ScheduleProblem &problem,
                                              const Target &target) {
  Schedule smallest;
  if (!target.tuning.empty()) {
    llvm::Expected<TuningTable> given = parseTuning(target.tuning);
    if (!given)
      return given.takeError();
    if (auto found = firstLegal(*given, kind, problem, target, smallest))
      return *found;
  } else if (const TuningTable *table = builtInTuning(target.name)) {
    if (auto found = firstLegal(*table, kind, problem, target, smallest))
      return *found;
  }
  const TuningTable *all = builtInTuning("default");
  assert(all && "the table of all targets is part of the library");
  if (auto found = firstLegal(*all, kind, problem, target, smallest))
    return *found;
  ScheduleCost cost = scheduleCost(kind, smallest, problem);
  return llvm::createStringError(
      "no schedule of kernel '" + plan::stringifyKernelKind(kind) +
      "' fits target " + target.name + " at head_dim " +
      Twine(problem.headDim) + ", head_dim_v " + Twine(problem.headDimV) +
      ": the smallest (" + smallest.str() + ") needs " +
      Twine(cost.sharedBytes) + " bytes of shared memory of " +
      Twine(target.sharedPerCta) + " and " +
      Twine(cost.registers + workingRegisters) + " registers a thread of " +
      Twine(target.registersPerThread) + "; use smaller head dims");
}

llvm::Expected<std::vector<ShortSchedule>>
weft::shortSchedules(KernelKind kind, const ScheduleProblem &problem,
                     const Target &target) {
  llvm::Expected<Schedule> any = chooseSchedule(kind, problem, target);
  if (!any)
    return any.takeError();
  std::set<int64_t> lengths;
  auto collect = [&](const TuningTable &table) {
    for (const TuningRow &row : table.rows)
      if (row.length && row.kernel == kind)
        lengths.insert(row.length);
  };
  if (!target.tuning.empty())
    collect(llvm::cantFail(parseTuning(target.tuning)));
  else if (const TuningTable *table = builtInTuning(target.name))
    collect(*table);
  collect(*builtInTuning("default"));
  std::vector<ShortSchedule> found;
  for (int64_t length : lengths) {
    ScheduleProblem shorter = problem;
    shorter.length = length;
    Schedule schedule = llvm::cantFail(chooseSchedule(kind, shorter, target));
    if (schedule != *any)
      found.push_back({length, schedule});
  }
  return found;
}

Gradients weft::chooseGradients(const ScheduleProblem &problem,
                                const Target &target, bool deterministic) {
  auto unitOf = [&](KernelKind kind) -> std::optional<plan::MatrixUnit> {
    llvm::Expected<Schedule> found = chooseSchedule(kind, problem, target);
    if (found)
      return found->mma;
    llvm::consumeError(found.takeError());
    return std::nullopt;
  };
  if (!deterministic && unitOf(KernelKind::dqkv))
    return Gradients::one;
  // Two kernels on warpgroups are faster than one on warps.
  std::optional<plan::MatrixUnit> both = unitOf(KernelKind::dkdv);
  return both && (*both == plan::MatrixUnit::warpgroup ||
                  unitOf(KernelKind::dk) != plan::MatrixUnit::warpgroup)
             ? Gradients::two
             : Gradients::three;
}

KernelKind weft::keyKernel(Gradients gradients) {
  switch (gradients) {
  case Gradients::one:
    return KernelKind::dqkv;
  case Gradients::two:
    return KernelKind::dkdv;
  case Gradients::three:
    return KernelKind::dk;
  }
  llvm_unreachable("all cases handled");
}
