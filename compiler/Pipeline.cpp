//===- Pipeline.cpp - The ladder as pass pipelines ------------------------===//

#include "compiler/Pipeline.h"

#include "compiler/attn/Passes.h"
#include "compiler/emitc/Passes.h"
#include "compiler/plan/Passes.h"
#include "compiler/tile/Passes.h"
#include "compiler/verify/Passes.h"
#include "compiler/warp/Passes.h"
#include "dialects/attn/Attn.h"
#include "dialects/plan/Plan.h"
#include "dialects/tile/Tile.h"
#include "dialects/warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace weft {

void registerAllDialects(DialectRegistry &registry) {
  registry.insert<attn::AttnDialect, plan::PlanDialect, tile::TileDialect,
                  warp::WarpDialect, arith::ArithDialect, emitc::EmitCDialect,
                  math::MathDialect, scf::SCFDialect, tensor::TensorDialect,
                  ub::UBDialect>();
}

void buildStep(OpPassManager &manager, Stage stage) {
  switch (stage) {
  case Stage::Attn:
  case Stage::Cuda:
    return;
  case Stage::Plan:
    manager.addPass(createAttnDeriveScore());
    manager.addPass(createAttnToPlan());
    manager.addPass(createPlanMergeFills());
    manager.addPass(createPlanPackArena());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    manager.addPass(createPlanVerify());
    return;
  case Stage::Tile:
    manager.addPass(createPlanToTile());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    manager.addPass(createTileFixReference());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    manager.addPass(createPlanVerify());
    manager.addPass(createVerifyContracts());
    return;
  case Stage::Warp:
    manager.addPass(createTileExpandSoftmax());
    manager.addPass(createCanonicalizerPass());
    manager.addPass(createCSEPass());
    buildWarpPipeline(manager);
    manager.addPass(createPlanVerify());
    manager.addPass(createVerifyContracts());
    return;
  case Stage::EmitC:
    manager.addPass(createWarpToEmitC());
    manager.addPass(createPlanVerify());
    return;
  }
}

void registerAllPasses() {
  registerTransformsPasses();
  registerAttnPasses();
  registerPlanPasses();
  registerTilePasses();
  registerWarpPasses();
  registerEmitCPasses();
  registerVerifyPasses();
  PassPipelineRegistration<>(
      "weft-to-plan", "attn to plan",
      [](OpPassManager &m) { buildStep(m, Stage::Plan); });
  PassPipelineRegistration<>(
      "weft-to-tile", "plan to tile",
      [](OpPassManager &m) { buildStep(m, Stage::Tile); });
  PassPipelineRegistration<>(
      "weft-to-warp", "tile to warp",
      [](OpPassManager &m) { buildStep(m, Stage::Warp); });
  PassPipelineRegistration<>(
      "weft-to-emitc", "warp to emitc",
      [](OpPassManager &m) { buildStep(m, Stage::EmitC); });
}

} // namespace weft
