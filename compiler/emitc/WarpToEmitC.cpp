//===- WarpToEmitC.cpp - Writes kernels as CUDA C++ -----------------------===//

#include "compiler/emitc/KernelWriter.h"
#include "compiler/emitc/Passes.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace weft {

#define GEN_PASS_DEF_WARPTOEMITC
#include "compiler/emitc/Passes.h.inc"

namespace {

/// What a kernel may take: memory and named scalars.
LogicalResult checkArguments(warp::FuncOp kernel) {
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes()))
    if (!isa<tile::BufferType>(type) && !type.isInteger(64) && !type.isF32())
      return kernel.emitError() << "argument " << index << " is a " << type
                                << "; a kernel takes !tile.buffer, i64 and f32";
  return success();
}

struct WarpToEmitC : impl::WarpToEmitCBase<WarpToEmitC> {
  void runOnOperation() override {
    std::set<std::string> headers{"types"};
    bool any = false;
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<warp::FuncOp>())) {
      if (failed(checkArguments(kernel)))
        return signalPassFailure();
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
