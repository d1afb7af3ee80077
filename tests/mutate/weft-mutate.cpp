//===- weft-mutate.cpp - Breaks plans and sees whether it is noticed ------===//
//
//   weft-mutate --corpus=FILE [--kinds=a,b] [--specs=REGEX] [--shard=i/n]
//       [--seed=S] [--jobs=J] [--json] [--verbose] [--dump=DIR] [--blind=NAME]
//
//===----------------------------------------------------------------------===//

#include "compiler/Pipeline.h"
#include "compiler/attn/FromSpec.h"
#include "compiler/plan/Passes.h"
#include "runtime/support/OutputFile.h"
#include "tests/mutate/Accumulate.h"
#include "tests/mutate/Judge.h"
#include "tests/mutate/Kinds.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <mutex>
#include <thread>

using namespace llvm;
using namespace weft;
using namespace weft::mutate;
using mlir::ModuleOp;
using mlir::OwningOpRef;

static cl::OptionCategory category("weft-mutate options");
static cl::opt<std::string>
    corpusFile("corpus", cl::cat(category), cl::value_desc("file"),
               cl::desc("Specs, one a line: a target, then the spec"));
static cl::list<std::string> kindNames("kinds", cl::CommaSeparated,
                                       cl::cat(category),
                                       cl::value_desc("names"),
                                       cl::desc("Only these kinds"));
static cl::opt<std::string>
    specPattern("specs", cl::init("."), cl::cat(category),
                cl::value_desc("regex"),
                cl::desc("Only lines of the corpus that match"));
static cl::opt<std::string>
    shard("shard", cl::init("0/1"), cl::cat(category), cl::value_desc("i/n"),
          cl::desc("Every n-th line of the corpus, from the i-th"));
static cl::opt<uint64_t>
    seed("seed", cl::init(1), cl::cat(category), cl::value_desc("n"),
         cl::desc("Of inputs and of the order of CTAs (default 1)"));
static cl::opt<unsigned>
    jobs("jobs", cl::init(0), cl::cat(category), cl::value_desc("n"),
         cl::desc("Plans at a time (default: one a core)"));
static cl::opt<bool> asJson("json", cl::cat(category),
                            cl::desc("Print the table as JSON"));
static cl::opt<bool>
    verbose("verbose", cl::cat(category),
            cl::desc("Name every mutant that is not caught statically"));
static cl::opt<std::string>
    dump("dump", cl::cat(category), cl::value_desc("folder"),
         cl::desc("Write every mutant that is not caught statically there"));
static cl::opt<std::string>
    blind("blind", cl::cat(category), cl::value_desc("obligation"),
          cl::desc("Let mutants pass that break this obligation: what the "
                   "executor sees then shows that the rest works"));
static cl::opt<bool> list("list", cl::cat(category),
                          cl::desc("List kinds and obligations, and stop"));

static const char kAbout[] =
    R"(weft-mutate: breaks plans and sees whether it is noticed

  Takes every plan of a corpus of specs (each variant alone, and of a backward
  also the form that adds partial gradients in turn into a buffer of zeros, and
  if it is not deterministic the one that adds them in any order), breaks it in every way of a list and asks the verifier.
  Mutants are made in IR and their types inferred again, so that a mutant is
  rejected by an obligation and never by a type that does not fit. One that the
  verifier accepts is run by the reference executor on a problem in which every
  domain has rows, with NaN, large numbers and an earlier call's results in
  workspace and results, in random orders of the CTAs, and compared with the plan
  that was not broken.

  Columns:
    tried                   mutants of the kind
    caught statically       rejected by the verifier; the obligation that was
                            named is counted
    caught only dynamically accepted by the verifier, and stopped by the
                            reference executor: a read of what nobody wrote, a
                            contract that is not kept, a result left undefined
    no difference seen      accepted, and right in every run: this mutant breaks
                            nothing (two launches that need not be in order)
    missed                  accepted, ran to its end, and gave other results than
                            the plan that was not broken, or results that depend
                            on what memory held

  Level plan: the fault shows in launches, contracts and buffers. Level body: a
  kernel does not do what its contract says. Of the writes of bodies, adds are
  only turned into stores: an add that is left out makes a wrong sum, and breaks
  no contract.

  Exit status: 0 if no mutant is missed and none of level plan is caught only
  dynamically; 1 if some are; 2 if the program could not do its work (a mutant
  that is no valid IR, an error of no known obligation, an unmutated plan that
  does not run).
)";

