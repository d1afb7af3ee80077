//===- ContextTest.cpp - Threads, contexts and streams --------------------===//

#include "tests/gpu/Gpu.h"

#include <thread>

using namespace weft;
using namespace weft::program;

namespace {

/// Adds one to out[0] a CTA, over 10 CTAs, and takes pool workspace on the way.
struct Count : Builder {
  Count() : Builder(sampleSpec) {
    int32_t kernel = this->kernel("count", ptx::count, 1);
    variant(constant(256));
    buffer("unused", constant(0), constant(256));
    memset(0, 1);
    tensor(launch(kernel, constant(10)), TensorRole::out);
  }
};

class Contexts : public Gpu {
protected:
  CUcontext current() {
    CUcontext context = nullptr;
    check(driver->cuCtxGetCurrent(&context));
    return context;
  }
  /// A problem whose tensors are parts of 64 KB at `memory`.
  Problem problemIn(void *memory) {
    Problem p = problemOf(4, 4);
    char *base = static_cast<char *>(memory);
    p.out.data = base;
    p.query.data = base + 0x1000;
    p.key.data = base + 0x2000;
    p.value.data = base + 0x3000;
    p.lse.data = base + 0x4000;
    return p;
  }
  CUcontext newContext() {
    CUcontext context = nullptr;
    check(driverFunction<CUresult (*)(CUcontext *, unsigned, CUdevice)>(
        "cuCtxCreate_v2")(&context, 0, 0));
    return context;
  }
  void destroy(CUcontext context) {
    check(driverFunction<CUresult (*)(CUcontext)>("cuCtxDestroy_v2")(context));
  }
};

TEST_F(Contexts, ThreadWithoutContext) {
  GpuMemory memory(*driver, 1 << 16, 0);
  std::unique_ptr<CudaExecutor> executor = executorOf(Count());
  std::thread([&] {
    EXPECT_EQ(current(), nullptr);
    EXPECT_EQ(messageOf(executor->run(problemIn(memory.data()))), "");
    EXPECT_EQ(current(), nullptr);
  }).join();
  wait(stream);
  EXPECT_EQ(memory.read<uint32_t>()[0], 10u);
}

TEST_F(Contexts, DefaultStreamWithoutContext) {
  GpuMemory memory(*driver, 1 << 16, 0);
  std::unique_ptr<CudaExecutor> executor = executorOf(Count());
  Problem problem = problemIn(memory.data());
  for (CUstream each :
       {CUstream(nullptr), CU_STREAM_LEGACY, CU_STREAM_PER_THREAD}) {
    problem.stream = each;
    EXPECT_EQ(messageOf(executor->run(problem)), "");
    wait(each);
  }
  EXPECT_EQ(memory.read<uint32_t>()[0], 30u);
}

TEST_F(Contexts, CallersContextIsLeftAsItWas) {
  GpuMemory memory(*driver, 1 << 16, 0);
  std::unique_ptr<CudaExecutor> executor = executorOf(Count());
  CUcontext other = newContext();
  EXPECT_EQ(current(), other);
  EXPECT_EQ(messageOf(executor->run(problemIn(memory.data()))), "");
  EXPECT_EQ(current(), other);
  // After an error too.
  Problem bad = problemIn(memory.data());
  bad.workspace = static_cast<char *>(memory.data()) + 0x5000;
  bad.workspaceBytes = 1;
  EXPECT_NE(messageOf(executor->run(bad)), "");
  EXPECT_EQ(current(), other);
  destroy(other);
  wait(stream);
  EXPECT_EQ(memory.read<uint32_t>()[0], 10u);
}

TEST_F(Contexts, StreamOfAContextTheUserMade) {
  std::unique_ptr<CudaExecutor> executor = executorOf(Count());
  // In the primary context first: kernels are loaded once per context.
  GpuMemory memory(*driver, 1 << 16, 0);
  EXPECT_EQ(messageOf(executor->run(problemIn(memory.data()))), "");
  wait(stream);

  CUcontext other = newContext();
  CUstream theirs = nullptr;
  CUdeviceptr address = 0;
  check(driver->cuStreamCreate(&theirs, CU_STREAM_NON_BLOCKING));
  check(driver->cuMemAlloc(&address, 1 << 16));
  check(driver->cuMemsetD8Async(address, 0, 1 << 16, theirs));
  CUcontext popped = nullptr;
  check(driver->cuCtxPopCurrent(&popped));
  Problem problem = problemIn(reinterpret_cast<void *>(address));
  problem.stream = theirs;
  EXPECT_EQ(messageOf(executor->run(problem)), "");
  EXPECT_EQ(current(), nullptr);

  check(driver->cuCtxPushCurrent(other));
  uint32_t result = 0;
  check(driver->cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(&result), address,
                              4, theirs));
  check(driver->cuStreamSynchronize(theirs));
  EXPECT_EQ(result, 10u);
  executor.reset();
  check(driver->cuMemFree(address));
  check(driver->cuStreamDestroy(theirs));
  destroy(other);
}

TEST_F(Contexts, ManyThreadsOneExecutor) {
  constexpr int threads = 8, runs = 50;
  GpuMemory memory(*driver, threads << 16, 0);
  std::unique_ptr<CudaExecutor> executor = executorOf(Count());
  std::vector<CUstream> own;
  for (int i = 0; i < threads; ++i)
    own.push_back(newStream());
  std::vector<std::string> messages(threads);
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i)
    running.emplace_back([&, i] {
      Problem problem =
          problemIn(static_cast<char *>(memory.data()) + (i << 16));
      problem.stream = own[i];
      for (int n = 0; n < runs; ++n)
        messages[i] += messageOf(executor->run(problem));
    });
  for (std::thread &thread : running)
    thread.join();
  for (CUstream each : own)
    wait(each);
  std::vector<uint32_t> words = memory.read<uint32_t>();
  for (int i = 0; i < threads; ++i) {
    EXPECT_EQ(messages[i], "");
    EXPECT_EQ(words[i << 14], 10u * runs) << i;
  }
}

} // namespace
