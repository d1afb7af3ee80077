//===- CaseDevice.cpp - Running cases on a GPU ----------------------------===//

#include "runtime/cuda/CaseDevice.h"

#include "runtime/cuda/Context.h"
#include "runtime/cuda/Executor.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <array>
#include <mutex>

using namespace weft;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {

/// One allocation on the GPU for each of the host's, copied both ways.
class Mirror {
public:
  Mirror(const CudaDriver &driver) : driver(driver) {}
  Mirror(const Mirror &) = delete;
  /// A context is current.
  ~Mirror() { llvm::consumeError(release()); }

  Error copyIn(ArrayRef<cases::Allocation> memory, CUstream stream);
  Error copyOut(CUstream stream);

  /// Moves a pointer into the host's allocations to the GPU's.
  template <typename T> Error move(T *&pointer) const {
    if (!pointer)
      return Error::success();
    Expected<CUdeviceptr> moved = find(reinterpret_cast<uintptr_t>(pointer));
    if (!moved)
      return moved.takeError();
    pointer = reinterpret_cast<T *>(*moved);
    return Error::success();
  }

private:
  struct Pair {
    cases::Allocation host;
    CUdeviceptr device = 0;
  };

  Expected<CUdeviceptr> find(uintptr_t pointer) const;
  Error release();

  const CudaDriver &driver;
  std::vector<Pair> pairs;
};

class CudaCaseDevice : public cases::Device {
public:
  CudaCaseDevice(const CudaDriver &driver, CudaDeviceInfo info, CUdevice device,
                 CaseProgramSource source)
      : driver(driver), info(std::move(info)), device(device),
        source(std::move(source)) {}
  ~CudaCaseDevice() override;

  Error open();

  llvm::StringRef name() const override { return "cuda"; }
  Expected<int64_t> workspaceBytes(const AttentionSpec &spec,
                                   const Problem &problem,
                                   const cases::RunOptions &options) override;
  Error run(const AttentionSpec &spec, const Problem &problem,
            ArrayRef<cases::Allocation> memory,
            const cases::RunOptions &options) override;
  Error runTogether(const Job &a, const Job &b, int rounds) override;
  cases::CompiledFor compiledFor() const override {
    return {source.target, info.smCount};
  }

private:
  /// A stream with memory of its own.
  struct Lane {
    CUstream stream = nullptr;
    std::unique_ptr<Mirror> mirror;
  };
  /// What one run takes: the second for what runs beside the first.
  using Lanes = std::array<Lane, 2>;
  /// Those of a run that is over, or new ones.
  Expected<std::unique_ptr<Lanes>> takeLanes();
  void giveBack(std::unique_ptr<Lanes> lanes);

  /// What runs a spec, once somebody has asked for it. Those who ask for the
  /// same wait for the first.
  struct Slot {
    std::mutex mutex;
    std::unique_ptr<CudaExecutor> executor;
  };
  Expected<const CudaExecutor *> executorFor(const AttentionSpec &spec);
  /// Copies a job's memory to the GPU, checks the problem and gives what runs
  /// it.
  struct Ready {
    const CudaExecutor *executor = nullptr;
    Problem problem; ///< pointers are the GPU's
    CudaRunOptions options;
  };
  Expected<Ready> makeReady(Lane &lane, const Job &job);
  Error runOn(llvm::MutableArrayRef<Lane> lanes, ArrayRef<Job> jobs,
              int rounds);
  Error runJobs(ArrayRef<Job> jobs, int rounds);

  const CudaDriver &driver;
  CudaDeviceInfo info;
  CUdevice device;
  CaseProgramSource source;
  CUcontext primary = nullptr; ///< held, so that memory lives between calls
  std::mutex mutex;            ///< of all below
  std::vector<std::unique_ptr<Lanes>> idle;
  llvm::StringMap<Slot> slots;
};

} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Error Mirror::release() {
  Error failed = Error::success();
  for (Pair &pair : pairs)
    failed = llvm::joinErrors(
        std::move(failed),
        driver.check(driver.cuMemFree(pair.device), "freeing GPU memory"));
  pairs.clear();
  return failed;
}

