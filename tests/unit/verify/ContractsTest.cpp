//===- ContractsTest.cpp - Proofs against counting ------------------------===//
//
// Small random bodies: the pass accepts one exactly if counting finds, for all
// small lengths and numbers of heads, every row of every head written once and
// nothing else touched. A proof that accepts what counting refutes is unsound;
// one that refuses what is right would refuse a schedule we need.
//
//===----------------------------------------------------------------------===//

#include "compiler/verify/Passes.h"
#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace mlir;

namespace {

constexpr int64_t kTile = 16; ///< rows of the grid's tiles

enum class Condition {
  Always,
  AnyQuery,     ///< n_q > 0
  AnyKey,       ///< n_k > 0
  NotFirstTile, ///< tile != 0
  WholeRows,    ///< first + count <= n_q
  SomeRow,      ///< first < n_q
  EvenHead,     ///< head % 2 == 0
  NumConditions
};

/// for turn in [from, to): if condition: store rows
/// [16 tile + perTurn turn + offset, + count) of head headFactor head +
/// headPerTurn turn. With `otherwise` the other branch stores too.
struct Body {
  bool keyHeads;     ///< the grid's heads are those of keys
  int64_t headRatio; ///< query heads per key head
  int64_t from, to, perTurn, offset, count, headFactor, headPerTurn;
  Condition condition;
  bool otherwise;

  std::string text() const;
  bool isRight() const;
};

std::string Body::text() const {
  static constexpr const char *conditions[] = {
      "%c = arith.constant true\n",
      "%c = arith.cmpi sgt, %n_q, %c0 : i64\n",
      "%c = arith.cmpi slt, %c0, %n_k : i64\n",
      "%c = arith.cmpi ne, %tile, %c0 : i64\n",
      "%c = arith.cmpi sle, %end, %n_q : i64\n",
      "%c = arith.cmpi slt, %first, %n_q : i64\n",
      "%half = arith.remsi %head, %c2 : i64\n"
      "%c = arith.cmpi eq, %half, %c0 : i64\n"};
  std::string buffer = "!tile.buffer<f32, q, heads_q, 1>";
  std::string store = llvm::formatv(
      "tile.store %value, %delta[%rows, %to_head] : tensor<{0}xf32>, {1}, "
      "!tile.rows<q, {0}>\n",
      count, buffer);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "module attributes {weft.head_ratio = " << headRatio << " : i64} {\n"
     << "plan.kernel @k delta of @a schedule <rows = 16, warps = 1> contract "
        "[#plan.operand<\"delta\", out, [valid], 0.0>]\n"
     << "tile.func @k_body(%delta: " << buffer
     << " {weft.name = \"delta\"}) grid <q, 16, "
     << (keyHeads ? "heads_kv" : "heads_q")
     << "> schedule <rows = 16, warps = 1> {\n"
     << "%sequence, %tile, %head = tile.point\n"
     << "%n_q = tile.length q %sequence\n%n_k = tile.length kv %sequence\n"
     << "%c0 = arith.constant 0 : i64\n%c1 = arith.constant 1 : i64\n"
     << "%c2 = arith.constant 2 : i64\n%c16 = arith.constant 16 : i64\n";
  for (auto [name, value] :
       {std::pair("from", from), std::pair("to", to),
        std::pair("per_turn", perTurn), std::pair("offset", offset),
        std::pair("count", count), std::pair("head_factor", headFactor),
        std::pair("head_per_turn", headPerTurn)})
    os << "%" << name << " = arith.constant " << value << " : i64\n";
  os << "%value = arith.constant dense<0.0> : tensor<" << count << "xf32>\n"
     << "scf.for %turn = %from to %to step %c1 : i64 {\n"
     << "%tile_first = arith.muli %tile, %c16 : i64\n"
     << "%moved = arith.muli %turn, %per_turn : i64\n"
     << "%near = arith.addi %tile_first, %moved : i64\n"
     << "%first = arith.addi %near, %offset : i64\n"
     << "%end = arith.addi %first, %count : i64\n"
     << "%base = arith.muli %head, %head_factor : i64\n"
     << "%more = arith.muli %turn, %head_per_turn : i64\n"
     << "%to_head = arith.addi %base, %more : i64\n"
     << "%rows = tile.rows %sequence, %first : !tile.rows<q, " << count << ">\n"
     << conditions[int(condition)] << "scf.if %c {\n"
     << store << "}";
  if (otherwise)
    os << " else {\n" << store << "}";
  os << "\n}\ntile.return\n}\n}\n";
  return text;
}

bool Body::isRight() const {
  for (int64_t nQ = 0; nQ < 3 * kTile + 2; ++nQ)
    for (int64_t nK : {0, 1, 20})
      for (int64_t headsKv = 0; headsKv < 4; ++headsKv) {
        int64_t headsQ = headsKv * headRatio;
        // Which point wrote an element, and how many did.
        std::map<std::pair<int64_t, int64_t>, std::pair<int64_t, int64_t>>
            writer;
        int64_t point = 0;
        for (int64_t tile = 0; tile * kTile < nQ; ++tile)
          for (int64_t head = 0; head < (keyHeads ? headsKv : headsQ);
               ++head, ++point)
            for (int64_t turn = from; turn < to; ++turn) {
              int64_t first = tile * kTile + turn * perTurn + offset;
              int64_t toHead = head * headFactor + turn * headPerTurn;
              bool holds = true;
              switch (condition) {
              case Condition::AnyQuery:
                holds = nQ > 0;
                break;
              case Condition::AnyKey:
                holds = nK > 0;
                break;
              case Condition::NotFirstTile:
                holds = tile != 0;
                break;
              case Condition::WholeRows:
                holds = first + count <= nQ;
                break;
              case Condition::SomeRow:
                holds = first < nQ;
                break;
              case Condition::EvenHead:
                holds = head % 2 == 0;
                break;
              default:
                break;
              }
              if (!holds && !otherwise)
                continue;
              if (first < 0 || toHead < 0 || toHead >= headsQ)
                return false;
              for (int64_t row = first; row < std::min(nQ, first + count);
                   ++row) {
                auto [entry, isNew] =
                    writer.try_emplace({toHead, row}, point, 1);
                if (!isNew && entry->second.first != point)
                  return false;
              }
            }
        if (int64_t(writer.size()) != nQ * headsQ)
          return false;
      }
  return true;
}

class Contracts : public testing::Test {
protected:
  Contracts() {
    DialectRegistry registry;
    registry.insert<weft::plan::PlanDialect, weft::tile::TileDialect,
                    arith::ArithDialect, scf::SCFDialect>();
    context.appendDialectRegistry(registry);
  }
  bool accepts(const std::string &text) {
    message.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      message += diagnostic.str() + "\n";
      return success();
    });
    auto module = parseSourceString<ModuleOp>(text, ParserConfig(&context));
    EXPECT_TRUE(module) << text << message;
    if (!module)
      return false;
    PassManager passes(&context);
    passes.addPass(weft::createVerifyContracts());
    return succeeded(passes.run(*module));
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  std::string message;
};

