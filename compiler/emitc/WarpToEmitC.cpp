//===- WarpToEmitC.cpp - Writes kernels as CUDA C++ -----------------------===//

#include "compiler/emitc/KernelWriter.h"
#include "compiler/emitc/Passes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace weft {

#define GEN_PASS_DEF_WARPTOEMITC
#include "compiler/emitc/Passes.h.inc"

namespace {

struct WarpToEmitC : impl::WarpToEmitCBase<WarpToEmitC> {
  void runOnOperation() override {
    std::set<std::string> headers{"types"};
    bool any = false;
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<warp::FuncOp>())) {
      narrowCoordinates(kernel);
      FailureOr<emitc::FuncOp> written = KernelWriter(kernel).write();
      if (failed(written))
        return signalPassFailure();
      kernel.erase();
      any = true;
      for (StringAttr name : (*written)
                                 ->getAttrOfType<ArrayAttr>(kHeadersAttr)
                                 .getAsRange<StringAttr>())
        headers.insert(name.str());
    }
    if (!any)
      return;
    // For readers of the module and for the upstream printer.
    auto builder = OpBuilder::atBlockBegin(getOperation().getBody());
    for (const std::string &header : headers)
      emitc::IncludeOp::create(builder, getOperation().getLoc(),
                               builder.getStringAttr("weft/" + header + ".cuh"),
                               UnitAttr());
  }
};

} // namespace

namespace {
#define GEN_PASS_REGISTRATION
#include "compiler/emitc/Passes.h.inc"
} // namespace

void registerEmitCPasses() { registerWeftEmitCPasses(); }

} // namespace weft
