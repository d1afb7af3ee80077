//===- PackFailureTest.cpp - What a driver's refusals become in weft.h ----===//
//
// Packs of small programs, written here for the GPU at hand and run through the
// C interface: the status says what the caller can do about a failure.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/weft.h"
#include "runtime/pack/PackFile.h"
#include "runtime/spec/TargetName.h"
#include "tests/gpu/Gpu.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

using namespace weft;
using namespace weft::program;

namespace {

class PackFailure : public Gpu {
protected:
  void SetUp() override {
    Gpu::SetUp();
    if (IsSkipped())
      return;
    target = targetNameFor(info.major, info.minor);
    memory = std::make_unique<GpuMemory>(*driver, 1 << 16, 0);
    ASSERT_EQ(weft_context_create(nullptr, &context), WEFT_OK);
  }
  void TearDown() override {
    weft_context_destroy(context);
    memory.reset();
    Gpu::TearDown();
  }

  /// A plan of one launch of `image`, with so much workspace.
  weft_plan *planOf(const char *name, const char *image, int64_t workspace) {
    Builder b(sampleSpec);
    b.program.target = target;
    int32_t kernel = b.kernel(name, image, 1);
    b.variant(b.constant(workspace));
    b.launch(kernel, b.constant(1));
    std::vector<uint8_t> bytes = llvm::cantFail(serialize(b.program));
    char path[] = "/tmp/weft-gpu-pack-XXXXXX";
    close(mkstemp(path));
    PackEntry entry{sampleSpec, target, "0.0.1", "a test", "key", bytes};
    llvm::cantFail(writePack(path, entry));
    EXPECT_EQ(weft_context_load_pack(context, path), WEFT_OK)
        << weft_last_error();
    // What is mapped stays.
    std::filesystem::remove(path);
    weft_plan *plan = nullptr;
    EXPECT_EQ(weft_plan_create(context, sampleSpec, "cuda:0", &plan), WEFT_OK)
        << weft_last_error();
    return plan;
  }

  weft_status run(const weft_plan *plan) {
    weft_problem p;
    weft_problem_init(&p, sizeof p);
    p.batch = 1;
    p.q.heads = p.kv.heads = 1;
    p.q.seqlen = p.kv.seqlen = 4;
    char *base = static_cast<char *>(memory->data());
    for (weft_tensor *tensor : {&p.query, &p.key, &p.value, &p.out}) {
      *tensor = {base, 32, 8, 8, 1};
      base += 0x1000;
    }
    p.lse = {base, 4, 1, 4, 1};
    p.scale = 1;
    p.stream = stream;
    weft_status status = weft_plan_run(plan, &p);
    wait(stream);
    return status;
  }

  std::string target;
  std::unique_ptr<GpuMemory> memory;
  weft_context *context = nullptr;
};

void expectMessage(const char *part) {
  EXPECT_NE(std::string(weft_last_error()).find(part), std::string::npos)
      << weft_last_error();
}

TEST_F(PackFailure, OutOfMemoryLeavesTheDeviceAsItWas) {
  weft_plan *greedy = planOf("small", ptx::small, int64_t(1) << 45);
  EXPECT_EQ(run(greedy), WEFT_OUT_OF_MEMORY);
  expectMessage("35184372088832 bytes of workspace");
  weft_plan *modest = planOf("small", ptx::small, 256);
  EXPECT_EQ(run(modest), WEFT_OK) << weft_last_error();
  EXPECT_EQ(run(greedy), WEFT_OUT_OF_MEMORY);
  EXPECT_EQ(run(modest), WEFT_OK) << weft_last_error();
  weft_plan_destroy(greedy);
  weft_plan_destroy(modest);
}

TEST_F(PackFailure, KernelsThatTheDriverRefuses) {
  weft_plan *plan = planOf("bad", ".version 7.0 nonsense", 256);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(run(plan), WEFT_LAUNCH_FAILED);
    expectMessage("loading kernel \"bad\", compiled for sm_");
    expectMessage("the kernels are made by weft 0.0.1 with a test, the driver "
                  "supports CUDA ");
  }
  weft_plan_destroy(plan);
}

TEST_F(PackFailure, ALostDeviceIsTold) {
  // In a process of its own, which the fault may end.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto runAfterFault = [&] {
    weft_plan *plan = planOf("fault", ptx::fault, 256);
    weft_problem p;
    weft_problem_init(&p, sizeof p);
    p.q.heads = p.kv.heads = 1;
    p.scale = 1;
    weft_status first = weft_plan_run(plan, &p);
    {
      // The run left this thread without a context, as it was.
      auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
      (void)driver->cuStreamSynchronize(nullptr);
    }
    weft_status second = weft_plan_run(plan, &p);
    std::fprintf(stderr, "%s, then %s: %s\n", weft_status_string(first),
                 weft_status_string(second), weft_last_error());
    std::_Exit(0);
  };
  EXPECT_EXIT(runAfterFault(), testing::ExitedWithCode(0),
              "ok, then device lost: .*the context is lost");
}

} // namespace
