//===- ExplainTest.cpp - What the explanation says of a plan --------------===//

#include "compiler/explain/Explain.h"

#include <gtest/gtest.h>

// A backward cut down to one result: delta in the workspace, d_key written on
// valid by a kernel and filled elsewhere by another, an accumulator that is set
// first, and a score table without padding rows.
static const char kPlan[] = R"mlir(
plan.kernel @delta delta of @attention schedule <rows = 64>
  contract [#plan.operand<"out", in, [valid]>, #plan.operand<"delta", out, [valid]>]
plan.kernel @dkdv dkdv of @attention schedule <rows = 64, columns = 64>
  contract [#plan.operand<"delta", in, [valid]>,
            #plan.operand<"sum", acc, [valid]>,
            #plan.operand<"d_key", out, [valid]>]
plan.kernel @fill fill of @attention schedule <rows = 64>
  contract [#plan.operand<"d_key", out, [gap, tail], 0.0>]
plan.func @backward(
    %out: !plan.buffer<bf16, q, heads_q, 64, valid = defined> {weft.name = "out"},
    %dk: !plan.buffer<bf16, kv, heads_kv, 64> {weft.name = "d_key"},
    %dq: !plan.buffer<bf16, q, heads_q, 64, gap = filled(0.0), tail = filled(0.0)> {weft.name = "d_query"})
    -> (!plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>,
        !plan.buffer<bf16, q, heads_q, 64, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>) {
  %rows = plan.size rows_q
  %batch = plan.size batch
  %heads = plan.size heads_q
  %sms = plan.size sm_count
  %c4 = arith.constant 4 : i64
  %c64 = arith.constant 64 : i64
  %c0 = arith.constant 0 : i64
  %tiles = arith.ceildivsi %rows, %c64 : i64
  %slots = arith.addi %tiles, %batch : i64
  %ctas = arith.muli %slots, %heads : i64
  %few = arith.cmpi slt, %ctas, %sms : i64
  plan.guard %few
  %elements = arith.muli %rows, %heads : i64
  %bytes = arith.muli %elements, %c4 : i64
  %delta0 = plan.reserve "delta" bytes(%bytes) offset(%c0) : !plan.buffer<f32, q, heads_q, 1>
  %delta1 = plan.launch @delta grid(%ctas)
    in(%out : !plan.buffer<bf16, q, heads_q, 64, valid = defined>)
    out(%delta0 : !plan.buffer<f32, q, heads_q, 1>)
    -> !plan.buffer<f32, q, heads_q, 1, valid = defined>
  %sum0 = plan.reserve "sum" bytes(%bytes) : !plan.buffer<f32, q, heads_q, 1>
  %sum1 = plan.memset %sum0, 0.0 : !plan.buffer<f32, q, heads_q, 1>
    -> !plan.buffer<f32, q, heads_q, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
  %sum2, %dk1 = plan.launch @dkdv grid(%ctas)
    in(%delta1 : !plan.buffer<f32, q, heads_q, 1, valid = defined>)
    acc(%sum1 : !plan.buffer<f32, q, heads_q, 1, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>)
    out(%dk : !plan.buffer<bf16, kv, heads_kv, 64>)
    -> !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>,
       !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>
  plan.release %delta1 : !plan.buffer<f32, q, heads_q, 1, valid = defined>
  plan.release %sum2 : !plan.buffer<f32, q, heads_q, 1, valid = defined, gap = filled(0.0), tail = filled(0.0)>
  %dk2 = plan.launch @fill grid(%tiles)
    out(%dk1 : !plan.buffer<bf16, kv, heads_kv, 64, valid = defined>)
    -> !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
  %dq1 = plan.fill %dq, 0.0 on [valid]
    : !plan.buffer<bf16, q, heads_q, 64, gap = filled(0.0), tail = filled(0.0)>
    -> !plan.buffer<bf16, q, heads_q, 64, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
  plan.return %dk2, %dq1
    : !plan.buffer<bf16, kv, heads_kv, 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>,
      !plan.buffer<bf16, q, heads_q, 64, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
}
)mlir";

static std::string explained() {
  llvm::Expected<std::string> text = weft::explainPlan(kPlan);
  EXPECT_TRUE(static_cast<bool>(text)) << llvm::toString(text.takeError());
  return text ? *text : "";
}

// The lines about one buffer.
static std::string about(const std::string &text, const std::string &buffer) {
  size_t from = text.find("    " + buffer + " ");
  if (from == std::string::npos)
    return "";
  size_t to = from;
  do
    to = text.find('\n', to) + 1;
  while (text.compare(to, 8, "        ") == 0);
  return text.substr(from, to - from);
}

TEST(Explain, SaysWhoOwnsAndInitialisesAResult) {
  EXPECT_EQ(
      about(explained(), "d_key"),
      R"(    d_key            bf16 [rows_kv, heads_kv, 64]  the caller's, a result
        bytes        rows_kv * heads_kv * 128
        valid        written by step 5, @dkdv
        gap, tail    filled with 0 by step 8, @fill
        owner        the caller, @dkdv from step 5, @fill from step 8, the caller from step 10
)");
  EXPECT_EQ(
      about(explained(), "d_query"),
      R"(    d_query          bf16 [rows_q, heads_q, 64]    the caller's, a result
        bytes        rows_q * heads_q * 128
        valid        filled with 0 by step 9, fill
        gap, tail    no such rows: the layout has no padding
        owner        the caller, fill from step 9, the caller from step 10
)");
}

TEST(Explain, SaysWhoOwnsAndInitialisesWorkspace) {
  EXPECT_EQ(
      about(explained(), "delta"),
      R"(    delta            f32 [rows_q, heads_q, 1]      the plan's workspace from step 1 to 6
        bytes        rows_q * heads_q * 4
        at offset    0
        valid        written by step 2, @delta
        gap, tail    not initialised: never read
        owner        the plan from step 1, @delta from step 2, released by step 6
)");
  EXPECT_NE(about(explained(), "sum")
                .find("valid, gap, tail  filled with 0 by step 4, memset"),
            std::string::npos)
      << about(explained(), "sum");
}

TEST(Explain, InputsAreReadOnValidAlone) {
  EXPECT_EQ(
      about(explained(), "out"),
      R"(    out              bf16 [rows_q, heads_q, 64]    the caller's, only read
        bytes        rows_q * heads_q * 128
        valid        written by the caller
        gap, tail    may hold anything: never read
)");
}

TEST(Explain, StepsComeInOrderWithTheirAccesses) {
  std::string text = explained();
  EXPECT_NE(text.find("plan @backward, taken if (ceil(rows_q / 64) + batch) * "
                      "heads_q < sm_count\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("      5  launch @dkdv, (ceil(rows_q / 64) + batch) * "
                      "heads_q CTAs\n"
                      "         reads   delta (valid)\n"
                      "         adds to sum (valid)\n"
                      "         writes  d_key (valid)\n"
                      "      6  release delta\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("writes  d_key (gap, tail) = 0"), std::string::npos);
  EXPECT_NE(text.find("returns d_key, d_query\n"), std::string::npos);
}

// 100 rows and 3 sequences of 2 heads; 5 CTAs a head.
static weft::ExplainOptions atHand() {
  weft::ExplainOptions options;
  auto &sizes = options.sizes.emplace();
  sizes[weft::program::SizeKind::batch] = 3;
  sizes[weft::program::SizeKind::rows_q] = 100;
  sizes[weft::program::SizeKind::heads_q] = 2;
  sizes[weft::program::SizeKind::sm_count] = 10;
  return options;
}

// Adds in turn to workspace of which each sequence has tiles of 64 rows.
static const char kInTurn[] = R"mlir(
!sum = !plan.buffer<f32, q, heads_q, 16, rounded = 64>
!sum0 = !plan.buffer<f32, q, heads_q, 16, rounded = 64, valid = filled(0.0), gap = filled(0.0), tail = filled(0.0)>
!sum1 = !plan.buffer<f32, q, heads_q, 16, rounded = 64, valid = defined, gap = filled(0.0), tail = filled(0.0)>
!one = !plan.buffer<i32, none, one, 1>
!one0 = !plan.buffer<i32, none, one, 1, all = filled(0.0)>
plan.kernel @add dq of @a schedule <rows = 64>
  contract [#plan.operand<"sum", ordered, [valid], rounded = 64>, #plan.operand<"tickets", counter, [all]>]
plan.func @in_turn() {
  %c64 = arith.constant 64 : i64
  %four = arith.constant 4 : i64
  %tile_bytes = arith.constant 4096 : i64
  %rows = plan.size rows_q
  %batch = plan.size batch
  %heads = plan.size heads_q
  %whole = arith.floordivsi %rows, %c64 : i64
  %tiles = arith.addi %whole, %batch : i64
  %n = arith.muli %tiles, %heads : i64
  %bytes = arith.muli %n, %tile_bytes : i64
  %0 = plan.reserve "sum" bytes(%bytes) : !sum
  %1 = plan.memset %0, 0.0 : !sum -> !sum0
  %2 = plan.reserve "tickets" bytes(%four) : !one
  %3 = plan.memset %2, 0.0 : !one -> !one0
  %4, %5 = plan.launch @add grid(%n) early acc(%1, %3 : !sum0, !one0) -> !sum1, !one0
  plan.release %4 : !sum1
  plan.release %5 : !one0
  plan.return
}
)mlir";

TEST(Explain, TellsTurnsAndRoundedRows) {
  llvm::Expected<std::string> text = weft::explainPlan(kInTurn, atHand());
  ASSERT_TRUE(static_cast<bool>(text)) << llvm::toString(text.takeError());
  for (const char *part :
       {"sum              f32 [rows_q rounded to 64, heads_q, 16]",
        // One whole tile, and one more for each sequence.
        "bytes        (floor(rows_q / 64) + batch) * heads_q * 4096 = 32,768\n",
        "launch @add early, ",
        "\n         adds to sum (valid) in turn"
        "\n         counts  tickets (all)\n"})
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
}

TEST(Explain, SaysWhatItRestsOn) {
  EXPECT_NE(explained().find("trusted, not proved"), std::string::npos);
}

TEST(Explain, TellsTheProblemAtHand) {
  llvm::Expected<std::string> text = weft::explainPlan(kPlan, atHand());
  ASSERT_TRUE(static_cast<bool>(text)) << llvm::toString(text.takeError());
  for (const char *part :
       {"batch = 3, rows_q = 100, heads_q = 2, sm_count = 10\n",
        "heads_q < sm_count (does not hold for this problem)\n",
        "        bytes        rows_q * heads_q * 4 = 800\n",
        "launch @dkdv, (ceil(rows_q / 64) + batch) * heads_q = 10 CTAs\n"})
    EXPECT_NE(text->find(part), std::string::npos) << part << "\n" << *text;
}

TEST(Explain, AmountsThatOverflowHaveNoValue) {
  weft::ExplainOptions options = atHand();
  (*options.sizes)[weft::program::SizeKind::rows_q] = int64_t(1) << 62;
  llvm::Expected<std::string> text = weft::explainPlan(kPlan, options);
  ASSERT_TRUE(static_cast<bool>(text)) << llvm::toString(text.takeError());
  EXPECT_NE(text->find("bytes        rows_q * heads_q * 4\n"),
            std::string::npos)
      << *text;
}

static size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at)
    ++found;
  return found;
}

TEST(Explain, DrawsALaneForEachDomainThatIsTouched) {
  weft::ExplainOptions options = atHand();
  options.drawing = true;
  llvm::Expected<std::string> svg = weft::explainPlan(kPlan, options);
  ASSERT_TRUE(static_cast<bool>(svg)) << llvm::toString(svg.takeError());
  // One stretch of the accumulator's valid rows for each of what they hold.
  for (const char *part : {"data-state=\"undefined\" data-since=\"3\"",
                           "data-state=\"filled(0)\" data-since=\"4\"",
                           "data-state=\"defined\" data-since=\"5\"",
                           "<title>step 5, @dkdv, adds to sum (valid)</title>",
                           "<title>step 8, @fill, fills d_key (tail)</title>",
                           "@media (prefers-color-scheme: dark)",
                           ">step 5</text>", ">10 CTAs</text>"})
    EXPECT_NE(svg->find(part), std::string::npos) << part << "\n" << *svg;
  // The padding of d_query, which has no rows there, has no lanes; that of the
  // accumulator has: a memset writes it.
  EXPECT_EQ(count(*svg, "<title>d_query, gap"), 0u);
  EXPECT_EQ(count(*svg, "<title>d_query, valid"), 2u);
  EXPECT_EQ(count(*svg, "<title>sum, gap"), 2u);
  EXPECT_EQ(count(*svg, "<g "), count(*svg, "</g>") - count(*svg, "<g>"));
}

TEST(Explain, OtherTextIsAnError) {
  for (const char *text : {"", "module {}", "plan.func @f(", "rubbish"}) {
    llvm::Expected<std::string> explained = weft::explainPlan(text);
    ASSERT_FALSE(static_cast<bool>(explained)) << text;
    EXPECT_NE(
        llvm::toString(explained.takeError()).find("cannot explain the plan"),
        std::string::npos);
  }
}
