//===- ToCuda.cpp - The translation of kernels to CUDA text ---------------===//

#include "compiler/emitc/ToCuda.h"

#include "compiler/emitc/KernelWriter.h"
#include "compiler/emitc/PrintCuda.h"
#include "dialects/attn/Attn.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace weft {

static LogicalResult print(ModuleOp op, raw_ostream &output) {
  bool any = false;
  WalkResult result = op->walk([&](emitc::FuncOp func) {
    if (!func->hasAttr(kEntryAttr))
      return WalkResult::advance();
    llvm::Expected<std::string> text = printCuda(func);
    if (!text) {
      func.emitError() << toString(text.takeError());
      return WalkResult::interrupt();
    }
    output << (any ? "\n" : "") << *text;
    any = true;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (!any)
    return op->emitError("has no kernel: no emitc.func with weft.entry; run "
                         "the passes up to warp-to-emitc first");
  return success();
}

static LogicalResult translate(const std::shared_ptr<llvm::SourceMgr> &source,
                               raw_ostream &output, MLIRContext *context) {
  // The reader of bytecode trusts what it reads.
  const llvm::MemoryBuffer &buffer =
      *source->getMemoryBuffer(source->getMainFileID());
  if (isBytecode(buffer)) {
    emitError(FileLineColLoc::get(context, buffer.getBufferIdentifier(), 0, 0))
        << "is bytecode; give the module as text";
    return failure();
  }
  DialectRegistry registry;
  // Attributes of other stages stay on the module.
  registry.insert<arith::ArithDialect, attn::AttnDialect, emitc::EmitCDialect,
                  plan::PlanDialect>();
  context->appendDialectRegistry(registry);
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(source, ParserConfig(context));
  return module ? print(*module, output) : failure();
}

void registerToCudaTranslation() {
  TranslateRegistration registration("weft-to-cuda",
                                     "Prints kernels as CUDA C++", translate);
}

} // namespace weft
