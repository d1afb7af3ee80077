//===- RoundedTest.cpp - Workspace with tiles of sequences' own -----------===//

#include "Harness.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::reference;

namespace {
/// @add adds "query", or 100 in rows that it does not have, to workspace "w" of
/// which sequences have whole tiles; @use writes the sum over a tile's rows to
/// each row of "out".
struct RoundedPlan {
  int64_t rounded = 16;
  std::string access = "acc"; ///< of @add
  std::string write = "tile.add %x, %w[%rows, %h] unclipped";
  std::string tiles = "%packed_tiles";
  std::string memset = "plan.memset %w0, 0.0 : !empty -> !zeros";
  std::string before = "!zeros", after = "!added";

  std::string str() const {
    std::string text = R"mlir(
!in = !plan.buffer<f32, q, heads_q, 4, valid = defined>
!none = !plan.buffer<f32, q, heads_q, 4>
!filled = !plan.buffer<f32, q, heads_q, 4, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!empty = !plan.buffer<f32, q, heads_q, 4, rounded = ROUNDED>
!zeros = !plan.buffer<f32, q, heads_q, 4, rounded = ROUNDED, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!added = !plan.buffer<f32, q, heads_q, 4, rounded = ROUNDED, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!stored = !plan.buffer<f32, q, heads_q, 4, rounded = ROUNDED, valid = defined>
!tiles = !tile.buffer<f32, q, heads_q, 4, packed, rounded = ROUNDED>
!rows = !tile.buffer<f32, q, heads_q, 4>
module attributes {weft.target = "sm_80"} {
  plan.kernel @add dq of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"w", ACCESS, [valid], rounded = ROUNDED>]
  plan.kernel @use reduce of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"w", in, [valid], rounded = ROUNDED>, #plan.operand<"out", out, [valid]>]
  tile.func @add_body(%query: !rows {weft.name = "query"}, %w: !tiles {weft.name = "w"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c16 = arith.constant 16 : i64
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %query[%rows, %h] pad 100.0 : !rows, !tile.rows<q, 16> -> tensor<16x4xf32>
    WRITE : tensor<16x4xf32>, !tiles, !tile.rows<q, 16>
    tile.return
  }
  tile.func @use_body(%w: !tiles {weft.name = "w"}, %out: !rows {weft.name = "out"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c16 = arith.constant 16 : i64
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %w[%rows, %h] unclipped : !tiles, !tile.rows<q, 16> -> tensor<16x4xf32>
    %s = tile.reduce sum %x : tensor<16x4xf32> -> tensor<16xf32>
    %across = tile.expand %s dim = 0 : tensor<16xf32> -> tensor<16x16xf32>
    %all = tile.reduce sum %across : tensor<16x16xf32> -> tensor<16xf32>
    %y = tile.expand %all dim = 1 : tensor<16xf32> -> tensor<16x4xf32>
    tile.store %y, %out[%rows, %h] : tensor<16x4xf32>, !rows, !tile.rows<q, 16>
    tile.return
  }
  plan.func @plan(%q: !in {weft.name = "query"}, %o: !none {weft.name = "out"}) -> (!filled) {
    %g = arith.constant 100 : i64
    %rounding = arith.constant ROUNDED : i64
    %rows = plan.size rows_q
    %seqlen = plan.size seqlen_q
    %batch = plan.size batch
    %heads = plan.size heads_q
    %whole = arith.floordivsi %rows, %rounding : i64
    %packed_tiles = arith.addi %whole, %batch : i64
    %each = arith.ceildivsi %seqlen, %rounding : i64
    %batch_tiles = arith.muli %each, %batch : i64
    %c16 = arith.constant 16 : i64
    %n = arith.muli TILES, %heads : i64
    %held = arith.muli %n, %rounding : i64
    %bytes = arith.muli %held, %c16 : i64
    %w0 = plan.reserve "w" bytes(%bytes) : !empty
    %w1 = MEMSET
    %w2 = plan.launch @add grid(%g) in(%q : !in) ACCESS(%w1 : BEFORE) -> AFTER
    %o1 = plan.launch @use grid(%g) in(%w2 : AFTER) out(%o : !none) -> !in
    plan.release %w2 : AFTER
    %o2 = plan.fill %o1, 0.0 on [gap, tail] : !in -> !filled
    plan.return %o2 : !filled
  }
})mlir";
    for (auto [name, value] : {std::pair<std::string, std::string>(
                                   "ROUNDED", std::to_string(rounded)),
                               {"ACCESS", access},
                               {"WRITE", write},
                               {"TILES", tiles},
                               {"MEMSET", memset},
                               {"BEFORE", before},
                               {"AFTER", after}})
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, name.size(), value);
    return text;
  }
};

/// Sequences of 3, 0 and 20 rows at rows 2, 8 and 8 of 40.
TestCall packedCall() {
  return TestCall::thd(40, {0, 3, 3, 23}, {2, 8, 8, 30}, 4, 2);
}

