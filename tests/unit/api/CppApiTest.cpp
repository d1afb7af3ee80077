//===- CppApiTest.cpp - The C++ layer -------------------------------------===//

#include "runtime/api/weft.hpp"

#include <gtest/gtest.h>

#include <type_traits>

TEST(CppApi, SpecsTravelAsFieldsAndText) {
  auto spec = weft::AttentionSpec::parse("forward bf16 head_dim=64 layout=thd");
  ASSERT_TRUE(spec) << spec.status().message;
  EXPECT_EQ(spec->head_dim, 64);
  spec->mask = WEFT_MASK_CAUSAL;
  auto text = spec->text();
  ASSERT_TRUE(text) << text.status().message;
  EXPECT_EQ(*text,
            "forward bf16 head_dim=64 head_ratio=1 layout=thd mask=causal");
}

TEST(CppApi, AFailureHasCodeAndMessage) {
  auto spec = weft::AttentionSpec::parse("sideways bf16");
  ASSERT_FALSE(spec);
  EXPECT_EQ(spec.status().code, WEFT_INVALID_ARGUMENT);
  EXPECT_NE(spec.status().message.find("sideways"), std::string::npos);
  EXPECT_FALSE(spec.status());
}

TEST(CppApi, FactsComeFromTheProblem) {
  weft::Problem problem;
  problem.batch = 1;
  problem.q.heads = problem.kv.heads = 1;
  problem.q.seqlen = problem.kv.seqlen = 2;
  alignas(16) static char memory[16];
  for (weft_tensor *tensor :
       {&problem.query, &problem.key, &problem.value, &problem.out})
    *tensor = {memory, 128, 64, 64, 1};
  problem.value.row_stride = 65;
  auto spec = weft::deriveSpec("forward bf16 head_dim=64 layout=bshd", problem);
  ASSERT_TRUE(spec) << spec.status().message;
  EXPECT_EQ(*spec,
            "forward bf16 head_dim=64 head_ratio=1 layout=batch align=2");
}

TEST(CppApi, PlansAreOwnedAndMove) {
  static_assert(!std::is_copy_constructible_v<weft::Plan>);
  static_assert(std::is_nothrow_move_constructible_v<weft::Plan>);
  weft_context_options options = {};
  options.struct_size = sizeof options;
  options.cache_directory = "";
  auto context = weft::Context::create(&options);
  ASSERT_TRUE(context) << context.status().message;
  auto made = context->plan("forward bf16 head_dim=64 layout=thd", "sm_90a");
  ASSERT_TRUE(made) << made.status().message;
  weft::Plan plan = *std::move(made);
  EXPECT_EQ(plan.spec(), "forward bf16 head_dim=64 head_ratio=1 layout=thd");
  EXPECT_EQ(plan.target(), "sm_90a");
  auto text = plan.explain();
  ASSERT_TRUE(text) << text.status().message;
  EXPECT_NE(text->find("lse"), std::string::npos);
}

TEST(CppApi, AnUnknownTargetIsUnsupported) {
  auto context = weft::Context::create();
  ASSERT_TRUE(context);
  auto plan = context->plan("forward bf16 head_dim=64 layout=thd", "sm_75");
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.status().code, WEFT_UNSUPPORTED);
}
