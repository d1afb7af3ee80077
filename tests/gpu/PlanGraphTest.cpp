//===- PlanGraphTest.cpp - Plans of a pack, in graphs and on streams ------===//
//
// Attention itself, from a pack that weftc made (weft-gpu-tests.weftpack beside
// this program; the target weft-gpu-pack makes it), run by the library without
// a compiler. What a graph replays must be what a direct run gives, bit for
// bit, whatever the offsets have become and the results held.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/weft.h"
#include "tests/gpu/Gpu.h"

#include "llvm/ADT/StringRef.h"

#include <filesystem>
#include <memory>
#include <thread>

using namespace weft;

namespace {

constexpr int64_t kBatch = 3, kRows = 700, kHeadsQ = 4, kHeadsKv = 2, kDim = 64;
constexpr const char *kForward =
    "forward bf16 head_dim=64 head_ratio=2 layout=thd mask=causal";
constexpr const char *kBackward =
    "backward bf16 head_dim=64 head_ratio=2 layout=thd mask=causal "
    "deterministic";

using Offsets = std::vector<int32_t>;

/// Inputs, offsets and results of one forward and backward.
class Memory {
public:
  explicit Memory(const CudaDriver &driver)
      : q(bytesOf(driver, kHeadsQ)), k(bytesOf(driver, kHeadsKv)),
        v(bytesOf(driver, kHeadsKv)), dOut(bytesOf(driver, kHeadsQ)),
        cuQ(std::make_unique<GpuMemory>(driver, 16, 0)),
        cuKv(std::make_unique<GpuMemory>(driver, 16, 0)) {
    for (int64_t heads : {kHeadsQ, kHeadsQ, kHeadsKv, kHeadsKv})
      results.push_back(bytesOf(driver, heads));
    results.push_back(
        std::make_unique<GpuMemory>(driver, kRows * kHeadsQ * 4, 0));
    uint32_t state = 7;
    for (GpuMemory *input : {q.get(), k.get(), v.get(), dOut.get()}) {
      std::vector<uint16_t> values(input->read<uint16_t>().size());
      for (uint16_t &value : values) {
        state = state * 1664525 + 1013904223;
        // bf16 of either sign, magnitude 0.25 to 1.
        value = uint16_t(0x3e80 + (state >> 20) % 0x100) | (state >> 31) << 15;
      }
      input->write(values);
    }
  }

  weft_problem problem(CUstream stream) const {
    weft_problem p;
    weft_problem_init(&p, sizeof p);
    p.batch = kBatch;
    p.q.heads = kHeadsQ;
    p.kv.heads = kHeadsKv;
    p.q.rows = p.kv.rows = kRows;
    p.q.cu_seqlens = static_cast<int32_t *>(cuQ->data());
    p.kv.cu_seqlens = static_cast<int32_t *>(cuKv->data());
    auto view = [](const std::unique_ptr<GpuMemory> &memory, int64_t heads) {
      return weft_tensor{memory->data(), 0, heads * kDim, kDim, 1};
    };
    p.query = view(q, kHeadsQ);
    p.key = view(k, kHeadsKv);
    p.value = view(v, kHeadsKv);
    p.d_out = view(dOut, kHeadsQ);
    p.out = view(results[0], kHeadsQ);
    p.d_query = view(results[1], kHeadsQ);
    p.d_key = view(results[2], kHeadsKv);
    p.d_value = view(results[3], kHeadsKv);
    p.lse = {results[4]->data(), 0, 1, kRows, 1};
    p.scale = 0.125;
    p.stream = stream;
    return p;
  }

  /// Sets the lengths and fills the results with NaN.
  void prepare(const Offsets &offsetsQ, const Offsets &offsetsKv) {
    cuQ->write(offsetsQ);
    cuKv->write(offsetsKv);
    for (auto &result : results)
      result->write(std::vector<uint8_t>(result->read<uint8_t>().size(), 0xff));
  }

