//===- PackedPlanTest.cpp - Packs where there is a compiler too -----------===//

#include "runtime/pack/PackFile.h"
#include "tests/unit/api/FakeGpu.h"
#include "tests/unit/pack/PackFixture.h"

#include "weft.h"

#include <gtest/gtest.h>

#include <unistd.h>

using namespace weft;

namespace {

const char *kTarget = "sm_80";

class PackedPlan : public testing::Test {
protected:
  PackedPlan() : path(folder / "model.weftpack") {
    llvm::cantFail(writePack(path, PackEntry(entry)));
  }
  ~PackedPlan() override { weft_context_destroy(context); }

  void create(bool precompiledOnly = false, const char *tuning = nullptr) {
    weft_context_options options = {};
    options.struct_size = sizeof options;
    options.cache_directory = "";
    options.precompiled_only = precompiledOnly;
    options.tuning = tuning;
    options.warn = [](void *user, const char *message) {
      static_cast<std::vector<std::string> *>(user)->push_back(message);
    };
    options.user = &warnings;
    ASSERT_EQ(weft_context_create(&options, &context), WEFT_OK)
        << weft_last_error();
    ASSERT_EQ(weft_context_load_pack(context, path.c_str()), WEFT_OK)
        << weft_last_error();
  }
  weft_status plan(const std::string &spec) {
    weft_plan *made = nullptr;
    weft_status status =
        weft_plan_create(context, spec.c_str(), kTarget, &made);
    weft_plan_destroy(made);
    return status;
  }

  Folder folder;
  std::string path;
  OwnedEntry entry{kForward, kTarget};
  weft_context *context = nullptr;
  std::vector<std::string> warnings;
};

TEST_F(PackedPlan, PacksComeBeforeTheCompiler) {
  // Nothing could be compiled.
  setenv("WEFT_NVRTC", "/nonexistent/libnvrtc.so", 1);
  create();
  EXPECT_EQ(plan(kForward), WEFT_OK) << weft_last_error();
  EXPECT_EQ(plan(kBackward), WEFT_UNAVAILABLE);
  unsetenv("WEFT_NVRTC");
  EXPECT_EQ(plan(kForward + " mask=causal"), WEFT_OK) << weft_last_error();
}

TEST_F(PackedPlan, PrecompiledOnly) {
  create(/*precompiledOnly=*/true);
  EXPECT_EQ(plan(kForward), WEFT_OK) << weft_last_error();
  EXPECT_EQ(plan(kBackward), WEFT_NOT_PRECOMPILED);
  EXPECT_NE(std::string(weft_last_error())
                .find("{\"spec\": \"" + kBackward + "\", \"arch\": \"sm_80\"}"),
            std::string::npos)
      << weft_last_error();
  // The compiler still explains.
  weft_plan *made = nullptr;
  ASSERT_EQ(weft_plan_create(context, kForward.c_str(), kTarget, &made),
            WEFT_OK);
  char *text = nullptr;
  EXPECT_EQ(weft_plan_explain(made, &text), WEFT_OK) << weft_last_error();
  EXPECT_NE(std::string(text).find("@forward"), std::string::npos);
  weft_free(text);
  weft_plan_destroy(made);
}

TEST_F(PackedPlan, ADamagedProgramIsCompiled) {
  std::string bytes = readFile(path);
  bytes[100] ^= 1;
  writeFile(path, llvm::arrayRefFromStringRef(bytes));
  create();
  EXPECT_EQ(plan(kForward), WEFT_OK) << weft_last_error();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("model.weftpack' is damaged ("), std::string::npos)
      << warnings[0];
}

TEST_F(PackedPlan, OtherSchedulesAreCompiled) {
  setenv("WEFT_NVRTC", "/nonexistent/libnvrtc.so", 1);
  create(/*precompiledOnly=*/false, R"({"rows": [
    {"kernel": "forward", "head_dim": 64, "head_dim_v": 64,
     "schedules": ["rows = 64, columns = 16, warps = 4"]}]})");
  EXPECT_EQ(plan(kForward), WEFT_UNAVAILABLE);
  unsetenv("WEFT_NVRTC");
}

TEST_F(PackedPlan, OtherSchedulesNeedACompiler) {
  weft_context_options options = {};
  options.struct_size = sizeof options;
  options.precompiled_only = 1;
  options.tuning = R"({"rows": []})";
  EXPECT_EQ(weft_context_create(&options, &context), WEFT_INVALID_ARGUMENT);
  EXPECT_NE(std::string(weft_last_error()).find("precompiled_only"),
            std::string::npos)
      << weft_last_error();
}

/// What asking for a device of `driver` ends with, in a process of its own.
void expectUnavailable(weft_context *context, const char *driver,
                       const char *part) {
  auto ask = [&]() -> int {
    setenv("WEFT_LIBCUDA", driver, 1);
    weft_plan *made = nullptr;
    if (weft_plan_create(context, kForward.c_str(), "cuda:0", &made) !=
        WEFT_UNAVAILABLE)
      return 1;
    if (std::string(weft_last_error()).find(part) == std::string::npos)
      return 2;
    // What needs no driver still goes.
    return weft_plan_create(context, kForward.c_str(), kTarget, &made) ==
                   WEFT_OK
               ? 0
               : 3;
  };
  EXPECT_EXIT(_exit(ask()), testing::ExitedWithCode(0), "") << driver;
}

TEST_F(PackedPlan, DriversThatAreAbsentOldOrNone) {
  create();
  expectUnavailable(context, "/nonexistent/libcuda.so.1",
                    "no CUDA driver: /nonexistent/libcuda.so.1");
  expectUnavailable(context, WEFT_OLD_DRIVER,
                    "the CUDA driver is too old: it supports CUDA 11.4");
  expectUnavailable(context, "libm.so.6", "is not a CUDA driver");
}

TEST_F(PackedPlan, AGpuThatIsTooOldIsNamed) {
  create();
  auto ask = [&]() -> int {
    fakeGpu().major = 7;
    weft_plan *made = nullptr;
    if (weft_plan_create(context, kForward.c_str(), "cuda:0", &made) !=
        WEFT_UNSUPPORTED)
      return 1;
    fprintf(stderr, "%s\n", weft_last_error());
    return 0;
  };
  EXPECT_EXIT(_exit(ask()), testing::ExitedWithCode(0),
              "cuda:0 is a GPU of target sm_70: target 'sm_70' is not known; "
              "use one of sm_80, ");
}

} // namespace
