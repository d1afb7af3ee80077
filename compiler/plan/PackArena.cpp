//===- PackArena.cpp - The places of workspace buffers --------------------===//

#include "compiler/plan/Buffers.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/Sizes.h"
#include "runtime/program/Program.h"

namespace weft {
#define GEN_PASS_DEF_PLANPACKARENA
#include "compiler/plan/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;
using namespace weft::plan;

namespace {
struct PlanPackArena : weft::impl::PlanPackArenaBase<PlanPackArena> {
  void runOnOperation() override {
    for (auto func : getOperation().getOps<FuncOp>())
      if (failed(pack(func)))
        return signalPassFailure();
  }

  LogicalResult pack(FuncOp func) {
    struct Placed {
      ReleaseOp release;
      Value offset, bytes;
      Value end; ///< where the next buffer may begin; null until asked for
    };
    // The last of those that are live lies behind all others that are.
    SmallVector<Placed> live;
    SmallVector<ReserveOp> reserves(func.getBody().front().getOps<ReserveOp>());
    for (ReserveOp reserve : reserves) {
      ReleaseOp release = releaseOf(reserve);
      if (!release)
        return reserve.emitError()
               << "workspace '" << reserve.getName() << "' is never released";
      llvm::erase_if(live, [&](const Placed &other) {
        return other.release->isBeforeInBlock(reserve);
      });
      OpBuilder builder(reserve);
      SizeBuilder sizes(builder);
      Value offset;
      if (live.empty()) {
        offset = sizes.constant(0);
      } else {
        Placed &last = live.back();
        if (!last.end) {
          Value blocks = sizes.ceilDiv(last.bytes, program::arenaAlignment);
          Value size =
              sizes.mul(blocks, sizes.constant(program::arenaAlignment));
          last.end = sizes.add(last.offset, size);
        }
        offset = last.end;
      }
      reserve.getOffsetMutable().assign(offset);
      live.push_back({release, offset, reserve.getBytes(), Value()});
    }
    return success();
  }
};
} // namespace
