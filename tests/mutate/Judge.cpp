//===- Judge.cpp - Whether a broken plan is noticed -----------------------===//

#include "tests/mutate/Judge.h"

#include "compiler/plan/Passes.h"
#include "compiler/verify/Passes.h"
#include "dialects/tile/Tile.h"
#include "runtime/cases/Call.h"
#include "tests/mutate/Problems.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::cases;
using namespace weft::mutate;
using llvm::Error;
using llvm::Expected;
using reference::ReferenceOptions;

//===----------------------------------------------------------------------===//
// Statically
//===----------------------------------------------------------------------===//

namespace {
/// An obligation, and the words of its error that no other error has.
struct Obligation {
  llvm::StringLiteral name, words;
};
} // namespace

static constexpr Obligation kObligations[] = {
    {"add needs zeros", "adds, which needs filled(0)"},
    {"counter needs zeros", "counts, which needs filled(0)"},
    {"turns: for lower numbers", "for a point of a higher number"},
    {"turns: for lower numbers", "the point waited for may never begin"},
    {"turns: one each", "at one point: "},
    {"turns: none is left out", "leaves out a turn at"},
    {"rounded as kernels take it", " by its contract, but they are "},
    {"no unordered add", "in no fixed order, but the problem is determ"},
    {"read needs content", ", which is undefined there"},
    {"read needs a result", "; a launch must write it or add to it first"},
    {"result is written", "on valid; a launch must write it"},
    {"padding is filled", "it must be filled with"},
    {"padding holds anything", "which hold anything; fill them"},
    {"results arrive undefined", "a result arrives undefined"},
    {"results arrive undefined", "an input arrives defined, a result undef"},
    {"one owner", "a buffer has one owner"},
    {"is released", "is never released"},
    {"is returned", "is not returned"},
    {"exact size", "needs exactly"},
    {"aligned", "is not always a multiple of"},
    {"inside the arena", "which may be below 0"},
    {"disjoint", "which is still live"},
    {"a CTA for every point", "but its points may be"},
    {"body: writes every row", "' unwritten on "},
    {"body: one writer", "at two points of its grid"},
    {"body: stays inside", "body @"},
    {"body: access", "' in its contract"},
    {"body: domains and values", ", but its contract says "},
};

llvm::SmallVector<llvm::StringRef> weft::mutate::obligationNames() {
  llvm::SmallVector<llvm::StringRef> names;
  for (const Obligation &obligation : kObligations)
    if (!llvm::is_contained(names, obligation.name))
      names.push_back(obligation.name);
  return names;
}

static std::string obligationOf(llvm::StringRef message) {
  for (const Obligation &obligation : kObligations)
    if (message.contains(obligation.words))
      return obligation.name.str();
  return {};
}

StaticVerdict weft::mutate::verifyStatically(ModuleOp module) {
  StaticVerdict verdict;
  ScopedDiagnosticHandler handler(
      module.getContext(), [&](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
            verdict.message.empty())
          verdict.message = diagnostic.str();
        return success();
      });
  if (failed(verify(module))) {
    verdict.malformed = true;
    return verdict;
  }
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(createPlanVerify());
  passes.addPass(createVerifyContracts());
  verdict.accepted = succeeded(passes.run(module));
  if (!verdict.accepted)
    verdict.obligation = obligationOf(verdict.message);
  return verdict;
}

//===----------------------------------------------------------------------===//
// Dynamically
//===----------------------------------------------------------------------===//

