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
    auto name = getOperation()->getAttrOfType<StringAttr>(kTargetAttr);
    if (!name) {
      getOperation().emitError()
          << "plan-launch-early needs a target: give the module the attribute "
          << kTargetAttr << ", as in " << kTargetAttr << " = \"sm_90a\"";
      return signalPassFailure();
    }
    llvm::Expected<const Target *> target = targetByName(name.getValue());
    if (!target) {
      getOperation().emitError() << llvm::toString(target.takeError());
      return signalPassFailure();
    }
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
