//===- DeriveScore.cpp - The derivative of a score region -----------------===//

#include "compiler/attn/Passes.h"
#include "dialects/attn/Attn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

namespace weft {
#define GEN_PASS_DEF_ATTNDERIVESCORE
#include "compiler/attn/Passes.h.inc"
} // namespace weft

using namespace mlir;
using namespace weft;

namespace {
/// Copies a region op by op and gives each value its tangent: its derivative
/// with respect to the score. A value without one does not depend on it.
class Differentiator {
public:
  Differentiator(OpBuilder &builder, Block &source)
      : builder(builder), loc(source.front().getLoc()), source(source) {}

  /// Fills `target`, which has the arguments of the source.
  LogicalResult run(Block &target) {
    values.map(source.getArguments(), target.getArguments());
    tangents[target.getArgument(0)] = constant(1);
    for (Operation &op : source.without_terminator()) {
      Operation *copy = builder.clone(op, values);
      if (failed(differentiate(op, copy)))
        return failure();
    }
    auto yield = cast<attn::YieldOp>(source.getTerminator());
    Value result = tangent(values.lookupOrDefault(yield.getValue()));
    attn::YieldOp::create(builder, loc, result ? result : constant(0));
    // Values of the score that its slope does not need.
    SmallVector<Operation *> ops;
    for (Operation &op : target.without_terminator())
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
    return success();
  }

private:
  Value tangent(Value value) { return tangents.lookup(value); }

  // Values of the arithmetic below. 1 * x is x and a missing value is 0: what
  // is written is short, and exact where it says nothing.
  Value constant(double value) {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  }
  static bool isConstant(Value value, double expected) {
    auto op = value.getDefiningOp<arith::ConstantOp>();
    auto attr = op ? dyn_cast<FloatAttr>(op.getValue()) : FloatAttr();
    return attr && attr.getValueAsDouble() == expected;
  }
  Value mul(Value a, Value b) {
    if (!a || !b)
      return {};
    if (isConstant(a, 1))
      return b;
    if (isConstant(b, 1))
      return a;
    return arith::MulFOp::create(builder, loc, a, b);
  }
  /// The tangent of x * y. A statement an op: the order of arguments is the
  /// C++ compiler's, that of ops must not be.
  Value product(Value x, Value dx, Value y, Value dy) {
    Value a = mul(dx, y);
    Value b = mul(x, dy);
    return add(a, b);
  }
  Value div(Value a, Value b) {
    return a ? arith::DivFOp::create(builder, loc, a, b).getResult() : Value();
  }
  Value add(Value a, Value b) {
    if (!a || !b)
      return a ? a : b;
    return arith::AddFOp::create(builder, loc, a, b);
  }
  Value negate(Value a) {
    return a ? arith::NegFOp::create(builder, loc, a).getResult() : Value();
  }
  Value sub(Value a, Value b) {
    if (!a || !b)
      return a ? a : negate(b);
    return arith::SubFOp::create(builder, loc, a, b);
  }
  /// `condition` ? a : b.
  Value select(Value condition, Value a, Value b) {
    if (!a && !b)
      return {};
    return arith::SelectOp::create(builder, loc, condition, a ? a : constant(0),
                                   b ? b : constant(0));
  }
  Value compare(arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  }

  /// The tangent of `copy`, the clone of `op`.
  LogicalResult differentiate(Operation &op, Operation *copy) {
    if (llvm::none_of(copy->getOperands(),
                      [&](Value operand) { return !!tangent(operand); }))
      return success();
    // Comparisons are constant but for the points where they change.
    if (isa<arith::CmpFOp>(copy))
      return success();
    if (copy->getNumResults() != 1 || !copy->getResult(0).getType().isF32())
      return unknown(op);
    FailureOr<Value> rule = copy->getName().getDialectNamespace() == "math"
                                ? mathRule(copy)
                                : arithRule(copy);
    if (failed(rule))
      return unknown(op);
    if (*rule)
      tangents[copy->getResult(0)] = *rule;
    return success();
  }

  LogicalResult unknown(Operation &op) {
    return op.emitOpError()
           << "of the score has no derivative rule; write the derivative "
              "region by hand";
  }

