//===- weft-opt.cpp - Runs passes over weft's IR --------------------------===//
//
// Any prefix of the pipeline, or one pass alone, on a file at any level.
//
//===----------------------------------------------------------------------===//

#include "compiler/Pipeline.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/MemoryBuffer.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  weft::registerAllDialects(registry);
  weft::registerAllPasses();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "Runs passes over weft's IR\n", registry);
  // The reader of bytecode trusts what it reads. (What a pipe brings is read
  // once, by the reader of text or of bytecode.)
  if (input != "-")
    if (auto file = llvm::MemoryBuffer::getFile(input);
        file && mlir::isBytecode(**file)) {
      llvm::errs() << input << ": is bytecode; give the module as text\n";
      return 1;
    }
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, input, output, registry));
}
