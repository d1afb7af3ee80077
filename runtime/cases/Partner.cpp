//===- Partner.cpp - Another plan that runs beside a case's ---------------===//

#include "runtime/cases/Partner.h"

#include "runtime/cases/RunCase.h"

using namespace weft;
using namespace weft::cases;
using llvm::Error;
using llvm::Expected;

Error Partner::run(PassKind pass, Device &device) {
  problem = memory->problem(*call, pass);
  spec = specOfPass(*call, pass, problem);
  return device.run(spec, problem, memory->allocations(), options);
}

Expected<std::unique_ptr<Partner>> Partner::create(const CaseFile &file,
                                                   Device &device,
                                                   const RunOptions &options,
                                                   unsigned oracleThreads) {
  std::unique_ptr<Partner> partner(new Partner(file, options));
  Expected<ResolvedCall> call = resolveCall(file, 0);
  if (!call)
    return call.takeError();
  partner->call = std::move(*call);
  Expected<CaseMemory> memory = CaseMemory::create(file, {&*partner->call});
  if (!memory)
    return memory.takeError();
  partner->memory = std::move(*memory);
  int64_t most = 0;
  for (PassKind pass : {PassKind::Forward, PassKind::Backward}) {
    if (pass == PassKind::Forward ? !file.runsForward() : !file.isBackward())
      continue;
    Problem problem = partner->memory->problem(*partner->call, pass);
    Expected<int64_t> bytes = device.workspaceBytes(
        specOfPass(*partner->call, pass, problem), problem, options);
    if (!bytes)
      return bytes.takeError();
    most = std::max(most, *bytes);
  }
  if (Error e = partner->memory->reserveWorkspace(most))
    return e;
  partner->memory->drawInputs(*partner->call);
  partner->reference =
      computeReference(file, *partner->call, *partner->memory, oracleThreads);
  if (file.runsForward())
    if (Error e = partner->run(PassKind::Forward, device))
      return e;
  if (file.isBackward()) {
    if (file.runsForward())
      partner->memory->fillForwardGaps(*partner->call);
    if (Error e = partner->run(PassKind::Backward, device))
      return e;
  }
  for (TensorId id : resultsOf(file.pass))
    partner->alone[id] = partner->memory->tensor(*partner->call, id).bits();
  return partner;
}

Device::Job Partner::job() {
  return {spec, problem, memory->allocations(), options};
}

std::string Partner::complaint() const {
  for (const auto &[id, bits] : alone) {
    HostTensor tensor = memory->tensor(*call, id);
    TensorCheck check = checkTensor(tensor, reference[id]);
    if (!check.passed())
      return check.str();
    if (file.isReproducible() && tensor.bits() != bits)
      return nameOf(id).str() + " has other bits than alone";
  }
  return {};
}