  FailureOr<Value> arithRule(Operation *copy) {
    Value x = copy->getOperand(0), dx = tangent(x);
    Value y = copy->getNumOperands() > 1 ? copy->getOperand(1) : Value();
    Value dy = y ? tangent(y) : Value();
    Value result = copy->getResult(0);
    return llvm::TypeSwitch<Operation *, FailureOr<Value>>(copy)
        .Case([&](arith::AddFOp) { return add(dx, dy); })
        .Case([&](arith::SubFOp) { return sub(dx, dy); })
        .Case([&](arith::NegFOp) { return negate(dx); })
        .Case([&](arith::MulFOp) { return product(x, dx, y, dy); })
        .Case([&](arith::DivFOp) { return div(sub(dx, mul(result, dy)), y); })
        .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](Operation *) {
          return select(compare(arith::CmpFPredicate::OGE, x, y), dx, dy);
        })
        .Case<arith::MinimumFOp, arith::MinNumFOp>([&](Operation *) {
          return select(compare(arith::CmpFPredicate::OLE, x, y), dx, dy);
        })
        .Case([&](arith::SelectOp op) {
          return select(op.getCondition(), tangent(op.getTrueValue()),
                        tangent(op.getFalseValue()));
        })
        .Default([](Operation *) { return failure(); });
  }

  FailureOr<Value> mathRule(Operation *copy) {
    Value x = copy->getOperand(0), dx = tangent(x);
    Value result = copy->getResult(0);
    if (auto op = dyn_cast<math::FmaOp>(copy))
      return add(product(x, dx, op.getB(), tangent(op.getB())),
                 tangent(op.getC()));
    if (copy->getNumOperands() != 1)
      return failure();
    auto unary = [&](auto write) {
      return [&, write](Operation *) -> FailureOr<Value> {
        return mul(write(), dx);
      };
    };
    constexpr double ln2 = 0.693147180559945309417232121458;
    return llvm::TypeSwitch<Operation *, FailureOr<Value>>(copy)
        .Case<math::TanhOp>(
            unary([&] { return sub(constant(1), mul(result, result)); }))
        .Case<math::ExpOp>(unary([&] { return result; }))
        .Case<math::Exp2Op>(unary([&] { return mul(result, constant(ln2)); }))
        .Case<math::LogOp>([&](Operation *) { return div(dx, x); })
        .Case<math::Log2Op>(
            [&](Operation *) { return div(dx, mul(x, constant(ln2))); })
        .Case<math::SqrtOp>(
            [&](Operation *) { return div(dx, mul(constant(2), result)); })
        .Case<math::SinOp>(unary(
            [&]() -> Value { return math::CosOp::create(builder, loc, x); }))
        .Case<math::CosOp>(
            unary([&] { return negate(math::SinOp::create(builder, loc, x)); }))
        .Case<math::AbsFOp>(unary([&] {
          Value zero = constant(0), one = constant(1), minusOne = constant(-1);
          Value positive = compare(arith::CmpFPredicate::OGE, x, zero);
          return select(positive, one, minusOne);
        }))
        .Default([](Operation *) { return failure(); });
  }

  OpBuilder &builder;
  Location loc;
  Block &source;
  IRMapping values;
  llvm::DenseMap<Value, Value> tangents;
};

struct DeriveScore : weft::impl::AttnDeriveScoreBase<DeriveScore> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](attn::BackwardOp op) {
      if (op.getScore().empty() || !op.getDerivative().empty())
        return WalkResult::advance();
      Block &source = op.getScore().front();
      OpBuilder builder(op.getContext());
      Block *target = builder.createBlock(
          &op.getDerivative(), op.getDerivative().end(),
          source.getArgumentTypes(),
          SmallVector<Location>(source.getNumArguments(), op.getLoc()));
      if (succeeded(Differentiator(builder, source).run(*target)))
        return WalkResult::advance();
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

namespace weft {
#define GEN_PASS_REGISTRATION
#include "compiler/attn/Passes.h.inc"
} // namespace weft

void weft::registerAttnPasses() { registerWeftAttnPasses(); }
