//===- ReferenceDevice.cpp - Cases on the CPU -----------------------------===//

#include "tools/weft-run/Devices.h"

#include "compiler/Pipeline.h"
#include "compiler/attn/FromSpec.h"
#include "runtime/reference/ReferenceExecutor.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"

#include <mutex>
#include <thread>

using namespace weft;
using llvm::Error;
using llvm::Expected;

namespace {
using reference::ReferenceExecutor;
using reference::ReferenceOptions;

class ReferenceDevice : public cases::Device {
public:
  ReferenceDevice(const Target &target, std::optional<int64_t> residentCtas)
      : target(target), residentCtas(residentCtas) {}

  llvm::StringRef name() const override { return "reference"; }
  Expected<int64_t> workspaceBytes(const AttentionSpec &spec,
                                   const Problem &problem,
                                   const cases::RunOptions &options) override;
  Error run(const AttentionSpec &spec, const Problem &problem,
            llvm::ArrayRef<cases::Allocation> memory,
            const cases::RunOptions &options) override;
  Error runTogether(const Job &a, const Job &b, int rounds) override;
  cases::CompiledFor compiledFor() const override {
    return {target.name.str(), ReferenceOptions().smCount};
  }
  std::map<std::string, int64_t> variantsRun() const override {
    std::lock_guard lock(mutex);
    return variantRuns;
  }

private:
  using Shared = std::shared_ptr<const ReferenceExecutor>;
  Expected<Shared> executorFor(const AttentionSpec &spec);
  ReferenceOptions optionsOf(const cases::RunOptions &options) const;

  const Target &target;
  std::optional<int64_t> residentCtas;
  mutable std::mutex mutex; ///< of all below
  llvm::StringMap<Shared> executors;
  std::map<std::string, int64_t> variantRuns;
};
} // namespace

/// Lowers `spec` to the tile stage, where plan and bodies can be run.
static Expected<std::unique_ptr<ReferenceExecutor>>
compileForCpu(const AttentionSpec &spec, const Target &target) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        llvm::raw_string_ostream(complaint) << diagnostic << "\n";
        return mlir::success();
      });
  mlir::OwningOpRef<mlir::ModuleOp> module =
      buildAttnModule(context, spec, target);
  mlir::PassManager passes(&context);
  buildStep(passes, Stage::Plan);
  buildStep(passes, Stage::Tile);
  if (!module || mlir::failed(passes.run(*module)))
    return llvm::createStringError("cannot compile '" + spec.str() +
                                   "': " + complaint);
  return ReferenceExecutor::create(*module);
}

Expected<ReferenceDevice::Shared>
ReferenceDevice::executorFor(const AttentionSpec &spec) {
  std::string key = spec.str();
  {
    std::lock_guard lock(mutex);
    if (auto it = executors.find(key); it != executors.end())
      return it->second;
  }
  // Two threads may compile the same spec; one of the results is kept.
  Expected<std::unique_ptr<ReferenceExecutor>> made =
      compileForCpu(spec, target);
  if (!made)
    return made.takeError();
  std::lock_guard lock(mutex);
  for (const std::string &variant : (*made)->variants())
    variantRuns.try_emplace(variant, 0);
  return executors.try_emplace(key, std::move(*made)).first->second;
}

ReferenceOptions
ReferenceDevice::optionsOf(const cases::RunOptions &options) const {
  static constexpr int64_t residents[] = {7, 1, 2, 0};
  ReferenceOptions run;
  run.seed = options.seed;
  run.residentCtas = residentCtas.value_or(residents[options.seed % 4]);
  if (options.smCount)
    run.smCount = *options.smCount;
  run.poison = options.poison;
  return run;
}

Expected<int64_t>
ReferenceDevice::workspaceBytes(const AttentionSpec &spec,
                                const Problem &problem,
                                const cases::RunOptions &options) {
  Expected<Shared> executor = executorFor(spec);
  if (!executor)
    return executor.takeError();
  return (*executor)->workspaceBytes(problem, optionsOf(options));
}

Error ReferenceDevice::run(const AttentionSpec &spec, const Problem &problem,
                           llvm::ArrayRef<cases::Allocation> memory,
                           const cases::RunOptions &options) {
  if (Error e = checkProblem(problem, spec))
    return e;
  Expected<Shared> executor = executorFor(spec);
  if (!executor)
    return executor.takeError();
  ReferenceOptions run = optionsOf(options);
  Expected<std::string> variant = (*executor)->variantOf(problem, run);
  if (!variant)
    return variant.takeError();
  {
    std::lock_guard lock(mutex);
    ++variantRuns[*variant];
  }
  return (*executor)->run(problem, run);
}

Error ReferenceDevice::runTogether(const Job &a, const Job &b, int rounds) {
  auto repeat = [&](const Job &job) -> Error {
    for (int round = 0; round < rounds; ++round)
      if (Error e = run(job.spec, job.problem, job.memory, job.options))
        return e;
    return Error::success();
  };
  std::string failure;
  std::thread other([&] {
    if (Error e = repeat(b))
      failure = llvm::toString(std::move(e));
  });
  Error error = repeat(a);
  other.join();
  if (failure.empty())
    return error;
  return llvm::joinErrors(
      std::move(error),
      llvm::createStringError(llvm::inconvertibleErrorCode(), failure));
}

Expected<std::unique_ptr<cases::Device>>
weft::createReferenceDevice(const DeviceOptions &options) {
  Expected<const Target *> target = targetByName(options.target);
  if (!target)
    return target.takeError();
  return std::make_unique<ReferenceDevice>(**target, options.residentCtas);
}
