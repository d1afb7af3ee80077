//===- PlanTest.cpp - Workspace, guards and owners of a plan --------------===//

#include "Harness.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace weft;
using namespace weft::reference;

/// Two kernels: @make writes workspace "w" from "query", @use adds its rows
/// (both heads see what both heads wrote) and writes "out".
static std::string twoKernels(const std::string &plan) {
  return R"mlir(
module attributes {weft.target = "sm_80"} {
  plan.kernel @make delta of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"w", out, [valid]>]
  plan.kernel @add delta of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"w", acc, [valid]>]
  plan.kernel @use delta of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"w", in, [valid]>, #plan.operand<"out", out, [valid]>]
  tile.func @make_body(%query: !tile.buffer<f32, q, heads_q, 4> {weft.name = "query"},
                       %w: !tile.buffer<f32, q, heads_q, 4, packed> {weft.name = "w"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c16 = arith.constant 16 : i64
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %query[%rows, %h] : !tile.buffer<f32, q, heads_q, 4>, !tile.rows<q, 16> -> tensor<16x4xf32>
    tile.store %x, %w[%rows, %h] : tensor<16x4xf32>, !tile.buffer<f32, q, heads_q, 4, packed>, !tile.rows<q, 16>
    tile.return
  }
  tile.func @add_body(%query: !tile.buffer<f32, q, heads_q, 4> {weft.name = "query"},
                      %w: !tile.buffer<f32, q, heads_q, 4, packed> {weft.name = "w"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c16 = arith.constant 16 : i64
    %c0 = arith.constant 0 : i64
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %query[%rows, %h] : !tile.buffer<f32, q, heads_q, 4>, !tile.rows<q, 16> -> tensor<16x4xf32>
    tile.add %x, %w[%rows, %c0] : tensor<16x4xf32>, !tile.buffer<f32, q, heads_q, 4, packed>, !tile.rows<q, 16>
    tile.return
  }
  tile.func @use_body(%w: !tile.buffer<f32, q, heads_q, 4, packed> {weft.name = "w"},
                      %out: !tile.buffer<f32, q, heads_q, 4> {weft.name = "out"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c16 = arith.constant 16 : i64
    %c0 = arith.constant 0 : i64
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %w[%rows, %c0] : !tile.buffer<f32, q, heads_q, 4, packed>, !tile.rows<q, 16> -> tensor<16x4xf32>
    tile.store %x, %out[%rows, %h] : tensor<16x4xf32>, !tile.buffer<f32, q, heads_q, 4>, !tile.rows<q, 16>
    tile.return
  }
  plan.func @plan(%q: !in {weft.name = "query"}, %o: !none {weft.name = "out"}) -> (!in) {
    %c16 = arith.constant 16 : i64
    %g = arith.constant 100 : i64
    %rows = plan.size rows_q
    %heads = plan.size heads_q
    %n = arith.muli %rows, %heads : i64
    %bytes = arith.muli %n, %c16 : i64
    )mlir" +
         plan + R"mlir(
  }
})mlir";
}

/// With the buffer types written out.
static std::string run(std::string text, TestCall &call) {
  for (auto [name, type] :
       {std::pair<std::string, std::string>(
            "!in", "!plan.buffer<f32, q, heads_q, 4, valid = defined>"),
        {"!none", "!plan.buffer<f32, q, heads_q, 4>"},
        {"!zero", "!plan.buffer<f32, q, heads_q, 4, valid = filled(0.0), gap = "
                  "filled(0.0), tail = filled(0.0)>"}})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), type);
  return messageOf(call.run(text));
}

static std::string run(std::string text) {
  TestCall call = TestCall::dense(20, 4, 2);
  return run(std::move(text), call);
}

static void expectParts(const std::string &message,
                        std::vector<std::string> parts) {
  for (const std::string &part : parts)
    EXPECT_NE(message.find(part), std::string::npos)
        << "no \"" << part << "\" in: " << message;
}

