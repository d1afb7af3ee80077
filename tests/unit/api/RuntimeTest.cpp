//===- RuntimeTest.cpp - libweft-runtime: packs and nothing else ----------===//

#include "runtime/pack/PackFile.h"
#include "tests/unit/api/FakeGpu.h"
#include "weft.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace weft;

namespace {

class Runtime : public testing::Test {
protected:
  Runtime() : fake(fakeGpu()) {
    char name[] = "/tmp/weft-runtime-test-XXXXXX";
    folder = mkdtemp(name);
    fake = FakeDriver();
    fake.parameterBytes = {8};
    path = folder + "/model.weftpack";
    writePackOf({"sm_90a"});
    create();
  }
  ~Runtime() override {
    weft_context_destroy(context);
    std::filesystem::remove_all(folder);
  }
  void create() {
    weft_context_destroy(context);
    weft_context_options options = {};
    options.struct_size = sizeof options;
    options.warn = [](void *user, const char *message) {
      static_cast<std::vector<std::string> *>(user)->push_back(message);
    };
    options.user = &warnings;
    ASSERT_EQ(weft_context_create(&options, &context), WEFT_OK);
  }
  void writePackOf(std::vector<std::string> targets) {
    std::vector<std::vector<uint8_t>> programs;
    std::vector<PackEntry> entries;
    for (const std::string &target : targets)
      programs.push_back(launchingProgram(kSpec, target));
    for (size_t i = 0; i < targets.size(); ++i)
      entries.push_back(
          {kSpec, targets[i], "0.0.9", "NVRTC 12.8", "key", programs[i]});
    llvm::cantFail(writePack(path, entries));
  }
  /// The plan, or null with weft_last_error.
  weft_plan *plan(const char *where, weft_status expected = WEFT_OK,
                  const std::string &spec = kSpec) {
    weft_plan *made = nullptr;
    EXPECT_EQ(weft_plan_create(context, spec.c_str(), where, &made), expected)
        << weft_last_error();
    return made;
  }
  weft_status run(const weft_plan *plan) {
    weft_problem problem = someProblem();
    return weft_plan_run(plan, &problem);
  }

  FakeDriver &fake;
  std::string folder, path;
  weft_context *context = nullptr;
  std::vector<std::string> warnings;
};

TEST_F(Runtime, RunsPlansOfAPack) {
  ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK)
      << weft_last_error();
  weft_plan *made = plan("cuda:1");
  ASSERT_TRUE(made);
  EXPECT_STREQ(weft_plan_target(made), "sm_90a");
  EXPECT_EQ(weft_plan_spec(made), kSpec);
  EXPECT_EQ(run(made), WEFT_OK) << weft_last_error();
  EXPECT_EQ(fake.work,
            (std::vector<std::string>{
                "ctx2 take 256", "ctx2 set32 0x7000000000 0x7 x 64",
                "ctx2 launch 2 x 128 shared 0", "ctx2 free 0x7000000000"}));
  weft_problem problem = someProblem();
  int64_t bytes = 0;
  EXPECT_EQ(weft_plan_workspace_bytes(made, &problem, &bytes), WEFT_OK);
  EXPECT_EQ(bytes, 256);
  // The pack may be replaced, and the context destroyed.
  writePackOf({});
  weft_context_destroy(context);
  context = nullptr;
  EXPECT_EQ(run(made), WEFT_OK) << weft_last_error();
  weft_plan_destroy(made);
}