Error Mirror::copyIn(ArrayRef<cases::Allocation> memory, CUstream stream) {
  bool same = llvm::equal(
      pairs, memory, [](const Pair &pair, const cases::Allocation &host) {
        return pair.host.data == host.data && pair.host.bytes == host.bytes;
      });
  if (!same) {
    if (Error e = release())
      return e;
    for (const cases::Allocation &host : memory) {
      Pair pair{host, 0};
      if (Error e = driver.check(driver.cuMemAlloc(&pair.device, host.bytes),
                                 "taking " + Twine(host.bytes) +
                                     " bytes of GPU memory for " + host.name))
        return e;
      pairs.push_back(pair);
    }
  }
  for (const Pair &pair : pairs)
    if (Error e = driver.check(
            driver.cuMemcpyAsync(pair.device,
                                 reinterpret_cast<CUdeviceptr>(pair.host.data),
                                 pair.host.bytes, stream),
            "copying " + pair.host.name + " to the GPU"))
      return e;
  return Error::success();
}

Error Mirror::copyOut(CUstream stream) {
  for (const Pair &pair : pairs)
    if (Error e = driver.check(
            driver.cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(pair.host.data),
                                 pair.device, pair.host.bytes, stream),
            "copying " + pair.host.name + " from the GPU"))
      return e;
  return driver.check(driver.cuStreamSynchronize(stream),
                      "waiting for the GPU to finish the case");
}

Expected<CUdeviceptr> Mirror::find(uintptr_t pointer) const {
  // Where one allocation ends another may begin: that one comes first.
  for (bool end : {false, true})
    for (const Pair &pair : pairs) {
      uintptr_t offset = pointer - reinterpret_cast<uintptr_t>(pair.host.data);
      if (offset < uintptr_t(pair.host.bytes) ||
          (end && offset == uintptr_t(pair.host.bytes)))
        return pair.device + offset;
    }
  return error("a pointer of the problem is in none of the case's allocations");
}