  /// All results: O, dQ, dK, dV, LSE.
  std::vector<std::vector<uint8_t>> read() const {
    std::vector<std::vector<uint8_t>> all;
    for (const auto &result : results)
      all.push_back(result->read<uint8_t>());
    return all;
  }

private:
  static std::unique_ptr<GpuMemory> bytesOf(const CudaDriver &driver,
                                            int64_t heads) {
    return std::make_unique<GpuMemory>(driver, kRows * heads * kDim * 2, 0);
  }
  std::unique_ptr<GpuMemory> q, k, v, dOut, cuQ, cuKv;
  std::vector<std::unique_ptr<GpuMemory>> results;
};

class PlanGraph : public Gpu {
protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped())
      return;
    open();
  }
  void TearDown() override {
    close();
    Gpu::TearDown();
  }

  /// A context of its own: nothing is on the device yet.
  void open() {
    std::string pack =
        std::filesystem::read_symlink("/proc/self/exe").string() + ".weftpack";
    ASSERT_TRUE(std::filesystem::exists(pack))
        << pack << " is missing; build the target weft-gpu-pack";
    ASSERT_EQ(weft_context_create(nullptr, &context), WEFT_OK);
    ASSERT_EQ(weft_context_load_pack(context, pack.c_str()), WEFT_OK)
        << weft_last_error();
    weft_status status =
        weft_plan_create(context, kForward, "cuda:0", &forward);
    if (status == WEFT_NOT_PRECOMPILED)
      GTEST_SKIP() << weft_last_error();
    ASSERT_EQ(status, WEFT_OK) << weft_last_error();
    ASSERT_EQ(weft_plan_create(context, kBackward, "cuda:0", &backward),
              WEFT_OK)
        << weft_last_error();
  }
  void close() {
    weft_plan_destroy(forward);
    weft_plan_destroy(backward);
    weft_context_destroy(context);
    forward = backward = nullptr;
    context = nullptr;
  }

  void runBoth(const weft_problem &problem) {
    EXPECT_EQ(weft_plan_run(forward, &problem), WEFT_OK) << weft_last_error();
    EXPECT_EQ(weft_plan_run(backward, &problem), WEFT_OK) << weft_last_error();
  }

  std::vector<std::vector<uint8_t>> direct(Memory &memory, const Offsets &q,
                                           const Offsets &kv) {
    memory.prepare(q, kv);
    runBoth(memory.problem(stream));
    wait(stream);
    return memory.read();
  }

  void begin(CUstream on) {
    check(driverFunction<CUresult (*)(CUstream, CUstreamCaptureMode)>(
        "cuStreamBeginCapture_v2")(on, CU_STREAM_CAPTURE_MODE_GLOBAL));
  }
  CUgraph end(CUstream on) {
    CUgraph graph = nullptr;
    check(driverFunction<CUresult (*)(CUstream, CUgraph *)>(
        "cuStreamEndCapture")(on, &graph));
    return graph;
  }
  CUgraphExec instantiate(CUgraph graph) {
    CUgraphExec instance = nullptr;
    check(driverFunction<CUresult (*)(CUgraphExec *, CUgraph,
                                      unsigned long long)>(
        "cuGraphInstantiateWithFlags")(&instance, graph, 0));
    check(driverFunction<CUresult (*)(CUgraph)>("cuGraphDestroy")(graph));
    return instance;
  }
  void launch(CUgraphExec instance, CUstream on) {
    check(driverFunction<CUresult (*)(CUgraphExec, CUstream)>("cuGraphLaunch")(
        instance, on));
  }
  void destroy(CUgraphExec instance) {
    check(driverFunction<CUresult (*)(CUgraphExec)>("cuGraphExecDestroy")(
        instance));
  }
  size_t nodesOf(CUgraph graph) {
    size_t count = 0;
    check(driverFunction<CUresult (*)(CUgraph, CUgraphNode *, size_t *)>(
        "cuGraphGetNodes")(graph, nullptr, &count));
    return count;
  }

  weft_context *context = nullptr;
  weft_plan *forward = nullptr, *backward = nullptr;
};

