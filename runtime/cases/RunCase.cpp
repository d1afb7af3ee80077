//===- RunCase.cpp - Runs a case on a device and checks it ----------------===//

#include "runtime/cases/RunCase.h"

#include "runtime/cases/Partner.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cmath>
#include <cstring>
#include <deque>

using namespace weft;
using namespace weft::cases;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

//===----------------------------------------------------------------------===//
// One tensor
//===----------------------------------------------------------------------===//

/// |x - ref| / bound of two that differ, infinity where bound is 0 and for NaN.
static double distance(double value, double reference, double bound) {
  double ratio = std::fabs(value - reference) / bound;
  return std::isnan(ratio) ? std::numeric_limits<double>::infinity() : ratio;
}

TensorCheck weft::cases::checkTensor(const HostTensor &tensor,
                                     const TensorReference &reference) {
  TensorCheck check;
  check.id = tensor.id;
  check.elements = tensor.place.elements();
  const Placement &place = tensor.place;
  size_t at = 0;
  std::vector<double> values(place.columns);
  for (int64_t row = 0; row < place.rows(); ++row)
    for (int64_t head = 0; head < place.heads; ++head) {
      tensor.loadRow(row, head, values.data());
      for (int64_t column = 0; column < place.columns; ++column, ++at) {
        double value = values[column];
        if (value == reference.value[at])
          continue;
        double ratio =
            distance(value, reference.value[at], reference.bound[at]);
        check.failures += !(ratio <= 1);
        if (!(ratio > check.worst))
          continue;
        check.worst = ratio;
        check.row = row;
        check.head = head;
        check.column = column;
        check.value = value;
        check.reference = reference.value[at];
        check.bound = reference.bound[at];
      }
    }
  return check;
}

std::string TensorCheck::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << nameOf(id) << (poison ? " " + describe(*poison).str() : "") << ": "
     << failures << " of " << elements << " elements are wrong; worst at row "
     << row << ", head " << head << ", column " << column
     << llvm::format(": %.9g, expected %.9g", value, reference)
     << llvm::format(" +- %.3g", bound);
  return text;
}

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

bool CallReport::passed() const {
  return failures.empty() &&
         llvm::all_of(tensors,
                      [](const TensorCheck &check) { return check.passed(); });
}

bool CaseReport::passed() const {
  return llvm::all_of(calls,
                      [](const CallReport &call) { return call.passed(); });
}

