//===- RunCase.h - Runs a case on a device and checks it --------*- C++ -*-===//
//
// Every call in order: draw the inputs, run, compare each result with the fp64
// reference, look at gaps, tails and everything that is not a result's, and
// check what the case expects.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CASES_RUNCASE_H
#define WEFT_RUNTIME_CASES_RUNCASE_H

#include "runtime/cases/Adversity.h"
#include "runtime/cases/Device.h"
#include "runtime/cases/Oracle.h"

#include <limits>

namespace weft::cases {

struct CaseOptions {
  /// Run each pass again under each of these: the number rule again, and the
  /// same bits if the case is reproducible.
  std::vector<Adversity> poison;
  /// Whose plan runs on the second stream; null: the case's own first call, in
  /// memory of its own.
  const CaseFile *partner = nullptr;
  uint64_t seed = 0;              ///< for the device
  std::optional<int64_t> smCount; ///< for the device (`RunOptions`)
  unsigned threads = 0;           ///< of the oracle; 0: one per core
};

/// One result against the reference.
struct TensorCheck {
  TensorId id = TensorId::O;
  std::optional<Adversity> poison; ///< of a run under poison
  int64_t elements = 0, failures = 0;
  /// The largest |x - ref| / bound, infinite where an exact value is missed or
  /// x is NaN, and the element that shows it.
  double worst = 0;
  int64_t row = 0, head = 0, column = 0;
  double value = 0, reference = 0, bound = 0;

  bool passed() const { return failures == 0; }
  std::string str() const;
};

struct CallReport {
  /// Canonical, one per pass that runs; none if the case has no legal spec.
  std::vector<std::string> specs;
  std::vector<TensorCheck> tensors;
  /// What went wrong besides tensors, each a sentence.
  std::vector<std::string> failures;
  /// The error of a call that was refused; a failure unless it was expected.
  std::string error;
  double deviceSeconds = 0;

  bool passed() const;
};

struct CaseReport {
  std::vector<CallReport> calls;

  bool passed() const;
  /// One line per failure; empty if all holds.
  std::string failures() const;
};

/// Compares one result with its reference.
TensorCheck checkTensor(const HostTensor &tensor,
                        const TensorReference &reference);

/// Errors are those of the machine (no memory); what a case or a device gets
/// wrong is in the report.
llvm::Expected<CaseReport> runCase(const CaseFile &file, Device &device,
                                   const CaseOptions &options = {});

/// The specs, each once, whose plans `runCase` asks a device for; those of a
/// partner's plan not among them. Errors as of `runCase`.
llvm::Expected<std::vector<AttentionSpec>>
specsOf(const CaseFile &file, const std::vector<Adversity> &poison = {});

/// The spec of one pass of a call, its facts derived from `problem`.
AttentionSpec specOfPass(const ResolvedCall &call, PassKind pass,
                         const Problem &problem);

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_RUNCASE_H