/// Lengths that a graph meets after it was captured with the first.
const std::pair<Offsets, Offsets> kLengths[] = {
    {{0, 100, 200, 300}, {0, 100, 200, 300}},
    {{0, 1, 400, 700}, {0, 300, 650, 700}},   // longer, up to the rows held
    {{0, 0, 250, 250}, {0, 128, 300, 300}},   // fewer: no queries, nothing
    {{0, 700, 700, 700}, {0, 700, 700, 700}}, // one sequence
    {{0, 0, 0, 0}, {0, 0, 0, 0}},             // none
    {{0, 100, 200, 300}, {0, 100, 200, 300}},
};

TEST_F(PlanGraph, TwoPlansReplayAfterOffsetsChanged) {
  Memory memory(*driver);
  memory.prepare(kLengths[0].first, kLengths[0].second);
  CUgraphExec instance;
  {
    // The first run of both: their modules are loaded amid the capture.
    auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
    begin(stream);
    runBoth(memory.problem(stream));
    instance = instantiate(end(stream));
  }
  for (const auto &[q, kv] : kLengths) {
    std::vector<std::vector<uint8_t>> expected = direct(memory, q, kv);
    memory.prepare(q, kv);
    {
      auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
      launch(instance, stream);
      check(driver->cuStreamSynchronize(stream));
    }
    std::vector<std::vector<uint8_t>> replayed = memory.read();
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(replayed[i], expected[i])
          << "result " << i << ", " << testing::PrintToString(q) << ", "
          << testing::PrintToString(kv);
    // Every row was written, those of no sequence with zero.
    const auto *out = reinterpret_cast<const uint16_t *>(replayed[0].data());
    size_t used = q.back() * kHeadsQ * kDim;
    for (size_t i = 0; i < replayed[0].size() / 2; ++i)
      ASSERT_TRUE(i < used ? (out[i] & 0x7f80) != 0x7f80 : out[i] == 0)
          << "O[" << i << "] is " << out[i];
  }
  auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
  destroy(instance);
}

TEST_F(PlanGraph, WhatIsRefusedIsNotRecorded) {
  Memory memory(*driver);
  memory.prepare(kLengths[0].first, kLengths[0].second);
  auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
  begin(stream);
  weft_problem problem = memory.problem(stream);
  problem.flags = WEFT_RUN_CHECK_OFFSETS;
  EXPECT_NE(weft_plan_run(forward, &problem), WEFT_OK);
  problem = memory.problem(stream);
  problem.key.head_stride = -1;
  EXPECT_EQ(weft_plan_run(backward, &problem), WEFT_INVALID_ARGUMENT);
  int64_t small = 0;
  problem = memory.problem(stream);
  EXPECT_EQ(weft_plan_workspace_bytes(backward, &problem, &small), WEFT_OK);
  if (small > 0) {
    problem.workspace = problem.out.data;
    problem.workspace_bytes = small - 1;
    EXPECT_NE(weft_plan_run(backward, &problem), WEFT_OK);
  }
  CUgraph graph = end(stream);
  EXPECT_EQ(nodesOf(graph), 0u);
  check(driverFunction<CUresult (*)(CUgraph)>("cuGraphDestroy")(graph));
}

TEST_F(PlanGraph, FillsAndLaunchesAreNodesOfTheGraph) {
  // Captured work does nothing until the graph is launched.
  Memory memory(*driver);
  memory.prepare(kLengths[0].first, kLengths[0].second);
  std::vector<std::vector<uint8_t>> before = memory.read();
  auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
  begin(stream);
  runBoth(memory.problem(stream));
  CUgraph graph = end(stream);
  // A forward and its fill; delta, dK and dV, dQ and their fill, at the least.
  EXPECT_GE(nodesOf(graph), 5u);
  check(driver->cuStreamSynchronize(stream));
  EXPECT_EQ(memory.read(), before);
  check(driverFunction<CUresult (*)(CUgraph)>("cuGraphDestroy")(graph));
}

