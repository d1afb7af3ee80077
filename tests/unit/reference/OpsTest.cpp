//===- OpsTest.cpp - What each op computes --------------------------------===//

#include "Harness.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace weft::reference;

static constexpr float infinity = std::numeric_limits<float>::infinity();
static const float nan32 = std::numeric_limits<float>::quiet_NaN();

/// Runs ops on %x (16 x 4, f32: rows of a tile of "query") that give %y, which
/// goes to "out". `query` is 16 x 4.
static std::vector<float> compute(const std::string &ops,
                                  std::vector<float> query, double scale = 1) {
  ModuleText module;
  module.body = R"mlir(
    %x = tile.load %query[%rows, %h] : !buffer, !tile.rows<q, 16> -> tensor<16x4xf32>
    )mlir" + ops +
                R"mlir(
    tile.store %y, %out[%rows, %h] : tensor<16x4xf32>, !buffer, !tile.rows<q, 16>
  )mlir";
  TestCall call = TestCall::dense(16);
  query.resize(64, 1);
  call.query = std::move(query);
  call.scale = scale;
  EXPECT_EQ(messageOf(call.run(module.str())), "") << ops;
  return call.out;
}

/// The first elements of a unary op's result.
static void expectUnary(const std::string &op, std::vector<float> in,
                        std::vector<float> expected) {
  std::vector<float> out = compute("%y = " + op + " %x : tensor<16x4xf32>", in);
  for (size_t i = 0; i < expected.size(); ++i)
    if (std::isnan(expected[i]))
      EXPECT_TRUE(std::isnan(out[i])) << op << " " << in[i];
    else
      EXPECT_FLOAT_EQ(out[i], expected[i]) << op << " " << in[i];
}

TEST(Ops, UnaryFloats) {
  expectUnary("arith.negf", {1, -2, 0}, {-1, 2, -0.0f});
  expectUnary("math.exp2", {0, 3, -infinity, -1}, {1, 8, 0, 0.5f});
  expectUnary("math.exp", {0, 1}, {1, 2.7182817f});
  expectUnary("math.log2", {8, 0, 1, -1}, {3, -infinity, 0, nan32});
  expectUnary("math.log", {1, 2}, {0, 0.69314718f});
  expectUnary("math.tanh", {0, 1, 100}, {0, 0.76159416f, 1});
  expectUnary("math.sqrt", {4, 2}, {2, 1.4142135f});
  expectUnary("math.rsqrt", {4}, {0.5f});
  expectUnary("math.absf", {-3, 3}, {3, 3});
  expectUnary("math.floor", {1.5f, -1.5f}, {1, -2});
  expectUnary("math.sin", {0.5f}, {std::sin(0.5f)});
}

TEST(Ops, BinaryFloats) {
  auto expect = [](const std::string &op, float a, float b, float expected) {
    // %x holds a; b is a constant tile of two values.
    std::vector<float> out =
        compute("%s = tensor.splat %scale : tensor<16x4xf32>\n%y = " + op +
                    " %x, %s : tensor<16x4xf32>",
                {a}, b);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(out[0])) << op;
    else
      EXPECT_EQ(out[0], expected) << op << " " << a << " " << b;
  };
  expect("arith.addf", 3, 2, 5);
  expect("arith.subf", 3, 2, 1);
  expect("arith.mulf", 3, 2, 6);
  expect("arith.divf", 3, 2, 1.5f);
  expect("arith.maximumf", 3, 2, 3);
  expect("arith.maximumf", nan32, 2, nan32);
  expect("arith.minimumf", 3, 2, 2);
  expect("arith.maxnumf", nan32, 2, 2);
  expect("arith.minnumf", 3, 2, 2);
  expect("math.copysign", 3, -2, -3);
}

TEST(Ops, AnOperandUsedTwiceOrLaterIsNotOverwritten) {
  std::vector<float> out = compute(R"mlir(
    %twice = arith.addf %x, %x : tensor<16x4xf32>
    %four = arith.addf %twice, %twice : tensor<16x4xf32>
    %y = arith.subf %four, %x : tensor<16x4xf32>
  )mlir",
                                   {1, 2, 3});
  EXPECT_EQ(out[0], 3);
  EXPECT_EQ(out[2], 9);
}

