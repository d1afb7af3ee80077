//===- Executor.cpp - Running a launch program on a GPU -------------------===//

#include "runtime/cuda/Executor.h"

#include "runtime/cuda/Context.h"
#include "runtime/cuda/Device.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/cuda/OffsetsCheck.h"
#include "runtime/cuda/Poison.h"
#include "runtime/cuda/TensorMap.h"
#include "runtime/program/Bindings.h"

#include <limits>
#include <vector>

using namespace weft;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::SmallVector;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

struct CudaExecutor::State {
  const CudaDriver &driver;
  std::shared_ptr<const void> owner; ///< of the program's bytes
  const program::Program *program;
  mutable CudaKernels kernels;

  State(const CudaDriver &driver, std::shared_ptr<const void> owner,
        const program::Program *program)
      : driver(driver), owner(std::move(owner)), program(program),
        kernels(driver, *program) {}
};

CudaExecutor::CudaExecutor(std::unique_ptr<State> state, AttentionSpec spec)
    : state(std::move(state)), programSpec(spec) {}
CudaExecutor::~CudaExecutor() = default;

const program::Program &CudaExecutor::program() const {
  return *state->program;
}

Expected<std::unique_ptr<CudaExecutor>>
CudaExecutor::create(ArrayRef<uint8_t> bytes, const CudaDriver &driver,
                     std::shared_ptr<const void> owner) {
  static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= program::programAlignment);
  if (!owner) {
    auto copy = std::make_shared<std::vector<uint8_t>>(bytes);
    bytes = *copy;
    owner = std::move(copy);
  }
  Expected<const program::Program *> program = program::load(bytes);
  if (!program)
    return program.takeError();
  Expected<AttentionSpec> spec =
      AttentionSpec::parse((*program)->spec()->c_str());
  if (!spec)
    return error("launch program: its spec is not one this library knows: " +
                 llvm::toString(spec.takeError()));
  return std::unique_ptr<CudaExecutor>(new CudaExecutor(
      std::make_unique<State>(driver, std::move(owner), *program), *spec));
}

/// Addresses that say on which device a problem lies.
static SmallVector<const void *, 16> pointersOf(const Problem &problem) {
  return {problem.query.data, problem.key.data,    problem.value.data,
          problem.out.data,   problem.dOut.data,   problem.dQuery.data,
          problem.dKey.data,  problem.dValue.data, problem.lse.data,
          problem.workspace,  problem.q.cuSeqlens, problem.kv.cuSeqlens,
          problem.q.seqlens,  problem.kv.seqlens};
}

static Expected<CudaContextScope> enter(const CudaDriver &driver,
                                        const Problem &problem) {
  return CudaContextScope::forCall(
      driver, static_cast<CUstream>(problem.stream), pointersOf(problem));
}

namespace {
/// The sizes of one call.
struct CallSizes {
  CallSizes(const program::Program &program, const Problem &problem,
            int64_t smCount)
      : formulas(program, program::SizeValues::fromProblem(problem, smCount)) {}

  /// Chooses the variant and lays out its arena.
  Error decide(const program::Program &program);

  program::FormulaValues formulas;
  const program::Variant *variant = nullptr;
  program::Arena arena;
};

/// Workspace from the pool of a stream, given back to it in stream order.
class PoolWorkspace {
public:
  PoolWorkspace(const CudaDriver &driver, CUstream stream)
      : driver(driver), stream(stream) {}
  PoolWorkspace(const PoolWorkspace &) = delete;
  /// Only for a call that failed: its first error counts.
  ~PoolWorkspace() { llvm::consumeError(release()); }

  Error take(int64_t bytes) {
    return driver.check(driver.cuMemAllocAsync(&address, bytes, stream),
                        "taking " + Twine(bytes) +
                            " bytes of workspace from the stream's pool");
  }
  Error release() {
    CUdeviceptr taken = std::exchange(address, 0);
    if (!taken)
      return Error::success();
    return driver.check(driver.cuMemFreeAsync(taken, stream),
                        "giving workspace back to the stream's pool");
  }

  CUdeviceptr address = 0;

private:
  const CudaDriver &driver;
  CUstream stream;
};

/// One step with everything it needs, so that nothing can go wrong between two
/// launches but the launches.
struct ReadyStep {
  const program::Memset *memset = nullptr;
  const program::Launch *launch = nullptr;
  int64_t grid = 0;
  size_t firstParameter = 0; ///< of those of the call
};

/// What a thread makes of every call, in memory that it keeps: a warm call
/// allocates nothing.
struct Scratch {
  std::vector<ReadyStep> steps;
  std::vector<program::Parameter> parameters;
  std::vector<void *> addresses; ///< of the parameters of one launch

