//===- MemoryTest.cpp - Rows, padding and malformed offsets ---------------===//

#include "Harness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::reference;

/// Copies "query" to "out", tile by tile.
static ModuleText copyModule() {
  ModuleText module;
  module.body = R"mlir(
    %x = tile.load %query[%rows, %h] : !buffer, !tile.rows<q, 16> -> tensor<16x4xf32>
    tile.store %x, %out[%rows, %h] : tensor<16x4xf32>, !buffer, !tile.rows<q, 16>
  )mlir";
  return module;
}

TEST(Memory, CopiesEveryRowOfEveryHeadAndSequence) {
  // Two sequences of 21 rows: the last tile of each is cut off.
  TestCall call = TestCall::dense(42, 4, 3, 2);
  for (int64_t resident : {1, 2, 7, 0})
    for (uint64_t seed : {0, 1, 2}) {
      call.options.residentCtas = resident;
      call.options.seed = seed;
      ASSERT_EQ(messageOf(call.run(copyModule().str())), "");
      EXPECT_EQ(call.out, call.query);
    }
}

TEST(Memory, LoadsZerosPastASequenceAndPastTheColumns) {
  // Reads 16 rows from row 2 on of 5 used ones, 8 columns of 4.
  ModuleText module;
  module.body = R"mlir(
    %c2 = arith.constant 2 : i64
    %from2 = tile.rows %b, %c2 : !tile.rows<q, 16>
    %x = tile.load %query[%from2, %h] : !buffer, !tile.rows<q, 16> -> tensor<16x8xf32>
    %s = tile.reduce sum %x : tensor<16x8xf32> -> tensor<16xf32>
    %y = tile.expand %s dim = 1 : tensor<16xf32> -> tensor<16x4xf32>
    tile.store %y, %out[%rows, %h] : tensor<16x4xf32>, !buffer, !tile.rows<q, 16>
  )mlir";
  // Padding rows hold NaN, which must not be seen.
  TestCall call = TestCall::dense(8);
  call.seqlens = {5};
  for (size_t i = 20; i < 32; ++i)
    call.query[i] = std::numeric_limits<float>::quiet_NaN();
  std::string filled = "valid = defined, gap = filled(0.0), tail = filled(0.0)";
  module.outStates = "valid = defined";
  module.afterLaunch = "%o2 = plan.fill %o1, 0.0 on [gap, tail] : "
                       "!plan.buffer<f32, q, heads_q, 4, valid = defined> -> "
                       "!plan.buffer<f32, q, heads_q, 4, " +
                       filled + ">";
  // The func returns what the fill gives.
  std::string text = module.str();
  std::string returns =
      "plan.return %o1 : !plan.buffer<f32, q, heads_q, 4, valid = defined>";
  text.replace(text.find(returns), returns.size(),
               "plan.return %o2 : !plan.buffer<f32, q, heads_q, 4, " + filled +
                   ">");
  std::string result = "-> (!plan.buffer<f32, q, heads_q, 4, valid = defined>)";
  text.replace(text.find(result), result.size(),
               "-> (!plan.buffer<f32, q, heads_q, 4, " + filled + ">)");
  ASSERT_EQ(messageOf(call.run(text)), "");
  EXPECT_EQ(call.at(0), 9 + 10 + 11 + 12);
  EXPECT_EQ(call.at(2), 17 + 18 + 19 + 20);
  EXPECT_EQ(call.at(3), 0);
  EXPECT_EQ(call.at(4), 0);
  EXPECT_EQ(call.at(5), 0);
  EXPECT_EQ(call.at(7), 0);
}

