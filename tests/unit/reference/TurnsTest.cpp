//===- TurnsTest.cpp - Points that take turns -----------------------------===//

#include "Harness.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::reference;

namespace {
/// Heads 0, 1 and 2 of "query" add to one head of workspace "w", each in its
/// turn; @use writes what came of it to every head of "out".
struct InTurn {
  std::string point = "tile.ticket %tickets : !tickets";
  std::string turn = "%h";
  std::string count = "%c3";
  std::string first = "0.0"; ///< that the counters begin with

  std::string str() const {
    std::string text = R"mlir(
!in = !plan.buffer<f32, q, heads_q, 4, valid = defined>
!none = !plan.buffer<f32, q, heads_q, 4>
!w = !plan.buffer<f32, q, heads_q, 4, rounded = 16>
!w0 = !plan.buffer<f32, q, heads_q, 4, rounded = 16, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!w1 = !plan.buffer<f32, q, heads_q, 4, rounded = 16, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!c = !plan.buffer<i32, q, heads_q, 1, rounded = 16>
!c0 = !plan.buffer<i32, q, heads_q, 1, rounded = 16, valid = filled(FIRST), gap = filled(FIRST), tail = filled(FIRST)>
!t = !plan.buffer<i32, none, one, 1>
!t0 = !plan.buffer<i32, none, one, 1, all = filled(FIRST)>
!rows = !tile.buffer<f32, q, heads_q, 4>
!sum = !tile.buffer<f32, q, heads_q, 4, packed, rounded = 16>
!turns = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>
!tickets = !tile.buffer<i32, none, one, 1, packed>
module attributes {weft.target = "sm_80"} {
  plan.kernel @add dq of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"w", ordered, [valid], rounded = 16>,
              #plan.operand<"turns", counter, [valid], rounded = 16>, #plan.operand<"tickets", counter, [all]>]
  plan.kernel @use reduce of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"w", in, [valid], rounded = 16>, #plan.operand<"out", out, [valid]>]
  tile.func @add_body(%query: !rows {weft.name = "query"}, %w: !sum {weft.name = "w"},
                      %turns: !turns {weft.name = "turns"}, %tickets: !tickets {weft.name = "tickets"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = POINT
    %c0 = arith.constant 0 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %c16 = arith.constant 16 : i64
    %reversed = arith.subi %c2, %h : i64
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %query[%rows, %h] : !rows, !tile.rows<q, 16> -> tensor<16x4xf32>
    tile.ordered_add %x, %w[%rows, %c0] turn TURN of COUNT by %turns : tensor<16x4xf32>, !sum, !tile.rows<q, 16>, !turns
    tile.return
  }
  tile.func @use_body(%w: !sum {weft.name = "w"}, %out: !rows {weft.name = "out"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c0 = arith.constant 0 : i64
    %c16 = arith.constant 16 : i64
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %w[%rows, %c0] : !sum, !tile.rows<q, 16> -> tensor<16x4xf32>
    tile.store %x, %out[%rows, %h] : tensor<16x4xf32>, !rows, !tile.rows<q, 16>
    tile.return
  }
  plan.func @plan(%q: !in {weft.name = "query"}, %o: !none {weft.name = "out"}) -> (!in) {
    %g = arith.constant 100 : i64
    %c16 = arith.constant 16 : i64
    %four = arith.constant 4 : i64
    %seqlen = plan.size seqlen_q
    %batch = plan.size batch
    %heads = plan.size heads_q
    %each = arith.ceildivsi %seqlen, %c16 : i64
    %tiles = arith.muli %each, %batch : i64
    %rows = arith.muli %tiles, %c16 : i64
    %n = arith.muli %rows, %heads : i64
    %w_bytes = arith.muli %n, %c16 : i64
    %c_bytes = arith.muli %n, %four : i64
    %w0 = plan.reserve "w" bytes(%w_bytes) : !w
    %w1 = plan.memset %w0, 0.0 : !w -> !w0
    %c0 = plan.reserve "turns" bytes(%c_bytes) : !c
    %c1 = plan.memset %c0, FIRST : !c -> !c0
    %t0 = plan.reserve "tickets" bytes(%four) : !t
    %t1 = plan.memset %t0, FIRST : !t -> !t0
    %w2, %c2, %t2 = plan.launch @add grid(%g) in(%q : !in) acc(%w1, %c1, %t1 : !w0, !c0, !t0) -> !w1, !c0, !t0
    %o1 = plan.launch @use grid(%g) in(%w2 : !w1) out(%o : !none) -> !in
    plan.release %w2 : !w1
    plan.release %c2 : !c0
    plan.release %t2 : !t0
    plan.return %o1 : !in
  }
})mlir";
    for (auto [name, value] :
         {std::pair<std::string, std::string>("POINT", point),
          {"TURN", turn},
          {"COUNT", count},
          {"FIRST", first}})
      for (size_t at; (at = text.find(name)) != std::string::npos;)
        text.replace(at, name.size(), value);
    return text;
  }
};

/// Two sequences of two tiles each. What the heads hold has another sum in each
/// order: 2^24, 1 and -2^24.
TestCall callOfThreeHeads() {
  TestCall call = TestCall::dense(40, 4, 3, 2);
  for (size_t i = 0; i < call.query.size(); ++i) {
    size_t head = i / 4 % 3;
    call.query[i] = head == 0 ? 0x1p24f : head == 1 ? 1.0f : -0x1p24f;
  }
  return call;
}

std::string run(const InTurn &plan, int64_t resident = 0, uint64_t seed = 0) {
  TestCall call = callOfThreeHeads();
  call.options.residentCtas = resident;
  call.options.seed = seed;
  return messageOf(call.run(plan.str()));
}

void expectPart(const std::string &message, const std::string &part) {
  EXPECT_NE(message.find(part), std::string::npos)
      << "no \"" << part << "\" in: " << message;
}
} // namespace

TEST(Turns, AddsGoInTheirOrderWhateverTheOrderOfCtas) {
  for (int64_t resident : {1, 2, 7, 0})
    for (uint64_t seed : {0, 1, 2, 3}) {
      TestCall call = callOfThreeHeads();
      call.options.residentCtas = resident;
      call.options.seed = seed;
      ASSERT_EQ(messageOf(call.run(InTurn().str())), "");
      // 1 is lost in 2^24.
      for (float value : call.out)
        ASSERT_EQ(value, 0);
    }
}

TEST(Turns, AnotherOrderGivesAnotherSum) {
  // All CTAs have a place, so that those of low numbers may wait.
  TestCall call = callOfThreeHeads();
  call.options.residentCtas = 0;
  ASSERT_EQ(messageOf(call.run(InTurn{.turn = "%reversed"}.str())), "");
  EXPECT_EQ(call.at(0), 1);
  TestCall middle = callOfThreeHeads();
  for (float &value : middle.query)
    if (value == 1.0f)
      value = 3.0f;
  ASSERT_EQ(messageOf(middle.run(InTurn().str())), "");
  EXPECT_EQ(middle.at(0), 4);
}

TEST(Turns, WaitingForAHigherNumberMayNeverEnd) {
  std::string message = run(InTurn{.turn = "%reversed"}, 1);
  expectPart(message, "a wait that nobody can end: all 1 resident CTAs wait");
  expectPart(message, "which waits for turn 2 of the tile at row 0, head 0, "
                      "where it is turn 0");
}

TEST(Turns, WithoutTicketsTheOrderOfCtasDecides) {
  InTurn plan{.point = "tile.point"};
  int deadlocks = 0;
  for (uint64_t seed = 0; seed < 8; ++seed)
    deadlocks += run(plan, 1, seed).find("a wait that nobody can end") !=
                 std::string::npos;
  EXPECT_GT(deadlocks, 0);
}

TEST(Turns, CountersBeginAsZeroAndEndSo) {
  expectPart(run(InTurn{.first = "20.0"}),
             "takes ticket 20 of 12; the counter did not begin as 0");
  expectPart(run(InTurn{.point = "tile.point", .first = "1.0"}),
             "at 1; a counter ends as 0");
  expectPart(run(InTurn{.turn = "%c0", .count = "%c16"}),
             "a wait that nobody can end");
  expectPart(run(InTurn{.count = "%c2"}), "takes turn 2 of 2");
}

/// Three heads store to "w" and arrive at the counter of their tile; the last
/// adds up what all have stored, and writes it to head 0 of "out".
static std::string lastArrival(const std::string &count = "%c3",
                               const std::string &before = "",
                               const std::string &first = "0.0") {
  std::string text = R"mlir(
!in = !plan.buffer<f32, q, heads_q, 4, valid = defined>
!none = !plan.buffer<f32, q, heads_q, 4>
!c = !plan.buffer<i32, q, heads_q, 1, rounded = 16>
!c0 = !plan.buffer<i32, q, heads_q, 1, rounded = 16, valid = filled(FIRST), gap = filled(FIRST), tail = filled(FIRST)>
!rows = !tile.buffer<f32, q, heads_q, 4>
!work = !tile.buffer<f32, q, heads_q, 4, packed>
!arrivals = !tile.buffer<i32, q, heads_q, 1, packed, rounded = 16>
module attributes {weft.target = "sm_80"} {
  plan.kernel @split dk of @attention schedule <rows = 16, warps = 1>
    contract [#plan.operand<"query", in, [valid]>, #plan.operand<"arrivals", counter, [valid], rounded = 16>,
              #plan.operand<"w", out, [valid]>, #plan.operand<"out", out, [valid]>]
  tile.func @split_body(%query: !rows {weft.name = "query"}, %arrivals: !arrivals {weft.name = "arrivals"},
                        %w: !work {weft.name = "w"}, %out: !rows {weft.name = "out"})
      grid <q, 16, heads_q> schedule <rows = 16, warps = 1> {
    %b, %t, %h = tile.point
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c2 = arith.constant 2 : i64
    %c3 = arith.constant 3 : i64
    %c16 = arith.constant 16 : i64
    %zero = arith.constant dense<0.0> : tensor<16x4xf32>
    %first = arith.muli %t, %c16 : i64
    %rows = tile.rows %b, %first : !tile.rows<q, 16>
    %x = tile.load %query[%rows, %h] : !rows, !tile.rows<q, 16> -> tensor<16x4xf32>
    BEFORE
    tile.store %x, %w[%rows, %h] : tensor<16x4xf32>, !work, !tile.rows<q, 16>
    %last = tile.last_arrival %arrivals[%rows, %c0] turn %h of COUNT : !arrivals, !tile.rows<q, 16>
    scf.if %last {
      %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%sum = %zero) -> (tensor<16x4xf32>) : i64 {
        %p = tile.load %w[%rows, %i] : !work, !tile.rows<q, 16> -> tensor<16x4xf32>
        %next = arith.addf %sum, %p : tensor<16x4xf32>
        scf.yield %next : tensor<16x4xf32>
      }
      scf.for %i = %c0 to %c3 step %c1 : i64 {
        tile.store %s, %out[%rows, %i] : tensor<16x4xf32>, !rows, !tile.rows<q, 16>
      }
    }
    tile.return
  }
  plan.func @plan(%q: !in {weft.name = "query"}, %o: !none {weft.name = "out"}) -> (!in) {
    %g = arith.constant 100 : i64
    %c16 = arith.constant 16 : i64
    %four = arith.constant 4 : i64
    %held = plan.size rows_q
    %seqlen = plan.size seqlen_q
    %batch = plan.size batch
    %heads = plan.size heads_q
    %each = arith.ceildivsi %seqlen, %c16 : i64
    %tiles = arith.muli %each, %batch : i64
    %rows = arith.muli %tiles, %c16 : i64
    %n = arith.muli %rows, %heads : i64
    %c_bytes = arith.muli %n, %four : i64
    %m = arith.muli %held, %heads : i64
    %w_bytes = arith.muli %m, %c16 : i64
    %c0 = plan.reserve "arrivals" bytes(%c_bytes) : !c
    %c1 = plan.memset %c0, FIRST : !c -> !c0
    %w0 = plan.reserve "w" bytes(%w_bytes) : !none
    %c2, %w1, %o1 = plan.launch @split grid(%g) in(%q : !in) acc(%c1 : !c0) out(%w0, %o : !none, !none) -> !c0, !in, !in
    plan.release %w1 : !in
    plan.release %c2 : !c0
    plan.return %o1 : !in
  }
})mlir";
  for (auto [name, value] :
       {std::pair<std::string, std::string>("BEFORE", before),
        {"COUNT", count},
        {"FIRST", first}})
    for (size_t at; (at = text.find(name)) != std::string::npos;)
      text.replace(at, name.size(), value);
  return text;
}

