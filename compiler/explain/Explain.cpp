//===- Explain.cpp - A plan, told to people -------------------------------===//

#include "compiler/explain/Explain.h"

#include "compiler/Compiler.h"
#include "compiler/explain/Formulas.h"
#include "compiler/explain/Tell.h"
#include "dialects/attn/Attn.h"
#include "dialects/plan/Plan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <tuple>

using namespace mlir;
using namespace weft;

/// "batch = 2, rows_q = 1,024, .."; what is 0 says nothing of this layout.
static std::string sizesText(const program::SizeValues &sizes) {
  std::string text;
  for (program::SizeKind kind : program::EnumValuesSizeKind())
    if (sizes[kind])
      text += (text.empty() ? "" : ", ") +
              std::string(program::EnumNameSizeKind(kind)) + " = " +
              grouped(sizes[kind]);
  return text;
}

/// What follows from the sizes that are given, by the layouts of `module`; an
/// error if they contradict each other or it.
static llvm::Expected<program::SizeValues>
completeSizes(program::SizeValues sizes, ModuleOp module) {
  using program::SizeKind;
  int64_t batch = sizes[SizeKind::batch];
  for (auto [name, suffix, rowsKind, seqlenKind] :
       {std::tuple("weft.q", "q", SizeKind::rows_q, SizeKind::seqlen_q),
        std::tuple("weft.kv", "kv", SizeKind::rows_kv, SizeKind::seqlen_kv)}) {
    int64_t &rows = sizes[rowsKind], &seqlen = sizes[seqlenKind];
    auto side = module->getAttrOfType<attn::SideAttr>(name);
    bool isBatch = side && side.getLayout() == attn::RowLayout::batch;
    if (isBatch && rows && !seqlen && batch && rows % batch == 0)
      seqlen = rows / batch;
    int64_t product = 0;
    if (llvm::MulOverflow(batch, seqlen, product))
      return llvm::createStringError(
          llvm::Twine("batch * seqlen_") + suffix + " = " + grouped(batch) +
          " * " + grouped(seqlen) + " is more than 64 bits hold");
    if (!rows)
      rows = product;
    if (isBatch && rows != product)
      return llvm::createStringError(
          llvm::Twine("rows_") + suffix + " = " + grouped(rows) +
          " is not batch * seqlen_" + suffix + " = " + grouped(batch) + " * " +
          grouped(seqlen) + ", as it is in batch layouts; give seqlen_" +
          suffix);
  }
  int64_t headsQ = sizes[SizeKind::heads_q],
          headsKv = sizes[SizeKind::heads_kv];
  if (auto ratio = module->getAttrOfType<IntegerAttr>(plan::kHeadRatioAttr)) {
    int64_t product = 0;
    if (llvm::MulOverflow(headsKv, ratio.getInt(), product) ||
        product != headsQ)
      return llvm::createStringError(
          "heads_q = " + grouped(headsQ) + " is not head_ratio * heads_kv = " +
          grouped(ratio.getInt()) + " * " + grouped(headsKv));
  }
  return sizes;
}

llvm::Expected<std::string> weft::explainPlan(llvm::StringRef planText,
                                              const ExplainOptions &options) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<attn::AttnDialect, plan::PlanDialect, arith::ArithDialect,
                      math::MathDialect>();
  std::string complaint;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    llvm::raw_string_ostream(complaint) << diagnostic << "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(planText, ParserConfig(&context));
  if (!module)
    return llvm::createStringError("cannot explain the plan: " +
                                   llvm::StringRef(complaint).rtrim());
  std::optional<program::SizeValues> given = options.sizes;
  if (given) {
    llvm::Expected<program::SizeValues> complete =
        completeSizes(*given, *module);
    if (!complete)
      return complete.takeError();
    given = *complete;
  }
  std::vector<PlanStory> plans;
  for (plan::FuncOp func : module->getOps<plan::FuncOp>())
    plans.push_back(storyOf(func, given));
  if (plans.empty())
    return llvm::createStringError(
        "cannot explain the plan: the module has no plan.func; give a module "
        "at the plan stage");
  auto attribute = [&](llvm::StringRef name) {
    auto text = (*module)->getAttrOfType<StringAttr>(name);
    return text ? text.getValue() : llvm::StringRef();
  };
  llvm::StringRef spec = attribute("weft.spec");
  llvm::StringRef target = attribute("weft.target");
  std::string made = target.empty() ? "" : "compiled for " + target.str();
  std::string sizes = given ? sizesText(*given) : "";
  if (options.drawing)
    return tellAsDrawing(plans, spec,
                         made + (made.empty() || sizes.empty() ? "" : "; ") +
                             sizes);
  std::string text;
  for (const std::string &line : {spec.str(), made, sizes})
    if (!line.empty())
      text += line + "\n";
  return text + (text.empty() ? "" : "\n") + tellAsText(plans);
}

llvm::Expected<std::string> weft::explain(const AttentionSpec &spec,
                                          const Target &target,
                                          const ExplainOptions &options) {
  std::string planText;
  llvm::Expected<CompiledText> text =
      compileToText(spec, target, [&](Stage stage, const std::string &shown) {
        if (stage == Stage::Plan)
          planText = shown;
      });
  if (!text)
    return text.takeError();
  return explainPlan(planText, options);
}
