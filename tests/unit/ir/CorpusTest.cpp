//===- CorpusTest.cpp - Damaged IR is read or refused ---------------------===//
//
// Every module of the corpus that `mutate-ir` keeps, through its pipeline: it
// must come out, or be refused with an error that says why. A crash ends the
// test program and names the module.
//
//===----------------------------------------------------------------------===//

#include "compiler/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassRegistry.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/Signals.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;

/// What a module ends as: "" if it was accepted, else why not.
static std::string runPasses(llvm::StringRef passes, llvm::StringRef text) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += diagnostic.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  PassManager manager(&context, ModuleOp::getOperationName(),
                      OpPassManager::Nesting::Implicit);
  bool ran = module && succeeded(parsePassPipeline(passes, manager)) &&
             succeeded(manager.run(*module));
  EXPECT_EQ(ran, errors.empty()) << errors;
  return errors;
}

static std::string compileFrom(llvm::StringRef stage, llvm::StringRef text) {
  std::optional<Stage> from = llvm::StringSwitch<std::optional<Stage>>(stage)
                                  .Case("attn", Stage::Attn)
                                  .Case("plan", Stage::Plan)
                                  .Case("tile", Stage::Tile)
                                  .Case("warp", Stage::Warp)
                                  .Case("emitc", Stage::EmitC)
                                  .Default(std::nullopt);
  EXPECT_TRUE(from.has_value()) << stage.str();
  if (!from)
    return "";
  auto made =
      compileStageToText(text, *from, *llvm::cantFail(targetByName("sm_90a")));
  if (made)
    return "";
  std::string errors = llvm::toString(made.takeError());
  // The step is named first, and then what it said.
  EXPECT_FALSE(llvm::StringRef(errors).trim().ends_with("failed:")) << errors;
  return errors;
}

TEST(IrCorpus, EveryModuleIsReadOrRefused) {
  llvm::EnablePrettyStackTrace();
  llvm::sys::PrintStackTraceOnErrorSignal("");
  registerAllPasses();
  int refused = 0;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(WEFT_IR_CORPUS, code), end;
       it != end && !code; it.increment(code)) {
    auto file = llvm::MemoryBuffer::getFile(it->path());
    ASSERT_TRUE(bool(file)) << it->path();
    llvm::SmallVector<llvm::StringRef> modules;
    (*file)->getBuffer().split(modules, "// -----\n");
    for (auto [index, module] : llvm::enumerate(modules)) {
      std::string name = llvm::formatv("module {0} of {1}", index,
                                       llvm::sys::path::filename(it->path()))
                             .str();
      SCOPED_TRACE(name);
      llvm::PrettyStackTraceString trace(name.c_str());
      auto [header, text] = module.split('\n');
      ASSERT_TRUE(header.consume_front("// pipeline:")) << header.str();
      llvm::StringRef pipeline = header.trim();
      llvm::StringRef stage = pipeline;
      std::string errors = stage.consume_front("compile-from-")
                               ? compileFrom(stage, text)
                               : runPasses(pipeline, text);
      refused += !errors.empty();
    }
  }
  EXPECT_GT(refused, 200);
}