static bool addsInOpenOrder(ModuleOp module) {
  return module.walk([](tile::AddOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// What differs, in words; empty if nothing does.
template <typename Results>
static std::string difference(const std::map<TensorId, Results> &expected,
                              const std::map<TensorId, Results> &found,
                              bool ordered) {
  for (const auto &[id, now] : found) {
    const Results &before = expected.at(id);
    if (now.bits == before.bits)
      continue;
    if (ordered)
      return nameOf(id).str() + " has other bits";
    double largest = 0;
    for (double value : before.values)
      if (std::isfinite(value))
        largest = std::max(largest, std::fabs(value));
    // Sums in another order, rounded to 8 bits at the end.
    for (auto [a, b] : llvm::zip_equal(before.values, now.values)) {
      bool same =
          a == b || (std::isnan(a) && std::isnan(b)) ||
          std::fabs(a - b) <=
              0x1p-7 * std::max(std::fabs(a), std::fabs(b)) + 0x1p-12 * largest;
      if (!same)
        return (nameOf(id) + " has " + std::to_string(b) + " where " +
                std::to_string(a) + " belongs")
            .str();
    }
  }
  return {};
}

Error Judge::prepare(Bench &bench) {
  Expected<ResolvedCall> call = resolveCall(bench.file, 0);
  if (!call)
    return call.takeError();
  bench.call = std::move(*call);
  Expected<CaseMemory> memory = CaseMemory::create(bench.file, {&*bench.call});
  if (!memory)
    return memory.takeError();
  bench.memory = std::move(*memory);
  Problem problem = bench.memory->problem(*bench.call, pass);
  Expected<int64_t> bytes = unmutated->workspaceBytes(problem);
  if (!bytes)
    return bytes.takeError();
  // A mutant may need more.
  if (Error e = bench.memory->reserveWorkspace(2 * *bytes + 4096))
    return e;
  for (Content content : {Content::NaN, Content::Large, Content::OldResults}) {
    Expected<AllResults> results = run(bench, *unmutated, content);
    if (!results)
      return results.takeError();
    if (bench.expected.empty())
      bench.expected = std::move(*results);
    else if (std::string text = difference(bench.expected, *results, ordered);
             !text.empty())
      return llvm::createStringError(
          "its results depend on what memory held: " + text);
  }
  return Error::success();
}

Expected<std::unique_ptr<Judge>> Judge::create(const AttentionSpec &spec,
                                               ModuleOp module, uint64_t seed) {
  std::unique_ptr<Judge> judge(new Judge(spec.pass, seed));
  Expected<std::unique_ptr<Executor>> executor = Executor::create(module);
  if (!executor)
    return executor.takeError();
  judge->unmutated = std::move(*executor);
  judge->ordered = !addsInOpenOrder(module);
  for (CaseFile &file : problemsOf(spec, seed)) {
    Bench &bench = judge->benches.emplace_back();
    bench.file = std::move(file);
    if (Error e = judge->prepare(bench))
      return e;
  }
  return judge;
}

Error Judge::runOnce(Bench &bench, const Executor &executor, Content content,
                     bool old) {
  bench.file.inputs.seed = int64_t(seed) + old;
  bench.memory->drawInputs(*bench.call);
  Problem problem = bench.memory->problem(*bench.call, pass);
  ReferenceOptions options;
  options.seed = seed + uint64_t(content) + 16 * old;
  // Each content under another number of CTAs at a time.
  options.residentCtas = content == Content::NaN     ? 7
                         : content == Content::Large ? 1
                                                     : 0;
  // 0x7b: in f16 61280, in the other types beyond 1e36.
  if (content == Content::NaN || old)
    options.poison = 0xff;
  else if (content == Content::Large)
    options.poison = 0x7b;
  return executor.run(problem, options);
}

Expected<Judge::AllResults> Judge::run(Bench &bench, const Executor &executor,
                                       Content content) {
  // What an earlier call, with other inputs, left.
  if (content == Content::OldResults)
    if (Error e = runOnce(bench, *unmutated, content, /*old=*/true))
      return e;
  if (Error e = runOnce(bench, executor, content, /*old=*/false))
    return e;
  AllResults all;
  for (TensorId id : resultsOf(pass)) {
    HostTensor tensor = bench.memory->tensor(*bench.call, id);
    Results &results = all[id];
    results.bits = tensor.bits();
    for (int64_t row = 0; row < tensor.place.rows(); ++row)
      for (int64_t head = 0; head < tensor.place.heads; ++head)
        for (int64_t column = 0; column < tensor.place.columns; ++column)
          results.values.push_back(tensor.load(row, head, column));
  }
  return all;
}

DynamicVerdict Judge::run(ModuleOp mutant) {
  Expected<std::unique_ptr<Executor>> executor = Executor::create(mutant);
  if (!executor)
    return {DynamicVerdict::Caught, llvm::toString(executor.takeError())};
  bool inOrder = ordered && !addsInOpenOrder(mutant);
  for (Bench &bench : benches)
    for (Content content :
         {Content::NaN, Content::Large, Content::OldResults}) {
      Expected<AllResults> results = run(bench, **executor, content);
      if (!results)
        return {DynamicVerdict::Caught, llvm::toString(results.takeError())};
      if (std::string text = difference(bench.expected, *results, inOrder);
          !text.empty())
        return {DynamicVerdict::Missed, text};
    }
  return {};
}