static int fail(const Twine &message) {
  WithColor::error(errs(), "weft-mutate") << message << "\n";
  return 2;
}

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

namespace {
struct Counts {
  unsigned tried = 0, dynamically = 0, same = 0, missed = 0;
  std::map<std::string, unsigned> statically; ///< by obligation

  unsigned caught() const {
    unsigned sum = 0;
    for (const auto &[name, count] : statically)
      sum += count;
    return sum;
  }
  void add(const Counts &other) {
    tried += other.tried;
    dynamically += other.dynamically;
    same += other.same;
    missed += other.missed;
    for (const auto &[name, count] : other.statically)
      statically[name] += count;
  }
};

struct CorpusLine {
  std::string target, spec;
};

/// What the threads share.
class Campaign {
public:
  Campaign(std::vector<CorpusLine> lines, SmallVector<Kind> kinds)
      : lines(std::move(lines)), kinds(std::move(kinds)) {}

  void work();
  /// Prints what was found; the exit status.
  int finish();

private:
  Error runLine(const CorpusLine &line);
  Error runPlan(const AttentionSpec &spec, const std::string &name,
                ModuleOp module);
  Error runMutant(const Kind &kind, const std::string &name,
                  OwningOpRef<ModuleOp> mutant, const std::string &site,
                  const AttentionSpec &spec, ModuleOp unmutated,
                  std::unique_ptr<Judge> &judge, Counts &counts);
  void note(const Kind &kind, const std::string &name, const std::string &site,
            StringRef outcome, StringRef why, bool always, ModuleOp mutant);
  void printTable(raw_ostream &os);
  void printJson(raw_ostream &os);

  const std::vector<CorpusLine> lines;
  const SmallVector<Kind> kinds;
  std::atomic<size_t> next = 0;
  std::mutex mutex; ///< of all below and the output
  size_t done = 0, plans = 0, dumped = 0;
  std::map<StringRef, Counts> table;
  std::vector<std::string> broken; ///< what the program could not do
};
} // namespace

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

/// `module` with one variant alone, taken always, and the kernels it launches.
static OwningOpRef<ModuleOp> aloneVariant(ModuleOp module, StringRef name) {
  OwningOpRef<ModuleOp> alone = module.clone();
  llvm::StringSet<> used;
  for (auto func : llvm::make_early_inc_range(alone->getOps<plan::FuncOp>())) {
    if (func.getSymName() != name) {
      func.erase();
      continue;
    }
    func.walk([&](plan::LaunchOp launch) { used.insert(launch.getKernel()); });
    for (auto guard :
         llvm::make_early_inc_range(func.getBody().getOps<plan::GuardOp>()))
      guard.erase();
  }
  for (auto kernel :
       llvm::make_early_inc_range(alone->getOps<plan::KernelOp>()))
    if (!used.contains(kernel.getSymName()))
      kernel.erase();
  for (auto body : llvm::make_early_inc_range(alone->getOps<tile::FuncOp>())) {
    StringRef kernel = body.getSymName();
    if (kernel.consume_back(plan::KernelOp::bodySuffix()) &&
        !used.contains(kernel))
      body.erase();
  }
  return alone;
}

