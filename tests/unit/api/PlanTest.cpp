//===- PlanTest.cpp - Contexts and plans through weft.h -------------------===//

#include "runtime/api/weft.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

static const char kSpec[] = "forward bf16 head_dim=64 layout=thd";

namespace {
/// A context with a cache of its own.
class Plan : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/weft-api-test-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    context = makeContext();
  }
  void TearDown() override {
    weft_context_destroy(context);
    std::error_code error;
    std::filesystem::remove_all(folder, error);
  }
  weft_context *makeContext() {
    weft_context_options options = {};
    options.struct_size = sizeof options;
    options.cache_directory = folder.c_str();
    options.warn = [](void *user, const char *) {
      ++*static_cast<int *>(user);
    };
    options.user = &warnings;
    weft_context *made = nullptr;
    EXPECT_EQ(weft_context_create(&options, &made), WEFT_OK);
    return made;
  }
  int entries() const {
    int count = 0;
    for (const auto &entry : std::filesystem::directory_iterator(folder))
      count += entry.path().extension() == ".weft";
    return count;
  }

  std::string folder;
  weft_context *context = nullptr;
  int warnings = 0;
};
} // namespace

TEST_F(Plan, CompilesOnceAndIsKept) {
  weft_plan *plan = nullptr;
  ASSERT_EQ(weft_plan_create(context, kSpec, "sm_90a", &plan), WEFT_OK)
      << weft_last_error();
  EXPECT_STREQ(weft_plan_spec(plan),
               "forward bf16 head_dim=64 head_ratio=1 layout=thd");
  EXPECT_STREQ(weft_plan_target(plan), "sm_90a");
  EXPECT_EQ(entries(), 1);
  weft_plan_destroy(plan);

  // Another context, as of another process, and the same spec in other words.
  weft_context *other = makeContext();
  ASSERT_EQ(weft_plan_create(other, "head_dim=64 forward layout=t3hd bf16",
                             "sm_90a", &plan),
            WEFT_OK)
      << weft_last_error();
  EXPECT_EQ(entries(), 1);
  weft_plan_destroy(plan);
  ASSERT_EQ(weft_plan_create(other, kSpec, "sm_80", &plan), WEFT_OK)
      << weft_last_error();
  EXPECT_EQ(entries(), 2);
  weft_plan_destroy(plan);
  weft_context_destroy(other);
  EXPECT_EQ(warnings, 0);
}

TEST_F(Plan, OutlivesItsContext) {
  weft_plan *plan = nullptr;
  ASSERT_EQ(weft_plan_create(context, kSpec, "sm_90a", &plan), WEFT_OK)
      << weft_last_error();
  weft_context_destroy(context);
  context = nullptr;
  char *text = nullptr;
  EXPECT_EQ(weft_plan_explain(plan, &text), WEFT_OK) << weft_last_error();
  weft_free(text);
  weft_plan_destroy(plan);
}

TEST_F(Plan, ExplainsWhoInitialisesWhat) {
  weft_plan *plan = nullptr;
  ASSERT_EQ(weft_plan_create(
                context, "backward bf16 head_dim=64 head_ratio=2 layout=thd",
                "sm_90a", &plan),
            WEFT_OK)
      << weft_last_error();
  char *text = nullptr;
  ASSERT_EQ(weft_plan_explain(plan, &text), WEFT_OK) << weft_last_error();
  std::string explanation = text;
  weft_free(text);
  weft_plan_destroy(plan);
  for (const char *expected :
       {"backward bf16 head_dim=64 head_ratio=2 layout=thd", "d_key", "d_value",
        "filled with 0", "written by step", "trusted, not proved"})
    EXPECT_NE(explanation.find(expected), std::string::npos) << expected << "\n"
                                                             << explanation;
}

TEST_F(Plan, DumpKeepsEveryStage) {
  std::string dump = folder + "/dump";
  setenv("WEFT_DUMP", dump.c_str(), 1);
  weft_plan *plan = nullptr;
  weft_status status = weft_plan_create(context, kSpec, "sm_90a", &plan);
  unsetenv("WEFT_DUMP");
  ASSERT_EQ(status, WEFT_OK) << weft_last_error();
  weft_plan_destroy(plan);
  std::filesystem::path made =
      std::filesystem::directory_iterator(dump)->path();
  EXPECT_EQ(made.filename().string().rfind(
                "forward-bf16-head_dim=64-head_ratio=1-layout=thd-sm_90a-", 0),
            0u)
      << made;
  for (const char *name :
       {"1-attn.mlir", "2-plan.mlir", "3-tile.mlir", "4-warp.mlir",
        "5-emitc.mlir", "6-cuda.cu", "weft_forward.ptx", "weft_forward.cubin",
        "weft_forward.log"})
    EXPECT_TRUE(std::filesystem::exists(made / name)) << name;
}