  static Scratch &get() {
    static thread_local Scratch scratch;
    scratch.steps.clear();
    scratch.parameters.clear();
    return scratch;
  }
};

/// A call whose context is current.
class Call {
public:
  Call(const CudaDriver &driver, const program::Program &program,
       const AttentionSpec &spec, const Problem &problem)
      : driver(driver), program(program), spec(spec), problem(problem),
        stream(static_cast<CUstream>(problem.stream)) {}

  Error checkWorkspace(const CallSizes &sizes) const;
  Error prepare(const CallSizes &sizes, CUdeviceptr workspace,
                Scratch &ready) const;
  Error poison(uint8_t value, CUdeviceptr workspace, int64_t bytes) const;
  Error launch(Scratch &ready, const CallSizes &sizes, CUdeviceptr workspace,
               ArrayRef<CUfunction> functions, bool mayOverlap) const;

private:
  Error launchKernel(const ReadyStep &step, Scratch &ready, CUfunction function,
                     bool mayOverlap) const;

  const CudaDriver &driver;
  const program::Program &program;
  const AttentionSpec &spec;
  const Problem &problem;
  CUstream stream;
};
} // namespace

static Expected<int64_t> multiprocessorsOf(const CudaDriver &driver,
                                           CUdevice device) {
  return cudaDeviceAttribute(driver, device,
                             CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
}

Error CallSizes::decide(const program::Program &program) {
  Expected<const program::Variant *> chosen =
      program::selectVariant(program, formulas);
  if (!chosen)
    return chosen.takeError();
  variant = *chosen;
  Expected<program::Arena> laidOut = program::layOutArena(*variant, formulas);
  if (!laidOut)
    return laidOut.takeError();
  arena = std::move(*laidOut);
  return Error::success();
}

Error Call::checkWorkspace(const CallSizes &sizes) const {
  if (!problem.workspace || sizes.arena.bytes == 0)
    return Error::success();
  if (problem.workspaceBytes < sizes.arena.bytes)
    return error("the workspace has " + Twine(problem.workspaceBytes) +
                 " bytes, this call needs " + Twine(sizes.arena.bytes) +
                 "; give that many, or none (null) to take it from the "
                 "stream's pool");
  if (reinterpret_cast<uintptr_t>(problem.workspace) % program::arenaAlignment)
    return error("the workspace's address is not a multiple of " +
                 Twine(program::arenaAlignment) + "; align it");
  return Error::success();
}

Error Call::prepare(const CallSizes &sizes, CUdeviceptr workspace,
                    Scratch &ready) const {
  auto encode = [&](const program::TensorMapRecipe &recipe,
                    uint8_t *bytes) -> Error {
    // The driver wants the address aligned, which a Parameter is.
    return encodeTensorMap(driver, recipe, problem, spec,
                           *reinterpret_cast<CUtensorMap *>(bytes));
  };
  program::CallValues values{program,     problem,   sizes.formulas,
                             sizes.arena, workspace, encode};
  if (!sizes.variant->steps())
    return Error::success();
  for (const program::Step *step : *sizes.variant->steps()) {
    if (const program::Memset *memset = step->action_as_Memset()) {
      int64_t bytes = sizes.arena.buffers[memset->buffer()].bytes;
      if (bytes % 4)
        return error("launch program: a memset of " + Twine(bytes) +
                     " bytes; it fills 32-bit words");
      if (bytes > 0)
        ready.steps.push_back({memset, nullptr, 0, 0});
      continue;
    }
    const program::Launch *launch = step->action_as_Launch();
    const program::Kernel &kernel = *program.kernels()->Get(launch->kernel());
    const char *name = kernel.name()->c_str();
    Expected<int64_t> grid = sizes.formulas[launch->grid()];
    if (!grid)
      return grid.takeError();
    if (*grid == 0)
      continue;
    if (*grid < 0 || *grid > std::numeric_limits<int32_t>::max())
      return error("kernel \"" + Twine(name) + "\" needs a grid of " +
                   Twine(*grid) +
                   " CTAs; a GPU takes up to 2147483647, split the problem "
                   "over batch or heads");
    if (*grid % kernel.cluster())
      return error("launch program: the grid of kernel \"" + Twine(name) +
                   "\", " + Twine(*grid) +
                   ", is not a multiple of its cluster, " +
                   Twine(kernel.cluster()));
    ready.steps.push_back({nullptr, launch, *grid, ready.parameters.size()});
    if (Error e =
            program::addLaunchParameters(*launch, values, ready.parameters))
      return e;
  }
  return Error::success();
}

Error Call::poison(uint8_t value, CUdeviceptr workspace, int64_t bytes) const {
  if (bytes > 0)
    if (Error e = driver.check(
            driver.cuMemsetD8Async(workspace, value, bytes, stream),
            "poisoning the workspace"))
      return e;
  return poisonResults(driver, problem, spec, value, stream);
}

Error Call::launchKernel(const ReadyStep &step, Scratch &ready,
                         CUfunction function, bool mayOverlap) const {
  const program::Kernel &kernel =
      *program.kernels()->Get(step.launch->kernel());
  ready.addresses.clear();
  size_t count = step.launch->args() ? step.launch->args()->size() : 0;
  for (size_t i = 0; i < count; ++i)
    ready.addresses.push_back(
        ready.parameters[step.firstParameter + i].bytes.data());

  CUlaunchAttribute attributes[2] = {};
  CUlaunchConfig config = {};
  config.gridDimX = step.grid;
  config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = kernel.threads();
  config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = kernel.shared_bytes();
  config.hStream = stream;
  config.attrs = attributes;
  if (kernel.cluster() > 1) {
    CUlaunchAttribute &cluster = attributes[config.numAttrs++];
    cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
    cluster.value.clusterDim.x = kernel.cluster();
    cluster.value.clusterDim.y = cluster.value.clusterDim.z = 1;
  }
  if (step.launch->early() && mayOverlap) {
    CUlaunchAttribute &early = attributes[config.numAttrs++];
    early.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
    early.value.programmaticStreamSerializationAllowed = 1;
  }
  return driver.check(driver.cuLaunchKernelEx(&config, function,
                                              ready.addresses.data(), nullptr),
                      "launching kernel \"" + Twine(kernel.name()->c_str()) +
                          "\" (" + Twine(step.grid) + " CTAs of " +
                          Twine(kernel.threads()) + " threads and " +
                          Twine(kernel.shared_bytes()) +
                          " bytes of shared memory)");
}

Error Call::launch(Scratch &ready, const CallSizes &sizes,
                   CUdeviceptr workspace, ArrayRef<CUfunction> functions,
                   bool mayOverlap) const {
  for (const ReadyStep &step : ready.steps) {
    if (step.launch) {
      if (Error e = launchKernel(step, ready, functions[step.launch->kernel()],
                                 mayOverlap))
        return e;
      continue;
    }
    int32_t index = step.memset->buffer();
    const program::Arena::Buffer &buffer = sizes.arena.buffers[index];
    if (Error e = driver.check(
            driver.cuMemsetD32Async(workspace + buffer.offset,
                                    step.memset->value(), buffer.bytes / 4,
                                    stream),
            "filling workspace buffer " +
                Twine(sizes.variant->buffers()->Get(index)->name()->c_str())))
      return e;
  }
  return Error::success();
}

Error CudaExecutor::run(const Problem &problem,
                        const CudaRunOptions &options) const {
  const CudaDriver &driver = state->driver;
  if (Error e = checkProblem(problem, programSpec))
    return e;
  Expected<CudaContextScope> scope = enter(driver, problem);
  if (!scope)
    return scope.takeError();
  Call call(driver, *state->program, programSpec, problem);
  Expected<int64_t> smCount = options.smCount
                                  ? Expected<int64_t>(*options.smCount)
                                  : multiprocessorsOf(driver, scope->device());
  if (!smCount)
    return smCount.takeError();
  CallSizes sizes(*state->program, problem, *smCount);
  if (Error e = sizes.decide(*state->program))
    return e;
  if (Error e = call.checkWorkspace(sizes))
    return e;
  Expected<ArrayRef<CUfunction>> functions = state->kernels.load(*scope);
  if (!functions)
    return functions.takeError();
  // Programmatic launches exist since compute capability 9.0.
  Expected<int64_t> major = cudaDeviceAttribute(
      driver, scope->device(), CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  if (!major)
    return major.takeError();
  if (options.checkOffsets)
    if (Error e = checkDeviceOffsets(driver, problem, programSpec))
      return e;

  PoolWorkspace pool(driver, static_cast<CUstream>(problem.stream));
  CUdeviceptr workspace = reinterpret_cast<CUdeviceptr>(problem.workspace);
  if (sizes.arena.bytes > 0 && !workspace) {
    if (Error e = pool.take(sizes.arena.bytes))
      return e;
    workspace = pool.address;
  }
  Scratch &ready = Scratch::get();
  if (Error e = call.prepare(sizes, workspace, ready))
    return e;
  if (options.poison)
    if (Error e = call.poison(*options.poison, workspace, sizes.arena.bytes))
      return e;
  if (Error e = call.launch(ready, sizes, workspace, *functions,
                            /*mayOverlap=*/*major >= 9))
    return e;
  return pool.release();
}

Expected<int64_t> CudaExecutor::workspaceBytes(const Problem &problem) const {
  Expected<CudaContextScope> scope = enter(state->driver, problem);
  if (!scope)
    return scope.takeError();
  Expected<int64_t> smCount = multiprocessorsOf(state->driver, scope->device());
  if (!smCount)
    return smCount.takeError();
  CallSizes sizes(*state->program, problem, *smCount);
  if (Error e = sizes.decide(*state->program))
    return e;
  return sizes.arena.bytes;
}