TEST_F(PlanGraph, StreamsThreadsAndGraphsAtOnce) {
  constexpr int lanes = 4, rounds = 20;
  std::vector<std::unique_ptr<Memory>> memories;
  std::vector<std::vector<std::vector<uint8_t>>> expected;
  std::vector<CUstream> own;
  for (int i = 0; i < lanes; ++i) {
    memories.push_back(std::make_unique<Memory>(*driver));
    const auto &[q, kv] = kLengths[i];
    expected.push_back(direct(*memories.back(), q, kv));
    memories.back()->prepare(q, kv);
    own.push_back(newStream());
  }
  std::vector<std::thread> threads;
  for (int i = 0; i < lanes; ++i)
    threads.emplace_back([&, i] {
      weft_problem problem = memories[i]->problem(own[i]);
      for (int round = 0; round < rounds; ++round) {
        EXPECT_EQ(weft_plan_run(forward, &problem), WEFT_OK);
        EXPECT_EQ(weft_plan_run(backward, &problem), WEFT_OK);
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (int i = 0; i < lanes; ++i) {
    wait(own[i]);
    EXPECT_EQ(memories[i]->read(), expected[i]) << "stream " << i;
  }
}

TEST_F(PlanGraph, EveryDeviceOfTheMachine) {
  int count = llvm::cantFail(cudaDeviceCount(*driver));
  if (count < 2)
    GTEST_SKIP() << "one GPU here";
  Memory first(*driver);
  std::vector<std::vector<uint8_t>> expected =
      direct(first, kLengths[1].first, kLengths[1].second);
  for (int device = 1; device < count; ++device) {
    std::string where = "cuda:" + std::to_string(device);
    weft_plan *plan = nullptr;
    if (weft_plan_create(context, kForward, where.c_str(), &plan) != WEFT_OK) {
      // Another architecture than the pack has.
      EXPECT_NE(llvm::StringRef(weft_last_error()).find("is not precompiled"),
                llvm::StringRef::npos)
          << weft_last_error();
      continue;
    }
    // Inputs go over by the host; the stream and memory decide the device.
    auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, device));
    weft_problem problem = first.problem(nullptr);
    std::vector<CUdeviceptr> taken;
    auto there = [&](void *from, int64_t bytes) {
      std::vector<uint8_t> host(bytes);
      CUdeviceptr to = 0;
      check(driver->cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(host.data()),
                                  reinterpret_cast<CUdeviceptr>(from), bytes,
                                  nullptr));
      check(driver->cuMemAlloc(&to, bytes));
      check(driver->cuMemcpyAsync(
          to, reinterpret_cast<CUdeviceptr>(host.data()), bytes, nullptr));
      check(driver->cuStreamSynchronize(nullptr));
      taken.push_back(to);
      return reinterpret_cast<void *>(to);
    };
    for (weft_tensor *tensor : {&problem.query, &problem.out})
      tensor->data = there(tensor->data, kRows * kHeadsQ * kDim * 2);
    for (weft_tensor *tensor : {&problem.key, &problem.value})
      tensor->data = there(tensor->data, kRows * kHeadsKv * kDim * 2);
    problem.lse.data = there(problem.lse.data, kRows * kHeadsQ * 4);
    for (weft_side *side : {&problem.q, &problem.kv})
      side->cu_seqlens = static_cast<int32_t *>(
          there(const_cast<int32_t *>(side->cu_seqlens), 16));
    check(driver->cuStreamCreate(reinterpret_cast<CUstream *>(&problem.stream),
                                 CU_STREAM_NON_BLOCKING));
    EXPECT_EQ(weft_plan_run(plan, &problem), WEFT_OK) << weft_last_error();
    CUstream theirs = static_cast<CUstream>(problem.stream);
    check(driver->cuStreamSynchronize(theirs));
    std::vector<uint8_t> out(expected[0].size());
    check(driver->cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(out.data()),
                                reinterpret_cast<CUdeviceptr>(problem.out.data),
                                out.size(), theirs));
    check(driver->cuStreamSynchronize(theirs));
    EXPECT_EQ(out, expected[0]) << where;
    check(driver->cuStreamDestroy(theirs));
    for (CUdeviceptr each : taken)
      check(driver->cuMemFree(each));
    weft_plan_destroy(plan);
  }
}

} // namespace
