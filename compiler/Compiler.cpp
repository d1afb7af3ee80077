//===- Compiler.cpp - From a spec to CUDA text and a launch program -------===//

#include "compiler/Compiler.h"

#include "compiler/Pipeline.h"
#include "compiler/attn/FromSpec.h"
#include "compiler/emitc/PrintCuda.h"
#include "compiler/plan/OneModule.h"
#include "compiler/plan/SpecOfPlan.h"
#include "compiler/plan/ToProgram.h"
#include "compiler/schedule/Schedule.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/MemoryBufferRef.h"

#include <chrono>

using namespace mlir;

namespace weft {

namespace {

/// Whether a pass changes nothing and only proves.
bool isVerifier(Pass *pass) {
  return pass->getArgument() == "plan-verify" ||
         pass->getArgument() == "verify-contracts";
}

/// Adds up the time that proofs take.
class ProofTimer : public PassInstrumentation {
public:
  explicit ProofTimer(double &milliseconds) : milliseconds(milliseconds) {}
  void runBeforePass(Pass *pass, Operation *) override {
    if (isVerifier(pass))
      start = std::chrono::steady_clock::now();
  }
  void runAfterPass(Pass *pass, Operation *) override {
    if (isVerifier(pass))
      milliseconds += std::chrono::duration<double, std::milli>(
                          std::chrono::steady_clock::now() - start)
                          .count();
  }

private:
  double &milliseconds;
  std::chrono::steady_clock::time_point start;
};

/// Runs one compile: a context of its own, its diagnostics, its timings.
class Compile {
public:
  Compile(const Target &target, const StageCallback &onStage)
      : target(target), onStage(onStage), registry(makeRegistry()),
        // Host processes fork: no threads.
        context(registry, MLIRContext::Threading::DISABLED),
        handler(&context, [this](Diagnostic &diagnostic) {
          llvm::raw_string_ostream(messages) << diagnostic << '\n';
          return success();
        }) {}

  llvm::Expected<CompiledText> fromSpec(const AttentionSpec &spec) {
    Clock::time_point start = Clock::now();
    OwningOpRef<ModuleOp> module = buildAttnModule(context, spec, target);
    note("attn", start);
    if (!module || failed(module->verify()))
      return error("building the attn module");
    show(Stage::Attn, *module);
    return rest(*module, Stage::Attn);
  }

  llvm::Expected<CompiledText> fromText(llvm::StringRef text, Stage from) {
    // Its reader trusts what it reads.
    if (isBytecode(llvm::MemoryBufferRef(text, "module")))
      return llvm::createStringError(
          "the module is bytecode; give it as text, as weft-opt prints it");
    OwningOpRef<ModuleOp> module =
        parseSourceString<ModuleOp>(text, ParserConfig(&context));
    if (!module || failed(verifyOneModule(*module)))
      return error("reading the module");
    auto made = (*module)->getAttrOfType<StringAttr>(kTargetAttr);
    if (made && made.getValue() != target.name && from != Stage::Attn)
      return llvm::createStringError(
          "the module is made for " + made.getValue() + ", not for " +
          target.name + "; compile it for " + made.getValue() +
          ", or begin with the problem");
    (*module)->setAttr(kTargetAttr, StringAttr::get(&context, target.name));
    show(from, *module);
    return rest(*module, from);
  }

private:
  using Clock = std::chrono::steady_clock;

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerAllDialects(registry);
    return registry;
  }

