//===- LaunchEarly.cpp - Launches that begin before the last is done ------===//

#include "compiler/attn/FromSpec.h"
#include "compiler/plan/Passes.h"
#include "compiler/target/Target.h"
#include "dialects/plan/Plan.h"

namespace weft {
#define GEN_PASS_DEF_PLANLAUNCHEARLY
#include "compiler/plan/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;
using namespace weft::plan;

namespace {
struct PlanLaunchEarly : weft::impl::PlanLaunchEarlyBase<PlanLaunchEarly> {
  void runOnOperation() override {
    FailureOr<const Target *> target =
        targetOf(getOperation(), "plan-launch-early");
    if (failed(target))
      return signalPassFailure();
    if (!(*target)->earlyLaunches)
      return;
    for (auto func : getOperation().getOps<FuncOp>())
      markLaunches(func);
  }

  static void markLaunches(FuncOp func) {
    bool isBehindLaunch = false;
    for (Operation &op : func.getBody().front()) {
      auto launch = dyn_cast<LaunchOp>(op);
      if (launch && isBehindLaunch)
        launch.setEarly(true);
      // Buffers begin and end on the host.
      if (launch || isa<MemsetOp>(op))
        isBehindLaunch = bool(launch);
    }
  }
};
} // namespace