TEST_F(Runtime, NotPrecompiledNamesTheLineToAdd) {
  EXPECT_FALSE(plan("cuda:0", WEFT_NOT_PRECOMPILED));
  EXPECT_EQ(std::string(weft_last_error()),
            "'" + kSpec +
                "' is not precompiled for sm_90a; no pack is loaded; add this "
                "line to the manifest and compile the pack again: {\"spec\": "
                "\"" +
                kSpec + "\", \"arch\": \"sm_90a\"}");
  ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK);
  // Neither another spec nor an older relative of the device's.
  EXPECT_FALSE(plan("cuda:0", WEFT_NOT_PRECOMPILED, kSpec + " mask=causal"));
  EXPECT_FALSE(plan("sm_90", WEFT_NOT_PRECOMPILED));
  fake.major = 8;
  EXPECT_FALSE(plan("cuda:0", WEFT_NOT_PRECOMPILED));
  EXPECT_NE(std::string(weft_last_error())
                .find("' is not precompiled for sm_80 (" + path +
                      " has it for sm_90a); add"),
            std::string::npos)
      << weft_last_error();
  EXPECT_STREQ(weft_status_string(WEFT_NOT_PRECOMPILED), "not precompiled");
}

TEST_F(Runtime, TheLastPackIsAskedFirst) {
  ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK);
  std::string other = folder + "/other.weftpack";
  std::vector<uint8_t> program = [] {
    program::Builder b(kSpec);
    b.variant(b.constant(512));
    return llvm::cantFail(program::serialize(b.program));
  }();
  llvm::cantFail(writePack(
      other, PackEntry{kSpec, "sm_90a", "0.1.0", "NVRTC 13.0", "k", program}));
  ASSERT_EQ(weft_context_load_pack(context, other.c_str()), WEFT_OK);
  weft_plan *made = plan("cuda:1");
  weft_problem problem = someProblem();
  int64_t bytes = 0;
  EXPECT_EQ(weft_plan_workspace_bytes(made, &problem, &bytes), WEFT_OK);
  EXPECT_EQ(bytes, 512);
  weft_plan_destroy(made);
}

TEST_F(Runtime, BadPacks) {
  EXPECT_EQ(weft_context_load_pack(context, (folder + "/none").c_str()),
            WEFT_BAD_PACK);
  EXPECT_NE(std::string(weft_last_error()).find("No such file"),
            std::string::npos);
  EXPECT_EQ(weft_context_load_pack(context, nullptr), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_context_load_pack(nullptr, "p"), WEFT_INVALID_ARGUMENT);
  // Damage in the program comes to light when it is asked for.
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(100);
  file.put('\x55');
  file.close();
  ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK);
  EXPECT_FALSE(plan("sm_90a", WEFT_BAD_PACK));
  EXPECT_NE(std::string(weft_last_error()).find("is damaged ("),
            std::string::npos)
      << weft_last_error();
}

TEST_F(Runtime, HasNoCompiler) {
  ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK);
  weft_plan *made = plan("sm_90a");
  char *text = nullptr;
  EXPECT_EQ(weft_plan_explain(made, &text), WEFT_UNSUPPORTED);
  EXPECT_NE(std::string(weft_last_error()).find("has no compiler"),
            std::string::npos);
  weft_plan_destroy(made);
  weft_context_options options = {};
  options.struct_size = sizeof options;
  options.tuning = "{}";
  weft_context *tuned = nullptr;
  EXPECT_EQ(weft_context_create(&options, &tuned), WEFT_UNSUPPORTED);
}

TEST_F(Runtime, KernelsThatTheDriverRefuses) {
  ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK);
  weft_plan *made = plan("cuda:1");
  fake.failures = {{"cuLibraryLoadData", CUDA_ERROR_INVALID_IMAGE}};
  EXPECT_EQ(run(made), WEFT_LAUNCH_FAILED);
  EXPECT_STREQ(
      weft_last_error(),
      "loading kernel \"k\", compiled for sm_90a, failed: CUDA_ERROR_OTHER "
      "(text); the kernels are made by weft 0.0.9 with NVRTC 12.8, the driver "
      "supports CUDA 12.9: update the driver, or compile the pack again with "
      "an NVRTC that is not newer than it");
  EXPECT_TRUE(fake.work.empty());
  fake.failures.clear();
  EXPECT_EQ(run(made), WEFT_OK) << weft_last_error();
  weft_plan_destroy(made);
}

