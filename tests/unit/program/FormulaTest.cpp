//===- FormulaTest.cpp - Formulas, variants and arenas --------------------===//

#include "runtime/program/Formula.h"
#include "tests/unit/program/Builder.h"

#include <gtest/gtest.h>

#include <limits>

using namespace weft;
using namespace weft::program;

namespace {

constexpr int64_t most = std::numeric_limits<int64_t>::max();
constexpr int64_t least = std::numeric_limits<int64_t>::min();

/// A builder whose program has one empty variant.
struct Formulas : Builder {
  Formulas() : Builder("forward bf16 head_dim=64 head_ratio=1 layout=batch") {
    variant(constant(0));
  }

  /// The value of `index`, or nothing if it has none.
  std::optional<int64_t> value(int32_t index, const SizeValues &sizes = {}) {
    std::vector<uint8_t> bytes = llvm::cantFail(serialize(program));
    llvm::Expected<int64_t> result =
        evaluate(*llvm::cantFail(load(bytes)), sizes, index);
    if (result)
      return *result;
    llvm::consumeError(result.takeError());
    return std::nullopt;
  }
  std::optional<int64_t> value(ExprOp op, int64_t lhs, int64_t rhs) {
    return value(binary(op, constant(lhs), constant(rhs)));
  }
};

TEST(Formula, Operators) {
  Formulas f;
  EXPECT_EQ(f.value(ExprOp::add, 3, 4), 7);
  EXPECT_EQ(f.value(ExprOp::sub, 3, 4), -1);
  EXPECT_EQ(f.value(ExprOp::mul, 3, -4), -12);
  EXPECT_EQ(f.value(ExprOp::max, 3, 4), 4);
  EXPECT_EQ(f.value(ExprOp::min, 3, 4), 3);
  EXPECT_EQ(f.value(ExprOp::less, 3, 3), 0);
  EXPECT_EQ(f.value(ExprOp::less, 2, 3), 1);
  EXPECT_EQ(f.value(ExprOp::less_equal, 3, 3), 1);
  EXPECT_EQ(f.value(ExprOp::less_equal, 4, 3), 0);
  EXPECT_EQ(f.value(ExprOp::logical_and, 2, 4), 1);
  EXPECT_EQ(f.value(ExprOp::logical_and, 2, 0), 0);
}

TEST(Formula, CeilDiv) {
  Formulas f;
  EXPECT_EQ(f.value(ExprOp::ceil_div, 0, 128), 0);
  EXPECT_EQ(f.value(ExprOp::ceil_div, 1, 128), 1);
  EXPECT_EQ(f.value(ExprOp::ceil_div, 128, 128), 1);
  EXPECT_EQ(f.value(ExprOp::ceil_div, 129, 128), 2);
  EXPECT_EQ(f.value(ExprOp::ceil_div, -129, 128), -1);
  EXPECT_EQ(f.value(ExprOp::ceil_div, most, 2), most / 2 + 1);
  EXPECT_EQ(f.value(ExprOp::ceil_div, least, 1), least);
  EXPECT_EQ(f.value(ExprOp::ceil_div, 5, 0), std::nullopt);
  EXPECT_EQ(f.value(ExprOp::ceil_div, least, -1), std::nullopt);
}

TEST(Formula, FloorDiv) {
  Formulas f;
  EXPECT_EQ(f.value(ExprOp::floor_div, 0, 128), 0);
  EXPECT_EQ(f.value(ExprOp::floor_div, 127, 128), 0);
  EXPECT_EQ(f.value(ExprOp::floor_div, 128, 128), 1);
  EXPECT_EQ(f.value(ExprOp::floor_div, -1, 128), -1);
  EXPECT_EQ(f.value(ExprOp::floor_div, most, 2), most / 2);
  EXPECT_EQ(f.value(ExprOp::floor_div, least, 1), least);
  EXPECT_EQ(f.value(ExprOp::floor_div, 5, 0), std::nullopt);
  EXPECT_EQ(f.value(ExprOp::floor_div, least, -1), std::nullopt);
}

TEST(Formula, OverflowIsAnError) {
  Formulas f;
  EXPECT_EQ(f.value(ExprOp::add, most, 1), std::nullopt);
  EXPECT_EQ(f.value(ExprOp::add, most, 0), most);
  EXPECT_EQ(f.value(ExprOp::sub, least, 1), std::nullopt);
  EXPECT_EQ(f.value(ExprOp::mul, most / 2 + 1, 2), std::nullopt);
  // A formula that uses one without a value has none either.
  int32_t bad = f.binary(ExprOp::mul, f.constant(most), f.constant(most));
  EXPECT_EQ(f.value(f.binary(ExprOp::min, bad, f.constant(0))), std::nullopt);
}

TEST(Formula, Sizes) {
  Problem problem;
  problem.batch = 3;
  problem.q = {.heads = 8, .seqlen = 100, .rows = 300};
  problem.kv = {.heads = 2, .seqlen = 50, .rows = 150};
  SizeValues sizes = SizeValues::fromProblem(problem, 132);
  Formulas f;
  EXPECT_EQ(f.value(f.size(SizeKind::batch), sizes), 3);
  EXPECT_EQ(f.value(f.size(SizeKind::seqlen_q), sizes), 100);
  EXPECT_EQ(f.value(f.size(SizeKind::seqlen_kv), sizes), 50);
  EXPECT_EQ(f.value(f.size(SizeKind::rows_q), sizes), 300);
  EXPECT_EQ(f.value(f.size(SizeKind::rows_kv), sizes), 150);
  EXPECT_EQ(f.value(f.size(SizeKind::heads_q), sizes), 8);
  EXPECT_EQ(f.value(f.size(SizeKind::heads_kv), sizes), 2);
  EXPECT_EQ(f.value(f.size(SizeKind::sm_count), sizes), 132);
}

/// Two variants: the first for at most 64 keys, with an arena of 256 bytes.
struct TwoVariants : Builder {
  TwoVariants(bool withDefault = true)
      : Builder("forward bf16 head_dim=64 head_ratio=1 layout=batch") {
    int32_t rows = size(SizeKind::rows_kv);
    variant(constant(256), binary(ExprOp::less_equal, rows, constant(64)));
    if (withDefault)
      variant(constant(512));
  }
};

TEST(Formula, FirstVariantWhoseGuardHolds) {
  std::vector<uint8_t> bytes = llvm::cantFail(serialize(TwoVariants().program));
  const Program &program = *llvm::cantFail(load(bytes));
  SizeValues sizes;
  sizes[SizeKind::rows_kv] = 64;
  EXPECT_EQ(llvm::cantFail(workspaceBytes(program, sizes)), 256);
  sizes[SizeKind::rows_kv] = 65;
  EXPECT_EQ(llvm::cantFail(workspaceBytes(program, sizes)), 512);
}

TEST(Formula, NoVariantFits) {
  std::vector<uint8_t> bytes =
      llvm::cantFail(serialize(TwoVariants(false).program));
  SizeValues sizes;
  sizes[SizeKind::rows_kv] = 65;
  EXPECT_EQ(messageOf(workspaceBytes(*llvm::cantFail(load(bytes)), sizes)),
            "no variant of the launch program for \"forward bf16 head_dim=64 "
            "head_ratio=1 layout=batch\" fits these sizes");
}

TEST(Formula, WorkspacePast64BitsIsAnError) {
  // 512 bytes for each row and head, as partial gradients have.
  Builder b("forward bf16 head_dim=64 head_ratio=1 layout=batch");
  int32_t rows = b.binary(ExprOp::mul, b.size(SizeKind::rows_kv),
                          b.size(SizeKind::heads_q));
  b.variant(b.binary(ExprOp::mul, rows, b.constant(512)));
  std::vector<uint8_t> bytes = llvm::cantFail(serialize(b.program));
  const Program &program = *llvm::cantFail(load(bytes));
  SizeValues sizes;
  sizes[SizeKind::heads_q] = int64_t(1) << 24;
  sizes[SizeKind::rows_kv] = (int64_t(1) << 30) - 1;
  EXPECT_EQ(llvm::cantFail(workspaceBytes(program, sizes)),
            most - (int64_t(1) << 33) + 1);
  // One row more: the product is 2^63.
  sizes[SizeKind::rows_kv] += 1;
  std::string message = messageOf(workspaceBytes(program, sizes));
  EXPECT_NE(message.find("has no 64-bit value for these sizes; the problem is "
                         "too large, split it over batch or heads"),
            std::string::npos)
      << message;
}

/// The message of an arena of `arena` bytes with one buffer.
std::string arenaMessage(int64_t arena, int64_t offset, int64_t bytes) {
  Builder b("forward bf16 head_dim=64 head_ratio=1 layout=batch");
  b.variant(b.constant(arena));
  b.buffer("delta", b.constant(offset), b.constant(bytes));
  std::vector<uint8_t> file = llvm::cantFail(serialize(b.program));
  return messageOf(workspaceBytes(*llvm::cantFail(load(file)), {}));
}

TEST(Formula, Arena) {
  EXPECT_EQ(arenaMessage(512, 256, 256), "");
  EXPECT_EQ(arenaMessage(512, 512, 0), "");
  EXPECT_EQ(arenaMessage(512, 128, 4),
            "launch program: buffer delta begins at byte 128, which is not a "
            "multiple of 256");
  EXPECT_EQ(arenaMessage(512, 256, 257),
            "launch program: buffer delta of 257 bytes at 256 does not lie "
            "within the workspace of 512");
  EXPECT_NE(arenaMessage(512, 0, -1), "");
  EXPECT_NE(arenaMessage(512, -256, 4), "");
  EXPECT_NE(arenaMessage(512, 256, most), "");
  EXPECT_EQ(arenaMessage(-1, 0, 0), "launch program: workspace of -1 bytes");
}

} // namespace
