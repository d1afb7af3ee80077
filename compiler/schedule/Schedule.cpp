//===- Schedule.cpp - Tiles and pipelines, chosen for a target ------------===//

#include "compiler/schedule/Schedule.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

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
/// consumers.
static int64_t consumerRegisters(int64_t warps) { return warps > 8 ? 32 : 48; }

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
  return text;
}

RoleRegisters weft::roleRegisters(int64_t warps) {
  int64_t threads = 32 * warps + 128;
  int64_t launch = llvm::alignDown(65536 / threads, 8);
  // With 32 the copying thread of three consumers' launch spills.
  int64_t producer = warps > 8 ? 40 : 24;
  int64_t consumer =
      llvm::alignDown((launch * threads - producer * 128) / (32 * warps), 8);
  return {launch, producer, std::min<int64_t>(consumer, 240)};
}

/// The cost of a kernel whose loop's tiles are swizzled column blocks.
static ScheduleCost warpgroupCost(const Schedule &schedule,
                                  const ScheduleProblem &problem) {
  auto tile = [](int64_t rows, int64_t columns) {
    return rows * 128 * llvm::divideCeil(columns, 64);
  };
  int64_t values =
      schedule.valueStages ? schedule.valueStages : schedule.stages;
  int64_t shared = tile(schedule.rows, problem.headDim) +
                   schedule.stages * tile(schedule.columns, problem.headDim) +
                   values * tile(schedule.columns, problem.headDimV);
  // Scores, the accumulator and two sets of P, of 64 rows by 128 threads.
  int64_t fragments = schedule.columns / 2 +
                      llvm::alignTo(problem.headDimV, 16) / 2 +
                      2 * schedule.columns / 4;
  return {shared + barrierBytes * (1 + schedule.stages + values) +
              swizzleAlignment,
          fragments};
}

plan::ScheduleAttr Schedule::toAttr(mlir::MLIRContext *context) const {
  return plan::ScheduleAttr::get(context, rows, columns, warps, stages, mma,
                                 valueStages, persistent);
}

ScheduleCost weft::scheduleCost(KernelKind kind, const Schedule &schedule,
                                const ScheduleProblem &problem) {
  if (schedule.mma == plan::MatrixUnit::warpgroup)
    return warpgroupCost(schedule, problem);
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
  case KernelKind::fill:
    // Elements go through registers one by one.
    return {0, 0};
  }
  llvm_unreachable("all kinds are handled");
}

/// Preferences, best first: {rows, columns, warps, stages}. A warp that owns 32
/// rows uses each fragment it loads twice; where its accumulators do not fit,
/// 16 rows a warp halve them.
static llvm::ArrayRef<Schedule> preferences(KernelKind kind) {
  static const Schedule forward[] = {
      {128, 64, 4, 2}, {128, 64, 8, 2}, {128, 48, 8, 2}, {128, 32, 8, 2},
      {64, 64, 4, 2},  {64, 32, 4, 2},  {64, 16, 4, 2}};
  static const Schedule backward[] = {
      {64, 64, 4, 2}, {64, 32, 4, 2}, {64, 16, 4, 2}};
  static const Schedule pointwise[] = {{64, 0, 4, 1}};
  switch (kind) {
  case KernelKind::forward:
    return forward;
  case KernelKind::dkdv:
  case KernelKind::dk:
  case KernelKind::dv:
  case KernelKind::dq:
    return backward;
  case KernelKind::delta:
  case KernelKind::reduce:
  case KernelKind::fill:
    return pointwise;
  }
  llvm_unreachable("all kinds are handled");
}

/// Preferences of the forward where the target has warpgroup products and bulk
/// copies may be used: three consumers where their fragments fit, else two with
/// the widest tile that does. V goes back a step late, so it gets a stage more
/// where there is room.
static llvm::ArrayRef<Schedule> warpgroupPreferences() {
  constexpr auto unit = plan::MatrixUnit::warpgroup;
  static const Schedule forward[] = {
      {192, 80, 12, 4, unit, 0, true}, {128, 128, 8, 2, unit, 3, true},
      {128, 112, 8, 2, unit, 3, true}, {128, 112, 8, 2, unit, 2, true},
      {128, 96, 8, 2, unit, 2, true},  {128, 80, 8, 2, unit, 2, true},
      {128, 64, 8, 2, unit, 2, true}};
  return forward;
}

static const Schedule *firstWithWarpgroups(KernelKind kind,
                                           const ScheduleProblem &problem,
                                           const Target &target) {
  if (kind != KernelKind::forward || !target.warpgroupMma ||
      !target.bulkCopies || problem.align != 16)
    return nullptr;
  // Wider accumulators still spill, whatever the tile.
  if (problem.headDimV > 192)
    return nullptr;
  llvm::ArrayRef<Schedule> table = warpgroupPreferences();
  const Schedule *found = llvm::find_if(table, [&](const Schedule &schedule) {
    ScheduleCost cost = scheduleCost(kind, schedule, problem);
    return cost.sharedBytes <= target.sharedPerCta &&
           cost.registers + consumerRegisters(schedule.warps) <=
               roleRegisters(schedule.warps).consumer;
  });
  return found == table.end() ? nullptr : found;
}

static const Schedule *firstThatFits(KernelKind kind,
                                     const ScheduleProblem &problem,
                                     const Target &target) {
  llvm::ArrayRef<Schedule> table = preferences(kind);
  const Schedule *found = llvm::find_if(table, [&](const Schedule &schedule) {
    ScheduleCost cost = scheduleCost(kind, schedule, problem);
    int64_t threadRegisters =
        std::min(target.registersPerThread,
                 target.registersPerSm / (32 * schedule.warps));
    return cost.sharedBytes <= target.sharedPerCta &&
           cost.registers + workingRegisters <= threadRegisters;
  });
  return found == table.end() ? nullptr : found;
}

llvm::Expected<Schedule> weft::chooseSchedule(KernelKind kind,
                                              const ScheduleProblem &problem,
                                              const Target &target) {
  if (const Schedule *found = firstWithWarpgroups(kind, problem, target))
    return *found;
  if (const Schedule *found = firstThatFits(kind, problem, target))
    return *found;
  const Schedule &smallest = preferences(kind).back();
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

bool weft::fitsFusedKeyGradients(const ScheduleProblem &problem,
                                 const Target &target) {
  return firstThatFits(KernelKind::dkdv, problem, target);
}
