//===- MaskIntervalsTest.cpp - Tile skipping against every pair -----------===//
//
// The emitted scalar ops are run by a small evaluator and compared with the
// mask region itself, evaluated for every (query, key) pair: over many lengths,
// tile sizes and window bounds.
//
//===----------------------------------------------------------------------===//

#include "compiler/tile/MaskIntervals.h"

#include "compiler/tile/RegionInlining.h"
#include "compiler/tile/Scalars.h"
#include "dialects/attn/Attn.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace weft;
using namespace weft::tile;

namespace {

//===----------------------------------------------------------------------===//
// The evaluator
//===----------------------------------------------------------------------===//

int64_t floorDivide(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

class Evaluator {
public:
  void set(Value value, int64_t number) { values[value] = number; }
  int64_t get(Value value) const {
    auto known = values.find(value);
    EXPECT_NE(known, values.end());
    return known->second;
  }

  void run(Block &block) {
    for (Operation &op : block)
      if (op.getNumResults())
        set(op.getResult(0), evaluate(op));
  }

private:
  int64_t evaluate(Operation &op) {
    auto in = [&](unsigned i) { return get(op.getOperand(i)); };
    if (std::optional<int64_t> constant = Scalars::constantOf(op.getResult(0)))
      return *constant;
    if (auto compare = dyn_cast<arith::CmpIOp>(op))
      return arith::applyCmpPredicate(compare.getPredicate(),
                                      APInt(64, in(0), true),
                                      APInt(64, in(1), true));
    if (isa<arith::AddIOp>(op))
      return in(0) + in(1);
    if (isa<arith::SubIOp>(op))
      return in(0) - in(1);
    if (isa<arith::MulIOp>(op))
      return in(0) * in(1);
    if (isa<arith::AndIOp>(op))
      return in(0) & in(1);
    if (isa<arith::OrIOp>(op))
      return in(0) | in(1);
    if (isa<arith::XOrIOp>(op))
      return in(0) ^ in(1);
    if (isa<arith::MinSIOp>(op))
      return std::min(in(0), in(1));
    if (isa<arith::MaxSIOp>(op))
      return std::max(in(0), in(1));
    if (isa<arith::SelectOp>(op))
      return in(0) ? in(1) : in(2);
    if (isa<arith::DivSIOp, arith::DivUIOp>(op))
      return in(0) / in(1);
    if (isa<arith::RemSIOp, arith::RemUIOp>(op))
      return in(0) % in(1);
    if (isa<arith::FloorDivSIOp>(op))
      return floorDivide(in(0), in(1));
    if (isa<arith::CeilDivSIOp>(op))
      return -floorDivide(-in(0), in(1));
    ADD_FAILURE() << "no rule for " << op.getName().getStringRef().str();
    return 0;
  }

  llvm::DenseMap<Value, int64_t> values;
};

//===----------------------------------------------------------------------===//
// A lifted mask
//===----------------------------------------------------------------------===//

struct Sizes {
  int64_t queries, keys, left = 0, right = 0, batch = 0, head = 0;
};

class LiftedMask {
public:
  /// `body`: the region's ops and its yield. Arguments: %b, %h, %i, %j, %n_q,
  /// %n_k, %left, %right.
  LiftedMask(StringRef body, int64_t rows, int64_t columns)
      : rows(rows), columns(columns) {
    context.loadDialect<attn::AttnDialect, arith::ArithDialect>();
    std::string text =
        R"(attn.forward @attention bf16 head_dim = 64, head_dim_v = 64,
           head_ratio = 1 q = #attn.side<batch> kv = #attn.side<batch>
           parameters ["window_left", "window_right"] mask {
           ^bb0(%b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, %n_k: i64,
                %left: i64, %right: i64):)" +
        body.str() + "}";
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "cannot parse " << text;
      return;
    }
    region = &(*module->getOps<attn::ForwardOp>().begin()).getMask();

    OpBuilder builder(&context);
    builder.setInsertionPointToStart(&code);
    Location loc = builder.getUnknownLoc();
    auto argument = [&] { return code.addArgument(builder.getI64Type(), loc); };
    IRMapping uniform;
    for (unsigned index : {0, 1, 4, 5, 6, 7})
      uniform.map(region->getArgument(index), scalars[index] = argument());
    cloneUniform(builder, *region,
                 dependentValues(
                     *region, {region->getArgument(2), region->getArgument(3)}),
                 uniform);
    MaskIntervals intervals(*region, uniform);
    box = {argument(), argument(), argument(), argument()};
    overKeys = intervals.solve(
        builder, loc,
        {WalkedSide::keys, box.queryFirst, box.queryLast, columns, scalars[5]});
    overQueries = intervals.solve(
        builder, loc,
        {WalkedSide::queries, box.keyFirst, box.keyLast, rows, scalars[4]});
    forKeys = intervals.judge(builder, loc, WalkedSide::keys, box);
    forQueries = intervals.judge(builder, loc, WalkedSide::queries, box);
  }

  /// Compares every tile pair of the sizes with the region. `exact`: the
  /// verdicts have to be the best there are, not only sound, and loops need no
  /// test inside.
  void check(const Sizes &sizes, bool exact) {
    SCOPED_TRACE(llvm::formatv("n_q {0} n_k {1} left {2} right {3} tile {4} x "
                               "{5}",
                               sizes.queries, sizes.keys, sizes.left,
                               sizes.right, rows, columns)
                     .str());
    count(sizes);
    int64_t queryTiles = llvm::divideCeil(sizes.queries, rows);
    int64_t keyTiles = llvm::divideCeil(sizes.keys, columns);
    for (int64_t q = 0; q < queryTiles; ++q)
      for (int64_t k = 0; k < keyTiles; ++k)
        checkPair(sizes, q, k, exact);
    for (int64_t q = 0; q < queryTiles; ++q)
      checkLoop(sizes, q, keyTiles, true, exact);
    for (int64_t k = 0; k < keyTiles; ++k)
      checkLoop(sizes, k, queryTiles, false, exact);
  }

  int64_t pairs = 0; ///< checked so far

private:
  bool keeps(const Sizes &sizes, int64_t i, int64_t j) {
    Evaluator evaluator;
    int64_t values[] = {sizes.batch,   sizes.head, i,          j,
                        sizes.queries, sizes.keys, sizes.left, sizes.right};
    for (auto [argument, value] :
         llvm::zip_equal(region->getArguments(), values))
      evaluator.set(argument, value);
    evaluator.run(region->front());
    return evaluator.get(region->front().getTerminator()->getOperand(0));
  }

  /// kept[i][j]: pairs kept among queries below i and keys below j.
  void count(const Sizes &sizes) {
    kept.assign(sizes.queries + 1, std::vector<int64_t>(sizes.keys + 1));
    for (int64_t i = 0; i < sizes.queries; ++i)
      for (int64_t j = 0; j < sizes.keys; ++j)
        kept[i + 1][j + 1] =
            kept[i][j + 1] + kept[i + 1][j] - kept[i][j] + keeps(sizes, i, j);
  }

  struct Corners {
    int64_t i0, i1, j0, j1; ///< ends included
    int64_t pairs() const { return (i1 - i0 + 1) * (j1 - j0 + 1); }
  };
  Corners corners(const Sizes &sizes, int64_t q, int64_t k) const {
    return {q * rows, std::min((q + 1) * rows, sizes.queries) - 1, k * columns,
            std::min((k + 1) * columns, sizes.keys) - 1};
  }
  int64_t keptIn(const Corners &c) const {
    return kept[c.i1 + 1][c.j1 + 1] - kept[c.i0][c.j1 + 1] -
           kept[c.i1 + 1][c.j0] + kept[c.i0][c.j0];
  }

  Evaluator evaluate(const Sizes &sizes, const Corners &c) {
    Evaluator evaluator;
    evaluator.set(scalars[0], sizes.batch);
    evaluator.set(scalars[1], sizes.head);
    evaluator.set(scalars[4], sizes.queries);
    evaluator.set(scalars[5], sizes.keys);
    evaluator.set(scalars[6], sizes.left);
    evaluator.set(scalars[7], sizes.right);
    evaluator.set(box.queryFirst, c.i0);
    evaluator.set(box.queryLast, c.i1);
    evaluator.set(box.keyFirst, c.j0);
    evaluator.set(box.keyLast, c.j1);
    evaluator.run(code);
    return evaluator;
  }

  void checkPair(const Sizes &sizes, int64_t q, int64_t k, bool exact) {
    Corners c = corners(sizes, q, k);
    int64_t number = keptIn(c);
    Evaluator evaluator = evaluate(sizes, c);
    for (const Verdict &verdict : {forKeys, forQueries}) {
      bool may = evaluator.get(verdict.may), must = evaluator.get(verdict.must);
      EXPECT_TRUE(may || number == 0) << "tile " << q << ", " << k;
      EXPECT_TRUE(!must || number == c.pairs()) << "tile " << q << ", " << k;
      if (exact) {
        EXPECT_EQ(may, number > 0) << "tile " << q << ", " << k;
        EXPECT_EQ(must, number == c.pairs()) << "tile " << q << ", " << k;
      }
    }
    ++pairs;
  }

  /// The tiles a loop visits for the fixed tile `own`.
  void checkLoop(const Sizes &sizes, int64_t own, int64_t tiles, bool walksKeys,
                 bool exact) {
    const TileBounds &bounds = walksKeys ? overKeys : overQueries;
    if (exact) {
      EXPECT_TRUE(bounds.exact);
    }
    // The walked side's ends must not matter for the bounds.
    Corners c = walksKeys ? corners(sizes, own, 0) : corners(sizes, 0, own);
    (walksKeys ? c.j0 : c.i0) = -1000;
    (walksKeys ? c.j1 : c.i1) = -1000;
    Evaluator evaluator = evaluate(sizes, c);
    int64_t first = evaluator.get(bounds.first);
    int64_t last = evaluator.get(bounds.last);
    if (first < last) {
      EXPECT_GE(first, 0);
      EXPECT_LE(last, tiles);
    }
    for (int64_t t = 0; t < tiles; ++t) {
      Corners pair =
          walksKeys ? corners(sizes, own, t) : corners(sizes, t, own);
      const Verdict &verdict = walksKeys ? forKeys : forQueries;
      bool may = evaluate(sizes, pair).get(verdict.may);
      bool visited = first <= t && t < last && (bounds.exact || may);
      EXPECT_EQ(visited, may) << "own " << own << ", walked " << t
                              << ", bounds " << first << ", " << last;
      if (exact) {
        EXPECT_EQ(visited, keptIn(pair) > 0)
            << "own " << own << ", walked " << t;
      }
    }
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  Region *region = nullptr;
  int64_t rows, columns;
  Block code;
  std::map<unsigned, Value> scalars; ///< by number of the region's argument
  Box box;
  TileBounds overKeys, overQueries;
  Verdict forKeys, forQueries;
  std::vector<std::vector<int64_t>> kept;
};

constexpr std::pair<int64_t, int64_t> kTiles[] = {{8, 4}, {5, 7}, {1, 3}};
constexpr int64_t kLengths[] = {0, 1, 4, 7, 8, 9, 15, 23, 32};

/// All lengths and tile sizes under each pair of window bounds.
int64_t sweep(StringRef body, bool exact,
              ArrayRef<std::pair<int64_t, int64_t>> windows = {{0, 0}}) {
  int64_t pairs = 0;
  for (auto [rows, columns] : kTiles) {
    LiftedMask mask(body, rows, columns);
    for (int64_t queries : kLengths)
      for (int64_t keys : kLengths)
        for (auto [left, right] : windows) {
          mask.check({queries, keys, left, right, 1, 2}, exact);
          if (testing::Test::HasFailure())
            return pairs + mask.pairs;
        }
    pairs += mask.pairs;
  }
  return pairs;
}

constexpr std::pair<int64_t, int64_t> kWindows[] = {{0, 0},
                                                    {0, 5},
                                                    {3, 0},
                                                    {2, 2},
                                                    {9, 4},
                                                    {40, 1},
                                                    {int64_t(1) << 62, 3},
                                                    {1, int64_t(1) << 62}};

//===----------------------------------------------------------------------===//
// The named masks
//===----------------------------------------------------------------------===//

TEST(MaskIntervals, CausalIsExact) {
  EXPECT_GT(sweep(R"(
    %keep = arith.cmpi sle, %j, %i : i64
    attn.yield %keep : i1)",
                  true),
            1000);
}

TEST(MaskIntervals, CausalBottomRightIsExact) {
  EXPECT_GT(sweep(R"(
    %d = arith.subi %n_k, %n_q : i64
    %end = arith.addi %i, %d : i64
    %keep = arith.cmpi sle, %j, %end : i64
    attn.yield %keep : i1)",
                  true),
            1000);
}

