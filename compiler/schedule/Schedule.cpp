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
/// from shared memory, row statistics and loop state.
static constexpr int64_t workingRegisters = 55;

/// Bytes at the end of each row of a tile in shared memory, so that ldmatrix
/// meets no bank conflict (`!warp.shared`).
static constexpr int64_t rowPadding = 16;

std::string Schedule::str() const {
  return ("rows = " + Twine(rows) + ", columns = " + Twine(columns) +
          ", warps = " + Twine(warps) + ", stages = " + Twine(stages))
      .str();
}

plan::ScheduleAttr Schedule::toAttr(mlir::MLIRContext *context) const {
  return plan::ScheduleAttr::get(context, rows, columns, warps, stages, mma,
                                 valueStages, persistent);
}

ScheduleCost weft::scheduleCost(KernelKind kind, const Schedule &schedule,
                                int64_t headDim, int64_t headDimV) {
  // Products work on columns in steps of 16.
  int64_t qk = llvm::alignTo(headDim, 16), v = llvm::alignTo(headDimV, 16);
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
  switch (kind) {
  case KernelKind::forward:
    return {tile(rows, qk) + ring, accumulator(v) + scores};
  case KernelKind::dkdv:
    return {tile(rows, qk) + tile(rows, v) + ring,
            accumulator(qk) + accumulator(v) + 2 * scores};
  case KernelKind::dk:
  case KernelKind::dq:
    return {tile(rows, qk) + tile(rows, v) + ring,
            accumulator(qk) + 2 * scores};
  case KernelKind::dv:
    return {tile(rows, qk) + ring, accumulator(v) + scores};
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
      {128, 64, 4, 2}, {128, 32, 4, 2}, {128, 64, 8, 2}, {128, 32, 8, 2},
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

static const Schedule *firstThatFits(KernelKind kind, int64_t headDim,
                                     int64_t headDimV, const Target &target) {
  llvm::ArrayRef<Schedule> table = preferences(kind);
  const Schedule *found = llvm::find_if(table, [&](const Schedule &schedule) {
    ScheduleCost cost = scheduleCost(kind, schedule, headDim, headDimV);
    int64_t threadRegisters =
        std::min(target.registersPerThread,
                 target.registersPerSm / (32 * schedule.warps));
    return cost.sharedBytes <= target.sharedPerCta &&
           cost.registers + workingRegisters <= threadRegisters;
  });
  return found == table.end() ? nullptr : found;
}

llvm::Expected<Schedule> weft::chooseSchedule(KernelKind kind, int64_t headDim,
                                              int64_t headDimV,
                                              const Target &target) {
  if (const Schedule *found = firstThatFits(kind, headDim, headDimV, target))
    return *found;
  const Schedule &smallest = preferences(kind).back();
  ScheduleCost cost = scheduleCost(kind, smallest, headDim, headDimV);
  return llvm::createStringError(
      "no schedule of kernel '" + plan::stringifyKernelKind(kind) +
      "' fits target " + target.name + " at head_dim " + Twine(headDim) +
      ", head_dim_v " + Twine(headDimV) + ": the smallest (" + smallest.str() +
      ") needs " + Twine(cost.sharedBytes) + " bytes of shared memory of " +
      Twine(target.sharedPerCta) + " and " +
      Twine(cost.registers + workingRegisters) + " registers a thread of " +
      Twine(target.registersPerThread) + "; use smaller head dims");
}

bool weft::fitsFusedKeyGradients(int64_t headDim, int64_t headDimV,
                                 const Target &target) {
  return firstThatFits(KernelKind::dkdv, headDim, headDimV, target);
}