TEST(Memory, PadsWithTheValueGiven) {
  ModuleText module;
  module.body = R"mlir(
    %x = tile.load %query[%rows, %h] pad 0x7FF0000000000000 : !buffer, !tile.rows<q, 16> -> tensor<16x4xf32>
    %m = tile.reduce max %x : tensor<16x4xf32> -> tensor<16xf32>
    %t0 = tile.expand %m dim = 0 : tensor<16xf32> -> tensor<16x16xf32>
    %all = tile.reduce max %t0 : tensor<16x16xf32> -> tensor<16xf32>
    %y = tile.expand %all dim = 1 : tensor<16xf32> -> tensor<16x4xf32>
    tile.store %y, %out[%rows, %h] : tensor<16x4xf32>, !buffer, !tile.rows<q, 16>
  )mlir";
  TestCall call = TestCall::dense(17);
  ASSERT_EQ(messageOf(call.run(module.str())), "");
  // The first tile is whole, the second has one row.
  EXPECT_EQ(call.at(0), 64);
  EXPECT_EQ(call.at(16), std::numeric_limits<float>::infinity());
}

TEST(Memory, SequencesOfThdStartAtTheirPaddedOffsets) {
  // Sequences of 3, 0 and 20 rows at rows 2, 8 and 8 of 40; the copy leaves the
  // rest alone.
  TestCall call = TestCall::thd(40, {0, 3, 3, 23}, {2, 8, 8, 30});
  ModuleText module = copyModule();
  std::string message = messageOf(call.run(module.str()));
  // Nothing fills the gaps.
  EXPECT_NE(message.find("returns undefined memory: nothing has written result "
                         "\"out\" at row 0 of the q side (a gap row), head 0, "
                         "column 0"),
            std::string::npos)
      << message;
  for (int64_t row = 0; row < 40; ++row) {
    bool used = (row >= 2 && row < 5) || (row >= 8 && row < 28);
    EXPECT_EQ(call.at(row), used ? float(4 * row + 1) : -77) << row;
  }
}

/// Copies, then fills gap and tail with 3 in a second kernel.
static std::string copyAndFill() {
  return R"mlir(
module attributes {weft.target = "sm_80"} {
  plan.kernel @copy forward of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"out", out, [valid]>]
  plan.kernel @fill fill of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"out", out, [gap, tail], 3.0>]
  plan.func @plan(%q: !plan.buffer<f32, q, heads_q, 4, valid = defined> {weft.name = "query"},
                  %o: !plan.buffer<f32, q, heads_q, 4> {weft.name = "out"})
      -> (!plan.buffer<f32, q, heads_q, 4, valid = defined, gap = filled(3.0), tail = filled(3.0)>) {
    %c16 = arith.constant 16 : i64
    %rows = plan.size rows_q
    %heads = plan.size heads_q
    %batch = plan.size batch
    %tiles = arith.ceildivsi %rows, %c16 : i64
    %slots = arith.addi %tiles, %batch : i64
    %g0 = arith.muli %slots, %heads : i64
    %g1 = arith.muli %tiles, %heads : i64
    %o1 = plan.launch @copy grid(%g0) in(%q : !plan.buffer<f32, q, heads_q, 4, valid = defined>)
      out(%o : !plan.buffer<f32, q, heads_q, 4>) -> !plan.buffer<f32, q, heads_q, 4, valid = defined>
    %o2 = plan.launch @fill grid(%g1) out(%o1 : !plan.buffer<f32, q, heads_q, 4, valid = defined>)
      -> !plan.buffer<f32, q, heads_q, 4, valid = defined, gap = filled(3.0), tail = filled(3.0)>
    plan.return %o2 : !plan.buffer<f32, q, heads_q, 4, valid = defined, gap = filled(3.0), tail = filled(3.0)>
  }
  tile.func @copy_body(%query: !tile.buffer<f32, q, heads_q, 4> {weft.name = "query"},
                       %out: !tile.buffer<f32, q, heads_q, 4> {weft.name = "out"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c16 = arith.constant 16 : i64
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %query[%rows, %h] : !tile.buffer<f32, q, heads_q, 4>, !tile.rows<q, 16> -> tensor<16x4xf32>
    tile.store %x, %out[%rows, %h] : tensor<16x4xf32>, !tile.buffer<f32, q, heads_q, 4>, !tile.rows<q, 16>
    tile.return
  }
  tile.func @fill_body(%out: !tile.buffer<f32, q, heads_q, 4> {weft.name = "out"})
      grid <held, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c16 = arith.constant 16 : i64
    %first = arith.muli %t, %c16 : i64
    tile.fill %out[%first, %h], 3.0 : !tile.buffer<f32, q, heads_q, 4>
    tile.return
  }
})mlir";
}