TEST(Turns, TheLastToArriveSeesWhatAllStored) {
  for (int64_t resident : {1, 2, 7, 0})
    for (uint64_t seed : {0, 1, 2, 3}) {
      TestCall call = callOfThreeHeads();
      call.options.residentCtas = resident;
      call.options.seed = seed;
      call.options.poison = 0xff;
      ASSERT_EQ(messageOf(call.run(lastArrival())), "");
      for (float value : call.out)
        ASSERT_EQ(value, 0);
    }
}

TEST(Turns, ArrivalsThatAreNotCountedRight) {
  auto message = [](const std::string &text, uint64_t seed = 0) {
    TestCall call = callOfThreeHeads();
    call.options.seed = seed;
    return messageOf(call.run(text));
  };
  // One that arrives before the others have stored.
  expectPart(message(lastArrival("%c3", "%early = tile.load %w[%rows, %h] : "
                                        "!work, !tile.rows<q, 16> -> "
                                        "tensor<16x4xf32>")),
             "which is an 'out' that no point of this launch has written yet");
  // Four of which only three come.
  expectPart(message(lastArrival("%c16")), "at 3; a counter ends as 0");
  // A counter that an aborted call left: somebody is last too early.
  for (uint64_t seed = 0; seed < 4; ++seed) {
    std::string stale = message(lastArrival("%c3", "", "1.0"), seed);
    EXPECT_TRUE(stale.find("no point of this launch has written yet") !=
                    std::string::npos ||
                stale.find("at 1; a counter ends as 0") != std::string::npos)
        << stale;
  }
}
