//===- Passes.cpp - Passes that write and change tile bodies --------------===//

#include "compiler/tile/Passes.h"

#include "dialects/tile/Tile.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace weft {
namespace {
#define GEN_PASS_REGISTRATION
#include "compiler/tile/Passes.h.inc"
} // namespace

void buildTilePipeline(OpPassManager &manager) {
  manager.addPass(createPlanToTile());
  OpPassManager &bodies = manager.nest<tile::FuncOp>();
  bodies.addPass(createCanonicalizerPass());
  bodies.addPass(createCSEPass());
  bodies.addPass(createTileExpandSoftmax());
  bodies.addPass(createCanonicalizerPass());
  bodies.addPass(createCSEPass());
}

void registerTilePasses() {
  registerWeftTilePasses();
  PassPipelineRegistration<>("weft-tile", "The step from a plan to tile bodies",
                             buildTilePipeline);
}

} // namespace weft
