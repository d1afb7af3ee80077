//===- weft-run.cpp - Runs a case file and checks every result ------------===//
//
//   weft-run CASE.json --device=reference|cuda [--poison]
//   [--explain[=FILE.svg]] [--json]
//
// Exits 0 only if every result is right and every expectation holds.
//
//===----------------------------------------------------------------------===//

#include "compiler/explain/Explain.h"
#include "runtime/cases/RunCase.h"
#include "runtime/support/OutputFile.h"
#include "tools/weft-run/Devices.h"
#include "tools/weft-run/ReportPrinter.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;
using namespace weft;

static cl::OptionCategory category("weft-run options");

static cl::opt<std::string> input(cl::Positional, cl::Required,
                                  cl::desc("CASE.json"), cl::cat(category));
static cl::opt<std::string>
    deviceName("device", cl::init("reference"), cl::cat(category),
               cl::desc("reference (the CPU, the default) or cuda"),
               cl::value_desc("name"));
static cl::opt<std::string> poison("poison", cl::ValueOptional,
                                   cl::cat(category), cl::value_desc("list"),
                                   cl::desc(cases::adversityHelp));
static cl::opt<std::string> explainFile(
    "explain", cl::cat(category), cl::ValueOptional, cl::value_desc("FILE.svg"),
    cl::desc("Print the plans: who owns and who initialises each buffer; or "
             "draw them, with several to FILE-1.svg, FILE-2.svg, .."));
static cl::opt<bool> jsonOutput("json", cl::cat(category),
                                cl::desc("Print the report as JSON"));
static cl::opt<std::string>
    arch("arch", cl::init("sm_90a"), cl::cat(category), cl::value_desc("name"),
         cl::desc("Target whose schedules the reference device runs"));
static cl::opt<int64_t> resident(
    "resident", cl::init(7), cl::cat(category), cl::value_desc("n"),
    cl::desc("CTAs of a launch that the reference device runs at a time, 0 "
             "for all (default 7)"));
static cl::opt<uint64_t>
    seed("seed", cl::init(0), cl::cat(category), cl::value_desc("n"),
         cl::desc("Of the order in which the reference device runs CTAs"));
static cl::opt<int64_t> smCount(
    "sm-count", cl::init(0), cl::cat(category), cl::value_desc("n"),
    cl::desc("Multiprocessors for which plans choose variants and grids "
             "(default: those of the device; 132 for reference)"));
static cl::opt<int> gpu("gpu", cl::init(0), cl::cat(category),
                        cl::value_desc("n"),
                        cl::desc("The GPU that --device=cuda runs on"));

static int fail(Error error) {
  WithColor::error(errs(), "weft-run") << toString(std::move(error)) << "\n";
  return 1;
}

/// Where the drawing of spec `index` of `count` goes.
static std::string drawingFile(size_t index, size_t count) {
  if (count == 1)
    return explainFile;
  return StringRef(explainFile).drop_back(4).str() + "-" +
         std::to_string(index + 1) + ".svg";
}

/// The plan of every spec of the case, each once, for the first call that has
/// it.
static Error explainPlans(const cases::CaseFile &file,
                          const cases::CaseReport &report,
                          cases::Device &device) {
  cases::CompiledFor made = device.compiledFor();
  Expected<const Target *> target = targetByName(made.target);
  if (!target)
    return target.takeError();
  MapVector<StringRef, size_t> specs; // with its first call
  for (auto [n, call] : enumerate(report.calls))
    for (const std::string &text : call.specs)
      specs.insert({text, n});
  for (auto [index, entry] : enumerate(specs)) {
    Expected<AttentionSpec> spec = AttentionSpec::parse(entry.first);
    if (!spec)
      return spec.takeError();
    Expected<cases::ResolvedCall> call = cases::resolveCall(file, entry.second);
    if (!call)
      return call.takeError();
    Problem problem;
    problem.batch = call->batch;
    problem.q = call->q;
    problem.kv = call->kv;
    ExplainOptions options;
    options.sizes = program::SizeValues::fromProblem(
        problem, smCount > 0 ? int64_t(smCount) : made.multiprocessors);
    options.drawing = !explainFile.empty();
    Expected<std::string> plan = explain(*spec, **target, options);
    if (!plan)
      return plan.takeError();
    if (!options.drawing) {
      // JSON keeps standard output for itself.
      (jsonOutput ? errs() : outs()) << *plan << "\n";
      continue;
    }
    if (Error error = writeFile(drawingFile(index, specs.size()), *plan))
      return error;
  }
  return Error::success();
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::SetVersionPrinter(
      [](raw_ostream &os) { os << "weft-run " << WEFT_VERSION << "\n"; });
  std::string about =
      "Runs a case file and compares every result with an fp64 reference\n\n";
  about += cases::caseFileHelp;
  cl::ParseCommandLineOptions(argc, argv, about);
  if (!explainFile.empty() && !StringRef(explainFile).ends_with(".svg"))
    return fail(
        createStringError("--explain draws to a file that ends in .svg, not '" +
                          explainFile + "'; without a file it prints"));
  Expected<cases::CaseFile> file = cases::CaseFile::load(input);
  if (!file)
    return fail(file.takeError());
  DeviceOptions deviceOptions;
  deviceOptions.target = arch;
  deviceOptions.residentCtas = resident;
  deviceOptions.ordinal = gpu;
  Expected<std::unique_ptr<cases::Device>> device =
      createDevice(deviceName, deviceOptions);
  if (!device)
    return fail(device.takeError());
  cases::CaseOptions options;
  if (poison.getNumOccurrences() > 0) {
    Expected<std::vector<cases::Adversity>> list =
        cases::parseAdversities(poison.empty() ? "nan" : StringRef(poison));
    if (!list)
      return fail(list.takeError());
    options.poison = std::move(*list);
  }
  options.seed = seed;
  if (smCount.getNumOccurrences() > 0 && smCount < 1)
    return fail(createStringError("--sm-count is " + Twine(int64_t(smCount)) +
                                  "; give at least 1"));
  if (smCount > 0)
    options.smCount = smCount;
  Expected<cases::CaseReport> report = cases::runCase(*file, **device, options);
  if (!report)
    return fail(report.takeError());
  // A plan that cannot be told is no reason to lose the results.
  Error unexplained = explainFile.getNumOccurrences() > 0
                          ? explainPlans(*file, *report, **device)
                          : Error::success();
  if (jsonOutput)
    printJson(outs(), *file, (*device)->name(), *report);
  else
    printReport(outs(), *file, (*device)->name(), *report);
  if (unexplained)
    return fail(std::move(unexplained));
  return report->passed() ? 0 : 1;
}