/// What @use writes to the rows of a tile: `rows` of `call` from `first` on,
/// and what @add took for those that the tile has beyond.
float sumOfTile(const TestCall &call, int64_t first, int64_t rows,
                int64_t head) {
  float sum = float(16 - rows) * 400;
  for (int64_t row = first; row < first + rows; ++row)
    for (int64_t column = 0; column < 4; ++column)
      sum += call.query[size_t((row * call.heads + head) * 4 + column)];
  return sum;
}

void expectTiles(const TestCall &call) {
  for (int64_t head = 0; head < 2; ++head) {
    EXPECT_EQ(call.at(2, 0, head), sumOfTile(call, 2, 3, head));
    EXPECT_EQ(call.at(4, 3, head), sumOfTile(call, 2, 3, head));
    EXPECT_EQ(call.at(8, 0, head), sumOfTile(call, 8, 16, head));
    EXPECT_EQ(call.at(24, 0, head), sumOfTile(call, 24, 4, head));
    EXPECT_EQ(call.at(28, 0, head), 0);
  }
}

std::string run(const RoundedPlan &plan, TestCall call = packedCall()) {
  return messageOf(call.run(plan.str()));
}
} // namespace

TEST(Rounded, SequencesHaveTilesToThemselves) {
  for (int64_t resident : {1, 2, 7, 0}) {
    TestCall call = packedCall();
    call.options.residentCtas = resident;
    call.options.seed = uint64_t(resident);
    call.options.poison = 0xff;
    ASSERT_EQ(messageOf(call.run(RoundedPlan().str())), "");
    expectTiles(call);
  }
}

TEST(Rounded, StoresWriteWholeTiles) {
  RoundedPlan plan{.access = "out",
                   .write = "tile.store %x, %w[%rows, %h]",
                   .memset = "plan.memset %w0, 0.0 : !empty -> !zeros"};
  TestCall call = packedCall();
  ASSERT_EQ(messageOf(call.run(plan.str())), "");
  expectTiles(call);
}

TEST(Rounded, BatchSequencesAreRoundedEach) {
  RoundedPlan plan{.tiles = "%batch_tiles"};
  TestCall call = TestCall::dense(40, 4, 2, 2);
  call.seqlens = {20, 3};
  ASSERT_EQ(messageOf(call.run(plan.str())), "");
  EXPECT_EQ(call.at(0, 0, 1), sumOfTile(call, 0, 16, 1));
  EXPECT_EQ(call.at(19, 0, 1), sumOfTile(call, 16, 4, 1));
  EXPECT_EQ(call.at(20, 0, 0), sumOfTile(call, 20, 3, 0));
  EXPECT_EQ(call.at(23, 0, 0), 0);
}

TEST(Rounded, RowsPastASequenceAreWrittenBeforeTheyAreRead) {
  RoundedPlan plan{.memset = "plan.memset %w0, 0.0 : !empty -> !zeros"};
  // Without zeros there is nothing to add to.
  plan.memset = "arith.constant 0 : i64";
  plan.before = "!empty";
  plan.after = "!stored";
  std::string text = plan.str();
  for (size_t at; (at = text.find("(%w1 :")) != std::string::npos;)
    text.replace(at, 6, "(%w0 :");
  TestCall call = packedCall();
  std::string message = messageOf(call.run(text));
  EXPECT_NE(message.find("adds to undefined memory: nothing has written "
                         "workspace buffer \"w\" at row "),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("of the q (rounded to 16) side"), std::string::npos)
      << message;
}

TEST(Rounded, TilesOfOthersAreNotTouched) {
  // 16 rows where a sequence of 3 has tiles of 8.
  RoundedPlan plan{.rounded = 8};
  std::string message = run(plan);
  EXPECT_NE(message.find("workspace buffer \"w\" at row "), std::string::npos)
      << message;
  EXPECT_NE(message.find("but the contract lets \"w\""), std::string::npos)
      << message;
}

TEST(Rounded, BytesAreThoseOfAllTiles) {
  RoundedPlan plan{.tiles = "%batch"};
  EXPECT_NE(run(plan).find("reserves 1536 bytes, but workspace buffer \"w\" "
                           "has 640 elements of 4 bytes"),
            std::string::npos)
      << run(plan);
}

TEST(Rounded, MalformedOffsetsReachNothingOutside) {
  // Sequences that share rows, start behind the end, are longer than their
  // slot.
  for (std::vector<int32_t> starts :
       {std::vector<int32_t>{30, 2, 50, 10}, {0, 40, 40, 40}, {-5, 3, 2, 99}}) {
    TestCall call = TestCall::thd(40, {0, 33, 20, 60}, starts, 4, 2);
    call.options.checkOffsets = false;
    EXPECT_EQ(messageOf(call.run(RoundedPlan().str())), "");
  }
}

TEST(Rounded, TensorsOfACallAreNot) {
  TestCall call = packedCall();
  std::string message = messageOf(call.run(R"mlir(
plan.func @plan(%o: !plan.buffer<f32, q, heads_q, 4, rounded = 16> {weft.name = "out"}) {
  plan.return
})mlir"));
  EXPECT_NE(message.find("\"out\" has rounded rows, which only workspace has"),
            std::string::npos)
      << message;
}