static const char *goodPlan = R"mlir(
    %w0 = plan.reserve "w" bytes(%bytes) : !none
    %w1 = plan.launch @make grid(%g) in(%q : !in) out(%w0 : !none) -> !in
    %o1 = plan.launch @use grid(%g) in(%w1 : !in) out(%o : !none) -> !in
    plan.release %w1 : !in
    plan.return %o1 : !in
)mlir";

TEST(Plan, WorkspaceFromOneLaunchToTheNext) {
  for (int64_t resident : {1, 2, 7, 0}) {
    TestCall call = TestCall::dense(20, 4, 2);
    call.options.residentCtas = resident;
    call.options.poison = 0xff;
    ASSERT_EQ(run(twoKernels(goodPlan), call), "");
    for (int64_t row = 0; row < 20; ++row) {
      EXPECT_EQ(call.at(row, 0, 0), float(8 * row + 1));
      EXPECT_EQ(call.at(row, 0, 1), float(8 * row + 1));
    }
  }
}

TEST(Plan, ReadingWhatNobodyWroteIsAnError) {
  expectParts(run(twoKernels(R"mlir(
    %w0 = plan.reserve "w" bytes(%bytes) : !none
    %o1 = plan.launch @use grid(%g) in(%w0 : !none) out(%o : !none) -> !in
    plan.release %w0 : !none
    plan.return %o1 : !in
  )mlir")),
              {"launch 1, @use, of @plan: point ", "tile.load",
               "at loc(\"module\":",
               "reads undefined memory: nothing has written "
               "workspace buffer \"w\" at row",
               "of sequence 0), head 0, column 0"});
}

TEST(Plan, AddsNeedAStart) {
  expectParts(run(twoKernels(R"mlir(
    %w0 = plan.reserve "w" bytes(%bytes) : !none
    %w1 = plan.launch @add grid(%g) in(%q : !in) acc(%w0 : !none) -> !in
    %o1 = plan.launch @use grid(%g) in(%w1 : !in) out(%o : !none) -> !in
    plan.release %w1 : !in
    plan.return %o1 : !in
  )mlir")),
              {"@add", "tile.add", "adds to undefined memory",
               "workspace buffer \"w\""});
  TestCall call = TestCall::dense(20, 4, 2);
  ASSERT_EQ(run(twoKernels(R"mlir(
    %w0 = plan.reserve "w" bytes(%bytes) : !none
    %w1 = plan.memset %w0, 0.0 : !none -> !zero
    %w2 = plan.launch @add grid(%g) in(%q : !in) acc(%w1 : !zero) -> !in
    %o1 = plan.launch @use grid(%g) in(%w2 : !in) out(%o : !none) -> !in
    plan.release %w2 : !in
    plan.return %o1 : !in
  )mlir"),
                call),
            "");
  // Both heads were added to head 0.
  EXPECT_EQ(call.at(3, 1, 0), float(26 + 30));
  EXPECT_EQ(call.at(3, 1, 1), float(26 + 30));
}

TEST(Plan, ABufferHasOneOwner) {
  expectParts(run(twoKernels(R"mlir(
    %w0 = plan.reserve "w" bytes(%bytes) : !none
    %w1 = plan.launch @make grid(%g) in(%q : !in) out(%w0 : !none) -> !in
    %o1 = plan.launch @use grid(%g) in(%w0 : !none) out(%o : !none) -> !in
    plan.release %w1 : !in
    plan.return %o1 : !in
  )mlir")),
              {"@use", "uses workspace buffer \"w\", which an earlier op has "
                       "consumed; a buffer has one owner"});
}

TEST(Plan, WorkspaceIsReleased) {
  expectParts(run(twoKernels(R"mlir(
    %w0 = plan.reserve "w" bytes(%bytes) : !none
    %w1 = plan.launch @make grid(%g) in(%q : !in) out(%w0 : !none) -> !in
    %o1 = plan.launch @use grid(%g) in(%w1 : !in) out(%o : !none) -> !in
    plan.return %o1 : !in
  )mlir")),
              {"does not release workspace buffer \"w\""});
}

TEST(Plan, ResultsAreReturned) {
  expectParts(run(twoKernels(R"mlir(
    plan.return %q : !in
  )mlir")),
              {"plan.return", "returns input \"query\""});
}

TEST(Plan, TheArenaHoldsLiveBuffersApart) {
  expectParts(run(twoKernels(R"mlir(
    %z = arith.constant 256 : i64
    %w0 = plan.reserve "w" bytes(%bytes) offset(%z) : !none
    %v0 = plan.reserve "v" bytes(%bytes) offset(%z) : !none
    %o1 = plan.launch @use grid(%g) in(%w0 : !none) out(%o : !none) -> !in
    plan.release %w0 : !none
    plan.return %o1 : !in
  )mlir")),
              {"plan.reserve \"v\"",
               "takes memory of workspace buffer \"w\", which is not "
               "released"});
  expectParts(run(twoKernels(R"mlir(
    %w0 = plan.reserve "w" bytes(%bytes) offset(%c16) : !none
    %o1 = plan.launch @use grid(%g) in(%w0 : !none) out(%o : !none) -> !in
    plan.release %w0 : !none
    plan.return %o1 : !in
  )mlir")),
              {"at offset 16; offsets are multiples of 256"});
  expectParts(
      run(twoKernels(R"mlir(
    %w0 = plan.reserve "w" bytes(%c16) : !none
    %o1 = plan.launch @use grid(%g) in(%w0 : !none) out(%o : !none) -> !in
    plan.release %w0 : !none
    plan.return %o1 : !in
  )mlir")),
      {"reserves 16 bytes, but workspace buffer \"w\" has 160 elements"});
}

TEST(Plan, WorkspaceOfTheCaller) {
  TestCall call = TestCall::dense(20, 4, 2);
  std::string text = twoKernels(goodPlan);
  for (auto [name, type] :
       {std::pair<std::string, std::string>(
            "!in", "!plan.buffer<f32, q, heads_q, 4, valid = defined>"),
        {"!none", "!plan.buffer<f32, q, heads_q, 4>"}})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), type);
  auto executor = ReferenceExecutor::createFromText(text);
  ASSERT_TRUE(bool(executor)) << llvm::toString(executor.takeError());
  call.out.assign(160, -77);
  Problem problem = call.problem();
  llvm::Expected<int64_t> bytes = (*executor)->workspaceBytes(problem);
  ASSERT_TRUE(bool(bytes));
  EXPECT_EQ(*bytes, 640);
  std::vector<float> workspace(170, -5);
  problem.workspace = workspace.data();
  problem.workspaceBytes = 640;
  ASSERT_EQ(messageOf((*executor)->run(problem)), "");
  // [heads][rows][columns]: head 1 starts behind 80 elements.
  EXPECT_EQ(workspace[0], 1);
  EXPECT_EQ(workspace[4], 9);
  EXPECT_EQ(workspace[80], 5);
  EXPECT_EQ(workspace[160], -5);
  problem.workspaceBytes = 639;
  expectParts(messageOf((*executor)->run(problem)),
              {"@plan needs 640 bytes of workspace; given: 639"});
}

TEST(Plan, AGridHasACtaForEveryPoint) {
  ModuleText module;
  module.ctas = std::string("3");
  module.body = "%n = tile.length q %b";
  expectParts(messageOf(TestCall::dense(20, 4, 2).run(module.str())),
              {"launch 1, @k, of @plan: a grid of 3 CTAs for 4 points"});
}

TEST(Plan, TheFirstVariantWhoseGuardHoldsIsRun) {
  std::string variants = R"mlir(
module attributes {weft.target = "sm_80"} {
  plan.func @few(%o: !plan.buffer<f32, q, heads_q, 4> {weft.name = "out"}) -> (!plan.buffer<f32, q, heads_q, 4, valid = filled(1.0)>) {
    %c2 = arith.constant 2 : i64
    %rows = plan.size rows_q
    %twice = arith.muli %rows, %c2 : i64
    %sms = plan.size sm_count
    %few = arith.cmpi slt, %twice, %sms : i64
    plan.guard %few
    %o1 = plan.fill %o, 1.0 on [valid] : !plan.buffer<f32, q, heads_q, 4> -> !plan.buffer<f32, q, heads_q, 4, valid = filled(1.0)>
    plan.return %o1 : !plan.buffer<f32, q, heads_q, 4, valid = filled(1.0)>
  }
  plan.func @many(%o: !plan.buffer<f32, q, heads_q, 4> {weft.name = "out"}) -> (!plan.buffer<f32, q, heads_q, 4, valid = filled(2.0)>) {
    %o1 = plan.fill %o, 2.0 on [valid] : !plan.buffer<f32, q, heads_q, 4> -> !plan.buffer<f32, q, heads_q, 4, valid = filled(2.0)>
    plan.return %o1 : !plan.buffer<f32, q, heads_q, 4, valid = filled(2.0)>
  }
})mlir";
  TestCall call = TestCall::dense(20);
  call.options.smCount = 41;
  ASSERT_EQ(messageOf(call.run(variants)), "");
  EXPECT_EQ(call.at(19), 1);
  call.options.smCount = 40;
  ASSERT_EQ(messageOf(call.run(variants)), "");
  EXPECT_EQ(call.at(19), 2);
}

TEST(Plan, AStateOfTheResultIsTrue) {
  // The launch writes "query"; the type says zeros.
  ModuleText module;
  module.outStates = "valid = filled(0.0)";
  module.body = R"mlir(
    %x = tile.load %query[%rows, %h] : !buffer, !tile.rows<q, 16> -> tensor<16x4xf32>
    tile.store %x, %out[%rows, %h] : tensor<16x4xf32>, !buffer, !tile.rows<q, 16>
  )mlir";
  expectParts(messageOf(TestCall::dense(20).run(module.str())),
              {"returns result \"out\" at row 0 of the q side (row 0 of "
               "sequence 0), head 0, column 0 with 1.0",
               "where its type says 0.0"});
}

TEST(Plan, ModulesThatCannotRun) {
  auto message = [](llvm::StringRef text) {
    auto executor = ReferenceExecutor::createFromText(text);
    return executor ? std::string() : llvm::toString(executor.takeError());
  };
  EXPECT_NE(message("module {}").find("has no plan.func"), std::string::npos);
  EXPECT_NE(message("what").find("not valid IR"), std::string::npos);
  EXPECT_NE(message("").find("has no plan.func"), std::string::npos);
  ModuleText module;
  module.body = "%n = tile.length q %b";
  std::string text = module.str();
  text.replace(text.find("@k_body"), 7, "@x_body");
  EXPECT_NE(messageOf(TestCall::dense(4).run(text))
                .find("there is no tile.func @k_body; run plan-to-tile first"),
            std::string::npos);
}

TEST(Plan, TensorsWithElementsAreNotNull) {
  ModuleText module;
  module.body = "%n = tile.length q %b";
  auto executor = ReferenceExecutor::createFromText(module.str());
  ASSERT_TRUE(bool(executor));
  TestCall call = TestCall::dense(4);
  Problem problem = call.problem();
  expectParts(messageOf((*executor)->run(problem)),
              {"\"out\" is null and has 16 elements"});
  problem = TestCall::dense(0).problem();
  EXPECT_EQ(messageOf((*executor)->run(problem)), "");
  problem.q.rows = 3;
  expectParts(messageOf((*executor)->run(problem)),
              {"the q side holds 3 rows without cu_seqlens"});
}
