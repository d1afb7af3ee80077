//===- weft-translate.cpp - From weft's IR to text ------------------------===//
//
// weft-translate --weft-to-cuda FILE
//
//===----------------------------------------------------------------------===//

#include "compiler/emitc/ToCuda.h"

#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"

int main(int argc, char **argv) {
  weft::registerToCudaTranslation();
  return mlir::failed(
      mlir::mlirTranslateMain(argc, argv, "Translates weft's IR to text"));
}
