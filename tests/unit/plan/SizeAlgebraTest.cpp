//===- SizeAlgebraTest.cpp - What is shown of formulas holds --------------===//

#include "compiler/plan/SizeAlgebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;
using namespace weft;
using plan::Size;

namespace {
/// Formulas written as IR; the values by the order of their ops.
class SizeAlgebraTest : public testing::Test {
protected:
  SizeAlgebraTest() {
    context.loadDialect<arith::ArithDialect, plan::PlanDialect>();
  }

  /// The value of the last op of `body`, in a function.
  Value last(const std::string &body) {
    modules.push_back(parseSourceString<ModuleOp>("plan.func @f() {\n" + body +
                                                      "\nplan.return\n}",
                                                  ParserConfig(&context)));
    EXPECT_TRUE(bool(modules.back()));
    auto func = *modules.back()->getOps<plan::FuncOp>().begin();
    return std::prev(func.getBody().front().end(), 2)->getResult(0);
  }

  std::string normal(const std::string &body) {
    return algebra.str(algebra.normalize(last(body)));
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  SmallVector<OwningOpRef<ModuleOp>> modules;
  SizeAlgebra algebra;
};
} // namespace

static const char *kSizes = R"(
  %c2 = arith.constant 2 : i64
  %c3 = arith.constant 3 : i64
  %c256 = arith.constant 256 : i64
  %a = plan.size rows_q
  %b = plan.size rows_kv
)";

TEST_F(SizeAlgebraTest, NormalFormIgnoresHowItIsWritten) {
  std::string sizes = kSizes;
  EXPECT_EQ(normal(sizes + "%0 = arith.addi %a, %b : i64\n"
                           "%1 = arith.muli %0, %c2 : i64\n"
                           "%2 = arith.subi %1, %b : i64"),
            "2 * rows_q + rows_kv");
  EXPECT_EQ(normal(sizes + "%0 = arith.muli %a, %b : i64\n"
                           "%1 = arith.muli %b, %a : i64\n"
                           "%2 = arith.subi %0, %1 : i64"),
            "0");
  // Exact division goes; another stays as it is.
  EXPECT_EQ(normal(sizes + "%0 = arith.muli %a, %c256 : i64\n"
                           "%1 = arith.ceildivsi %0, %c256 : i64"),
            "rows_q");
  EXPECT_EQ(normal(sizes + "%0 = arith.addi %a, %c3 : i64\n"
                           "%1 = arith.ceildivsi %0, %c256 : i64"),
            "ceil((3 + rows_q) / 256)");
  EXPECT_EQ(normal(sizes + "%0 = arith.floordivsi %a, %c256 : i64"),
            "floor((rows_q) / 256)");
  EXPECT_EQ(normal(sizes + "%0 = arith.muli %a, %c256 : i64\n"
                           "%1 = arith.floordivsi %0, %c256 : i64"),
            "rows_q");
}

TEST_F(SizeAlgebraTest, Signs) {
  std::string sizes = kSizes;
  auto isNonNegative = [&](const std::string &body) {
    return algebra.isNonNegative(algebra.normalize(last(sizes + body)));
  };
  EXPECT_TRUE(isNonNegative("%0 = arith.muli %a, %b : i64"));
  EXPECT_FALSE(isNonNegative("%0 = arith.subi %a, %b : i64"));
  EXPECT_TRUE(isNonNegative("%0 = arith.maxsi %a, %b : i64\n"
                            "%1 = arith.subi %0, %b : i64"));
  EXPECT_FALSE(isNonNegative("%0 = arith.minsi %a, %b : i64\n"
                             "%1 = arith.subi %0, %b : i64"));
  EXPECT_TRUE(isNonNegative("%0 = arith.minsi %a, %b : i64\n"
                            "%1 = arith.subi %b, %0 : i64"));
  EXPECT_FALSE(isNonNegative("%0 = arith.maxsi %a, %b : i64\n"
                             "%1 = arith.subi %a, %0 : i64"));
  EXPECT_TRUE(isNonNegative("%0 = arith.ceildivsi %a, %c256 : i64"));
  EXPECT_FALSE(isNonNegative("%0 = arith.subi %a, %c256 : i64\n"
                             "%1 = arith.ceildivsi %0, %c256 : i64"));
  EXPECT_TRUE(isNonNegative("%0 = arith.floordivsi %a, %c256 : i64"));
  EXPECT_FALSE(isNonNegative("%0 = arith.subi %a, %c3 : i64\n"
                             "%1 = arith.floordivsi %0, %c256 : i64"));
  // Too large for 64 bits: nothing is known.
  EXPECT_FALSE(isNonNegative("%0 = arith.constant 9223372036854775807 : i64\n"
                             "%1 = arith.addi %0, %a : i64\n"
                             "%2 = arith.muli %1, %c2 : i64"));
}

