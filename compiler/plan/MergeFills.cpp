//===- MergeFills.cpp - One launch for the fills of a plan ----------------===//

#include "compiler/plan/Buffers.h"
#include "compiler/plan/Passes.h"
#include "compiler/plan/Sizes.h"
#include "compiler/schedule/Schedule.h"

namespace weft {
#define GEN_PASS_DEF_PLANMERGEFILLS
#include "compiler/plan/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;
using namespace weft::plan;

/// Rows of the tile of held rows that one CTA goes through.
static Schedule fillSchedule() {
  return {.rows = 256, .columns = 0, .warps = 4, .stages = 1};
}

namespace {
struct PlanMergeFills : weft::impl::PlanMergeFillsBase<PlanMergeFills> {
  void runOnOperation() override {
    SmallVector<FuncOp> funcs(getOperation().getOps<FuncOp>());
    for (FuncOp func : funcs)
      if (failed(merge(func)))
        return signalPassFailure();
  }

  LogicalResult merge(FuncOp func) {
    SmallVector<FillOp> fills(func.getBody().front().getOps<FillOp>());
    if (fills.empty())
      return success();
    FillOp last = fills.back();
    for (FillOp fill : fills)
      for (Operation *user : fill.getResult().getUsers())
        if (user->isBeforeInBlock(last))
          return fill.emitOpError()
                 << "of '" << bufferName(fill.getBuffer())
                 << "' cannot join the fills of its plan: what it returns is "
                    "used before the last of them; put the fills of a plan "
                    "after its launches";
    auto launches = func.getBody().front().getOps<LaunchOp>();
    if (launches.empty())
      return last.emitOpError()
             << "stands in a plan without a launch, which would name the "
                "problem";
    auto problem = getOperation()
                       .lookupSymbol<KernelOp>((*launches.begin()).getKernel())
                       .getProblemAttr();

    MLIRContext *context = &getContext();
    SmallVector<Attribute> contract;
    SmallVector<Value> buffers;
    SmallVector<Type> results;
    for (FillOp fill : fills) {
      SmallVector<Domain> domains;
      for (const APInt &domain :
           fill.getDomains().getAsValueRange<IntegerAttr>())
        domains.push_back(static_cast<Domain>(domain.getZExtValue()));
      contract.push_back(OperandAttr::get(context, bufferName(fill.getBuffer()),
                                          Access::out, domains,
                                          fill.getValueAttr(), /*rounded=*/0));
      buffers.push_back(fill.getBuffer());
      results.push_back(fill.getResult().getType());
    }
    OpBuilder builder(last);
    SizeBuilder sizes(builder);
    Value rowsQ = sizes.get(Size::rows_q), rowsKV = sizes.get(Size::rows_kv);
    Value tiles = sizes.ceilDiv(sizes.max(rowsQ, rowsKV), fillSchedule().rows);
    Value grid = sizes.mul(tiles, sizes.get(Size::heads_q));
    StringRef kernel =
        getKernel(ArrayAttr::get(context, contract), problem, last.getLoc());
    auto launch = LaunchOp::create(builder, last.getLoc(), results, kernel,
                                   grid, ValueRange(), ValueRange(), buffers,
                                   /*early=*/false);
    for (auto [fill, result] : llvm::zip(fills, launch.getResults())) {
      fill.getResult().replaceAllUsesWith(result);
      fill.erase();
    }
    return success();
  }

  /// The name of the fill kernel with this contract, made on first use.
  StringRef getKernel(ArrayAttr contract, FlatSymbolRefAttr problem,
                      Location loc) {
    for (auto kernel : getOperation().getOps<KernelOp>())
      if (kernel.getKind() == KernelKind::fill &&
          kernel.getContract() == contract)
        return kernel.getSymName();
    std::string name = "fill";
    for (int suffix = 1; getOperation().lookupSymbol(name); ++suffix)
      name = "fill_" + std::to_string(suffix);
    OpBuilder builder = kernelBuilder(getOperation());
    return KernelOp::create(builder, loc, name, KernelKind::fill,
                            problem.getValue(),
                            fillSchedule().toAttr(&getContext()), contract)
        .getSymName();
  }
};
} // namespace