TEST(MaskIntervals, SlidingWindowIsExact) {
  EXPECT_GT(sweep(R"(
    %start = arith.subi %i, %left : i64
    %end = arith.addi %i, %right : i64
    %from = arith.cmpi sle, %start, %j : i64
    %to = arith.cmpi sle, %j, %end : i64
    %keep = arith.andi %from, %to : i1
    attn.yield %keep : i1)",
                  true, kWindows),
            10000);
}

TEST(MaskIntervals, SlidingWindowBottomRightIsExact) {
  EXPECT_GT(sweep(R"(
    %d = arith.subi %n_k, %n_q : i64
    %middle = arith.addi %i, %d : i64
    %start = arith.subi %middle, %left : i64
    %end = arith.addi %middle, %right : i64
    %from = arith.cmpi sge, %j, %start : i64
    %to = arith.cmpi sle, %j, %end : i64
    %keep = arith.andi %from, %to : i1
    attn.yield %keep : i1)",
                  true, kWindows),
            10000);
}

TEST(MaskIntervals, ConstantBoundsAreExact) {
  EXPECT_GT(sweep(R"(
    %five = arith.constant 5 : i64
    %start = arith.subi %i, %five : i64
    %from = arith.cmpi sle, %start, %j : i64
    %to = arith.cmpi sle, %j, %i : i64
    %keep = arith.andi %from, %to : i1
    attn.yield %keep : i1)",
                  true),
            1000);
}