TEST_F(SizeAlgebraTest, Multiples) {
  std::string sizes = kSizes;
  auto isMultiple = [&](const std::string &body) {
    return algebra.isMultipleOf(algebra.normalize(last(sizes + body)), 256);
  };
  EXPECT_TRUE(isMultiple("%0 = arith.ceildivsi %a, %c3 : i64\n"
                         "%1 = arith.muli %0, %c256 : i64"));
  EXPECT_FALSE(isMultiple("%0 = arith.muli %a, %c2 : i64"));
  EXPECT_TRUE(isMultiple("%0 = arith.muli %a, %c256 : i64\n"
                         "%1 = arith.muli %b, %c256 : i64\n"
                         "%2 = arith.maxsi %0, %1 : i64"));
  EXPECT_FALSE(isMultiple("%0 = arith.muli %a, %c256 : i64\n"
                          "%1 = arith.maxsi %0, %b : i64"));
}

TEST_F(SizeAlgebraTest, AlignUpIsWhatPackingWrites) {
  SizeAlgebra::Polynomial rows = algebra.size(Size::rows_q);
  Value written =
      last(std::string(kSizes) + "%0 = arith.ceildivsi %a, %c256 : i64\n"
                                 "%1 = arith.muli %0, %c256 : i64");
  EXPECT_EQ(algebra.alignUp(rows, 256), algebra.normalize(written));
  EXPECT_TRUE(algebra.isMultipleOf(algebra.alignUp(rows, 256), 256));
}

// Random formulas: what is claimed of all sizes must hold of some.
TEST_F(SizeAlgebraTest, ClaimsHoldOfSamples) {
  std::mt19937 random(1);
  auto pick = [&](int count) { return int(random() % count); };
  static const Size sizes[] = {Size::rows_q, Size::rows_kv, Size::batch};
  int claims = 0;
  for (int round = 0; round < 400; ++round) {
    // Values as text, and how to compute them.
    struct Node {
      enum Op {
        kSize,
        kConstant,
        kAdd,
        kSub,
        kMul,
        kCeil,
        kFloor,
        kMax,
        kMin
      } op;
      int64_t number;
      int lhs, rhs;
    };
    std::vector<Node> nodes;
    std::string text;
    llvm::raw_string_ostream os(text);
    for (int i = 0; i < 3; ++i) {
      nodes.push_back({Node::kSize, i, 0, 0});
      os << '%' << i << " = plan.size " << plan::stringifySize(sizes[i])
         << '\n';
    }
    static const char *const names[] = {
        "addi", "subi", "muli", "ceildivsi", "floordivsi", "maxsi", "minsi"};
    while (nodes.size() < 12) {
      int index = nodes.size();
      if (pick(4) == 0) {
        nodes.push_back({Node::kConstant, 1 + pick(5), 0, 0});
        os << '%' << index << " = arith.constant " << nodes.back().number
           << " : i64\n";
        continue;
      }
      int op = pick(7), lhs = pick(index), rhs = pick(index);
      if ((op == 3 || op == 4) && nodes[rhs].op != Node::kConstant)
        continue;
      nodes.push_back({Node::Op(Node::kAdd + op), 0, lhs, rhs});
      os << '%' << index << " = arith." << names[op] << " %" << lhs << ", %"
         << rhs << " : i64\n";
    }
    SizeAlgebra::Polynomial form = algebra.normalize(last(text));
    bool nonNegative = algebra.isNonNegative(form);
    bool even = algebra.isMultipleOf(form, 2);
    claims += nonNegative + even;
    for (int sample = 0; sample < 30; ++sample) {
      int64_t given[] = {pick(7), pick(7), pick(7)};
      std::vector<int64_t> values;
      for (const Node &node : nodes) {
        int64_t a = values.empty() ? 0 : values[node.lhs];
        int64_t b = values.empty() ? 0 : values[node.rhs];
        switch (node.op) {
        case Node::kSize:
          values.push_back(given[node.number]);
          break;
        case Node::kConstant:
          values.push_back(node.number);
          break;
        case Node::kAdd:
          values.push_back(a + b);
          break;
        case Node::kSub:
          values.push_back(a - b);
          break;
        case Node::kMul:
          values.push_back(a * b);
          break;
        case Node::kCeil:
          values.push_back(a > 0 ? (a + b - 1) / b : -(-a / b));
          break;
        case Node::kFloor:
          values.push_back(a >= 0 ? a / b : -((-a + b - 1) / b));
          break;
        case Node::kMax:
          values.push_back(std::max(a, b));
          break;
        case Node::kMin:
          values.push_back(std::min(a, b));
          break;
        }
      }
      if (nonNegative) {
        ASSERT_GE(values.back(), 0) << text << algebra.str(form);
      }
      if (even) {
        ASSERT_EQ(values.back() % 2, 0) << text << algebra.str(form);
      }
    }
  }
  // The test says nothing if nothing was claimed.
  EXPECT_GT(claims, 100);
}
