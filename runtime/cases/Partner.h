//===- Partner.h - Another plan that runs beside a case's -------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CASES_PARTNER_H
#define WEFT_RUNTIME_CASES_PARTNER_H

#include "runtime/cases/Device.h"
#include "runtime/cases/Oracle.h"

namespace weft::cases {

/// The last pass of the first call of a case, in memory of its own, with the
/// results that it gives when it runs alone.
class Partner {
public:
  /// Runs it alone. `file` must outlive the partner.
  static llvm::Expected<std::unique_ptr<Partner>>
  create(const CaseFile &file, Device &device, const RunOptions &options,
         unsigned oracleThreads);

  /// What to run beside the case.
  Device::Job job();
  /// What is wrong with the results of a run; empty if nothing is.
  std::string complaint() const;

private:
  Partner(const CaseFile &file, const RunOptions &options)
      : file(file), options(options) {}
  llvm::Error run(PassKind pass, Device &device);

  const CaseFile &file;
  RunOptions options;
  std::optional<ResolvedCall> call;
  std::optional<CaseMemory> memory;
  Reference reference;
  AttentionSpec spec;
  Problem problem;
  std::map<TensorId, std::vector<char>> alone; ///< bits of the results
};

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_PARTNER_H
