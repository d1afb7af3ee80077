//===- Passes.cpp - The step from tiles to warps --------------------------===//

#include "compiler/warp/Passes.h"

#include "dialects/warp/Warp.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace weft {
namespace {
#define GEN_PASS_REGISTRATION
#include "compiler/warp/Passes.h.inc"
} // namespace

void buildWarpPipeline(OpPassManager &manager) {
  manager.addPass(createTileToWarp());
  OpPassManager &kernels = manager.nest<warp::FuncOp>();
  // Each pass works on the schedules of its kind alone.
  kernels.addPass(createWarpPipeline());
  kernels.addPass(createWarpPartialSums());
  kernels.addPass(createWarpSpecialize());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createWarpOverlap());
  kernels.addPass(createWarpDelayProducts());
  kernels.addPass(createWarpCarryProducts());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
  kernels.addPass(createWarpFuseMaps());
  kernels.addPass(createWarpPackMaps());
  kernels.addPass(createCanonicalizerPass());
  kernels.addPass(createCSEPass());
}

void registerWarpPasses() {
  registerWeftWarpPasses();
  PassPipelineRegistration<>("weft-warp", "The step from tiles to warps",
                             buildWarpPipeline);
}

} // namespace weft