TEST(Ops, RoundsToNarrowTypes) {
  std::vector<float> out = compute(R"mlir(
    %n = arith.truncf %x : tensor<16x4xf32> to tensor<16x4xbf16>
    %n2 = arith.addf %n, %n : tensor<16x4xbf16>
    %y = arith.extf %n2 : tensor<16x4xbf16> to tensor<16x4xf32>
  )mlir",
                                   {1.00390625f, 1.01f, 1e30f});
  EXPECT_EQ(out[0], 2);
  EXPECT_EQ(out[1], 2 * 1.0078125f);
  out = compute(R"mlir(
    %n = arith.truncf %x : tensor<16x4xf32> to tensor<16x4xf16>
    %y = arith.extf %n : tensor<16x4xf16> to tensor<16x4xf32>
  )mlir",
                {1e30f, 0x1p-24f, 0.1f});
  EXPECT_EQ(out[0], infinity);
  EXPECT_EQ(out[1], 0x1p-24f);
  EXPECT_EQ(out[2], 0.0999755859375f);
}

TEST(Ops, ComparesAndSelects) {
  auto expect = [](const std::string &predicate, std::vector<float> in,
                   std::vector<float> expected) {
    std::vector<float> out = compute(
        "%s = tensor.splat %scale : tensor<16x4xf32>\n"
        "%z = arith.constant dense<0.0> : tensor<16x4xf32>\n"
        "%c = arith.cmpf " +
            predicate +
            ", %x, %s : tensor<16x4xf32>\n"
            "%y = arith.select %c, %s, %z : tensor<16x4xi1>, tensor<16x4xf32>",
        in, 2);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_EQ(out[i], 2 * expected[i]) << predicate << " " << in[i];
  };
  std::vector<float> in = {1, 2, 3, nan32};
  expect("oeq", in, {0, 1, 0, 0});
  expect("one", in, {1, 0, 1, 0});
  expect("olt", in, {1, 0, 0, 0});
  expect("ole", in, {1, 1, 0, 0});
  expect("ogt", in, {0, 0, 1, 0});
  expect("oge", in, {0, 1, 1, 0});
  expect("ord", in, {1, 1, 1, 0});
  expect("ueq", in, {0, 1, 0, 1});
  expect("une", in, {1, 0, 1, 1});
  expect("ult", in, {1, 0, 0, 1});
  expect("ule", in, {1, 1, 0, 1});
  expect("ugt", in, {0, 0, 1, 1});
  expect("uge", in, {0, 1, 1, 1});
  expect("uno", in, {0, 0, 0, 1});
}

/// An i64 expression of %h (0), as a tile of its value.
static float integerOf(const std::string &ops) {
  return compute(ops + R"mlir(
    %f = arith.sitofp %r : i64 to f32
    %y = tensor.splat %f : tensor<16x4xf32>
  )mlir",
                 {})[0];
}

TEST(Ops, ScalarIntegers) {
  auto binary = [](const std::string &op, int64_t a, int64_t b) {
    return integerOf("%a = arith.constant " + std::to_string(a) +
                     " : i64\n%b0 = arith.constant " + std::to_string(b) +
                     " : i64\n%r = " + op + " %a, %b0 : i64");
  };
  EXPECT_EQ(binary("arith.addi", 7, -2), 5);
  EXPECT_EQ(binary("arith.subi", 7, -2), 9);
  EXPECT_EQ(binary("arith.muli", 7, -2), -14);
  EXPECT_EQ(binary("arith.divsi", 7, -2), -3);
  EXPECT_EQ(binary("arith.remsi", -7, 2), -1);
  EXPECT_EQ(binary("arith.floordivsi", 7, -2), -4);
  EXPECT_EQ(binary("arith.floordivsi", -8, 2), -4);
  EXPECT_EQ(binary("arith.ceildivsi", 7, 2), 4);
  EXPECT_EQ(binary("arith.ceildivsi", -7, 2), -3);
  EXPECT_EQ(binary("arith.minsi", 7, -2), -2);
  EXPECT_EQ(binary("arith.maxsi", 7, -2), 7);
  EXPECT_EQ(binary("arith.andi", 6, 3), 2);
  EXPECT_EQ(binary("arith.ori", 6, 3), 7);
  EXPECT_EQ(binary("arith.xori", 6, 3), 5);
}

