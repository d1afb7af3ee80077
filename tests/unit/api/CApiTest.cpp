//===- CApiTest.cpp - Specs, problems and errors through weft.h -----------===//

#include "runtime/api/weft.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <thread>

static std::string take(char *text) {
  std::string copy = text ? text : "";
  weft_free(text);
  return copy;
}

static std::string canonical(const weft_spec &spec) {
  char *text = nullptr;
  weft_status status = weft_spec_format(&spec, &text);
  return status == WEFT_OK ? take(text) : weft_last_error();
}

static weft_spec someSpec() {
  weft_spec spec;
  weft_spec_init(&spec, sizeof spec);
  spec.pass = WEFT_BACKWARD;
  spec.dtype = WEFT_BF16;
  spec.head_dim = 128;
  spec.head_ratio = 4;
  spec.layout_q = spec.layout_kv = WEFT_LAYOUT_THD;
  spec.mask = WEFT_MASK_CAUSAL;
  spec.deterministic = 1;
  return spec;
}

static const char kSomeText[] = "backward bf16 head_dim=128 head_ratio=4 "
                                "layout=thd mask=causal deterministic";

TEST(CApi, VersionAndStatusTexts) {
  EXPECT_STREQ(weft_version(), "0.1.0");
  EXPECT_EQ(weft_abi_version(), uint32_t(WEFT_ABI_VERSION));
  EXPECT_STREQ(weft_status_string(WEFT_OK), "ok");
  EXPECT_STREQ(weft_status_string(WEFT_LAUNCH_FAILED), "launch failed");
  EXPECT_STREQ(weft_status_string(1234), "unknown status");
}

TEST(CApi, FieldsBecomeCanonicalText) {
  EXPECT_EQ(canonical(someSpec()), kSomeText);
}

TEST(CApi, TextBecomesFields) {
  weft_spec spec;
  weft_spec_init(&spec, sizeof spec);
  ASSERT_EQ(weft_spec_parse("forward f16 head_dim=192 head_dim_v=128 "
                            "layout_q=thd layout_kv=bshd padded_q "
                            "mask=sliding_window(left=64,right=?) "
                            "score=softcap align=2",
                            &spec),
            WEFT_OK)
      << weft_last_error();
  EXPECT_EQ(spec.struct_size, sizeof spec);
  EXPECT_EQ(spec.pass, WEFT_FORWARD);
  EXPECT_EQ(spec.dtype, WEFT_F16);
  EXPECT_EQ(spec.head_dim, 192);
  EXPECT_EQ(spec.head_dim_v, 128);
  EXPECT_EQ(spec.head_ratio, 1);
  EXPECT_EQ(spec.layout_q, WEFT_LAYOUT_THD);
  EXPECT_EQ(spec.layout_kv, WEFT_LAYOUT_BATCH);
  EXPECT_EQ(spec.padded_q, 1);
  EXPECT_EQ(spec.padded_kv, 0);
  EXPECT_EQ(spec.mask, WEFT_MASK_SLIDING_WINDOW);
  EXPECT_EQ(spec.left_kind, WEFT_BOUND_CONSTANT);
  EXPECT_EQ(spec.left, 64);
  EXPECT_EQ(spec.right_kind, WEFT_BOUND_RUN_TIME);
  EXPECT_EQ(spec.score, WEFT_SCORE_SOFTCAP);
  EXPECT_EQ(spec.align, 2);
  EXPECT_EQ(spec.deterministic, 0);
}

TEST(CApi, EveryFieldSurvivesTheTrip) {
  weft_spec spec = someSpec();
  spec.head_dim = 64;
  spec.head_dim_v = 32;
  spec.layout_q = WEFT_LAYOUT_BATCH;
  spec.padded_kv = 1;
  spec.mask = WEFT_MASK_SLIDING_WINDOW_BOTTOM_RIGHT;
  spec.left_kind = WEFT_BOUND_RUN_TIME;
  spec.right_kind = WEFT_BOUND_CONSTANT;
  spec.right = 7;
  spec.score = WEFT_SCORE_SOFTCAP;
  spec.align = 2;
  spec.do_scalar = 1;
  std::string text = canonical(spec);
  weft_spec again;
  weft_spec_init(&again, sizeof again);
  ASSERT_EQ(weft_spec_parse(text.c_str(), &again), WEFT_OK)
      << text << ": " << weft_last_error();
  EXPECT_EQ(std::memcmp(&spec, &again, sizeof spec), 0) << text;
}

TEST(CApi, IllegalFieldsAreNamed) {
  weft_spec spec = someSpec();
  spec.mask = 17;
  EXPECT_NE(canonical(spec).find("weft_spec.mask is 17"), std::string::npos);
  spec = someSpec();
  spec.head_dim = 100;
  EXPECT_EQ(canonical(spec),
            "head_dim 100 is not a multiple of 8; pad Q, K and V to 104");
  spec = someSpec();
  spec.struct_size = 0;
  EXPECT_NE(canonical(spec).find("sizeof(weft_spec)"), std::string::npos);
}

