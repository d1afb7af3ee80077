//===- ExecutorTest.cpp - What the executor asks of the driver ------------===//

#include "runtime/cuda/Executor.h"
#include "runtime/cuda/Kernels.h"
#include "tests/unit/cuda/FakeDriver.h"
#include "tests/unit/program/Builder.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::program;
using testing::Test;

namespace {

constexpr const char *ptx = ".version 7.0\n";

void *at(uint64_t address) { return reinterpret_cast<void *>(address); }

/// 2 sequences of 4 rows, 2 heads of 64, packed bshd, on device 1.
Problem batchProblem() {
  Problem problem;
  problem.batch = 2;
  problem.q = problem.kv = {.heads = 2, .seqlen = 4, .rows = 8};
  auto view = [](uint64_t address) {
    return TensorView{at(address), 512, 128, 64, 1};
  };
  problem.query = view(0x1000000000);
  problem.key = view(0x1000100000);
  problem.value = view(0x1000200000);
  problem.out = view(0x1000300000);
  problem.lse = {at(0x1000400000), 8, 1, 4, 1};
  problem.scale = 0.125;
  problem.stream = FakeDriver::stream(2);
  return problem;
}

/// Fills a 256-byte buffer, then launches one kernel over heads_q x batch CTAs.
struct Sample : Builder {
  Sample() : Builder("forward bf16 head_dim=64 layout=batch") {
    heads = size(SizeKind::heads_q);
    grid = binary(ExprOp::mul, heads, size(SizeKind::batch));
    kernelIndex = kernel("k", ptx, 128, 1024);
    variant(constant(512));
    buffer("counters", constant(256), constant(256));
    memset(0, 7);
    LaunchT &l = launch(kernelIndex, grid);
    tensor(l, TensorRole::query);
    workspace(l, 0);
    sizeArg(l, heads, ArgType::i32);
    scalar(l, ScalarRole::scale, ArgType::f32);
  }
  int32_t heads, grid, kernelIndex;
};

class Executor : public Test {
protected:
  Executor() : fake(FakeDriver::reset()) { fake.parameterBytes = {8, 8, 4, 4}; }
  ~Executor() override {
    executor.reset();
    EXPECT_EQ(fake.libraries, 0);
    EXPECT_EQ(fake.retained, 0);
    EXPECT_EQ(fake.taken, 0);
  }

  /// The message of one run of `sample`.
  std::string run(const ProgramT &program, const Problem &problem,
                  const CudaRunOptions &options = {}) {
    std::vector<uint8_t> bytes = llvm::cantFail(serialize(program));
    executor =
        llvm::cantFail(CudaExecutor::create(bytes, FakeDriver::driver()));
    return messageOf(executor->run(problem, options));
  }