TEST(Memory, FillsGapAndTail) {
  TestCall call = TestCall::thd(40, {0, 3, 3, 23}, {2, 8, 8, 30}, 4, 2);
  for (int64_t resident : {1, 2, 7, 0}) {
    call.options.residentCtas = resident;
    ASSERT_EQ(messageOf(call.run(copyAndFill())), "");
    for (int64_t row = 0; row < 40; ++row) {
      bool used = (row >= 2 && row < 5) || (row >= 8 && row < 28);
      EXPECT_EQ(call.at(row, 1, 1), used ? float(8 * row + 6) : 3) << row;
    }
  }
}

TEST(Memory, BatchPaddingIsGap) {
  TestCall call = TestCall::dense(30, 4, 1, 3);
  call.seqlens = {10, 0, 4};
  ASSERT_EQ(messageOf(call.run(copyAndFill())), "");
  for (int64_t row = 0; row < 30; ++row)
    EXPECT_EQ(call.at(row),
              row < 10 || (row >= 20 && row < 24) ? float(4 * row + 1) : 3)
        << row;
}

TEST(Memory, NoSequencesAndNoRows) {
  TestCall none = TestCall::thd(0, {0});
  EXPECT_EQ(messageOf(none.run(copyAndFill())), "");
  // Rows without sequences: all tail.
  TestCall rows = TestCall::thd(20, {0});
  ASSERT_EQ(messageOf(rows.run(copyAndFill())), "");
  EXPECT_EQ(rows.out, std::vector<float>(80, 3));
}

TEST(Memory, MalformedOffsetsAreErrorsUnlessTheCheckIsOff) {
  TestCall call = TestCall::thd(40, {0, 30, 10});
  EXPECT_NE(messageOf(call.run(copyAndFill())).find("offsets never decrease"),
            std::string::npos);
}

TEST(Memory, MalformedOffsetsReachNothingOutside) {
  constexpr int32_t big = std::numeric_limits<int32_t>::max();
  constexpr int32_t small = std::numeric_limits<int32_t>::min();
  for (std::vector<int32_t> used : {std::vector<int32_t>{0, 30, 10},
                                    {5, 50, 90},
                                    {-7, 3, 20},
                                    {small, big, small},
                                    {big, small, big},
                                    {0, 100, 100}})
    for (std::vector<int32_t> padded : {std::vector<int32_t>{},
                                        {0, 30, 10},
                                        {-9, 38, 70},
                                        {big, big, small}}) {
      TestCall call = TestCall::thd(40, used, padded);
      call.options.checkOffsets = false;
      // The tensors lie between guards.
      constexpr size_t guard = 256;
      std::vector<float> memory(call.query.size() * 2 + 3 * guard, -5);
      float *query = memory.data() + guard;
      float *out = query + call.query.size() + guard;
      std::copy(call.query.begin(), call.query.end(), query);
      auto executor = ReferenceExecutor::createFromText(copyAndFill());
      ASSERT_TRUE(bool(executor));
      Problem problem = call.problem();
      problem.query.data = query;
      problem.out.data = out;
      ASSERT_EQ(messageOf((*executor)->run(problem, call.options)), "");
      for (size_t i = 0; i < memory.size(); ++i) {
        const float *at = memory.data() + i;
        bool inside = (at >= query && at < query + call.query.size()) ||
                      (at >= out && at < out + call.query.size());
        if (!inside) {
          ASSERT_EQ(*at, -5) << i;
        }
      }
      // Unspecified, but every row is defined.
      for (size_t i = 0; i < call.query.size(); ++i)
        ASSERT_NE(out[i], -5) << i;
    }
}