std::string CaseReport::failures() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [n, call] : llvm::enumerate(calls)) {
    for (const TensorCheck &check : call.tensors)
      if (!check.passed())
        os << "call " << n << ": " << check.str() << "\n";
    for (const std::string &failure : call.failures)
      os << "call " << n << ": " << failure << "\n";
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

AttentionSpec weft::cases::specOfPass(const ResolvedCall &call, PassKind pass,
                                      const Problem &problem) {
  AttentionSpec spec = call.spec;
  spec.pass = pass;
  deriveFacts(problem, spec);
  return spec.canonical();
}

namespace {
/// The bits of every result of one call, in logical order.
using ResultBits = std::map<TensorId, std::vector<char>>;

class CaseRunner {
public:
  CaseRunner(const CaseFile &file, Device &device, const CaseOptions &options)
      : file(file), device(device), options(options) {}
  Expected<CaseReport> run();
  /// Memory for all calls; the device was asked for every plan.
  Expected<CaseMemory> prepareCalls();

private:
  Error reserveWorkspace(CaseMemory &memory);
  void runCall(size_t n, CaseMemory &memory);
  /// Makes memory hold what `poison` says.
  Error prepare(size_t n, CaseMemory &memory, PassKind pass, Adversity poison);
  /// One pass, not watched: what it leaves is the next one's past.
  Error runBefore(const ResolvedCall &call, CaseMemory &memory, PassKind pass);
  /// One launch of one pass, with everything outside the results watched.
  Error launch(size_t n, CaseMemory &memory, PassKind pass,
               std::optional<Adversity> poison);
  Error runBesidePartner(size_t n, const Device::Job &job);
  /// One pass, then again under poison, compared with `reference`.
  Error runPass(size_t n, CaseMemory &memory, PassKind pass,
                const Reference &reference);
  void checkExpectation(size_t n, CaseMemory &memory);
  void checkZeroRows(size_t n, TensorId id,
                     llvm::ArrayRef<Expectation::RowRange> ranges);
  void refuse(size_t n, Error error);

  RunOptions runOptions(std::optional<Adversity> poison = {}) const {
    return {poison ? patternOf(*poison) : std::nullopt, options.seed,
            options.smCount};
  }
  bool runsUnder(Adversity adversity) const {
    return llvm::is_contained(options.poison, adversity);
  }
  llvm::SmallVector<PassKind, 2> passes() const {
    llvm::SmallVector<PassKind, 2> list;
    if (file.runsForward())
      list.push_back(PassKind::Forward);
    if (file.isBackward())
      list.push_back(PassKind::Backward);
    return list;
  }
  bool expectsError(size_t n) const {
    return !file.expect.empty() && file.expect[n].error;
  }
  void fail(size_t n, const Twine &message) {
    report.calls[n].failures.push_back(message.str());
  }

  const CaseFile &file;
  Device &device;
  CaseOptions options;
  CaseReport report;
  std::vector<std::optional<ResolvedCall>> calls; ///< none: refused
  /// A smaller problem for each call, where there are to be some.
  std::deque<CaseFile> smallerFiles;
  std::vector<std::optional<ResolvedCall>> smaller;
  std::optional<CaseFile> ownPartner; ///< where the options name none
  std::unique_ptr<Partner> partner;
  std::vector<ResultBits> bits;
};
} // namespace

/// An error is what the case expects, or a failure.
void CaseRunner::refuse(size_t n, Error error) {
  CallReport &call = report.calls[n];
  call.error = llvm::toString(std::move(error));
  calls[n].reset();
  if (!expectsError(n))
    return fail(n, "error: " + call.error);
  const std::string &expected = *file.expect[n].error;
  if (!StringRef(call.error).contains(expected))
    fail(n, "the error does not contain '" + expected + "': " + call.error);
}

Error CaseRunner::reserveWorkspace(CaseMemory &memory) {
  int64_t most = 0;
  for (size_t n = 0; n < calls.size(); ++n)
    for (PassKind pass : passes()) {
      if (!calls[n])
        break;
      Problem problem = memory.problem(*calls[n], pass);
      AttentionSpec spec = specOfPass(*calls[n], pass, problem);
      report.calls[n].specs.push_back(spec.str());
      if (Error e = checkProblem(problem, spec)) {
        refuse(n, std::move(e));
        continue;
      }
      Expected<int64_t> bytes =
          device.workspaceBytes(spec, problem, runOptions());
      if (!bytes) {
        refuse(n, bytes.takeError());
        continue;
      }
      most = std::max(most, *bytes);
      if (!smaller[n])
        continue;
      // Another variant may be chosen for it, with more workspace.
      Problem before = memory.problem(*smaller[n], pass);
      bytes = device.workspaceBytes(specOfPass(*smaller[n], pass, before),
                                    before, runOptions());
      if (!bytes)
        refuse(n, bytes.takeError());
      else
        most = std::max(most, *bytes);
    }
  return memory.reserveWorkspace(most);
}

Error CaseRunner::runBefore(const ResolvedCall &call, CaseMemory &memory,
                            PassKind pass) {
  Problem problem = memory.problem(call, pass);
  return device.run(specOfPass(call, pass, problem), problem,
                    memory.allocations(), runOptions());
}

Error CaseRunner::prepare(size_t n, CaseMemory &memory, PassKind pass,
                          Adversity poison) {
  switch (poison) {
  case Adversity::NaN:
  case Adversity::Large:
    memory.poison(*calls[n], pass, *patternOf(poison));
    return Error::success();
  case Adversity::OldResults:
  case Adversity::OtherProblem: {
    bool other = poison == Adversity::OtherProblem;
    const ResolvedCall &before = other ? *smaller[n] : *calls[n];
    memory.drawInputs(before, /*other=*/true);
    if (Error e = runBefore(before, memory, pass))
      return e;
    memory.drawInputs(*calls[n]);
    return Error::success();
  }
  case Adversity::SecondStream:
    // Nothing is left to be seen but what the pass itself wrote.
    memory.poison(*calls[n], pass);
    return Error::success();
  }
  llvm_unreachable("every adversity is handled");
}

Error CaseRunner::runBesidePartner(size_t n, const Device::Job &job) {
  if (!partner) {
    if (!options.partner)
      ownPartner = smallerProblem(file, n);
    Expected<std::unique_ptr<Partner>> made =
        Partner::create(options.partner ? *options.partner : *ownPartner,
                        device, runOptions(), options.threads);
    if (!made)
      return made.takeError();
    partner = std::move(*made);
  }
  if (Error e = device.runTogether(job, partner->job(), /*rounds=*/3))
    return e;
  if (std::string text = partner->complaint(); !text.empty())
    fail(n, "the plan beside it: " + text);
  return Error::success();
}

Error CaseRunner::launch(size_t n, CaseMemory &memory, PassKind pass,
                         std::optional<Adversity> poison) {
  const ResolvedCall &call = *calls[n];
  if (poison)
    if (Error e = prepare(n, memory, pass, *poison))
      return e;
  Problem problem = memory.problem(call, pass);
  AttentionSpec spec = specOfPass(call, pass, problem);
  Snapshot before(memory);
  Device::Job job = {spec, problem, memory.allocations(), runOptions(poison)};
  auto start = std::chrono::steady_clock::now();
  Error error = poison == Adversity::SecondStream
                    ? runBesidePartner(n, job)
                    : device.run(spec, problem, job.memory, job.options);
  report.calls[n].deviceSeconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start)
          .count();
  // A call that is refused launched nothing: nothing at all may have changed.
  // Under an error that is a failure anyway, results are of no interest.
  llvm::ArrayRef<TensorId> results = resultsOf(pass);
  if (error && !expectsError(n))
    return error;
  for (const std::string &write : before.foreignWrites(
           memory, call, error ? llvm::ArrayRef<TensorId>() : results))
    fail(n, (pass == PassKind::Forward ? "forward: " : "backward: ") + write);
  return error;
}

