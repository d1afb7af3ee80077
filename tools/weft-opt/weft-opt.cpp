//===- weft-opt.cpp - Runs passes over weft's IR --------------------------===//
//
// Any prefix of the pipeline, or one pass alone, on a file at any level.
//
//===----------------------------------------------------------------------===//

#include "dialects/attn/Attn.h"
#include "dialects/plan/Plan.h"
#include "dialects/tile/Tile.h"
#include "dialects/warp/Warp.h"

#ifdef WEFT_HAVE_ATTN_PASSES
#include "compiler/attn/Passes.h"
#endif
#ifdef WEFT_HAVE_PLAN_PASSES
#include "compiler/plan/Passes.h"
#endif
#ifdef WEFT_HAVE_TILE_PASSES
#include "compiler/tile/Passes.h"
#endif
#ifdef WEFT_HAVE_WARP_PASSES
#include "compiler/warp/Passes.h"
#endif
#ifdef WEFT_HAVE_EMITC_PASSES
#include "compiler/emitc/Passes.h"
#endif

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<weft::attn::AttnDialect, weft::plan::PlanDialect,
                  weft::tile::TileDialect, weft::warp::WarpDialect,
                  mlir::arith::ArithDialect, mlir::emitc::EmitCDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::tensor::TensorDialect>();
  mlir::registerTransformsPasses();
#ifdef WEFT_HAVE_ATTN_PASSES
  weft::registerAttnPasses();
#endif
#ifdef WEFT_HAVE_PLAN_PASSES
  weft::registerPlanPasses();
#endif
#ifdef WEFT_HAVE_TILE_PASSES
  weft::registerTilePasses();
#endif
#ifdef WEFT_HAVE_WARP_PASSES
  weft::registerWarpPasses();
#endif
#ifdef WEFT_HAVE_EMITC_PASSES
  weft::registerEmitCPasses();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "Runs passes over weft's IR\n", registry));
}
