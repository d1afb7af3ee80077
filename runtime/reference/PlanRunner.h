//===- PlanRunner.h - Runs the ops of a plan.func ---------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_REFERENCE_PLANRUNNER_H
#define WEFT_RUNTIME_REFERENCE_PLANRUNNER_H

#include "runtime/reference/Launch.h"
#include "runtime/reference/PlanSizes.h"
#include "runtime/reference/ReferenceExecutor.h"

#include "dialects/plan/Plan.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <deque>
#include <map>

namespace weft::reference {

/// The compiled bodies of a module, by name of their kernel.
using Bodies = llvm::StringMap<std::unique_ptr<Code>>;

/// One call of one module.
class PlanRunner {
public:
  PlanRunner(const Bodies &bodies, const Problem &problem,
             const ReferenceOptions &options);

  /// The first of `variants` whose guard holds.
  llvm::Expected<plan::FuncOp> choose(llvm::ArrayRef<plan::FuncOp> variants);
  /// Bytes of workspace the plan reserves.
  llvm::Expected<int64_t> workspaceBytes(plan::FuncOp plan);
  llvm::Error run(plan::FuncOp plan);

private:
  // Buffers.
  llvm::Error arguments(plan::FuncOp plan);
  Buffer &addBuffer(llvm::StringRef name, Buffer::Kind kind,
                    plan::BufferType type);
  /// The side that a buffer's rows belong to; null: it has none.
  const Side *sideOf(plan::BufferType type);
  void poisonResult(Buffer &buffer);
  llvm::Expected<Buffer *> owned(mlir::Value value, bool consume);
  void give(mlir::Value value, Buffer *buffer);

  // Ops.
  llvm::Error step(mlir::Operation &op);
  llvm::Error reserve(plan::ReserveOp op);
  llvm::Error memset(plan::MemsetOp op);
  llvm::Error fill(plan::FillOp op);
  llvm::Error launch(plan::LaunchOp op);
  llvm::Error release(plan::ReleaseOp op);
  llvm::Error finish(plan::ReturnOp op);
  llvm::Error checkReturned(const Buffer &buffer, plan::BufferType type);
  /// Where a reserved buffer lies in the arena.
  struct Place {
    int64_t offset, bytes;
  };
  llvm::Expected<Place> place(plan::ReserveOp op);

  const Bodies &bodies;
  const Problem &problem;
  const ReferenceOptions &options;
  Side q, kv;
  /// The sides as rounded buffers have them, by side and rounding.
  std::map<std::pair<const Side *, int64_t>, Side> roundedSides;
  Random random;
  TilePool pool;

  PlanSizes sizes;
  std::deque<Buffer> buffers;
  /// The value that owns each buffer now; null: released or returned.
  llvm::DenseMap<Buffer *, mlir::Value> owners;
  llvm::DenseMap<mlir::Value, Buffer *> bufferOf;
  llvm::DenseMap<Buffer *, Place> live; ///< workspace
  int64_t arenaEnd = 0;                 ///< for reserves without an offset
  int64_t arenaBytes = 0;
  std::unique_ptr<char[]> ownArena;
  char *arena = nullptr;
  int64_t launches = 0;
};

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_PLANRUNNER_H