Error CaseRunner::runPass(size_t n, CaseMemory &memory, PassKind pass,
                          const Reference &reference) {
  const ResolvedCall &call = *calls[n];
  std::vector<std::optional<Adversity>> runs = {std::nullopt};
  llvm::append_range(runs, options.poison);
  for (std::optional<Adversity> poison : runs) {
    if (Error e = launch(n, memory, pass, poison))
      return e;
    for (TensorId id : resultsOf(pass)) {
      HostTensor tensor = memory.tensor(call, id);
      TensorCheck check = checkTensor(tensor, reference[id]);
      check.poison = poison;
      report.calls[n].tensors.push_back(check);
      std::vector<char> now = tensor.bits();
      // A forward is always reproducible.
      bool exact = pass == PassKind::Forward || file.isReproducible();
      if (poison && exact && now != bits[n][id])
        fail(n, nameOf(id) + " has other bits " + describe(*poison));
      bits[n][id] = std::move(now);
    }
  }
  return Error::success();
}

void CaseRunner::checkZeroRows(size_t n, TensorId id,
                               llvm::ArrayRef<Expectation::RowRange> ranges) {
  Placement placement = place(file, *calls[n], id);
  int64_t width = placement.heads * placement.columns;
  const std::vector<char> &data = bits[n][id];
  for (auto [from, to] : ranges) {
    if (to > placement.rowsPerBatch) {
      fail(n, "zero_rows of " + nameOf(id) + " names rows up to " + Twine(to) +
                  ", but there are " + Twine(placement.rowsPerBatch));
      continue;
    }
    for (int64_t b = 0; b < placement.batches; ++b)
      for (int64_t row = from; row < to; ++row) {
        int64_t at = (b * placement.rowsPerBatch + row) * width;
        auto element = [&](int64_t i) {
          uint16_t value;
          std::memcpy(&value, &data[(at + i) * 2], sizeof(value));
          return value & 0x7fff; // zero has either sign
        };
        if (llvm::all_of(llvm::seq(width),
                         [&](int64_t i) { return element(i) == 0; }))
          continue;
        fail(n, "row " + Twine(row) + " of " + nameOf(id) +
                    (placement.batches > 1 ? " in sequence " + Twine(b).str()
                                           : std::string()) +
                    " is not zero");
        return; // one row tells it
      }
  }
}