TEST_F(Contracts, AgreeWithCounting) {
  std::mt19937 random(20);
  auto pick = [&](std::initializer_list<int64_t> choices) {
    return choices.begin()[random() % choices.size()];
  };
  int right = 0, wrong = 0;
  for (int i = 0; i < 1500; ++i) {
    Body body;
    body.headRatio = pick({1, 2, 3});
    body.keyHeads = pick({0, 1});
    body.from = pick({0, 0, 0, 1});
    body.to = body.from + pick({0, 1, 1, 2, 2, 3, 4});
    body.perTurn = pick({0, 0, 4, 8, 8, 16});
    body.count = pick({4, 8, 8, 16, 16, 16, 32});
    // Often such that the first turn begins where the tile does.
    body.offset = pick({0, 0, -1, -1, 8}) < 0 ? -body.from * body.perTurn
                                              : pick({0, 0, 1, -8});
    body.headFactor = pick({1, 1, body.headRatio, 2});
    body.headPerTurn = pick({0, 0, 1, 1, 2});
    body.condition = Condition(random() % int(Condition::NumConditions));
    body.otherwise = pick({0, 0, 1});
    bool expected = body.isRight();
    (expected ? right : wrong) += 1;
    bool accepted = accepts(body.text());
    // Turns that write the same rows over again are more than it looks for.
    if (expected && !accepted && body.perTurn && body.perTurn < body.count)
      continue;
    ASSERT_EQ(accepted, expected) << body.text() << message;
  }
  // Both kinds were there.
  EXPECT_GT(right, 40);
  EXPECT_GT(wrong, 40);
}

} // namespace
