//===- PlanStore.h - The programs of a context ------------------*- C++ -*-===//
//
// What a context's plans share and keep alive: packs, the compiler if there is
// one, and the programs on their devices.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_API_PLANSTORE_H
#define WEFT_RUNTIME_API_PLANSTORE_H

#include "runtime/api/PlanCompiler.h"
#include "runtime/cuda/Executor.h"
#include "runtime/pack/Pack.h"
#include "runtime/pack/Recorder.h"
#include "runtime/support/ForkHooks.h"

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace weft {

class PlanStore;

/// One program, and what runs it: one for all plans of a spec and target. As
/// old as the context, since work that it launched may outlive a plan.
class PlanProgram : public std::enable_shared_from_this<PlanProgram> {
public:
  PlanProgram(PlanStore &store, AttentionSpec spec, std::string target,
              SharedProgram program)
      : spec(std::move(spec)), target(std::move(target)), store(store),
        program(std::move(program)) {}

  /// Kernels that the driver does not take are dropped and compiled once more,
  /// where there is a compiler.
  llvm::Error run(const Problem &problem, const CudaRunOptions &options);
  llvm::Expected<int64_t> workspaceBytes(const Problem &problem);

  const AttentionSpec spec; ///< canonical
  const std::string target;

private:
  /// Made when first needed: a plan can be compiled where there is no driver.
  llvm::Expected<const CudaExecutor *> executor();
  llvm::Expected<const CudaExecutor *> makeExecutor();
  /// After `rejected`'s kernels were: success if another may be tried.
  llvm::Error replace(const CudaExecutor *rejected, llvm::Error why);

  PlanStore &store;
  std::atomic<const CudaExecutor *> current = nullptr;
  std::mutex mutex; ///< of all below
  SharedProgram program;
  bool compiledAgain = false;
  std::vector<std::unique_ptr<CudaExecutor>> executors; ///< the current last
};

class PlanStore {
public:
  using Warn = std::function<void(llvm::StringRef)>;

  /// `compiler` may be null. `compiles`: it may make programs, and not only
  /// explain them.
  PlanStore(std::unique_ptr<PlanCompiler> compiler, bool compiles,
            bool usesPacks, Warn warn)
      : compiler(std::move(compiler)), compiles(this->compiler && compiles),
        usesPacks(usesPacks), warnings(std::move(warn)),
        recorder(environmentRecorder()) {}

  /// Later packs are asked first.
  llvm::Error loadPack(llvm::StringRef path);

  /// The program of `spec` for `target`: of a pack, else of the compiler.
  llvm::Expected<PlanProgram *> get(const AttentionSpec &spec,
                                    llvm::StringRef target);

  llvm::Expected<std::string> explain(const PlanProgram &program);

  void warn(const llvm::Twine &message) const;

private:
  friend class PlanProgram;
  llvm::Expected<SharedProgram> find(const AttentionSpec &spec,
                                     llvm::StringRef target);
  /// Plans that are given these bytes later are plans of `program`.
  void remember(llvm::ArrayRef<uint8_t> bytes,
                std::shared_ptr<PlanProgram> program);

  const std::unique_ptr<PlanCompiler> compiler;
  const bool compiles, usesPacks;
  const Warn warnings;
  const std::unique_ptr<Recorder> recorder; ///< null: nobody asked
  std::mutex mutex;                         ///< of all below
  std::vector<std::shared_ptr<const Pack>> packs;
  /// By the address of their bytes, which they keep, replaced ones too.
  std::map<const uint8_t *, std::shared_ptr<PlanProgram>> programs;
  const ForkHooks forkHooks{[this] { mutex.lock(); },
                            [this] { mutex.unlock(); },
                            [this] { mutex.unlock(); }};
};

} // namespace weft

#endif // WEFT_RUNTIME_API_PLANSTORE_H