TEST(Ops, ScalarsChoose) {
  auto expect = [](const std::string &predicate, int64_t a, int64_t b,
                   bool expected) {
    EXPECT_EQ(integerOf("%a = arith.constant " + std::to_string(a) +
                        " : i64\n%b0 = arith.constant " + std::to_string(b) +
                        " : i64\n%c = arith.cmpi " + predicate +
                        ", %a, %b0 : i64\n%one = arith.constant 1 : i64\n"
                        "%zero = arith.constant 0 : i64\n"
                        "%t1 = arith.constant true\n"
                        "%c2 = arith.andi %c, %t1 : i1\n"
                        "%r = arith.select %c2, %one, %zero : i64"),
              expected)
        << predicate << " " << a << " " << b;
  };
  expect("eq", 1, 1, true);
  expect("ne", 1, 1, false);
  expect("slt", -1, 1, true);
  expect("sle", 1, 1, true);
  expect("sgt", -1, 1, false);
  expect("sge", 1, 1, true);
  expect("ult", -1, 1, false);
  expect("ugt", -1, 1, true);
  expect("ule", 1, 1, true);
  expect("uge", 1, -1, false);
}

TEST(Ops, DivisionByZeroIsAnError) {
  ModuleText module;
  module.body = "%q = arith.divsi %c16, %h : i64";
  TestCall call = TestCall::dense(16);
  std::string message = messageOf(call.run(module.str()));
  EXPECT_NE(message.find("arith.divsi"), std::string::npos) << message;
  EXPECT_NE(message.find("divides 16 by 0"), std::string::npos) << message;
}

TEST(Ops, CoordinatesMaskATile) {
  // Keeps j <= i of a tile whose columns start at 2.
  std::vector<float> out = compute(R"mlir(
    %c2 = arith.constant 2 : i64
    %i = tile.coordinates %first dim = 0 : tensor<16x4xi64>
    %j = tile.coordinates %c2 dim = 1 : tensor<16x4xi64>
    %keep = arith.cmpi sle, %j, %i : tensor<16x4xi64>
    %z = arith.constant dense<0.0> : tensor<16x4xf32>
    %y = arith.select %keep, %x, %z : tensor<16x4xi1>, tensor<16x4xf32>
  )mlir",
                                   {});
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 4; ++j)
      EXPECT_EQ(out[size_t(4 * i + j)], j + 2 <= i) << i << " " << j;
}

TEST(Ops, ReducesAndExpands) {
  std::vector<float> out = compute(R"mlir(
    %max = tile.reduce max %x : tensor<16x4xf32> -> tensor<16xf32>
    %sum = tile.reduce sum %x : tensor<16x4xf32> -> tensor<16xf32>
    %m = tile.expand %max dim = 1 : tensor<16xf32> -> tensor<16x4xf32>
    %s = tile.expand %sum dim = 1 : tensor<16xf32> -> tensor<16x4xf32>
    %c = arith.constant dense<[10.0, 20.0, 30.0, 40.0]> : tensor<4xf32>
    %e = tile.expand %c dim = 0 : tensor<4xf32> -> tensor<16x4xf32>
    %a = arith.addf %m, %s : tensor<16x4xf32>
    %y = arith.addf %a, %e : tensor<16x4xf32>
  )mlir",
                                   {1, 7, 3, 2});
  EXPECT_EQ(out[0], 7 + 13 + 10);
  EXPECT_EQ(out[3], 7 + 13 + 40);
  EXPECT_EQ(out[5], 1 + 4 + 20);
}

TEST(Ops, AsksWhetherAnyElementIsTrue) {
  for (float largest : {7.0f, 5.0f}) {
    std::vector<float> out = compute(R"mlir(
      %limit = arith.constant dense<5.0> : tensor<16x4xf32>
      %large = arith.cmpf ogt, %x, %limit : tensor<16x4xf32>
      %any = tile.any %large : tensor<16x4xi1>
      %y = scf.if %any -> (tensor<16x4xf32>) {
        scf.yield %limit : tensor<16x4xf32>
      } else {
        scf.yield %x : tensor<16x4xf32>
      }
    )mlir",
                                     {1, largest, 3, 2});
    EXPECT_EQ(out[2], largest > 5 ? 5 : 3);
    EXPECT_EQ(out[63], largest > 5 ? 5 : 1);
  }
}