Error Campaign::runLine(const CorpusLine &line) {
  Expected<AttentionSpec> spec = AttentionSpec::parse(line.spec);
  if (!spec)
    return spec.takeError();
  Expected<const Target *> target = targetByName(line.target);
  if (!target)
    return target.takeError();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &d) {
    raw_string_ostream(complaint) << d << "\n";
    return mlir::success();
  });
  OwningOpRef<ModuleOp> module = buildAttnModule(context, *spec, **target);
  mlir::PassManager passes(&context);
  buildStep(passes, Stage::Plan);
  buildStep(passes, Stage::Tile);
  if (!module || failed(passes.run(*module)))
    return createStringError("cannot compile: " + complaint);

  for (auto func : module->getOps<plan::FuncOp>()) {
    std::string name =
        (line.target + " " + line.spec + " @" + func.getSymName()).str();
    OwningOpRef<ModuleOp> alone = aloneVariant(*module, func.getSymName());
    if (Error e = runPlan(*spec, name, *alone))
      return e;
    if (!spec->isBackward())
      continue;
    // Adds in turn have the same order each time.
    for (bool inTurn : {false, true}) {
      if (spec->deterministic && !inTurn)
        continue;
      // The sum of dQ has no turns, so the others would not make an order.
      if (inTurn && addsQueryGradients(*alone))
        continue;
      EditablePlan plan(OwningOpRef<ModuleOp>(alone->clone()));
      if (!accumulatePartials(plan, spec->headRatio))
        continue;
      if (inTurn)
        orderAdds(plan, spec->headRatio);
      OwningOpRef<ModuleOp> accumulated = plan.close();
      mlir::PassManager pack(&context);
      pack.addPass(createPlanPackArena());
      pack.addPass(mlir::createCanonicalizerPass());
      pack.addPass(mlir::createCSEPass());
      if (failed(pack.run(*accumulated)))
        return createStringError("cannot accumulate: " + complaint);
      if (Error e =
              runPlan(*spec, name + (inTurn ? " in turn" : " accumulated"),
                      *accumulated))
        return e;
    }
  }
  return Error::success();
}

Error Campaign::runPlan(const AttentionSpec &spec, const std::string &name,
                        ModuleOp module) {
  // Opening and closing alone changes nothing that counts.
  OwningOpRef<ModuleOp> unmutated =
      EditablePlan(OwningOpRef<ModuleOp>(module.clone())).close();
  if (StaticVerdict verdict = verifyStatically(*unmutated); !verdict.accepted)
    return createStringError("the unmutated plan of " + name +
                             " is rejected: " + verdict.message);
  std::unique_ptr<Judge> judge;
  for (const Kind &kind : kinds) {
    Sites counted;
    {
      EditablePlan plan{OwningOpRef<ModuleOp>(module.clone())};
      kind.mutate(plan, counted);
    }
    Counts counts;
    for (unsigned site = 0; site < counted.count(); ++site) {
      EditablePlan plan{OwningOpRef<ModuleOp>(module.clone())};
      Sites sites(site);
      kind.mutate(plan, sites);
      if (Error e = runMutant(kind, name, plan.close(), sites.description(),
                              spec, *unmutated, judge, counts))
        return e;
    }
    std::lock_guard lock(mutex);
    table[kind.name].add(counts);
  }
  std::lock_guard lock(mutex);
  ++plans;
  return Error::success();
}

Error Campaign::runMutant(const Kind &kind, const std::string &name,
                          OwningOpRef<ModuleOp> mutant, const std::string &site,
                          const AttentionSpec &spec, ModuleOp unmutated,
                          std::unique_ptr<Judge> &judge, Counts &counts) {
  std::string which = (kind.name + " (" + site + ") of " + name).str();
  ++counts.tried;
  StaticVerdict verdict = verifyStatically(*mutant);
  if (verdict.malformed)
    return createStringError(which + " is no valid IR: " + verdict.message);
  if (!verdict.accepted && verdict.obligation.empty())
    return createStringError(which +
                             " breaks no known obligation: " + verdict.message);
  if (!verdict.accepted && verdict.obligation != blind) {
    ++counts.statically[verdict.obligation];
    return Error::success();
  }
  if (!judge) {
    Expected<std::unique_ptr<Judge>> made =
        Judge::create(spec, unmutated, seed);
    if (!made)
      return createStringError("the unmutated plan of " + name +
                               " does not run: " + toString(made.takeError()));
    judge = std::move(*made);
  }
  DynamicVerdict run = judge->run(*mutant);
  switch (run.kind) {
  case DynamicVerdict::Caught:
    ++counts.dynamically;
    note(kind, name, site, "caught only dynamically", run.message,
         kind.level == Level::Plan, *mutant);
    break;
  case DynamicVerdict::NoDifference:
    ++counts.same;
    note(kind, name, site, "no difference seen", "", false, *mutant);
    break;
  case DynamicVerdict::Missed:
    ++counts.missed;
    note(kind, name, site, "MISSED", run.message, true, *mutant);
    break;
  }
  return Error::success();
}

