//===- weft-opt.cpp - Runs passes over weft's IR --------------------------===//
//
// Any prefix of the pipeline, or one pass alone, on a file at any level.
//
//===----------------------------------------------------------------------===//

#include "compiler/Pipeline.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  weft::registerAllDialects(registry);
  weft::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Runs passes over weft's IR\n", registry));
}