TEST_F(Runtime, OutOfMemoryAndALostDeviceHaveStatusesOfTheirOwn) {
  ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK);
  weft_plan *made = plan("cuda:1");
  for (const char *name :
       {"cuLibraryLoadData", "cuMemAllocAsync", "cuLaunchKernelEx"}) {
    fake.failures = {{name, CUDA_ERROR_OUT_OF_MEMORY}};
    EXPECT_EQ(run(made), WEFT_OUT_OF_MEMORY) << name;
    EXPECT_NE(std::string(weft_last_error()).find("CUDA_ERROR_OUT_OF_MEMORY"),
              std::string::npos);
    EXPECT_EQ(fake.taken, 0) << name;
    // As good as before.
    fake.failures.clear();
    EXPECT_EQ(run(made), WEFT_OK) << weft_last_error();
    weft_plan_destroy(made);
    create();
    ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK);
    made = plan("cuda:1");
  }
  fake.failures = {{"cuStreamGetCtx", CUDA_ERROR_ILLEGAL_ADDRESS}};
  EXPECT_EQ(run(made), WEFT_DEVICE_LOST);
  EXPECT_NE(std::string(weft_last_error()).find("the context is lost"),
            std::string::npos);
  weft_problem problem = someProblem();
  int64_t bytes = 0;
  EXPECT_EQ(weft_plan_workspace_bytes(made, &problem, &bytes),
            WEFT_DEVICE_LOST);
  weft_plan_destroy(made);
}

TEST_F(Runtime, DevicesAreKeptApart) {
  ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK);
  weft_plan *first = plan("cuda:0"), *second = plan("cuda:1");
  // A plan of a target runs on every device of it, each in its own context.
  weft_problem problem = someProblem();
  problem.stream = FakeDriver::stream(1);
  EXPECT_EQ(weft_plan_run(first, &problem), WEFT_OK) << weft_last_error();
  EXPECT_EQ(run(second), WEFT_OK) << weft_last_error();
  EXPECT_EQ(weft_plan_run(second, &problem), WEFT_OK) << weft_last_error();
  EXPECT_EQ(std::count(fake.work.begin(), fake.work.end(),
                       "ctx1 launch 2 x 128 shared 0"),
            2);
  EXPECT_EQ(std::count(fake.work.begin(), fake.work.end(),
                       "ctx2 launch 2 x 128 shared 0"),
            1);
  EXPECT_EQ(fake.libraries, 1);
  EXPECT_TRUE(fake.contexts.empty());
  EXPECT_EQ(fake.retained, 0);
  weft_plan_destroy(first);
  weft_plan_destroy(second);
}

TEST_F(Runtime, TheCppLayer) {
  auto made = weft::Context::create();
  ASSERT_TRUE(made);
  weft::Status status = made->loadPack(path);
  EXPECT_TRUE(status) << status.message;
  auto plan = made->plan(kSpec, "cuda:1");
  ASSERT_TRUE(plan) << plan.status().message;
  auto missing = made->plan(kSpec + " align=2", "cuda:1");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.status().code, WEFT_NOT_PRECOMPILED);
}

TEST_F(Runtime, RecordsWhatIsAskedFor) {
  std::string used = folder + "/used.json";
  setenv("WEFT_RECORD", used.c_str(), 1);
  create();
  unsetenv("WEFT_RECORD");
  ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK);
  weft_plan_destroy(plan("cuda:0"));
  weft_plan_destroy(plan("cuda:1"));
  // What no pack has is what the next one needs.
  EXPECT_FALSE(plan("sm_80", WEFT_NOT_PRECOMPILED, kSpec + " align=2"));
  std::ifstream file(used);
  std::string all{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(all, "{\"spec\": \"" + kSpec +
                     "\", \"arch\": \"sm_90a\"}\n{\"spec\": \"" + kSpec +
                     " align=2\", \"arch\": \"sm_80\"}\n");

  // An application goes on where the file cannot be written, and is told.
  setenv("WEFT_RECORD", "/nowhere/used.json", 1);
  create();
  unsetenv("WEFT_RECORD");
  EXPECT_FALSE(plan("sm_80", WEFT_NOT_PRECOMPILED));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("WEFT_RECORD: cannot write '/nowhere/"),
            std::string::npos);
}

} // namespace