  using Lines = std::vector<std::string>;
  FakeDriver &fake;
  std::unique_ptr<CudaExecutor> executor;
};

const std::string sharedLine = "attribute 8 = 1024 on device 1";

TEST_F(Executor, StepsInOrderOnTheStream) {
  EXPECT_EQ(run(Sample().program, batchProblem()), "");
  EXPECT_EQ(
      fake.work,
      (Lines{sharedLine, "ctx2 take 512", "ctx2 set32 0x7000000100 0x7 x 64",
             "ctx2 launch 4 x 128 shared 1024", "ctx2 free 0x7000000000"}));
  EXPECT_EQ(fake.parameters, (std::vector<std::vector<uint64_t>>{
                                 {0x1000000000, 0x7000000100, 2, 0x3e000000}}));
  EXPECT_TRUE(fake.contexts.empty());
}

TEST_F(Executor, CallersWorkspace) {
  Problem problem = batchProblem();
  problem.workspace = at(0x1000500000);
  problem.workspaceBytes = 512;
  EXPECT_EQ(run(Sample().program, problem), "");
  EXPECT_EQ(fake.work, (Lines{sharedLine, "ctx2 set32 0x1000500100 0x7 x 64",
                              "ctx2 launch 4 x 128 shared 1024"}));
}

TEST_F(Executor, WorkspaceTooSmallOrUnaligned) {
  Problem problem = batchProblem();
  problem.workspace = at(0x1000500000);
  problem.workspaceBytes = 511;
  EXPECT_EQ(run(Sample().program, problem),
            "the workspace has 511 bytes, this call needs 512; give that many, "
            "or none (null) to take it from the stream's pool");
  problem.workspace = at(0x1000500080);
  problem.workspaceBytes = 4096;
  EXPECT_EQ(run(Sample().program, problem),
            "the workspace's address is not a multiple of 256; align it");
  EXPECT_TRUE(fake.work.empty());
}

TEST_F(Executor, WorkspaceBytes) {
  EXPECT_EQ(run(Sample().program, batchProblem()), "");
  EXPECT_EQ(llvm::cantFail(executor->workspaceBytes(batchProblem())), 512);
}

TEST_F(Executor, EmptyGridsAndBuffersAreSkipped) {
  Problem problem;
  problem.q = problem.kv = {.heads = 2, .seqlen = 0, .rows = 0};
  problem.scale = 1;
  problem.stream = FakeDriver::stream(2);
  Sample sample;
  sample.last().arena_bytes = sample.last().buffers[0]->bytes =
      sample.last().buffers[0]->offset = sample.constant(0);
  EXPECT_EQ(run(sample.program, problem), "");
  EXPECT_EQ(fake.work, Lines{sharedLine});
}

TEST_F(Executor, VariantsByTheDevicesMultiprocessors) {
  // Device 1 has 101 multiprocessors.
  for (int64_t bound : {100, 101}) {
    fake.work.clear();
    Builder b("forward bf16 head_dim=64 layout=batch");
    int32_t kernel = b.kernel("k", ptx, 32);
    int32_t zero = b.constant(0);
    b.variant(zero, b.binary(ExprOp::less_equal, b.size(SizeKind::sm_count),
                             b.constant(bound)));
    b.launch(kernel, b.constant(10));
    b.variant(zero);
    b.launch(kernel, b.constant(20));
    fake.parameterBytes = {};
    EXPECT_EQ(run(b.program, batchProblem()), "");
    EXPECT_EQ(fake.work,
              (Lines{bound == 101 ? "ctx2 launch 10 x 32 shared 0"
                                  : "ctx2 launch 20 x 32 shared 0"}));
    // Or those the caller says.
    fake.work.clear();
    CudaRunOptions options;
    options.smCount = 50;
    EXPECT_EQ(run(b.program, batchProblem(), options), "");
    EXPECT_EQ(fake.work, Lines{"ctx2 launch 10 x 32 shared 0"});
  }
}

TEST_F(Executor, ClustersAndEarlyLaunches) {
  Sample sample;
  sample.program.kernels[0]->cluster = 2;
  sample.last().steps[1]->action.AsLaunch()->early = true;
  EXPECT_EQ(run(sample.program, batchProblem()), "");
  EXPECT_EQ(fake.work[3], "ctx2 launch 4 x 128 shared 1024 cluster 2 early");
  // Older devices do not know early launches.
  fake.work.clear();
  fake.major = 8;
  EXPECT_EQ(run(sample.program, batchProblem()), "");
  EXPECT_EQ(fake.work[3], "ctx2 launch 4 x 128 shared 1024 cluster 2");
}

TEST_F(Executor, GridThatIsNoMultipleOfTheCluster) {
  Sample sample;
  sample.program.kernels[0]->cluster = 8;
  EXPECT_EQ(run(sample.program, batchProblem()),
            "launch program: the grid of kernel \"k\", 4, is not a multiple of "
            "its cluster, 8");
  EXPECT_TRUE(fake.parameters.empty());
}

TEST_F(Executor, GridTooLarge) {
  Sample sample;
  sample.last().steps[1]->action.AsLaunch()->grid =
      sample.constant(int64_t(1) << 31);
  EXPECT_EQ(run(sample.program, batchProblem()),
            "kernel \"k\" needs a grid of 2147483648 CTAs; a GPU takes up to "
            "2147483647, split the problem over batch or heads");
  // Not even the memset before it.
  EXPECT_EQ(fake.work,
            (Lines{sharedLine, "ctx2 take 512", "ctx2 free 0x7000000000"}));
}

TEST_F(Executor, ProblemIsCheckedFirst) {
  Problem problem = batchProblem();
  problem.out.data = nullptr;
  EXPECT_NE(run(Sample().program, problem), "");
  EXPECT_TRUE(fake.work.empty());
  EXPECT_EQ(fake.libraries, 0);
}

TEST_F(Executor, NothingAfterAFailedLaunch) {
  Sample sample;
  sample.memset(0, 8);
  fake.failures["cuLaunchKernelEx"] = CUDA_ERROR_OUT_OF_MEMORY;
  EXPECT_EQ(run(sample.program, batchProblem()),
            "launching kernel \"k\" (4 CTAs of 128 threads and 1024 bytes of "
            "shared memory) failed: CUDA_ERROR_OUT_OF_MEMORY (text)");
  EXPECT_EQ(fake.work, (Lines{sharedLine, "ctx2 take 512",
                              "ctx2 set32 0x7000000100 0x7 x 64",
                              "ctx2 free 0x7000000000"}));
  EXPECT_TRUE(fake.contexts.empty());
}

TEST_F(Executor, NothingAfterAnyFailure) {
  for (const char *name :
       {"cuLibraryLoadData", "cuLibraryGetKernel", "cuKernelGetFunction",
        "cuKernelSetAttribute", "cuMemAllocAsync", "cuMemsetD32Async",
        "cuStreamGetCtx"}) {
    fake.work.clear();
    fake.failures = {{name, CUDA_ERROR_OUT_OF_MEMORY}};
    std::string message = run(Sample().program, batchProblem());
    EXPECT_NE(message.find("failed: CUDA_ERROR_OUT_OF_MEMORY (text)"),
              std::string::npos)
        << name << ": " << message;
    EXPECT_TRUE(fake.parameters.empty()) << name;
    EXPECT_TRUE(fake.contexts.empty()) << name;
  }
}

TEST_F(Executor, WrongDevice) {
  fake.failures["cuKernelGetFunction"] = CUDA_ERROR_NO_BINARY_FOR_GPU;
  fake.major = 8;
  EXPECT_EQ(run(Sample().program, batchProblem()),
            "kernel \"k\" was compiled for sm_90a, which Fake GPU of compute "
            "capability 8.0 cannot run; compile the plan for this device");
}

/// What kind of error a run of `sample` ends with.
TEST_F(Executor, ErrorsTellWhetherAnotherCompileMayHelp) {
  auto kindOf = [&](const ProgramT &program) -> std::string {
    std::vector<uint8_t> bytes = llvm::cantFail(serialize(program));
    executor =
        llvm::cantFail(CudaExecutor::create(bytes, FakeDriver::driver()));
    std::string kind = "none";
    llvm::handleAllErrors(
        executor->run(batchProblem()),
        [&](const RejectedKernels &e) { kind = "rejected"; },
        [&](const CudaError &e) {
          kind = e.isSticky() ? "sticky" : "CUDA " + std::to_string(e.status);
        },
        [&](const llvm::ErrorInfoBase &e) { kind = "other"; });
    return kind;
  };
  for (const char *name :
       {"cuLibraryLoadData", "cuLibraryGetKernel", "cuKernelGetFunction"}) {
    fake.failures = {{name, CUDA_ERROR_INVALID_IMAGE}};
    EXPECT_EQ(kindOf(Sample().program), "rejected") << name;
    fake.failures = {{name, CUDA_ERROR_OUT_OF_MEMORY}};
    EXPECT_EQ(kindOf(Sample().program), "CUDA 2") << name;
    fake.failures = {{name, CUDA_ERROR_ILLEGAL_ADDRESS}};
    EXPECT_EQ(kindOf(Sample().program), "sticky") << name;
  }
  fake.failures.clear();
  fake.parameterBytes = {8};
  EXPECT_EQ(kindOf(Sample().program), "rejected");
  Sample damaged;
  damaged.program.kernels[0]->cubin = {0x7f, 'E', 'L', 'F', 2};
  EXPECT_EQ(kindOf(damaged.program), "rejected");
  // Of another device: the caller asked for the wrong plan.
  fake.failures = {{"cuKernelGetFunction", CUDA_ERROR_NO_BINARY_FOR_GPU}};
  fake.major = 8;
  EXPECT_EQ(kindOf(Sample().program), "other");
}

/// A fault of earlier work shows in whatever is called next, and is told.
TEST_F(Executor, APoisonedContextIsToldWhereverItShows) {
  for (const char *name :
       {"cuStreamGetCtx", "cuLibraryLoadData", "cuLibraryGetKernel",
        "cuKernelGetFunction", "cuKernelSetAttribute", "cuMemAllocAsync",
        "cuMemsetD32Async", "cuLaunchKernelEx"}) {
    fake.failures = {{name, CUDA_ERROR_ILLEGAL_ADDRESS}};
    EXPECT_NE(run(Sample().program, batchProblem())
                  .find("failed: CUDA_ERROR_ILLEGAL_ADDRESS (text); work "
                        "launched earlier in this CUDA context failed"),
              std::string::npos)
        << name;
  }
}

TEST_F(Executor, ParametersAreThoseOfTheKernel) {
  fake.parameterBytes = {8, 8, 4};
  EXPECT_EQ(run(Sample().program, batchProblem()),
            "kernel \"k\" takes fewer than the 4 parameters the program "
            "passes; compile it again");
  fake.parameterBytes = {8, 8, 4, 4, 4};
  EXPECT_EQ(run(Sample().program, batchProblem()),
            "kernel \"k\" takes more than the 4 parameters the program passes; "
            "compile it again");
  fake.parameterBytes = {8, 8, 8, 4};
  EXPECT_EQ(run(Sample().program, batchProblem()),
            "parameter 2 of kernel \"k\" has 8 bytes, the program passes i32; "
            "compile it again");
  EXPECT_TRUE(fake.parameters.empty());
}

TEST_F(Executor, KernelsAreLoadedOncePerContext) {
  EXPECT_EQ(run(Sample().program, batchProblem()), "");
  EXPECT_EQ(messageOf(executor->run(batchProblem())), "");
  EXPECT_EQ(fake.libraries, 1);
  EXPECT_EQ(llvm::count(fake.work, sharedLine), 1);
  Problem other = batchProblem();
  other.stream = FakeDriver::stream(1);
  EXPECT_EQ(messageOf(executor->run(other)), "");
  EXPECT_EQ(fake.libraries, 1);
  EXPECT_EQ(llvm::count(fake.work, "attribute 8 = 1024 on device 0"), 1);
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

TEST_F(Executor, StreamsContextWhateverIsCurrent) {
  fake.contexts = {1};
  Problem problem = batchProblem();
  problem.stream = FakeDriver::stream(3);
  EXPECT_EQ(run(Sample().program, problem), "");
  EXPECT_EQ(fake.work[3], "ctx3 launch 4 x 128 shared 1024");
  EXPECT_EQ(fake.contexts, std::vector<uintptr_t>{1});
}

TEST_F(Executor, DefaultStreamWithoutContext) {
  Problem problem = batchProblem();
  problem.stream = nullptr;
  EXPECT_EQ(run(Sample().program, problem), "");
  EXPECT_EQ(fake.work[3], "ctx2 launch 4 x 128 shared 1024");
  EXPECT_TRUE(fake.contexts.empty());
}

TEST_F(Executor, DefaultStreamInTheCurrentContextOfTheDevice) {
  fake.contexts = {3};
  Problem problem = batchProblem();
  problem.stream = nullptr;
  EXPECT_EQ(run(Sample().program, problem), "");
  EXPECT_EQ(fake.work[3], "ctx3 launch 4 x 128 shared 1024");
  EXPECT_EQ(fake.contexts, std::vector<uintptr_t>{3});
}

TEST_F(Executor, DefaultStreamWithAnotherDevicesContext) {
  fake.contexts = {1};
  Problem problem = batchProblem();
  problem.stream = nullptr;
  EXPECT_EQ(run(Sample().program, problem), "");
  EXPECT_EQ(fake.work[3], "ctx2 launch 4 x 128 shared 1024");
  EXPECT_EQ(fake.contexts, std::vector<uintptr_t>{1});
}

//===----------------------------------------------------------------------===//
// Poison and offsets
//===----------------------------------------------------------------------===//

TEST_F(Executor, PoisonBeforeTheFirstStep) {
  Problem problem = batchProblem();
  problem.out.rowStride = 1000; // gaps between rows
  problem.out.batchStride = 4000;
  EXPECT_EQ(run(Sample().program, problem, {.poison = 0xff}), "");
  EXPECT_EQ(
      fake.work,
      (Lines{sharedLine, "ctx2 take 512", "ctx2 set8 0x7000000000 0xff x 512",
             "ctx2 set16 0x1000300000 0xffff x 128 x 8 every 2000",
             "ctx2 set32 0x1000400000 0xffffffff x 16",
             "ctx2 set32 0x7000000100 0x7 x 64",
             "ctx2 launch 4 x 128 shared 1024", "ctx2 free 0x7000000000"}));
}

class Offsets : public Executor {
protected:
  Offsets() {
    problem = batchProblem();
    problem.q.seqlen = problem.kv.seqlen = 0;
    problem.q.cuSeqlens = q;
    problem.kv.cuSeqlens = kv;
    problem.lse = {at(0x1000400000), 0, 1, 8, 1};
    sample.program.spec = "forward bf16 head_dim=64 layout=thd";
  }
  int32_t q[3] = {0, 5, 8}, kv[3] = {0, 0, 8};
  Problem problem;
  Sample sample;
};

TEST_F(Offsets, NotReadByDefault) {
  q[1] = 9;
  EXPECT_EQ(run(sample.program, problem), "");
  EXPECT_EQ(llvm::count(fake.work, "ctx2 copy 12"), 0);
  EXPECT_EQ(llvm::count(fake.work, "ctx2 wait"), 0);
}

TEST_F(Offsets, GoodOnesPass) {
  EXPECT_EQ(run(sample.program, problem, {.checkOffsets = true}), "");
  EXPECT_EQ(llvm::count(fake.work, "ctx2 copy 12"), 2);
  EXPECT_EQ(fake.parameters.size(), 1u);
}

TEST_F(Offsets, MalformedOnesAreRefused) {
  kv[1] = 9;
  EXPECT_EQ(run(sample.program, problem, {.checkOffsets = true}),
            "cu_seqlens_kv[2] = 8 is below cu_seqlens_kv[1] = 9; offsets never "
            "decrease");
  EXPECT_TRUE(fake.parameters.empty());
}

TEST_F(Offsets, NotUnderCapture) {
  fake.capturing = true;
  EXPECT_EQ(run(sample.program, problem, {.checkOffsets = true}),
            "check_offsets reads offsets on the host, which a stream under "
            "capture does not allow; turn it off for the capture");
  EXPECT_TRUE(fake.parameters.empty());
}

} // namespace
