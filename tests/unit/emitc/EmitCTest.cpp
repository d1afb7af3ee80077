//===- EmitCTest.cpp - Kernels as EmitC, as text, as PTX ------------------===//

#include "compiler/emitc/Passes.h"
#include "compiler/emitc/PrintCuda.h"
#include "dialects/attn/Attn.h"
#include "dialects/warp/Warp.h"
#include "runtime/compile/KernelCompiler.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/Cpp/CppEmitter.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace weft;

namespace {

class EmitC : public testing::Test {
protected:
  EmitC() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<attn::AttnDialect, plan::PlanDialect, tile::TileDialect,
                        warp::WarpDialect, arith::ArithDialect,
                        emitc::EmitCDialect, math::MathDialect, scf::SCFDialect,
                        tensor::TensorDialect>();
  }

  /// The kernels of kernels/`name`.warp.mlir as EmitC.
  OwningOpRef<ModuleOp> lower(StringRef name) {
    std::string path = (WEFT_TEST_KERNELS "/" + name + ".warp.mlir").str();
    OwningOpRef<ModuleOp> module =
        parseSourceFile<ModuleOp>(path, ParserConfig(&context));
    EXPECT_TRUE(module) << path;
    PassManager manager(&context);
    manager.addPass(createWarpToEmitC());
    if (module && failed(manager.run(*module)))
      ADD_FAILURE() << "warp-to-emitc failed on " << path;
    return module;
  }

  static std::string text(emitc::FuncOp func) {
    llvm::Expected<std::string> result = printCuda(func);
    if (result)
      return *result;
    ADD_FAILURE() << llvm::toString(result.takeError());
    return "";
  }

  static std::string entryOf(emitc::FuncOp func) {
    return func->getAttrOfType<StringAttr>("weft.entry").str();
  }

  static std::string messageOf(emitc::FuncOp func) {
    llvm::Expected<std::string> result = printCuda(func);
    return result ? "" : llvm::toString(result.takeError());
  }

  MLIRContext context;
};

const char *const kModules[] = {"forward", "backward", "backward_thd"};

TEST_F(EmitC, TextIsStable) {
  for (const char *name : kModules) {
    OwningOpRef<ModuleOp> a = lower(name), b = lower(name);
    auto first = a->getOps<emitc::FuncOp>(),
         second = b->getOps<emitc::FuncOp>();
    ASSERT_EQ(llvm::range_size(first), llvm::range_size(second));
    for (auto [one, other] : llvm::zip(first, second))
      EXPECT_EQ(text(one), text(other)) << name;
  }
}

// For every target, without spills.
TEST_F(EmitC, EveryTargetCompilesWithoutSpills) {
  for (const char *name : kModules) {
    OwningOpRef<ModuleOp> module = lower(name);
    for (auto func : module->getOps<emitc::FuncOp>()) {
      std::string kernel = text(func);
      for (const Target &target : allTargets()) {
        llvm::Expected<CompiledKernel> compiled =
            compileKernel(entryOf(func), kernel, target);
        ASSERT_TRUE(static_cast<bool>(compiled))
            << name << ' ' << entryOf(func) << '\n'
            << llvm::toString(compiled.takeError());
        EXPECT_TRUE(compiled->report.found);
        EXPECT_TRUE(compiled->report.warnings.empty())
            << compiled->report.warnings.front();
        EXPECT_FALSE(compiled->report.spills())
            << name << ' ' << entryOf(func) << ' ' << target.name.str() << ": "
            << compiled->report.spillStoreBytes << " bytes";
      }
    }
  }
}

