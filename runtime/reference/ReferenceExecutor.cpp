//===- ReferenceExecutor.cpp - Plans and tile code on the CPU -------------===//

#include "runtime/reference/ReferenceExecutor.h"

#include "runtime/reference/PlanRunner.h"
#include "runtime/spec/Offsets.h"

#include "dialects/attn/Attn.h"
#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

using namespace weft;
using namespace weft::reference;
using llvm::Error;
using llvm::Expected;

struct ReferenceExecutor::Implementation {
  std::unique_ptr<mlir::MLIRContext> context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<plan::FuncOp> variants;
  Bodies bodies;

  Error load();
};

Error ReferenceExecutor::Implementation::load() {
  for (mlir::Operation &op : *module->getBody()) {
    if (auto variant = llvm::dyn_cast<plan::FuncOp>(op))
      variants.push_back(variant);
    auto func = llvm::dyn_cast<tile::FuncOp>(op);
    if (!func)
      continue;
    llvm::StringRef name = func.getSymName();
    if (!name.consume_back(plan::KernelOp::bodySuffix()))
      return unsupported(func, "a body is named as its kernel with " +
                                   plan::KernelOp::bodySuffix() + " behind it");
    Expected<std::unique_ptr<Code>> code = compile(func);
    if (!code)
      return code.takeError();
    bodies[name] = std::move(*code);
  }
  if (variants.empty())
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the module has no plan.func; give one at "
                                   "the tile stage");
  return Error::success();
}

ReferenceExecutor::ReferenceExecutor(
    std::unique_ptr<Implementation> implementation)
    : implementation(std::move(implementation)) {}
ReferenceExecutor::~ReferenceExecutor() = default;

Expected<std::unique_ptr<ReferenceExecutor>>
ReferenceExecutor::createFromText(llvm::StringRef text) {
  auto implementation = std::make_unique<Implementation>();
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::math::MathDialect,
                  mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                  attn::AttnDialect, plan::PlanDialect, tile::TileDialect>();
  // Without threads: host processes fork.
  implementation->context = std::make_unique<mlir::MLIRContext>(
      registry, mlir::MLIRContext::Threading::DISABLED);
  std::string messages;
  mlir::ScopedDiagnosticHandler handler(
      implementation->context.get(), [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error) {
          llvm::raw_string_ostream stream(messages);
          stream << (messages.empty() ? "" : "; ") << diagnostic.getLocation()
                 << ": " << diagnostic;
        }
        return mlir::success();
      });
  implementation->module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(implementation->context.get()), "module");
  if (!implementation->module)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "the module is not valid IR: " + messages);
  if (Error e = implementation->load())
    return e;
  return std::unique_ptr<ReferenceExecutor>(
      new ReferenceExecutor(std::move(implementation)));
}

Expected<std::unique_ptr<ReferenceExecutor>>
ReferenceExecutor::create(mlir::ModuleOp module) {
  // Through its text, into a context of its own.
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, mlir::OpPrintingFlags().enableDebugInfo());
  return createFromText(text);
}

/// The layout that the lists of one side say.
static SideLayout layoutOf(const SideSizes &side) {
  if (side.cuSeqlens)
    return {LayoutClass::Thd, side.cuSeqlensPadded != nullptr};
  return {LayoutClass::Batch, side.seqlens != nullptr};
}

/// Counts without which rows could not be addressed, and, if asked for, the
/// values of the lists.
static Error checkSides(const Problem &problem, bool checkOffsets) {
  for (auto [side, name] :
       {std::pair(&problem.q, "q"), std::pair(&problem.kv, "kv")}) {
    SideLayout layout = layoutOf(*side);
    if (problem.batch < 0 || side->heads < 0 || side->rows < 0 ||
        side->seqlen < 0)
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "a count of the " + llvm::Twine(name) +
                                         " side is negative");
    if (layout.layout == LayoutClass::Batch &&
        side->rows != problem.batch * side->seqlen)
      return llvm::createStringError(
          llvm::inconvertibleErrorCode(),
          "the " + llvm::Twine(name) + " side holds " +
              llvm::Twine(side->rows) +
              " rows without cu_seqlens; a batch layout holds batch * seqlen");
    if (!checkOffsets)
      continue;
    Expected<std::vector<SequenceRows>> sequences =
        readSequences(*side, layout, problem.batch, name);
    if (!sequences)
      return sequences.takeError();
  }
  return Error::success();
}

/// What `use` makes of the problem's runner and of the plan that it takes.
template <typename Implementation, typename Use>
static auto withVariant(const Implementation &implementation,
                        const Problem &problem, const ReferenceOptions &options,
                        bool checkOffsets, Use use)
    -> decltype(use(std::declval<PlanRunner &>(), plan::FuncOp())) {
  if (Error e = checkSides(problem, checkOffsets))
    return e;
  PlanRunner runner(implementation.bodies, problem, options);
  Expected<plan::FuncOp> chosen = runner.choose(implementation.variants);
  if (!chosen)
    return chosen.takeError();
  return use(runner, *chosen);
}

Error ReferenceExecutor::run(const Problem &problem,
                             const ReferenceOptions &options) const {
  return withVariant(
      *implementation, problem, options, options.checkOffsets,
      [](PlanRunner &runner, plan::FuncOp plan) { return runner.run(plan); });
}

std::vector<std::string> ReferenceExecutor::variants() const {
  std::vector<std::string> names;
  for (plan::FuncOp variant : implementation->variants)
    names.push_back(variant.getSymName().str());
  return names;
}

Expected<std::string>
ReferenceExecutor::variantOf(const Problem &problem,
                             const ReferenceOptions &options) const {
  return withVariant(*implementation, problem, options, /*checkOffsets=*/false,
                     [](PlanRunner &, plan::FuncOp plan) {
                       return Expected<std::string>(plan.getSymName().str());
                     });
}

Expected<int64_t>
ReferenceExecutor::workspaceBytes(const Problem &problem,
                                  const ReferenceOptions &options) const {
  return withVariant(*implementation, problem, options, /*checkOffsets=*/false,
                     [](PlanRunner &runner, plan::FuncOp plan) {
                       return runner.workspaceBytes(plan);
                     });
}
