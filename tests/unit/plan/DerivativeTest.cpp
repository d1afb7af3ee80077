//===- DerivativeTest.cpp - Derived slopes against differences ------------===//

#include "compiler/attn/Passes.h"
#include "dialects/attn/Attn.h"
#include "tests/unit/plan/Fold.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mlir;
using namespace weft;

/// A score region's ops on %s and %c (1.5), with its value and slope written
/// out.
struct ScoreCase {
  const char *name;
  const char *body; ///< defines %y
  double (*value)(double s);
  double (*slope)(double s);
};

static const ScoreCase kCases[] = {
    {"product", "%a = arith.mulf %s, %s : f32\n%y = arith.mulf %a, %c : f32",
     [](double s) { return 1.5 * s * s; }, [](double s) { return 3 * s; }},
    {"difference", "%a = arith.mulf %s, %s : f32\n%y = arith.subf %c, %a : f32",
     [](double s) { return 1.5 - s * s; }, [](double s) { return -2 * s; }},
    {"quotient", "%a = arith.addf %s, %c : f32\n%y = arith.divf %s, %a : f32",
     [](double s) { return s / (s + 1.5); },
     [](double s) { return 1.5 / ((s + 1.5) * (s + 1.5)); }},
    {"reciprocal", "%y = arith.divf %c, %s : f32",
     [](double s) { return 1.5 / s; }, [](double s) { return -1.5 / (s * s); }},
    {"negated", "%y = arith.negf %s : f32", [](double s) { return -s; },
     [](double) { return -1.0; }},
    {"tanh", "%y = math.tanh %s : f32", [](double s) { return std::tanh(s); },
     [](double s) { return 1 - std::tanh(s) * std::tanh(s); }},
    {"exp", "%y = math.exp %s : f32", [](double s) { return std::exp(s); },
     [](double s) { return std::exp(s); }},
    {"exp2", "%y = math.exp2 %s : f32", [](double s) { return std::exp2(s); },
     [](double s) { return std::exp2(s) * std::log(2.0); }},
    {"log", "%y = math.log %s : f32", [](double s) { return std::log(s); },
     [](double s) { return 1 / s; }},
    {"log2", "%y = math.log2 %s : f32", [](double s) { return std::log2(s); },
     [](double s) { return 1 / (s * std::log(2.0)); }},
    {"sqrt", "%y = math.sqrt %s : f32", [](double s) { return std::sqrt(s); },
     [](double s) { return 0.5 / std::sqrt(s); }},
    {"sin", "%y = math.sin %s : f32", [](double s) { return std::sin(s); },
     [](double s) { return std::cos(s); }},
    {"cos", "%y = math.cos %s : f32", [](double s) { return std::cos(s); },
     [](double s) { return -std::sin(s); }},
    {"abs", "%a = arith.subf %s, %c : f32\n%y = math.absf %a : f32",
     [](double s) { return std::abs(s - 1.5); },
     [](double s) { return s >= 1.5 ? 1.0 : -1.0; }},
    {"maximum",
     "%a = arith.mulf %s, %s : f32\n%y = arith.maximumf %a, %c : f32",
     [](double s) { return std::max(s * s, 1.5); },
     [](double s) { return s * s >= 1.5 ? 2 * s : 0; }},
    {"minimum", "%a = arith.mulf %s, %s : f32\n%y = arith.minnumf %c, %a : f32",
     [](double s) { return std::min(s * s, 1.5); },
     [](double s) { return s * s < 1.5 ? 2 * s : 0; }},
    {"select",
     "%p = arith.cmpf olt, %s, %c : f32\n%a = arith.mulf %s, %s : f32\n"
     "%y = arith.select %p, %a, %s : f32",
     [](double s) { return s < 1.5 ? s * s : s; },
     [](double s) { return s < 1.5 ? 2 * s : 1; }},
    {"chain",
     "%a = arith.divf %s, %c : f32\n%t = math.tanh %a : f32\n"
     "%u = arith.mulf %c, %t : f32\n%e = math.exp2 %u : f32\n"
     "%y = arith.subf %e, %s : f32",
     [](double s) { return std::exp2(1.5 * std::tanh(s / 1.5)) - s; },
     [](double s) {
       double t = std::tanh(s / 1.5);
       return std::exp2(1.5 * t) * std::log(2.0) * (1 - t * t) - 1;
     }},
};

class Derivative : public testing::TestWithParam<ScoreCase> {};

static double evaluate(Region &region, double s) {
  Builder builder(region.getContext());
  SmallVector<Attribute> arguments = {builder.getF32FloatAttr(s)};
  arguments.append(6, builder.getI64IntegerAttr(1));
  auto result = dyn_cast_or_null<FloatAttr>(fold(region.front(), arguments));
  return result ? result.getValueAsDouble() : NAN;
}

TEST_P(Derivative, IsTheSlope) {
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context
      .loadDialect<arith::ArithDialect, attn::AttnDialect, math::MathDialect>();
  std::string text =
      std::string(
          "attn.backward @a bf16 head_dim = 64, head_dim_v = 64, head_ratio = "
          "1 q = <batch> kv = <batch> score {\n"
          "^bb0(%s: f32, %b: i64, %h: i64, %i: i64, %j: i64, %n_q: i64, "
          "%n_k: i64):\n%c = arith.constant 1.5 : f32\n") +
      GetParam().body + "\nattn.yield %y : f32\n}";
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(text, ParserConfig(&context));
  ASSERT_TRUE(bool(module));
  PassManager manager(&context);
  manager.addPass(createAttnDeriveScore());
  ASSERT_TRUE(succeeded(manager.run(*module)));
  auto op = *module->getOps<attn::BackwardOp>().begin();
  ASSERT_FALSE(op.getDerivative().empty());
  for (double s : {0.25, 0.75, 1.0, 1.25, 2.0, 3.5}) {
    double value = GetParam().value(s), slope = GetParam().slope(s);
    EXPECT_NEAR(evaluate(op.getScore(), s), value, 1e-5 * (1 + std::abs(value)))
        << "score at " << s;
    EXPECT_NEAR(evaluate(op.getDerivative(), s), slope,
                1e-5 * (1 + std::abs(slope)))
        << "slope at " << s;
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Derivative, testing::ValuesIn(kCases),
                         [](const testing::TestParamInfo<ScoreCase> &info) {
                           return std::string(info.param.name);
                         });