TEST(Memory, MalformedLengthsAreClamped) {
  for (std::vector<int32_t> lengths :
       {std::vector<int32_t>{-3, 12}, {100, 5}, {10, -1}}) {
    TestCall call = TestCall::dense(20, 4, 1, 2);
    call.seqlens = lengths;
    EXPECT_NE(messageOf(call.run(copyAndFill())).find("is outside [0, seqlen"),
              std::string::npos);
    call.options.checkOffsets = false;
    ASSERT_EQ(messageOf(call.run(copyAndFill())), "");
    for (int64_t row = 0; row < 20; ++row) {
      bool used = row % 10 < lengths[size_t(row / 10)];
      EXPECT_EQ(call.at(row), used ? float(4 * row + 1) : 3) << row;
    }
  }
}

TEST(Memory, UniformReadsItsOneElement) {
  // "d_out" is one element seen everywhere.
  std::string text = R"mlir(
module attributes {weft.target = "sm_80"} {
  plan.kernel @k delta of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"d_out", in, [valid]>, #plan.operand<"out", out, [valid]>]
  plan.func @plan(%q: !plan.buffer<bf16, q, heads_q, 4, valid = defined> {weft.name = "d_out"},
                  %o: !plan.buffer<f32, q, heads_q, 4> {weft.name = "out"})
      -> (!plan.buffer<f32, q, heads_q, 4, valid = defined>) {
    %g = arith.constant 100 : i64
    %o1 = plan.launch @k grid(%g) in(%q : !plan.buffer<bf16, q, heads_q, 4, valid = defined>)
      out(%o : !plan.buffer<f32, q, heads_q, 4>) -> !plan.buffer<f32, q, heads_q, 4, valid = defined>
    plan.return %o1 : !plan.buffer<f32, q, heads_q, 4, valid = defined>
  }
  tile.func @k_body(%query: !tile.buffer<bf16, q, heads_q, 4, uniform> {weft.name = "d_out"},
                    %out: !tile.buffer<f32, q, heads_q, 4> {weft.name = "out"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c16 = arith.constant 16 : i64
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %query[%rows, %h] : !tile.buffer<bf16, q, heads_q, 4, uniform>, !tile.rows<q, 16> -> tensor<16x8xbf16>
    %y = arith.extf %x : tensor<16x8xbf16> to tensor<16x8xf32>
    tile.store %y, %out[%rows, %h] : tensor<16x8xf32>, !tile.buffer<f32, q, heads_q, 4>, !tile.rows<q, 16>
    tile.return
  }
})mlir";
  auto executor = ReferenceExecutor::createFromText(text);
  ASSERT_TRUE(bool(executor)) << llvm::toString(executor.takeError());
  TestCall call = TestCall::dense(20);
  call.out.assign(80, -77);
  Problem problem = call.problem();
  uint16_t one = 0x3f80;
  problem.dOut = {&one, 0, 0, 0, 0};
  ASSERT_EQ(messageOf((*executor)->run(problem)), "");
  EXPECT_EQ(call.out, std::vector<float>(80, 1));
}

TEST(Memory, StridesLeaveWhatLiesBetweenAlone) {
  TestCall call = TestCall::dense(20, 4, 2);
  auto executor = ReferenceExecutor::createFromText(copyModule().str());
  ASSERT_TRUE(bool(executor));
  // Heads 5 apart, rows 17 apart.
  std::vector<float> out(17 * 20, -5);
  Problem problem = call.problem();
  problem.out = {out.data(), 0, 17, 5, 1};
  ReferenceOptions options;
  options.poison = 0xff;
  ASSERT_EQ(messageOf((*executor)->run(problem, options)), "");
  for (size_t i = 0; i < out.size(); ++i) {
    size_t row = i / 17, head = i % 17 / 5, column = i % 17 % 5;
    bool element = i % 17 < 10 && column < 4;
    EXPECT_EQ(out[i], element ? float(8 * row + 4 * head + column + 1) : -5)
        << i;
  }
}
