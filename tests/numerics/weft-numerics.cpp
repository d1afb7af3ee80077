//===- weft-numerics.cpp - The random sweep on a device -------------------===//
//
//   weft-numerics --device=reference|cuda [--seed=S] [--count=N] [--index=I]
//       [--poison[=list]] [--shard=i/n] [--jobs=J] [--pack=FILE]
//       [--all-variants] [--print] [--manifest=FILE]
//
// Runs cases of the sweep against the fp64 reference. Ends with a line
// "N passed, M failed"; each failure is named with the command that runs it
// alone.
//
// Nearly all of the time on a GPU is NVRTC's. Where that counts, a pack is made
// before:
//
//   weft-numerics --manifest=sweep.json --poison=all
//   weftc compile --manifest=sweep.json -o sweep.weftpack
//   weft-numerics --device=cuda --poison=all --pack=sweep.weftpack
//
//===----------------------------------------------------------------------===//

#include "runtime/cases/RunCase.h"
#include "runtime/cases/Sweep.h"
#include "runtime/pack/Recorder.h"
#include "tools/weft-run/Devices.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/Threading.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <thread>

using namespace llvm;
using namespace weft;

static cl::OptionCategory category("weft-numerics options");

static cl::opt<std::string>
    deviceName("device", cl::init("reference"), cl::cat(category),
               cl::value_desc("name"),
               cl::desc("reference (the CPU, the default) or cuda"));
static cl::opt<uint64_t> seed("seed", cl::init(1), cl::cat(category),
                              cl::value_desc("n"),
                              cl::desc("Of the sweep (default 1)"));
static cl::opt<uint64_t> caseCount("count", cl::init(500), cl::cat(category),
                                   cl::value_desc("n"),
                                   cl::desc("Cases to run (default 500)"));
static cl::opt<int64_t> caseIndex("index", cl::init(-1), cl::cat(category),
                                  cl::value_desc("i"),
                                  cl::desc("Run case i alone"));
static cl::opt<std::string> poison("poison", cl::ValueOptional,
                                   cl::cat(category), cl::value_desc("list"),
                                   cl::desc(cases::adversityHelp));
static cl::opt<std::string>
    shard("shard", cl::init("0/1"), cl::cat(category), cl::value_desc("i/n"),
          cl::desc("Run every n-th case, from the i-th"));
static cl::opt<unsigned>
    jobs("jobs", cl::init(0), cl::cat(category), cl::value_desc("n"),
         cl::desc("Cases at a time (default: one per core)"));
static cl::opt<std::string>
    pack("pack", cl::cat(category), cl::value_desc("FILE"),
         cl::desc("Pack that --device=cuda takes plans from; what it lacks is "
                  "compiled"));
static cl::opt<std::string>
    manifest("manifest", cl::cat(category), cl::value_desc("FILE"),
             cl::desc("Add what these cases have compiled for --arch to a "
                      "manifest for weftc, and run nothing"));
static cl::opt<bool>
    allVariants("all-variants", cl::cat(category),
                cl::desc("Fail if no case ran some variant of the plans"));
static cl::opt<bool> printCase("print", cl::cat(category),
                               cl::desc("Print the JSON of case --index"));
static cl::opt<std::string>
    arch("arch", cl::init("sm_90a"), cl::cat(category), cl::value_desc("name"),
         cl::desc("Target whose schedules the reference device runs, and of "
                  "--manifest"));

static int fail(const Twine &message) {
  WithColor::error(errs(), "weft-numerics") << message << "\n";
  return 1;
}

namespace {
/// What the threads share.
class Sweep {
public:
  Sweep(cases::Device &device, std::vector<uint64_t> indices,
        std::vector<cases::Adversity> adversities)
      : device(device), indices(std::move(indices)),
        adversities(std::move(adversities)) {}

  /// Runs cases until none is left.
  void work();
  /// The closing lines; 0 if every case passed.
  int finish();

private:
  void note(uint64_t index, llvm::Expected<cases::CaseReport> report);
  /// Prints how often each variant ran; false if --all-variants is broken.
  bool printVariants();

  cases::Device &device;
  const std::vector<uint64_t> indices;
  const std::vector<cases::Adversity> adversities;
  std::atomic<size_t> next = 0;
  std::mutex mutex; ///< of all below and the output
  size_t done = 0;
  std::vector<uint64_t> failed;
  /// Per tensor, the largest distance from the reference of a case that
  /// passed, in units of what the number rule allows.
  std::array<double, cases::numTensors> worst = {};
  std::chrono::steady_clock::time_point lastProgress =
      std::chrono::steady_clock::now();
};
} // namespace

void Sweep::work() {
  for (size_t i; (i = next++) < indices.size();) {
    cases::CaseFile file = cases::sweepCase(seed, indices[i]);
    cases::CaseOptions options;
    options.poison = adversities;
    // The plan beside it is that of the next case.
    cases::CaseFile beside = cases::sweepCase(seed, indices[i] + 1);
    options.partner = &beside;
    options.seed = indices[i];
    options.smCount = cases::sweepSmCount(indices[i]);
    options.threads = 1; // one case a thread
    Expected<cases::CaseReport> report = cases::runCase(file, device, options);
    note(indices[i], std::move(report));
  }
}

