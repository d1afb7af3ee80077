//===- PackArena.cpp - The places of workspace buffers --------------------===//

#include "compiler/plan/Buffers.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/SizeAlgebra.h"
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
    SmallVector<Placed> placed;
    SmallVector<ReserveOp> reserves(func.getBody().front().getOps<ReserveOp>());
    for (ReserveOp reserve : reserves) {
      ReleaseOp release = releaseOf(reserve);
      if (!release)
        return reserve.emitOpError()
               << "'" << reserve.getName() << "' is never released";
      OpBuilder builder(reserve);
      SizeBuilder sizes(builder);
      SmallVector<Value> ends;
      for (Placed &other : placed) {
        if (other.release->isBeforeInBlock(reserve))
          continue;
        if (!other.end) {
          Value blocks = sizes.ceilDiv(other.bytes, program::arenaAlignment);
          Value size =
              sizes.mul(blocks, sizes.constant(program::arenaAlignment));
          other.end = sizes.add(other.offset, size);
        }
        // Most ends lie below another for all sizes.
        llvm::erase_if(ends,
                       [&](Value end) { return isAtMost(end, other.end); });
        ends.push_back(other.end);
      }
      Value offset = ends.empty() ? sizes.constant(0) : ends.front();
      for (Value end : llvm::drop_begin(ends, ends.empty() ? 0 : 1))
        offset = sizes.max(offset, end);
      reserve.getOffsetMutable().assign(offset);
      placed.push_back({release, offset, reserve.getBytes(), Value()});
    }
    return success();
  }

  bool isAtMost(Value a, Value b) {
    SizeAlgebra algebra;
    return algebra.isNonNegative(
        algebra.add(algebra.normalize(b), algebra.normalize(a), -1));
  }
};
} // namespace
