//===- Schedule.h - Tiles and pipelines, chosen for a target ----*- C++ -*-===//
//
// Which tiles a kernel works on. The choice is data: a tuning table
// (compiler/tuning), and a model of the shared memory and registers that a
// schedule needs. The first one that the target can hold is taken, so a smaller
// GPU gets smaller tiles and no code of its own.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_SCHEDULE_SCHEDULE_H
#define WEFT_COMPILER_SCHEDULE_SCHEDULE_H

#include "compiler/target/Target.h"
#include "dialects/plan/Plan.h"

#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace weft {

/// Tiles and pipeline of one kernel; the fields of `#plan.schedule`.
struct Schedule {
  int64_t rows = 0;    ///< of the tile that a point of the grid owns
  int64_t columns = 0; ///< rows of the other side that a step takes, 0: no loop
  int64_t warps = 4;   ///< of a CTA
  int64_t stages = 1;  ///< of the ring that the loop's tiles go through
  plan::MatrixUnit mma = plan::MatrixUnit::warp; ///< who multiplies
  int64_t valueStages = 0; ///< of the ring of V where it differs, else 0
  bool persistent = false; ///< a CTA takes point after point
  int64_t ctasPerSm = 1;   ///< that share a multiprocessor
  bool operator==(const Schedule &) const = default;

  /// As it is printed in `#plan.schedule`: "rows = 64, columns = 32, ...".
  std::string str() const;
  plan::ScheduleAttr toAttr(mlir::MLIRContext *context) const;
};

/// What the choice depends on, beside the target.
struct ScheduleProblem {
  int64_t headDim = 0, headDimV = 0; ///< in elements
  bool scoreChange = false;
  /// Bytes to which rows are aligned; bulk copies, and with them warpgroup
  /// products, need 16.
  int64_t align = 2;
  bool masked = false;      ///< beside padding
  bool ragged = false;      ///< a side's sequences have lengths of their own
  bool uniformDOut = false; ///< all of dO is one element, which no copy brings
  int64_t length = 0; ///< queries of a sequence, at most in the mean; 0: any
};

/// Registers of a CTA with roles: what each thread has at launch, and then.
/// More than the launch gave does not fail on the device, it hangs.
struct RoleRegisters {
  int64_t launch = 0, producer = 0, consumer = 0;
};
/// Those of a CTA with `warps` consumer warps (a multiple of 4) and one
/// producer warpgroup; `balanced`: its points are walked so (warp.points);
/// `sendsVectors`: the producer also copies vectors, element by element.
RoleRegisters roleRegisters(int64_t warps, bool balanced = false,
                            bool sendsVectors = false, int64_t ctasPerSm = 1);

/// Bytes of a ring slot's full and empty barrier, and those that may be lost
/// where the kernel aligns its shared memory for swizzled tiles.
inline constexpr int64_t barrierBytes = 16;
inline constexpr int64_t swizzleAlignment = 1024;

/// Bytes of shared memory of each of so many CTAs of a multiprocessor.
int64_t sharedPerCta(const Target &target, int64_t ctasPerSm);

/// What a CTA needs under a schedule.
struct ScheduleCost {
  int64_t sharedBytes = 0; ///< of the tiles that products read
  int64_t registers = 0;   ///< a thread's part of the tiles it holds
};

/// The cost of one kernel under `schedule`.
ScheduleCost scheduleCost(plan::KernelKind kind, const Schedule &schedule,
                          const ScheduleProblem &problem);

/// The schedule of a kernel on `target`: the first one of its tuning table
/// (`Target::tuning`, else the built-in one), then of the default table, that
/// fits. An error says that none does and what they would need.
llvm::Expected<Schedule> chooseSchedule(plan::KernelKind kind,
                                        const ScheduleProblem &problem,
                                        const Target &target);

/// A schedule for problems with at most `length` queries a sequence in the
/// mean.
struct ShortSchedule {
  int64_t length;
  Schedule schedule;
};

/// The schedules that the tables have for lengths, the shortest first; none
/// where it would be the one for any length.
llvm::Expected<std::vector<ShortSchedule>>
shortSchedules(plan::KernelKind kind, const ScheduleProblem &problem,
               const Target &target);

/// How many kernels the gradients take.
enum class Gradients {
  one,  ///< dqkv: scores once; dQ is a sum that many points add to
  two,  ///< dkdv and dq
  three ///< dk, dv and dq: the accumulators of both do not fit
};
/// `deterministic`: no sum that is added to in any order.
Gradients chooseGradients(const ScheduleProblem &problem, const Target &target,
                          bool deterministic);
/// The kernel among them that walks from key tiles and gives dK.
plan::KernelKind keyKernel(Gradients gradients);

} // namespace weft

#endif // WEFT_COMPILER_SCHEDULE_SCHEDULE_H