void CaseRunner::checkExpectation(size_t n, CaseMemory &memory) {
  if (file.expect.empty())
    return;
  const Expectation &expect = file.expect[n];
  if (expect.error)
    fail(n, "an error containing '" + *expect.error +
                "' is expected, but the call ran");
  for (const auto &[id, ranges] : expect.zeroRows)
    checkZeroRows(n, id, ranges);
  if (!expect.sameAsCall)
    return;
  size_t other = *expect.sameAsCall;
  if (!calls[other])
    return fail(n, "call " + Twine(other) + ", to compare with, did not run");
  for (const auto &[id, data] : bits[n])
    if (data != bits[other][id])
      fail(n, nameOf(id) + " differs from that of call " + Twine(other));
}

void CaseRunner::runCall(size_t n, CaseMemory &memory) {
  memory.drawInputs(*calls[n]);
  Reference reference =
      computeReference(file, *calls[n], memory, options.threads);
  for (PassKind pass : passes()) {
    if (pass == PassKind::Backward && file.runsForward())
      memory.fillForwardGaps(*calls[n]);
    if (Error e = runPass(n, memory, pass, reference))
      return refuse(n, std::move(e));
  }
  checkExpectation(n, memory);
}

Expected<CaseMemory> CaseRunner::prepareCalls() {
  size_t count = file.calls.size();
  report.calls.resize(count);
  bits.resize(count);
  calls.resize(count);
  for (size_t n = 0; n < count; ++n) {
    Expected<ResolvedCall> call = resolveCall(file, n);
    if (call)
      calls[n] = std::move(*call);
    else
      refuse(n, call.takeError());
  }
  smaller.resize(count);
  for (size_t n = 0; n < count && runsUnder(Adversity::OtherProblem); ++n) {
    if (!calls[n])
      continue;
    smallerFiles.push_back(smallerProblem(file, n));
    Expected<ResolvedCall> call = resolveCall(smallerFiles.back(), 0);
    if (call)
      smaller[n] = std::move(*call);
    else
      refuse(n, call.takeError());
  }
  std::vector<const ResolvedCall *> resolved;
  for (const auto *list : {&calls, &smaller})
    for (const auto &call : *list)
      resolved.push_back(call ? &*call : nullptr);
  Expected<CaseMemory> memory = CaseMemory::create(file, resolved);
  if (!memory)
    return memory.takeError();
  if (Error e = reserveWorkspace(*memory))
    return e;
  return memory;
}

Expected<CaseReport> CaseRunner::run() {
  Expected<CaseMemory> memory = prepareCalls();
  if (!memory)
    return memory.takeError();
  for (size_t n = 0; n < calls.size(); ++n)
    if (calls[n])
      runCall(n, *memory);
  return std::move(report);
}

Expected<CaseReport> weft::cases::runCase(const CaseFile &file, Device &device,
                                          const CaseOptions &options) {
  return CaseRunner(file, device, options).run();
}

namespace {
/// Writes down what it is asked for and runs nothing.
class SpecCollector : public Device {
public:
  StringRef name() const override { return "none"; }
  Expected<int64_t> workspaceBytes(const AttentionSpec &spec, const Problem &,
                                   const RunOptions &) override {
    if (seen.insert(spec.str()).second)
      specs.push_back(spec);
    return 0;
  }
  Error run(const AttentionSpec &, const Problem &, llvm::ArrayRef<Allocation>,
            const RunOptions &) override {
    llvm_unreachable("only asked for workspace");
  }
  CompiledFor compiledFor() const override { return {}; }

  std::vector<AttentionSpec> specs;

private:
  llvm::StringSet<> seen;
};
} // namespace

Expected<std::vector<AttentionSpec>>
weft::cases::specsOf(const CaseFile &file,
                     const std::vector<Adversity> &poison) {
  SpecCollector collector;
  CaseOptions options;
  options.poison = poison;
  Expected<CaseMemory> memory =
      CaseRunner(file, collector, options).prepareCalls();
  if (!memory)
    return memory.takeError();
  return std::move(collector.specs);
}