void Sweep::note(uint64_t index, Expected<cases::CaseReport> report) {
  std::string failures =
      report ? report->failures() : toString(report.takeError()) + "\n";
  std::lock_guard lock(mutex);
  ++done;
  if (!failures.empty()) {
    failed.push_back(index);
    outs() << "case " << index << " failed\n" << failures;
  } else {
    for (const cases::CallReport &call : report->calls)
      for (const cases::TensorCheck &check : call.tensors)
        worst[size_t(check.id)] =
            std::max(worst[size_t(check.id)], check.worst);
  }
  auto now = std::chrono::steady_clock::now();
  if (now - lastProgress < std::chrono::seconds(5) && done != indices.size())
    return;
  lastProgress = now;
  outs() << done << " of " << indices.size() << " cases done, " << failed.size()
         << " failed\n";
  outs().flush();
}

bool Sweep::printVariants() {
  std::map<std::string, int64_t> runs = device.variantsRun();
  if (runs.empty()) {
    if (allVariants)
      outs() << "device " << device.name()
             << " does not tell which variants ran; leave out --all-variants\n";
    return !allVariants;
  }
  outs() << "runs of each variant:";
  for (const auto &[name, count] : runs)
    outs() << " " << name << " " << count;
  outs() << "\n";
  bool all = true;
  for (const auto &[name, count] : runs)
    if (allVariants && count == 0) {
      outs() << "no case ran @" << name << "\n";
      all = false;
    }
  return all;
}

int Sweep::finish() {
  llvm::sort(failed);
  for (uint64_t index : failed)
    outs() << "to run case " << index
           << " alone: weft-numerics --device=" << device.name()
           << " --seed=" << seed << " --index=" << index
           << (adversities.empty() ? ""
               : poison.empty()    ? " --poison"
                                   : " --poison=" + poison)
           << (arch == "sm_90a" ? "" : " --arch=" + arch) << "\n";
  outs() << "largest part of what the number rule allows:";
  for (size_t i = size_t(cases::TensorId::O); i < cases::numTensors; ++i)
    if (cases::TensorId(i) != cases::TensorId::DO)
      outs() << " " << cases::tensorNames[i] << format(" %.2f", worst[i]);
  outs() << "\n";
  bool variants = printVariants();
  outs() << indices.size() - failed.size() << " passed, " << failed.size()
         << " failed\n";
  return failed.empty() && variants ? 0 : 1;
}

/// Writes down what the cases, and those whose plans run beside them, compile.
static Error writeManifest(ArrayRef<uint64_t> indices,
                           const std::vector<cases::Adversity> &adversities) {
  Recorder recorder{std::string(manifest)};
  auto note = [&](uint64_t index,
                  const std::vector<cases::Adversity> &poison) -> Error {
    Expected<std::vector<AttentionSpec>> specs =
        cases::specsOf(cases::sweepCase(seed, index), poison);
    if (!specs)
      return specs.takeError();
    for (const AttentionSpec &spec : *specs)
      if (Error e = recorder.note(spec.str(), arch))
        return e;
    return Error::success();
  };
  bool beside = is_contained(adversities, cases::Adversity::SecondStream);
  for (uint64_t index : indices) {
    if (Error e = note(index, adversities))
      return e;
    if (beside)
      if (Error e = note(index + 1, {}))
        return e;
  }
  return Error::success();
}

/// The cases of this run, at least one.
static Expected<std::vector<uint64_t>> chooseCases() {
  auto [first, of] = StringRef(shard).split('/');
  uint64_t begin, step;
  if (first.getAsInteger(10, begin) || of.getAsInteger(10, step) ||
      begin >= step)
    return createStringError(
        "--shard=" + shard +
        " is not i/n with i from 0 to n - 1, as in --shard=0/4");
  if (caseIndex >= 0)
    return std::vector<uint64_t>{uint64_t(caseIndex)};
  if (caseIndex.getNumOccurrences() > 0)
    return createStringError("--index is " + Twine(int64_t(caseIndex)) +
                             "; cases count from 0");
  std::vector<uint64_t> indices;
  for (uint64_t i = begin; i < caseCount; i += step)
    indices.push_back(i);
  if (indices.empty())
    return createStringError(
        "--count=" + Twine(uint64_t(caseCount)) + " leaves no case to run" +
        (caseCount > 0 ? " in --shard=" + shard : std::string()) +
        "; give a larger one");
  return indices;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv,
                              "Runs random cases against the fp64 reference\n");
  Expected<std::vector<uint64_t>> indices = chooseCases();
  if (!indices)
    return fail(toString(indices.takeError()));
  if (printCase) {
    if (caseIndex < 0)
      return fail("--print needs --index=i");
    outs() << cases::sweepCase(seed, uint64_t(caseIndex)).toJson();
    return 0;
  }
  std::vector<cases::Adversity> adversities;
  if (poison.getNumOccurrences() > 0) {
    Expected<std::vector<cases::Adversity>> list =
        cases::parseAdversities(poison.empty() ? "nan" : StringRef(poison));
    if (!list)
      return fail(toString(list.takeError()));
    adversities = std::move(*list);
  }
  if (!manifest.empty()) {
    if (Error e = writeManifest(*indices, adversities))
      return fail(toString(std::move(e)));
    return 0;
  }
  DeviceOptions options;
  options.target = arch;
  options.pack = pack;
  Expected<std::unique_ptr<cases::Device>> device =
      createDevice(deviceName, options);
  if (!device)
    return fail(toString(device.takeError()));
  if (!pack.empty() && (*device)->name() == "reference")
    return fail("--pack is given, but the reference device runs no kernels; "
                "add --device=cuda");
  unsigned threads = hardware_concurrency(jobs).compute_thread_count();
  Sweep sweep(**device, std::move(*indices), std::move(adversities));
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < threads; ++i)
    workers.emplace_back([&] { sweep.work(); });
  sweep.work();
  for (std::thread &worker : workers)
    worker.join();
  return sweep.finish();
}
