//===- HostPath.cpp - What weft costs on the host -------------------------===//
//
// Runs on the machine's GPU; without one on a driver that does nothing, which
// leaves what weft itself costs. WEFT_LIBCUDA=lib/libweftNullDriver.so asks for
// that where there is a GPU. --short takes a few seconds: less time for each,
// and fewer cold plans.
//
//===----------------------------------------------------------------------===//

#include "tests/benchmarks/Device.h"

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

using namespace weft;
using namespace weft::bench;

static Context makeContext(const char *folder) {
  weft_context_options options = {};
  options.struct_size = sizeof options;
  options.cache_directory = folder;
  return *Context::create(&options);
}

// A plan of `spec`, or an error told to the benchmark.
static std::unique_ptr<Plan> makePlan(const Context &context,
                                      const std::string &spec,
                                      benchmark::State &state) {
  auto plan = context.plan(spec, "cuda:0");
  if (!plan) {
    state.SkipWithError(plan.status().message.c_str());
    return nullptr;
  }
  return std::make_unique<Plan>(*std::move(plan));
}

//===----------------------------------------------------------------------===//
// A plan that is held
//===----------------------------------------------------------------------===//

static void warmRun(benchmark::State &state, const char *pass, bool packed,
                    bool interleaved) {
  static const Context context = makeContext(cacheFolder().c_str());
  Sample sample(pass, packed, interleaved);
  auto plan = makePlan(context, sample.spec, state);
  if (!plan)
    return;
  auto bytes = plan->workspaceBytes(sample.problem);
  if (bytes && *bytes) {
    sample.problem.workspace = Device::get().memory(*bytes);
    sample.problem.workspace_bytes = *bytes;
  }
  int queued = 0;
  for (auto _ : state) {
    if (!plan->run(sample.problem))
      state.SkipWithError(weft_last_error());
    // A full queue would make the call wait for the GPU.
    if (!Device::get().isNull() && ++queued % 64 == 0) {
      state.PauseTiming();
      Device::get().wait(sample.problem.stream);
      state.ResumeTiming();
    }
  }
}
BENCHMARK_CAPTURE(warmRun, forward_packed, "forward", true, false);
BENCHMARK_CAPTURE(warmRun, forward_batch, "forward", false, false);
BENCHMARK_CAPTURE(warmRun, forward_interleaved, "forward", false, true);
BENCHMARK_CAPTURE(warmRun, backward_packed, "backward", true, false);
BENCHMARK_CAPTURE(warmRun, backward_interleaved, "backward", false, true);
BENCHMARK_CAPTURE(warmRun, forward_packed_threads, "forward", true, false)
    ->ThreadRange(2, 8)
    ->UseRealTime();

//===----------------------------------------------------------------------===//
// A plan to get
//===----------------------------------------------------------------------===//

static void planInMemory(benchmark::State &state) {
  Sample sample("forward", true);
  Context context = makeContext(cacheFolder().c_str());
  for (auto _ : state)
    if (!makePlan(context, sample.spec, state))
      return;
}
BENCHMARK(planInMemory)->Unit(benchmark::kMicrosecond);

// From the first call to the launch, as a new process has it but for the
// opening of the driver.
static void planOnDisk(benchmark::State &state, const char *pass) {
  Sample sample(pass, true);
  {
    Context first = makeContext(cacheFolder().c_str());
    if (!makePlan(first, sample.spec, state))
      return;
  }
  for (auto _ : state) {
    Context context = makeContext(cacheFolder().c_str());
    auto plan = makePlan(context, sample.spec, state);
    if (!plan)
      return;
    if (!plan->run(sample.problem))
      state.SkipWithError(weft_last_error());
    state.PauseTiming();
    Device::get().wait(sample.problem.stream);
    // What is loaded goes with its context, outside of the time.
    plan.reset();
    { Context gone = std::move(context); }
    state.ResumeTiming();
  }
}
BENCHMARK_CAPTURE(planOnDisk, forward, "forward")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(planOnDisk, backward, "backward")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// So many specs, all cold, by that many threads that take one after another.
static void coldPlans(benchmark::State &state) {
  int64_t specs = state.range(0);
  for (auto _ : state) {
    Context context = makeContext("");
    std::atomic<int> next = 0;
    std::mutex mutex;
    std::string message; // of a plan that failed
    std::vector<std::thread> threads;
    for (int t = 0; t < state.range(1); ++t)
      threads.emplace_back([&] {
        for (int i; (i = next++) < specs;) {
          std::string spec =
              std::string("forward ") + (i % 2 ? "bf16" : "f16") +
              " layout=thd head_dim=" + std::to_string(8 * (i / 2 + 1));
          auto plan = context.plan(spec, "sm_90a");
          if (plan)
            continue;
          std::lock_guard lock(mutex);
          message = plan.status().message;
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    if (!message.empty())
      state.SkipWithError(message.c_str());
  }
  state.counters["plans"] =
      benchmark::Counter(specs, benchmark::Counter::kIsIterationInvariantRate);
}

static void registerColdPlans(int64_t specs,
                              const std::vector<int64_t> &threads) {
  auto *plans = benchmark::RegisterBenchmark("coldPlans", coldPlans)
                    ->ArgNames({"specs", "threads"})
                    ->Iterations(1)
                    ->Unit(benchmark::kSecond)
                    ->UseRealTime()
                    ->MeasureProcessCPUTime();
  for (int64_t count : threads)
    plans->Args({specs, count});
}

int main(int argc, char **argv) {
  std::vector<char *> arguments(argv, argv + argc);
  char leastTime[] = "--benchmark_min_time=0.02";
  bool isShort = std::erase_if(arguments, [](const char *argument) {
    return std::strcmp(argument, "--short") == 0;
  });
  // Before what the caller says of it.
  if (isShort)
    arguments.insert(arguments.begin() + 1, leastTime);
  if (isShort)
    registerColdPlans(8, {1, 8});
  else
    registerColdPlans(64, {1, 2, 16, 64});
  argc = int(arguments.size());
  arguments.push_back(nullptr);
  argv = arguments.data();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv))
    return 1;
  benchmark::AddCustomContext(
      "driver", Device::get().isNull() ? "none: the null driver" : "the GPU's");
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