//===----------------------------------------------------------------------===//
// Masks by hand
//===----------------------------------------------------------------------===//

struct HandMask {
  const char *name;
  const char *body;
  bool exact;
};

void PrintTo(const HandMask &mask, std::ostream *out) { *out << mask.name; }

class HandMasks : public testing::TestWithParam<HandMask> {};

TEST_P(HandMasks, IsSound) {
  sweep(GetParam().body, GetParam().exact, kWindows);
}

INSTANTIATE_TEST_SUITE_P(MaskIntervals, HandMasks,
                         testing::Values(HandMask{"Constant", R"(
          %keep = arith.constant false
          attn.yield %keep : i1)",
                                                  true},
                                         // The difference form: one coordinate
                                         // on each side of a subtraction.
                                         HandMask{"Difference", R"(
          %d = arith.subi %j, %i : i64
          %zero = arith.constant 0 : i64
          %keep = arith.cmpi slt, %d, %zero : i64
          attn.yield %keep : i1)",
                                                  true},
                                         HandMask{"Diagonal", R"(
          %keep = arith.cmpi eq, %j, %i : i64
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"OffDiagonal", R"(
          %keep = arith.cmpi ne, %j, %i : i64
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"Steep", R"(
          %three = arith.constant 3 : i64
          %x = arith.muli %j, %three : i64
          %y = arith.addi %i, %n_k : i64
          %keep = arith.cmpi slt, %x, %y : i64
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"PrefixOrCausal", R"(
          %four = arith.constant 4 : i64
          %prefix = arith.cmpi slt, %j, %four : i64
          %causal = arith.cmpi sle, %j, %i : i64
          %keep = arith.ori %prefix, %causal : i1
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"SinkAndWindow", R"(
          %two = arith.constant 2 : i64
          %sink = arith.cmpi slt, %j, %two : i64
          %start = arith.subi %i, %left : i64
          %near = arith.cmpi sge, %j, %start : i64
          %either = arith.ori %sink, %near : i1
          %causal = arith.cmpi sle, %j, %i : i64
          %keep = arith.andi %either, %causal : i1
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"NotCausal", R"(
          %true = arith.constant true
          %causal = arith.cmpi sle, %j, %i : i64
          %keep = arith.xori %causal, %true : i1
          attn.yield %keep : i1)",
                                                  true},
                                         HandMask{"Exclusive", R"(
          %causal = arith.cmpi sle, %j, %i : i64
          %start = arith.subi %i, %left : i64
          %near = arith.cmpi sge, %j, %start : i64
          %keep = arith.xori %causal, %near : i1
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"Blocks", R"(
          %six = arith.constant 6 : i64
          %bi = arith.divui %i, %six : i64
          %bj = arith.divsi %j, %six : i64
          %keep = arith.cmpi eq, %bi, %bj : i64
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"RoundedDivisions", R"(
          %six = arith.constant 6 : i64
          %five = arith.constant 5 : i64
          %d = arith.subi %i, %five : i64
          %e = arith.subi %j, %six : i64
          %low = arith.floordivsi %d, %six : i64
          %high = arith.ceildivsi %e, %five : i64
          %middle = arith.divsi %e, %six : i64
          %one = arith.cmpi sle, %low, %high : i64
          %two = arith.cmpi sge, %low, %middle : i64
          %keep = arith.andi %one, %two : i1
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"Strided", R"(
          %four = arith.constant 4 : i64
          %one = arith.constant 1 : i64
          %r = arith.remui %j, %four : i64
          %d = arith.subi %i, %j : i64
          %s = arith.remsi %d, %four : i64
          %a = arith.cmpi sle, %r, %one : i64
          %c = arith.cmpi sge, %s, %one : i64
          %keep = arith.ori %a, %c : i1
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"Remainder", R"(
          %four = arith.constant 4 : i64
          %one = arith.constant 1 : i64
          %x = arith.addi %j, %i : i64
          %r = arith.remui %x, %four : i64
          %keep = arith.cmpi sle, %r, %one : i64
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"MinMax", R"(
          %seven = arith.constant 7 : i64
          %two = arith.constant 2 : i64
          %end = arith.maxsi %i, %seven : i64
          %start = arith.minsi %i, %two : i64
          %to = arith.cmpi sle, %j, %end : i64
          %from = arith.cmpi sge, %j, %start : i64
          %keep = arith.andi %to, %from : i1
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"Product", R"(
          %nine = arith.constant 9 : i64
          %d = arith.subi %j, %nine : i64
          %x = arith.muli %d, %i : i64
          %keep = arith.cmpi slt, %x, %n_k : i64
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"ByHead", R"(
          %two = arith.constant 2 : i64
          %is = arith.cmpi eq, %h, %two : i64
          %causal = arith.cmpi sle, %j, %i : i64
          %all = arith.constant true
          %keep = arith.select %is, %causal, %all : i1
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"ByBatchOnly", R"(
          %keep = arith.cmpi ult, %b, %h : i64
          attn.yield %keep : i1)",
                                                  true},
                                         HandMask{"ChosenEnd", R"(
          %causal = arith.cmpi sle, %j, %i : i64
          %end = arith.select %causal, %i, %n_k : i64
          %keep = arith.cmpi slt, %j, %end : i64
          attn.yield %keep : i1)",
                                                  false},
                                         HandMask{"Unsigned", R"(
          %d = arith.subi %i, %j : i64
          %keep = arith.cmpi ule, %d, %left : i64
          attn.yield %keep : i1)",
                                                  false}),
                         [](const auto &info) { return info.param.name; });

TEST(MaskIntervals, AnExclusiveOrTooWideToFollowStaysSound) {
  std::string body = "%x0 = arith.cmpi sle, %j, %i : i64\n";
  for (int i = 1; i <= 12; ++i) {
    std::string n = std::to_string(i), last = std::to_string(i - 1);
    body += "%c" + n + " = arith.constant " + n + " : i64\n";
    body += "%y" + n + " = arith.cmpi sle, %j, %c" + n + " : i64\n";
    body += "%x" + n + " = arith.xori %x" + last + ", %y" + n + " : i1\n";
  }
  LiftedMask(body + "attn.yield %x12 : i1", 8, 4).check({23, 32}, false);
}

} // namespace