static Error movePointers(Problem &problem, const Mirror &mirror) {
  for (TensorView *view : {&problem.query, &problem.key, &problem.value,
                           &problem.out, &problem.lse, &problem.dOut,
                           &problem.dQuery, &problem.dKey, &problem.dValue})
    if (Error e = mirror.move(view->data))
      return e;
  for (SideSizes *side : {&problem.q, &problem.kv})
    for (const int32_t **list :
         {&side->cuSeqlens, &side->cuSeqlensPadded, &side->seqlens})
      if (Error e = mirror.move(*list))
        return e;
  return mirror.move(problem.workspace);
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<cases::Device>>
weft::makeCudaCaseDevice(const CudaDriver &driver, int ordinal,
                         CaseProgramSource source) {
  Expected<CudaDeviceInfo> info = cudaDeviceInfo(driver, ordinal);
  if (!info)
    return info.takeError();
  CUdevice device = 0;
  if (Error e = driver.check(driver.cuDeviceGet(&device, ordinal),
                             "opening CUDA device " + Twine(ordinal)))
    return e;
  auto made = std::make_unique<CudaCaseDevice>(driver, std::move(*info), device,
                                               std::move(source));
  if (Error e = made->open())
    return e;
  return made;
}

Error CudaCaseDevice::open() {
  if (Error e = driver.check(driver.cuDevicePrimaryCtxRetain(&primary, device),
                             "opening the primary context of " + info.name))
    return e;
  return Error::success();
}

Expected<std::unique_ptr<CudaCaseDevice::Lanes>> CudaCaseDevice::takeLanes() {
  {
    std::lock_guard lock(mutex);
    if (!idle.empty()) {
      std::unique_ptr<Lanes> lanes = std::move(idle.back());
      idle.pop_back();
      return lanes;
    }
  }
  Expected<CudaContextScope> scope =
      CudaContextScope::forDevice(driver, device);
  if (!scope)
    return scope.takeError();
  auto lanes = std::make_unique<Lanes>();
  for (Lane &lane : *lanes) {
    lane.mirror = std::make_unique<Mirror>(driver);
    if (Error e = driver.check(
            driver.cuStreamCreate(&lane.stream, CU_STREAM_NON_BLOCKING),
            "making a stream on " + info.name)) {
      giveBack(std::move(lanes)); // the streams made so far go with the device
      return e;
    }
  }
  return lanes;
}

void CudaCaseDevice::giveBack(std::unique_ptr<Lanes> lanes) {
  std::lock_guard lock(mutex);
  idle.push_back(std::move(lanes));
}

CudaCaseDevice::~CudaCaseDevice() {
  if (!primary)
    return;
  Expected<CudaContextScope> scope =
      CudaContextScope::forDevice(driver, device);
  if (scope) {
    slots.clear();
    for (std::unique_ptr<Lanes> &lanes : idle)
      for (Lane &lane : *lanes) {
        lane.mirror.reset();
        if (lane.stream)
          (void)driver.cuStreamDestroy(lane.stream);
      }
  } else {
    llvm::consumeError(scope.takeError());
  }
  (void)driver.cuDevicePrimaryCtxRelease(device);
}

Expected<const CudaExecutor *>
CudaCaseDevice::executorFor(const AttentionSpec &spec) {
  Slot *slot;
  {
    std::lock_guard lock(mutex);
    slot = &slots[spec.str()];
  }
  std::lock_guard lock(slot->mutex);
  if (!slot->executor) {
    Expected<std::vector<uint8_t>> bytes = source.program(spec, info);
    if (!bytes)
      return bytes.takeError();
    Expected<std::unique_ptr<CudaExecutor>> made =
        CudaExecutor::create(*bytes, driver);
    if (!made)
      return made.takeError();
    slot->executor = std::move(*made);
  }
  return slot->executor.get();
}

Expected<int64_t>
CudaCaseDevice::workspaceBytes(const AttentionSpec &spec,
                               const Problem &problem,
                               const cases::RunOptions &options) {
  Expected<const CudaExecutor *> executor = executorFor(spec);
  if (!executor)
    return executor.takeError();
  return program::workspaceBytes(
      (*executor)->program(),
      program::SizeValues::fromProblem(problem,
                                       options.smCount.value_or(info.smCount)));
}

Expected<CudaCaseDevice::Ready> CudaCaseDevice::makeReady(Lane &lane,
                                                          const Job &job) {
  // Before the compiler is asked for anything.
  if (Error e = checkProblem(job.problem, job.spec))
    return e;
  Expected<const CudaExecutor *> executor = executorFor(job.spec);
  if (!executor)
    return executor.takeError();
  Ready ready{*executor, job.problem, {}};
  ready.problem.stream = lane.stream;
  ready.options.smCount = job.options.smCount;
  ready.options.poison = job.options.poison;
  Expected<CudaContextScope> scope =
      CudaContextScope::forDevice(driver, device);
  if (!scope)
    return scope.takeError();
  if (Error e = lane.mirror->copyIn(job.memory, lane.stream))
    return e;
  if (Error e = movePointers(ready.problem, *lane.mirror))
    return e;
  return ready;
}

Error CudaCaseDevice::runOn(llvm::MutableArrayRef<Lane> lanes,
                            ArrayRef<Job> jobs, int rounds) {
  std::vector<Ready> ready;
  for (auto [lane, job] : llvm::zip_equal(lanes, jobs)) {
    Expected<Ready> made = makeReady(lane, job);
    if (!made)
      return made.takeError();
    ready.push_back(std::move(*made));
  }
  // As a caller without a current context.
  for (int round = 0; round < rounds; ++round)
    for (const Ready &each : ready)
      if (Error e = each.executor->run(each.problem, each.options))
        return e;
  Expected<CudaContextScope> scope =
      CudaContextScope::forDevice(driver, device);
  if (!scope)
    return scope.takeError();
  for (Lane &lane : lanes)
    if (Error e = lane.mirror->copyOut(lane.stream))
      return e;
  return Error::success();
}

Error CudaCaseDevice::runJobs(ArrayRef<Job> jobs, int rounds) {
  Expected<std::unique_ptr<Lanes>> lanes = takeLanes();
  if (!lanes)
    return lanes.takeError();
  Error error =
      runOn(llvm::MutableArrayRef<Lane>(**lanes).take_front(jobs.size()), jobs,
            rounds);
  giveBack(std::move(*lanes));
  return error;
}

Error CudaCaseDevice::run(const AttentionSpec &spec, const Problem &problem,
                          ArrayRef<cases::Allocation> memory,
                          const cases::RunOptions &options) {
  return runJobs(Job{spec, problem, memory, options}, /*rounds=*/1);
}

Error CudaCaseDevice::runTogether(const Job &a, const Job &b, int rounds) {
  return runJobs({a, b}, rounds);
}
