//===- FailureTest.cpp - Errors of the GPU and of the driver --------------===//

#include "tests/gpu/Gpu.h"

#include <cstdio>
#include <cstdlib>

using namespace weft;
using namespace weft::program;

namespace {

class Failure : public Gpu {
protected:
  Problem problemIn(const GpuMemory &memory) {
    Problem p = problemOf(4, 4);
    char *base = static_cast<char *>(memory.data());
    p.out.data = base;
    p.query.data = base + 0x1000;
    p.key.data = base + 0x2000;
    p.value.data = base + 0x3000;
    p.lse.data = base + 0x4000;
    return p;
  }

  /// The message of a program that counts, launches `kernel`, counts again;
  /// what was counted is left in `counted`.
  std::string between(std::string name, const char *image, int32_t threads,
                      int32_t sharedBytes = 0) {
    Builder b(sampleSpec);
    int32_t count = b.kernel("count", ptx::count, 1);
    int32_t kernel = b.kernel(std::move(name), image, threads, sharedBytes);
    int32_t one = b.constant(1);
    b.variant(b.constant(256));
    Builder::tensor(b.launch(count, one), TensorRole::out);
    b.launch(kernel, one);
    Builder::tensor(b.launch(count, one), TensorRole::out);
    GpuMemory memory(*driver, 1 << 16, 0);
    std::string message = run(b, problemIn(memory));
    counted = memory.read<uint32_t>()[0];
    return message;
  }
  uint32_t counted = 0;
};

void expectContains(const std::string &text, const char *part) {
  EXPECT_NE(text.find(part), std::string::npos) << text;
}

TEST_F(Failure, LaunchThatIsRefused) {
  EXPECT_EQ(between("small", ptx::small, 32), "");
  EXPECT_EQ(counted, 2u);
  std::string message = between("small", ptx::small, 64);
  expectContains(message,
                 "launching kernel \"small\" (1 CTAs of 64 threads and 0 bytes "
                 "of shared memory) failed: CUDA_ERROR_");
  EXPECT_EQ(counted, 1u) << "nothing is launched after an error";
}

TEST_F(Failure, MoreSharedMemoryThanTheGpuHas) {
  std::string message = between("small", ptx::small, 32, 1 << 20);
  expectContains(message, "giving kernel \"small\" 1048576 bytes of shared "
                          "memory failed: CUDA_ERROR_");
  EXPECT_EQ(counted, 0u);
}

TEST_F(Failure, NoSuchKernelInItsCubin) {
  expectContains(between("smaller", ptx::small, 32),
                 "finding kernel \"smaller\" in its cubin failed: "
                 "CUDA_ERROR_NOT_FOUND");
  EXPECT_EQ(counted, 0u);
}

TEST_F(Failure, ImageTheDriverRefuses) {
  std::string message = between("bad", ".version 7.0 nonsense", 32);
  expectContains(message, "loading kernel \"bad\", compiled for sm_90a, "
                          "failed: CUDA_ERROR_");
  EXPECT_EQ(counted, 0u);
}

TEST_F(Failure, ParametersAreThoseOfTheKernel) {
  // add takes three parameters and is given none.
  expectContains(between("add", ptx::add, 32),
                 "kernel \"add\" takes more than the 0 parameters the program "
                 "passes; compile it again");
  EXPECT_EQ(counted, 0u);
}

TEST_F(Failure, WorkspaceLargerThanTheGpu) {
  Builder b(sampleSpec);
  b.variant(b.constant(int64_t(1) << 45));
  GpuMemory memory(*driver, 1 << 16, 0);
  expectContains(run(b, problemIn(memory)),
                 "taking 35184372088832 bytes of workspace from the stream's "
                 "pool failed: CUDA_ERROR_OUT_OF_MEMORY");
  // The context is as good as before.
  EXPECT_EQ(between("small", ptx::small, 32), "");
}

/// Runs a kernel that traps, then another, and prints the second's message.
[[noreturn]] void runAfterFault() {
  const CudaDriver &driver = *llvm::cantFail(CudaDriver::get());
  auto scope = llvm::cantFail(CudaContextScope::forDevice(driver, 0));
  Builder b(sampleSpec);
  int32_t kernel = b.kernel("fault", ptx::fault, 1);
  b.variant(b.constant(256));
  b.launch(kernel, b.constant(1));
  auto executor = llvm::cantFail(
      CudaExecutor::create(llvm::cantFail(serialize(b.program)), driver));
  Problem problem;
  problem.q = problem.kv = {.heads = 1, .seqlen = 0, .rows = 0};
  problem.scale = 1;
  std::string first = messageOf(executor->run(problem));
  (void)driver.cuStreamSynchronize(nullptr);
  std::string second = messageOf(executor->run(problem));
  std::fprintf(stderr, "first: %s\nsecond: %s\n", first.c_str(),
               second.c_str());
  std::_Exit(0);
}

TEST_F(Failure, ContextLostToAnEarlierFault) {
  // In a process of its own, which the fault may end.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(runAfterFault(), testing::ExitedWithCode(0),
              "first: \nsecond: .* failed: CUDA_ERROR_.*; work launched "
              "earlier in this CUDA context failed, and the context is lost");
}

} // namespace