  llvm::Expected<CompiledText> rest(ModuleOp module, Stage from) {
    static constexpr std::pair<Stage, const char *> steps[] = {
        {Stage::Plan, "plan"},
        {Stage::Tile, "tile"},
        {Stage::Warp, "warp"},
        {Stage::EmitC, "emitc"}};
    for (auto [stage, name] : steps) {
      if (stage <= from)
        continue;
      Clock::time_point start = Clock::now();
      double before = proofs;
      PassManager manager(&context);
      manager.addInstrumentation(std::make_unique<ProofTimer>(proofs));
      buildStep(manager, stage);
      if (failed(manager.run(module)))
        return error(llvm::Twine("the step to ") + name);
      note(name, start);
      timings.back().second -= proofs - before;
      show(stage, module);
    }
    Clock::time_point start = Clock::now();
    CompiledText result;
    if (llvm::Error mismatch = checkSpecOfPlan(module))
      return mismatch;
    llvm::Expected<program::ProgramT> program = buildProgram(module);
    if (!program)
      return program.takeError();
    result.program = std::move(*program);
    std::string all;
    for (auto kernel : module.getOps<emitc::FuncOp>()) {
      auto entry = kernel->getAttrOfType<StringAttr>("weft.entry");
      if (!entry)
        continue;
      llvm::Expected<std::string> text = printCuda(kernel);
      if (!text)
        return text.takeError();
      all += *text;
      result.kernels.push_back({entry.getValue().str(), std::move(*text)});
    }
    note("cuda", start);
    timings.emplace_back("verify", proofs);
    if (onStage)
      onStage(Stage::Cuda, all);
    result.stageMilliseconds = std::move(timings);
    return result;
  }

  void note(const char *name, Clock::time_point start) {
    timings.emplace_back(
        name, std::chrono::duration<double, std::milli>(Clock::now() - start)
                  .count());
  }
  void show(Stage stage, ModuleOp module) {
    if (!onStage)
      return;
    std::string text;
    llvm::raw_string_ostream stream(text);
    module.print(stream);
    stream << '\n';
    onStage(stage, text);
  }
  llvm::Error error(const llvm::Twine &what) {
    return llvm::createStringError(what + " failed:\n" + messages);
  }

  const Target &target;
  const StageCallback &onStage;
  DialectRegistry registry;
  MLIRContext context;
  std::string messages;
  ScopedDiagnosticHandler handler;
  std::vector<std::pair<std::string, double>> timings;
  double proofs = 0; ///< milliseconds
};

} // namespace

llvm::Expected<CompiledText> compileToText(const AttentionSpec &spec,
                                           const Target &target,
                                           const StageCallback &onStage) {
  return Compile(target, onStage).fromSpec(spec);
}

llvm::Expected<CompiledText> compileStageToText(llvm::StringRef text,
                                                Stage from,
                                                const Target &target,
                                                const StageCallback &onStage) {
  return Compile(target, onStage).fromText(text, from);
}

std::string scheduleKey(const AttentionSpec &spec, const Target &target) {
  // As attn-to-plan makes it of the attn op.
  auto isRagged = [](const SideLayout &side) {
    return side.layout == LayoutClass::Thd || side.padded;
  };
  ScheduleProblem problem{spec.headDim,
                          spec.headDimV,
                          spec.score != ScoreKind::None,
                          spec.align,
                          spec.mask != MaskKind::None,
                          isRagged(spec.q) || isRagged(spec.kv),
                          spec.scalarDOut};
  std::string key;
  llvm::raw_string_ostream stream(key);
  for (unsigned kind = 0; kind <= plan::getMaxEnumValForKernelKind(); ++kind) {
    std::optional<plan::KernelKind> kernel = plan::symbolizeKernelKind(kind);
    if (!kernel)
      continue;
    llvm::Expected<Schedule> schedule =
        chooseSchedule(*kernel, problem, target);
    stream << plan::stringifyKernelKind(*kernel) << ": ";
    if (!schedule) {
      stream << toString(schedule.takeError()) << '\n';
      continue;
    }
    stream << schedule->str() << '\n';
    if (spec.q.layout != LayoutClass::Thd)
      continue;
    for (const ShortSchedule &shorter :
         cantFail(shortSchedules(*kernel, problem, target)))
      stream << "  up to " << shorter.length << ": " << shorter.schedule.str()
             << '\n';
  }
  return key;
}

} // namespace weft