void Campaign::note(const Kind &kind, const std::string &name,
                    const std::string &site, StringRef outcome, StringRef why,
                    bool always, ModuleOp mutant) {
  std::lock_guard lock(mutex);
  std::string file;
  if (!dump.empty()) {
    file = formatv("{0}/{1}-{2}.mlir", dump, kind.name, dumped++);
    std::string text;
    raw_string_ostream(text) << "// " << name << ": " << site << "\n"
                             << mutant << "\n";
    if (Error error = writeFile(file, text))
      broken.push_back(toString(std::move(error)));
  }
  if (!always && !verbose)
    return;
  errs() << outcome << ": " << kind.name << " (" << site << ") of " << name;
  if (!why.empty())
    errs() << "\n    " << why;
  errs() << "\n";
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

void Campaign::work() {
  for (size_t i; (i = next++) < lines.size();) {
    Error error = runLine(lines[i]);
    std::lock_guard lock(mutex);
    if (error)
      broken.push_back(lines[i].target + " " + lines[i].spec + ": " +
                       toString(std::move(error)));
    ++done;
    errs() << formatv("{0,3} of {1} specs done: {2} {3}\n", done, lines.size(),
                      lines[i].target, lines[i].spec);
  }
}

static StringRef levelName(Level level) {
  return level == Level::Plan ? "plan" : "body";
}

void Campaign::printTable(raw_ostream &os) {
  os << formatv("{0,-24}{1,-6}{2,7}{3,12}{4,14}{5,12}{6,8}  {7}\n", "", "", "",
                "caught", "caught only", "no differ-", "", "obligations that")
     << formatv("{0,-24}{1,-6}{2,7}{3,12}{4,14}{5,12}{6,8}  {7}\n", "kind",
                "level", "tried", "statically", "dynamically", "ence seen",
                "missed", "fired");
  Counts sum;
  auto line = [&](StringRef name, StringRef level, const Counts &counts,
                  bool obligations) {
    std::string text;
    if (obligations)
      for (const auto &[obligation, count] : counts.statically)
        text += (text.empty() ? "" : ", ") + obligation + " " +
                std::to_string(count);
    os << formatv("{0,-24}{1,-6}{2,7}{3,12}{4,14}{5,12}{6,8}  {7}\n", name,
                  level, counts.tried, counts.caught(), counts.dynamically,
                  counts.same, counts.missed, text);
  };
  for (const Kind &kind : kinds) {
    line(kind.name, levelName(kind.level), table[kind.name], true);
    sum.add(table[kind.name]);
  }
  line("all", "", sum, false);
}

void Campaign::printJson(raw_ostream &os) {
  json::OStream json(os, 2);
  json.object([&] {
    json.attribute("seed", int64_t(seed));
    json.attribute("specs", int64_t(lines.size()));
    json.attribute("plans", int64_t(plans));
    json.attributeArray("kinds", [&] {
      for (const Kind &kind : kinds)
        json.object([&] {
          json.attribute("kind", kind.name);
          json.attribute("level", levelName(kind.level));
          const Counts &counts = table[kind.name];
          json.attribute("tried", counts.tried);
          json.attribute("caught_statically", counts.caught());
          json.attributeObject("obligations", [&] {
            for (const auto &[name, count] : counts.statically)
              json.attribute(name, count);
          });
          json.attribute("caught_only_dynamically", counts.dynamically);
          json.attribute("no_difference_seen", counts.same);
          json.attribute("missed", counts.missed);
        });
    });
  });
  os << "\n";
}

int Campaign::finish() {
  if (asJson)
    printJson(outs());
  else
    printTable(outs());
  unsigned missed = 0, late = 0, tried = 0;
  for (const Kind &kind : kinds) {
    const Counts &counts = table[kind.name];
    tried += counts.tried;
    missed += counts.missed;
    if (kind.level == Level::Plan)
      late += counts.dynamically;
  }
  raw_ostream &os = asJson ? errs() : outs();
  os << formatv("{0} specs, {1} plans, {2} mutants: {3} missed, {4} of level "
                "plan caught only dynamically\n",
                lines.size(), plans, tried, missed, late);
  for (const std::string &text : broken)
    fail(text);
  return !broken.empty() ? 2 : missed || late ? 1 : 0;
}

static Expected<std::vector<CorpusLine>> readCorpus() {
  if (corpusFile.empty())
    return createStringError("there are no plans to break; name a file of "
                             "specs, as in --corpus=tests/mutate/corpus.txt");
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(corpusFile);
  if (!file)
    return createStringError("cannot read '" + corpusFile +
                             "': " + file.getError().message());
  Regex pattern(specPattern);
  std::string complaint;
  if (!pattern.isValid(complaint))
    return createStringError("--specs: " + complaint);
  auto [index, count] = StringRef(shard).split('/');
  size_t i = 0, n = 0;
  if (index.getAsInteger(10, i) || count.getAsInteger(10, n) || i >= n)
    return createStringError("--shard=" + shard +
                             " is not i/n with i from 0 to n - 1");
  std::vector<CorpusLine> lines;
  SmallVector<StringRef> texts;
  (*file)->getBuffer().split(texts, '\n');
  size_t at = 0;
  for (auto [number, line] : enumerate(texts)) {
    StringRef text = line.trim();
    if (text.empty() || text.starts_with("#") || !pattern.match(text) ||
        at++ % n != i)
      continue;
    auto [target, spec] = text.split(' ');
    // Told before hours of work on the other lines.
    if (Error error = joinErrors(targetByName(target).takeError(),
                                 AttentionSpec::parse(spec).takeError()))
      return createStringError(corpusFile + ":" + Twine(number + 1) + ": " +
                               toString(std::move(error)));
    lines.push_back({target.str(), spec.trim().str()});
  }
  if (lines.empty())
    return createStringError("no line of the corpus is left");
  return lines;
}

static Expected<SmallVector<Kind>> chooseKinds() {
  SmallVector<Kind> kinds = allKinds();
  if (kindNames.empty())
    return kinds;
  SmallVector<Kind> chosen;
  for (const std::string &name : kindNames) {
    auto found =
        find_if(kinds, [&](const Kind &kind) { return kind.name == name; });
    if (found == kinds.end())
      return createStringError("there is no kind '" + name +
                               "'; --list names all");
    chosen.push_back(*found);
  }
  return chosen;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, kAbout);
  if (list) {
    for (const Kind &kind : allKinds())
      outs() << formatv("{0,-24}{1,-6}{2}\n", kind.name, levelName(kind.level),
                        kind.about);
    outs() << "obligations: " << join(obligationNames(), ", ") << "\n";
    return 0;
  }
  if (!blind.empty() && !is_contained(obligationNames(), blind))
    return fail("there is no obligation '" + blind + "'; --list names all");
  Expected<std::vector<CorpusLine>> lines = readCorpus();
  if (!lines)
    return fail(toString(lines.takeError()));
  Expected<SmallVector<Kind>> kinds = chooseKinds();
  if (!kinds)
    return fail(toString(kinds.takeError()));
  Campaign campaign(std::move(*lines), std::move(*kinds));
  std::vector<std::thread> workers;
  for (unsigned i = 1, n = hardware_concurrency(jobs).compute_thread_count();
       i < n; ++i)
    workers.emplace_back([&] { campaign.work(); });
  campaign.work();
  for (std::thread &worker : workers)
    worker.join();
  return campaign.finish();
}
