//===- PlanStoreTest.cpp - Kernels that a driver does not take ------------===//

#include "runtime/api/PlanStore.h"
#include "runtime/api/Status.h"
#include "tests/unit/api/FakeGpu.h"

#include <gtest/gtest.h>

#include <thread>

using namespace weft;
using program::messageOf;

namespace {

/// Makes a program anew whenever it is asked to compile.
class CountingCompiler : public PlanCompiler {
public:
  explicit CountingCompiler(int &compiles) : compiles(compiles) {}

  llvm::Expected<SharedProgram> program(const AttentionSpec &spec,
                                        llvm::StringRef target) override {
    std::lock_guard<std::mutex> lock(mutex);
    if (!kept) {
      ++compiles;
      kept = std::make_shared<std::vector<uint8_t>>(
          launchingProgram(spec.str(), target.str()));
    }
    return SharedProgram{kept, *kept, [] { return "NVRTC 13.0 (here)"; }};
  }
  llvm::Expected<SharedProgram>
  compileAgain(const AttentionSpec &spec, llvm::StringRef target,
               const SharedProgram &rejected) override {
    EXPECT_EQ(rejected.owner, kept);
    {
      std::lock_guard<std::mutex> lock(mutex);
      kept = nullptr;
    }
    return program(spec, target);
  }
  llvm::Expected<std::string> explain(const AttentionSpec &,
                                      llvm::StringRef) override {
    return "explained";
  }

private:
  int &compiles;
  std::mutex mutex;
  std::shared_ptr<std::vector<uint8_t>> kept;
};

class Store : public testing::Test {
protected:
  Store() : fake(fakeGpu()) {
    fake = FakeDriver();
    fake.parameterBytes = {8};
    make(/*compiles=*/true);
    problem.batch = 1;
    problem.q = problem.kv = {.heads = 2, .seqlen = 4, .rows = 4};
    auto view = [](uint64_t address) {
      return TensorView{reinterpret_cast<void *>(address), 512, 128, 64, 1};
    };
    problem.query = view(0x1000000000);
    problem.key = view(0x1000100000);
    problem.value = view(0x1000200000);
    problem.out = view(0x1000300000);
    problem.lse = {reinterpret_cast<void *>(0x1000400000), 8, 1, 4, 1};
    problem.scale = 0.125;
    problem.stream = FakeDriver::stream(2);
  }
  void make(bool compiles) {
    store = std::make_unique<PlanStore>(
        std::make_unique<CountingCompiler>(this->compiles), compiles,
        /*usesPacks=*/true,
        [this](llvm::StringRef message) { warnings.push_back(message.str()); });
  }
  PlanProgram &get() { return *llvm::cantFail(store->get(spec, "sm_90a")); }

  FakeDriver &fake;
  AttentionSpec spec = llvm::cantFail(AttentionSpec::parse(kSpec));
  Problem problem;
  int compiles = 0;
  std::vector<std::string> warnings;
  std::unique_ptr<PlanStore> store;
};

TEST_F(Store, OneProgramForAllPlansOfASpec) {
  EXPECT_EQ(&get(), &get());
  EXPECT_EQ(messageOf(get().run(problem, {})), "");
  EXPECT_EQ(messageOf(get().run(problem, {})), "");
  EXPECT_EQ(compiles, 1);
  EXPECT_EQ(fake.libraries, 1);
  EXPECT_EQ(llvm::cantFail(get().workspaceBytes(problem)), 256);
}

TEST_F(Store, RefusedKernelsAreCompiledOnceMore) {
  fake.failures = {{"cuLibraryLoadData", CUDA_ERROR_INVALID_IMAGE}};
  PlanProgram &program = get();
  // The driver takes the second.
  fake.failuresLeft = 1;
  EXPECT_EQ(messageOf(program.run(problem, {})), "");
  EXPECT_EQ(compiles, 2);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "the kernels of '" + kSpec +
                "' for sm_90a are compiled again: loading kernel \"k\", "
                "compiled for sm_90a, failed: CUDA_ERROR_OTHER (text)");
  EXPECT_EQ(fake.parameters.size(), 1u);
  // Plans made later are of the same.
  EXPECT_EQ(&get(), &program);
  EXPECT_EQ(messageOf(get().run(problem, {})), "");
  EXPECT_EQ(compiles, 2);
}

TEST_F(Store, RefusedAgainIsAnErrorWithBothVersions) {
  fake.failures = {{"cuLibraryLoadData", CUDA_ERROR_INVALID_IMAGE}};
  std::string expected =
      "loading kernel \"k\", compiled for sm_90a, failed: CUDA_ERROR_OTHER "
      "(text); they were compiled again and refused again: the kernels are "
      "made by NVRTC 13.0 (here), the driver supports CUDA 12.9: update the "
      "driver, or name an NVRTC that is not newer than it in WEFT_NVRTC";
  for (int again = 0; again < 3; ++again) {
    EXPECT_EQ(messageOf(get().run(problem, {})), expected);
    EXPECT_EQ(compiles, 2);
  }
  EXPECT_TRUE(fake.work.empty());
}

TEST_F(Store, ThreadsCompileAgainTogether) {
  fake.failures = {{"cuLibraryLoadData", CUDA_ERROR_INVALID_IMAGE}};
  PlanProgram &program = get();
  std::vector<std::string> messages(8);
  std::vector<std::thread> threads;
  for (std::string &message : messages)
    threads.emplace_back(
        [&] { message = messageOf(program.run(problem, {})); });
  for (std::thread &thread : threads)
    thread.join();
  for (const std::string &message : messages)
    EXPECT_NE(message.find("refused again"), std::string::npos) << message;
  EXPECT_EQ(compiles, 2);
}

TEST_F(Store, OtherFailuresCompileNothing) {
  for (CUresult status : {CUDA_ERROR_OUT_OF_MEMORY, CUDA_ERROR_ILLEGAL_ADDRESS})
    for (const char *name :
         {"cuLibraryLoadData", "cuLaunchKernelEx", "cuStreamGetCtx"}) {
      make(/*compiles=*/true);
      compiles = 0;
      fake.failures = {{name, status}};
      EXPECT_NE(messageOf(get().run(problem, {})), "") << name;
      EXPECT_EQ(compiles, 1) << name;
    }
  EXPECT_TRUE(warnings.empty());
}

TEST_F(Store, PrecompiledOnlyCompilesNothingAndStillExplains) {
  make(/*compiles=*/false);
  llvm::Expected<PlanProgram *> program = store->get(spec, "sm_90a");
  ASSERT_FALSE(bool(program));
  EXPECT_EQ(fail(program.takeError(), WEFT_COMPILE_FAILED),
            WEFT_NOT_PRECOMPILED);
  EXPECT_EQ(compiles, 0);
}

} // namespace