TEST(Ops, Dots) {
  // X X^T X with x = rows of small integers, through both forms.
  std::vector<float> query(64);
  for (size_t i = 0; i < 64; ++i)
    query[i] = float(i % 5) - 2;
  std::vector<float> out = compute(R"mlir(
    %b0 = arith.truncf %x : tensor<16x4xf32> to tensor<16x4xbf16>
    %z = arith.constant dense<1.0> : tensor<16x16xf32>
    %s = tile.dot %b0, %b0 transposed, %z : tensor<16x4xbf16>, tensor<16x4xbf16> -> tensor<16x16xf32>
    %sb = arith.truncf %s : tensor<16x16xf32> to tensor<16x16xbf16>
    %y = tile.dot %sb, %b0, %x : tensor<16x16xbf16>, tensor<16x4xbf16> -> tensor<16x4xf32>
  )mlir",
                                   query);
  auto x = [&](int i, int d) { return query[size_t(4 * i + d)]; };
  for (int i = 0; i < 16; ++i)
    for (int d = 0; d < 4; ++d) {
      float expected = x(i, d);
      for (int j = 0; j < 16; ++j) {
        float s = 1;
        for (int e = 0; e < 4; ++e)
          s += x(i, e) * x(j, e);
        expected += s * x(j, d);
      }
      EXPECT_EQ(out[size_t(4 * i + d)], expected);
    }
}

TEST(Ops, LoopsAndBranches) {
  // %y = x + 0 + 1 + .. + 4, with the last two added twice.
  std::vector<float> out = compute(R"mlir(
    %c0 = arith.constant 0 : i64
    %c1 = arith.constant 1 : i64
    %c3 = arith.constant 3 : i64
    %c5 = arith.constant 5 : i64
    %y = scf.for %i = %c0 to %c5 step %c1 iter_args(%a = %x) -> (tensor<16x4xf32>) : i64 {
      %f = arith.sitofp %i : i64 to f32
      %s = tensor.splat %f : tensor<16x4xf32>
      %late = arith.cmpi sge, %i, %c3 : i64
      %v = scf.if %late -> (tensor<16x4xf32>) {
        %w = arith.addf %s, %s : tensor<16x4xf32>
        scf.yield %w : tensor<16x4xf32>
      } else {
        scf.yield %s : tensor<16x4xf32>
      }
      %n = arith.addf %a, %v : tensor<16x4xf32>
      scf.yield %n : tensor<16x4xf32>
    }
  )mlir",
                                   {5});
  EXPECT_EQ(out[0], 5 + 0 + 1 + 2 + 2 * 3 + 2 * 4);
}

TEST(Ops, LoopValuesMayChangePlaces) {
  // Fibonacci: yields in parallel. %x is kept for a use behind the loop.
  std::vector<float> out = compute(R"mlir(
    %c0 = arith.constant 0 : i64
    %c2 = arith.constant 2 : i64
    %c11 = arith.constant 11 : i64
    %r:2 = scf.for %i = %c0 to %c11 step %c2 iter_args(%a = %x, %p = %x) -> (tensor<16x4xf32>, tensor<16x4xf32>) : i64 {
      %n = arith.addf %a, %p : tensor<16x4xf32>
      scf.yield %n, %a : tensor<16x4xf32>, tensor<16x4xf32>
    }
    %never:2 = scf.for %i = %c2 to %c2 step %c2 iter_args(%a = %r#0, %p = %r#1) -> (tensor<16x4xf32>, tensor<16x4xf32>) : i64 {
      scf.yield %p, %a : tensor<16x4xf32>, tensor<16x4xf32>
    }
    %y = arith.addf %never#0, %x : tensor<16x4xf32>
  )mlir",
                                   {1});
  EXPECT_EQ(out[0], 21 + 1);
}

TEST(Ops, AStepIsAboveZero) {
  ModuleText module;
  module.body = R"mlir(
    %z = arith.constant 0 : i64
    scf.for %i = %z to %c16 step %z : i64 {
    }
  )mlir";
  TestCall call = TestCall::dense(16);
  EXPECT_NE(messageOf(call.run(module.str())).find("has step 0"),
            std::string::npos);
}

TEST(Ops, UnknownOpsAndTypesAreNamed) {
  auto message = [](const std::string &body) {
    ModuleText module;
    module.body = body;
    auto executor = ReferenceExecutor::createFromText(module.str());
    return executor ? std::string() : llvm::toString(executor.takeError());
  };
  std::string unknown = message("%q = arith.shli %c16, %c16 : i64");
  EXPECT_NE(unknown.find("arith.shli"), std::string::npos) << unknown;
  EXPECT_NE(unknown.find("it knows no such op"), std::string::npos) << unknown;
  EXPECT_NE(message("%q = arith.constant 1 : i32").find("results are i64"),
            std::string::npos);
  EXPECT_NE(
      message("%q = arith.constant dense<0.0> : tensor<100000x100000xf32>")
          .find("results are"),
      std::string::npos);
  EXPECT_NE(message("%q = arith.bogus").find("not valid IR"),
            std::string::npos);
}