TEST_F(Plan, BadArgumentsAreTold) {
  weft_plan *plan = nullptr;
  auto create = [&](const char *spec, const char *where) {
    return weft_plan_create(context, spec, where, &plan);
  };
  EXPECT_EQ(create("forward bf16 head_dim=100 layout=thd", "sm_90a"),
            WEFT_INVALID_ARGUMENT);
  EXPECT_STREQ(weft_last_error(),
               "head_dim 100 is not a multiple of 8; pad Q, K and V to 104");
  EXPECT_EQ(plan, nullptr);
  EXPECT_EQ(create(kSpec, "sm_90"), WEFT_UNSUPPORTED);
  EXPECT_NE(std::string(weft_last_error()).find("sm_90a"), std::string::npos);
  EXPECT_EQ(create(kSpec, "cuda:first"), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(create(nullptr, "sm_90a"), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(create(kSpec, nullptr), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_plan_create(nullptr, kSpec, "sm_90a", &plan),
            WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_plan_create(context, kSpec, "sm_90a", nullptr),
            WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(entries(), 0);
}

TEST_F(Plan, AMissingNvrtcIsUnavailable) {
  setenv("WEFT_NVRTC", "/nonexistent/libnvrtc.so.13", 1);
  weft_plan *plan = nullptr;
  EXPECT_EQ(weft_plan_create(context, kSpec, "sm_90a", &plan),
            WEFT_UNAVAILABLE);
  unsetenv("WEFT_NVRTC");
  EXPECT_NE(std::string(weft_last_error()).find("/nonexistent/"),
            std::string::npos);
}

TEST_F(Plan, AMissingDriverIsUnavailable) {
  // In a process of its own: a driver is opened once.
  auto runWithout = [&]() -> int {
    setenv("WEFT_LIBCUDA", "/nonexistent/libcuda.so.1", 1);
    weft_plan *plan = nullptr;
    if (weft_plan_create(context, kSpec, "cuda:0", &plan) != WEFT_UNAVAILABLE)
      return 1;
    if (weft_plan_create(context, kSpec, "sm_90a", &plan) != WEFT_OK)
      return 2;
    weft_problem problem;
    weft_problem_init(&problem, sizeof problem);
    if (weft_plan_run(plan, &problem) != WEFT_UNAVAILABLE)
      return 3;
    bool named = std::string(weft_last_error()).find("/nonexistent/") !=
                 std::string::npos;
    weft_plan_destroy(plan);
    return named ? 0 : 4;
  };
  EXPECT_EXIT(_exit(runWithout()), testing::ExitedWithCode(0), "");
}

TEST_F(Plan, ManyThreadsGetOnePlanEach) {
  std::vector<std::thread> threads;
  std::vector<weft_status> statuses(4, -1);
  for (weft_status &status : statuses)
    threads.emplace_back([&] {
      weft_plan *plan = nullptr;
      status = weft_plan_create(context, kSpec, "sm_90a", &plan);
      weft_plan_destroy(plan);
    });
  for (std::thread &thread : threads)
    thread.join();
  for (weft_status status : statuses)
    EXPECT_EQ(status, WEFT_OK);
  EXPECT_EQ(entries(), 1);
}

TEST_F(Plan, TuningTableOfTheContext) {
  weft_context_options options = {};
  options.struct_size = sizeof options;
  options.cache_directory = folder.c_str();
  options.tuning = R"({"rows": [
    {"kernel": "forward", "head_dim": 64, "head_dim_v": 64,
     "schedules": ["rows = 64, columns = 16, warps = 4"]}]})";
  weft_context *tuned = nullptr;
  ASSERT_EQ(weft_context_create(&options, &tuned), WEFT_OK);
  for (weft_context *from : {context, tuned, tuned}) {
    weft_plan *plan = nullptr;
    ASSERT_EQ(weft_plan_create(from, kSpec, "sm_90a", &plan), WEFT_OK)
        << weft_last_error();
    weft_plan_destroy(plan);
  }
  // Another schedule is another kernel, and it is kept as well.
  EXPECT_EQ(entries(), 2);
  weft_context_destroy(tuned);

  options.tuning = "{}";
  EXPECT_EQ(weft_context_create(&options, &tuned), WEFT_INVALID_ARGUMENT);
  EXPECT_STREQ(weft_last_error(),
               "weft_context_options.tuning: a tuning table is an object with "
               "a list 'rows'");
}
