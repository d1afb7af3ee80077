//===- CaseDeviceTest.cpp - A case's memory on a GPU ----------------------===//

#include "runtime/cuda/CaseDevice.h"
#include "tests/unit/cuda/FakeDriver.h"
#include "tests/unit/program/Builder.h"

#include <gtest/gtest.h>

#include <atomic>
#include <latch>
#include <thread>

using namespace weft;
using namespace weft::program;

namespace {

class CaseDevice : public testing::Test {
protected:
  CaseDevice() : fake(FakeDriver::reset()), inputs(4096), results(2048) {
    fake.parameterBytes = {8, 8, 8, 8};
    // What a kernel would do: it adds one to the first result.
    fake.kernel = [](const std::vector<uint64_t> &parameters) {
      ++*reinterpret_cast<char *>(parameters[1]);
    };
    spec.headDim = spec.headDimV = 8;
    problem.batch = 1;
    problem.q = problem.kv = {.heads = 1, .seqlen = 4, .rows = 4};
    problem.scale = 1;
    auto view = [](char *data) { return TensorView{data, 32, 8, 8, 1}; };
    problem.query = view(inputs.data() + 0x100);
    problem.key = view(inputs.data() + 0x200);
    problem.value = view(inputs.data() + 0x300);
    problem.out = view(results.data());
    problem.lse = {results.data() + 0x100, 4, 1, 4, 1};
    memory = {{"inputs", inputs.data(), 4096},
              {"results", results.data(), 2048}};

    Builder b("forward bf16 head_dim=8 layout=batch");
    int32_t kernel = b.kernel("k", ".version 7.0\n", 32);
    b.variant(
        b.binary(ExprOp::mul, b.size(SizeKind::sm_count), b.constant(256)));
    LaunchT &launch = b.launch(kernel, b.constant(1));
    for (TensorRole role :
         {TensorRole::query, TensorRole::out, TensorRole::lse})
      Builder::tensor(launch, role);
    Builder::offsets(launch, OffsetsRole::seqlens_q);
    bytes = llvm::cantFail(serialize(b.program));
    device = llvm::cantFail(makeCudaCaseDevice(
        FakeDriver::driver(), 1,
        {[this](const AttentionSpec &, const CudaDeviceInfo &info) {
           ++compiles;
           EXPECT_EQ(info.ordinal, 1);
           return bytes;
         },
         "sm_80"}));
  }
  ~CaseDevice() override {
    device.reset();
    EXPECT_EQ(fake.retained, 0);
    EXPECT_EQ(fake.libraries, 0);
    EXPECT_EQ(fake.allocations, 0);
    EXPECT_TRUE(fake.contexts.empty());
  }

  FakeDriver &fake;
  std::vector<char> inputs, results; ///< operator new aligns to 16
  AttentionSpec spec;
  Problem problem;
  std::vector<cases::Allocation> memory;
  std::vector<uint8_t> bytes;
  int compiles = 0;
  std::unique_ptr<cases::Device> device;
};

TEST_F(CaseDevice, CopiesBothWaysAndMovesPointers) {
  results[0] = 40;
  results[1] = 41;
  EXPECT_EQ(messageOf(device->run(spec, problem, memory, {})), "");
  EXPECT_EQ(messageOf(device->run(spec, problem, memory, {})), "");
  // What was there before counts, and comes back with what the kernel did.
  EXPECT_EQ(results[0], 42);
  EXPECT_EQ(results[1], 41);
  EXPECT_EQ(compiles, 1);
  ASSERT_EQ(fake.parameters.size(), 2u);
  EXPECT_NE(fake.parameters[0][1], reinterpret_cast<uint64_t>(results.data()));
  EXPECT_EQ(fake.parameters[0][2] - fake.parameters[0][1], 0x100u);
  EXPECT_EQ(fake.parameters[0][3], 0u);
}

TEST_F(CaseDevice, OtherMemoryIsMirroredAnew) {
  EXPECT_EQ(messageOf(device->run(spec, problem, memory, {})), "");
  std::vector<char> others(2048);
  memory[1].data = others.data();
  problem.out.data = others.data();
  problem.lse.data = others.data() + 0x100;
  EXPECT_EQ(messageOf(device->run(spec, problem, memory, {})), "");
  EXPECT_EQ(results[0], 1);
  EXPECT_EQ(others[0], 1);
}

TEST_F(CaseDevice, ForeignPointer) {
  std::vector<char> foreign(2048);
  problem.value.data = foreign.data();
  EXPECT_EQ(messageOf(device->run(spec, problem, memory, {})),
            "a pointer of the problem is in none of the case's allocations");
  EXPECT_TRUE(fake.parameters.empty());
}

TEST_F(CaseDevice, BadProblemCompilesNothing) {
  problem.scale = 1e300 * 1e300;
  EXPECT_NE(messageOf(device->run(spec, problem, memory, {})), "");
  EXPECT_EQ(compiles, 0);
}

// A compile takes long: other specs do not wait for it, and of those who ask
// for one spec the first compiles it.
TEST_F(CaseDevice, ThreadsCompileAtOnceAndEachSpecOnce) {
  constexpr int specs = 3, threads = 4 * specs;
  std::latch allCompile(specs);
  std::atomic<int> compiled = 0;
  std::unique_ptr<cases::Device> shared = llvm::cantFail(
      makeCudaCaseDevice(FakeDriver::driver(), 1,
                         {[&](const AttentionSpec &, const CudaDeviceInfo &) {
                            ++compiled;
                            allCompile.arrive_and_wait();
                            return bytes;
                          },
                          "sm_80"}));
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      AttentionSpec own = spec;
      own.headRatio = 1 + i % specs;
      EXPECT_EQ(llvm::cantFail(shared->workspaceBytes(own, problem, {})),
                101 * 256);
    });
  for (std::thread &thread : running)
    thread.join();
  EXPECT_EQ(compiled, specs);
}

// A run that begins while another is under way has streams and memory of its
// own.
TEST_F(CaseDevice, RunsAtOnceShareNoMemory) {
  std::vector<char> others(2048);
  std::vector<cases::Allocation> otherMemory = {
      memory[0], {"results", others.data(), 2048}};
  Problem other = problem;
  other.out.data = others.data();
  other.lse.data = others.data() + 0x100;
  bool within = false;
  fake.kernel = [&](const std::vector<uint64_t> &parameters) {
    if (!std::exchange(within, true)) {
      EXPECT_EQ(messageOf(device->run(spec, other, otherMemory, {})), "");
    }
    ++*reinterpret_cast<char *>(parameters[1]);
  };
  EXPECT_EQ(messageOf(device->run(spec, problem, memory, {})), "");
  EXPECT_EQ(results[0], 1);
  EXPECT_EQ(others[0], 1);
}

TEST_F(CaseDevice, WorkspaceOfItsMultiprocessors) {
  EXPECT_EQ(llvm::cantFail(device->workspaceBytes(spec, problem, {})),
            101 * 256);
  cases::RunOptions fewer;
  fewer.smCount = 3;
  EXPECT_EQ(llvm::cantFail(device->workspaceBytes(spec, problem, fewer)),
            3 * 256);
}

TEST_F(CaseDevice, NoSuchDevice) {
  EXPECT_EQ(messageOf(makeCudaCaseDevice(FakeDriver::driver(), 7, {})),
            "no CUDA device 7; this machine shows 2, counted from 0");
}

} // namespace