TEST(CApi, NullArgumentsAreErrors) {
  char *text = nullptr;
  weft_spec spec = someSpec();
  EXPECT_EQ(weft_spec_format(nullptr, &text), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_spec_format(&spec, nullptr), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_spec_parse(nullptr, &spec), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_spec_parse(kSomeText, nullptr), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_spec_derive(kSomeText, nullptr, &text), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_context_create(nullptr, nullptr), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_plan_run(nullptr, nullptr), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(weft_plan_explain(nullptr, &text), WEFT_INVALID_ARGUMENT);
  EXPECT_STRNE(weft_last_error(), "");
  weft_context_destroy(nullptr);
  weft_plan_destroy(nullptr);
  weft_free(nullptr);
}

TEST(CApi, AStructOfAnOlderHeaderIsReadAsFarAsItGoes) {
  // A weft_spec that ends before `score`: score, align and the rest default,
  // whatever lies behind it.
  weft_spec spec = someSpec();
  spec.score = 99;
  spec.align = 99;
  spec.deterministic = 99;
  spec.struct_size = offsetof(weft_spec, score);
  EXPECT_EQ(canonical(spec),
            "backward bf16 head_dim=128 head_ratio=4 layout=thd mask=causal");

  weft_spec parsed;
  std::memset(&parsed, 0x55, sizeof parsed);
  parsed.struct_size = offsetof(weft_spec, score);
  ASSERT_EQ(weft_spec_parse(kSomeText, &parsed), WEFT_OK);
  EXPECT_EQ(parsed.head_dim, 128);
  EXPECT_EQ(parsed.struct_size, offsetof(weft_spec, score));
  EXPECT_EQ(parsed.score, 0x55555555) << "written past the caller's struct";
}

TEST(CApi, AStructOfANewerHeaderIsRead) {
  struct {
    weft_spec spec;
    char more[64];
  } newer;
  weft_spec_init(&newer.spec, sizeof newer);
  EXPECT_EQ(newer.spec.struct_size, sizeof newer);
  EXPECT_EQ(newer.spec.head_ratio, 1);
  weft_spec spec = someSpec();
  spec.struct_size = sizeof newer;
  newer.spec = spec;
  EXPECT_EQ(canonical(newer.spec), kSomeText);
  // A field that this library does not know would be passed by.
  newer.more[63] = 1;
  EXPECT_NE(canonical(newer.spec).find("leave newer fields 0"),
            std::string::npos);
}

TEST(CApi, ReservedFieldsAreZero) {
  weft_context_options options = {};
  options.struct_size = sizeof options;
  options.reserved = 7;
  weft_context *context = nullptr;
  EXPECT_EQ(weft_context_create(&options, &context), WEFT_INVALID_ARGUMENT);
  EXPECT_EQ(context, nullptr);
  EXPECT_NE(std::string(weft_last_error()).find("reserved is 7"),
            std::string::npos);
}

TEST(CApi, InitSetsColumnStrides) {
  weft_problem problem;
  std::memset(&problem, 0x55, sizeof problem);
  weft_problem_init(&problem, sizeof problem);
  EXPECT_EQ(problem.struct_size, sizeof problem);
  EXPECT_EQ(problem.query.column_stride, 1);
  EXPECT_EQ(problem.d_value.column_stride, 1);
  EXPECT_EQ(problem.batch, 0);
  EXPECT_EQ(problem.workspace, nullptr);
}

// A dense batch problem whose tensors lie at `base`.
static weft_problem denseProblem(char *base) {
  weft_problem problem;
  weft_problem_init(&problem, sizeof problem);
  problem.batch = 2;
  problem.q.heads = problem.kv.heads = 2;
  problem.q.seqlen = problem.kv.seqlen = 4;
  for (weft_tensor *tensor :
       {&problem.query, &problem.key, &problem.value, &problem.out,
        &problem.d_out, &problem.d_query, &problem.d_key, &problem.d_value})
    *tensor = {base, 2 * 4 * 64, 2 * 64, 64, 1};
  problem.scale = 0.125;
  return problem;
}

static std::string derive(const char *spec, const weft_problem &problem) {
  char *text = nullptr;
  weft_status status = weft_spec_derive(spec, &problem, &text);
  return status == WEFT_OK ? take(text) : weft_last_error();
}

TEST(CApi, FactsComeFromTheProblem) {
  alignas(16) static char memory[64];
  const char *spec = "backward f16 head_dim=64 layout=bshd";
  const char *dense = "backward f16 head_dim=64 head_ratio=1 layout=batch";
  weft_problem problem = denseProblem(memory);
  EXPECT_EQ(derive(spec, problem), dense);
  problem.key.data = memory + 2;
  EXPECT_EQ(derive(spec, problem), std::string(dense) + " align=2");
  problem = denseProblem(memory);
  problem.d_query.row_stride = 2 * 64 + 1;
  EXPECT_EQ(derive(spec, problem), std::string(dense) + " align=2");
  problem = denseProblem(memory);
  problem.d_out = {memory + 2, 0, 0, 0, 0};
  EXPECT_EQ(derive(spec, problem), std::string(dense) + " do=scalar");
}

TEST(CApi, EachThreadHasItsOwnError) {
  weft_spec_parse("sideways", nullptr);
  std::string mine = weft_last_error();
  std::string other = "unset";
  std::thread([&] { other = weft_last_error(); }).join();
  EXPECT_EQ(other, "");
  EXPECT_EQ(mine, weft_last_error());
}