// The printer is ours; the upstream one must mean the same.
TEST_F(EmitC, UpstreamPrinterGivesTheSamePtx) {
  const Target &target = **targetByName("sm_80");
  for (const char *name : kModules) {
    OwningOpRef<ModuleOp> module = lower(name);
    for (auto func : module->getOps<emitc::FuncOp>()) {
      std::string entry = entryOf(func);
      OwningOpRef<ModuleOp> alone = ModuleOp::create(func.getLoc());
      OpBuilder builder(&context);
      builder.setInsertionPointToStart(alone->getBody());
      for (auto include : module->getOps<emitc::IncludeOp>())
        builder.clone(*include);
      auto copy = cast<emitc::FuncOp>(builder.clone(*func));
      copy.setSymName(entry);
      std::string upstream;
      llvm::raw_string_ostream stream(upstream);
      ASSERT_TRUE(succeeded(emitc::translateToCpp(*alone, stream)));

      llvm::Expected<CompiledKernel> theirs =
          compileKernel(entry, upstream, target);
      ASSERT_TRUE(static_cast<bool>(theirs))
          << llvm::toString(theirs.takeError()) << upstream;
      llvm::Expected<CompiledKernel> ours =
          compileKernel(entry, text(func), target);
      ASSERT_TRUE(static_cast<bool>(ours));
      EXPECT_EQ(ours->ptx, theirs->ptx) << name << ' ' << entry;
    }
  }
}

TEST_F(EmitC, PrinterNamesWhatItCannotPrint) {
  auto print = [&](StringRef source) {
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(source, ParserConfig(&context));
    EXPECT_TRUE(module);
    return messageOf(*module->getOps<emitc::FuncOp>().begin());
  };
  EXPECT_EQ(print("emitc.func @f() { emitc.return }"),
            "@f is no kernel: it needs the attributes weft.entry and "
            "weft.threads and a body of one block, as warp-to-emitc writes "
            "them");
  EXPECT_EQ(print(R"(
    emitc.func @f(%x: i32) attributes {weft.entry = "f", weft.threads = 32} {
      emitc.switch %x : i32 default { emitc.yield }
      emitc.return
    })"),
            "printing @f: no CUDA C++ for the op emitc.switch");
  EXPECT_EQ(print(R"(
    emitc.func @f(%x: f64) attributes {weft.entry = "f", weft.threads = 32} {
      emitc.return
    })"),
            "printing @f: no CUDA C++ for the type f64");
}

// Precedence, associativity and what must not move past a write.
TEST_F(EmitC, ExpressionsKeepTheirMeaning) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(R"(
    emitc.func @f(%a: i32 {weft.name = "a"}, %b: i32 {weft.name = "b"},
                  %p: !emitc.ptr<i32> {weft.name = "p"})
        attributes {weft.entry = "f", weft.threads = 32} {
      %x = "emitc.variable"() {value = #emitc.opaque<"">, weft.name = "x"} : () -> !emitc.lvalue<i32>
      emitc.assign %a : i32 to %x : !emitc.lvalue<i32>
      %before = emitc.load %x : !emitc.lvalue<i32>
      emitc.assign %b : i32 to %x : !emitc.lvalue<i32>
      %sum = emitc.add %b, %before : (i32, i32) -> i32
      %minus = emitc.sub %a, %sum : (i32, i32) -> i32
      %times = emitc.mul %minus, %b : (i32, i32) -> i32
      %less = emitc.cmp lt, %a, %b : (i32, i32) -> i1
      %same = emitc.cmp eq, %a, %b : (i32, i32) -> i1
      %both = emitc.bitwise_and %less, %same : (i1, i1) -> i1
      %chosen = emitc.conditional %both, %times, %a : i32
      %place = emitc.subscript %p[%a] : (!emitc.ptr<i32>, i32) -> !emitc.lvalue<i32>
      emitc.assign %chosen : i32 to %place : !emitc.lvalue<i32>
      emitc.return
    })",
                                  ParserConfig(&context));
  ASSERT_TRUE(module);
  std::string printed = text(*module->getOps<emitc::FuncOp>().begin());
  EXPECT_NE(printed.find("const int32_t v = x;\n  x = b;\n"), std::string::npos)
      << printed;
  EXPECT_NE(printed.find("p[a] = (a < b) & (a == b) ? (a - (b + v)) * b : a;"),
            std::string::npos)
      << printed;
}

} // namespace
