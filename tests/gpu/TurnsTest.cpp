//===- TurnsTest.cpp - CTAs that take turns -------------------------------===//
//
// The plans of turns/, lowered and compiled as any other (by the target
// weft-gpu-pack, to programs beside this program), with more CTAs than a GPU
// holds at a time. Each is run many times in workspace that holds something
// else each time: sums must be those of the order that the plan says, bit for
// bit, and the counters what it proves of them.
//
//===----------------------------------------------------------------------===//

#include "tests/gpu/Turns.h"
#include "tests/gpu/Gpu.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>

using namespace weft;
using namespace weft::turns;

namespace {

class Turns : public Gpu {
protected:
  void SetUp() override {
    Gpu::SetUp();
    if (!IsSkipped() && (info.major < 8 || info.major > 9))
      GTEST_SKIP() << "the programs are for compute capability 8 and 9.0";
  }

  void load(const std::string &plan) {
    std::string file =
        std::filesystem::read_symlink("/proc/self/exe").string() + ".turns/" +
        plan + (info.major == 9 ? ".sm_90a" : ".sm_80");
    auto bytes = llvm::MemoryBuffer::getFile(file);
    ASSERT_TRUE(bool(bytes))
        << file << " is missing; build the target weft-gpu-pack";
    executor = llvm::cantFail(CudaExecutor::create(
        llvm::arrayRefFromStringRef((*bytes)->getBuffer()), *driver));
    program = &executor->program();
  }

  /// What `workspace` holds in the buffer of that name.
  template <typename T>
  std::vector<T> contents(const GpuMemory &workspace, const Problem &problem,
                          llvm::StringRef name) {
    program::FormulaValues values(
        *program, program::SizeValues::fromProblem(problem, info.smCount));
    const program::Variant &variant = *program->variants()->Get(0);
    program::Arena arena =
        llvm::cantFail(program::layOutArena(variant, values));
    std::vector<uint8_t> all = workspace.read<uint8_t>();
    for (unsigned i = 0; i < arena.buffers.size(); ++i) {
      if (variant.buffers()->Get(i)->name()->str() != name)
        continue;
      std::vector<T> held(arena.buffers[i].bytes / sizeof(T));
      std::memcpy(held.data(), all.data() + arena.buffers[i].offset,
                  arena.buffers[i].bytes);
      return held;
    }
    ADD_FAILURE() << "no buffer '" << name.str() << "'";
    return {};
  }

  void fill(const GpuMemory &memory, int64_t bytes, uint8_t value) {
    auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
    check(driver->cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(memory.data()),
                                  value, bytes, stream));
  }

  /// Runs the plan from memory that holds NaN, ones, small numbers and what
  /// the run before left, and again; `afterRun` looks at the workspace.
  void runOften(
      const Call &call, const std::vector<float> &input,
      const std::vector<float> &expected, bool backward,
      llvm::function_ref<void(const GpuMemory &, const Problem &)> afterRun) {
    GpuMemory given(*driver, call.elements() * 4, 0);
    GpuMemory spare(*driver, call.elements() * 8, 0);
    int64_t resultBytes = expected.size() * 4;
    GpuMemory result(*driver, resultBytes, 0);
    given.write(input);
    auto floats = [](const GpuMemory &memory) {
      return static_cast<float *>(memory.data());
    };
    Problem problem =
        call.problem(floats(given), floats(result), floats(spare), backward);
    problem.stream = stream;
    problem.workspaceBytes = llvm::cantFail(executor->workspaceBytes(problem));
    GpuMemory workspace(*driver, problem.workspaceBytes, 0xff);
    problem.workspace = workspace.data();
    const std::optional<uint8_t> fills[] = {0xff, 0x01, 0x7f, std::nullopt};
    for (int round = 0; round < 24; ++round) {
      if (std::optional<uint8_t> byte = fills[round % 4]) {
        fill(workspace, problem.workspaceBytes, *byte);
        fill(result, resultBytes, *byte);
      }
      ASSERT_EQ(program::messageOf(executor->run(problem)), "");
      wait(stream);
      std::vector<float> got = result.read<float>();
      size_t wrong = 0;
      for (size_t i = 0; i < got.size(); ++i)
        wrong += std::memcmp(&got[i], &expected[i], sizeof(float)) != 0;
      ASSERT_EQ(wrong, 0u) << "of " << got.size() << " sums, round " << round;
      if (round < 4)
        afterRun(workspace, problem);
    }
  }

  void expectZeros(const GpuMemory &workspace, const Problem &problem,
                   llvm::StringRef counter) {
    std::vector<int32_t> held = contents<int32_t>(workspace, problem, counter);
    ASSERT_FALSE(held.empty());
    for (size_t i = 0; i < held.size(); ++i)
      ASSERT_EQ(held[i], 0) << counter.str() << "[" << i << "]";
  }

  std::unique_ptr<CudaExecutor> executor;
  const program::Program *program = nullptr;
};

// Tickets and ordered adds: 16 key tiles of 64 heads of 4 sequences.
TEST_F(Turns, AddsGoInTheirOrder) {
  ASSERT_NO_FATAL_FAILURE(load("ordered"));
  Call call{
      .batch = 4, .headsQ = 64, .headsKv = 64, .rowsQ = 200, .rowsKv = 1000};
  std::vector<float> key = farApart(call.keyElements());
  runOften(call, key, orderedSums(call, key), /*backward=*/false,
           [&](const GpuMemory &workspace, const Problem &problem) {
             expectZeros(workspace, problem, "turns");
             expectZeros(workspace, problem, "tickets");
           });
}

// Last arrivals: groups of 32 of 64 heads, 16 tiles of 2 sequences.
TEST_F(Turns, TheLastToArriveIsOneAndSeesAll) {
  ASSERT_NO_FATAL_FAILURE(load("last"));
  Call call{
      .batch = 2, .headsQ = 64, .headsKv = 2, .rowsQ = 1000, .rowsKv = 1000};
  std::vector<float> query = farApart(call.queryElements());
  runOften(call, query, groupSums(call, query), /*backward=*/true,
           [&](const GpuMemory &workspace, const Problem &problem) {
             expectZeros(workspace, problem, "arrivals");
             std::vector<float> times =
                 contents<float>(workspace, problem, "times");
             ASSERT_EQ(times.size(),
                       size_t(call.batch * call.rowsKv * call.headsKv));
             for (size_t i = 0; i < times.size(); ++i)
               ASSERT_EQ(times[i], float(launches)) << i;
           });
}

} // namespace
