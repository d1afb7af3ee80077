//===- Scalars.h - i64 arithmetic, folded as it is built --------*- C++ -*-===//

#ifndef WEFT_COMPILER_TILE_SCALARS_H
#define WEFT_COMPILER_TILE_SCALARS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

namespace weft::tile {

/// Builds `arith` ops on i64 and i1 scalars at a builder's insertion point.
/// What is constant is folded at once.
class Scalars {
public:
  Scalars(mlir::OpBuilder &builder, mlir::Location loc)
      : builder(builder), loc(loc) {}

  mlir::Value constant(int64_t value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  mlir::Value boolean(bool value) {
    return mlir::arith::ConstantIntOp::create(builder, loc, value, 1);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::AddIOp>(a, b);
  }
  mlir::Value add(mlir::Value a, int64_t b) {
    return b < 0 ? sub(a, -b) : b == 0 ? a : add(a, constant(b));
  }
  mlir::Value sub(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::SubIOp>(a, b);
  }
  mlir::Value sub(mlir::Value a, int64_t b) {
    return b == 0 ? a : sub(a, constant(b));
  }
  mlir::Value mul(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::MulIOp>(a, b);
  }
  mlir::Value mul(mlir::Value a, int64_t b) {
    return b == 1 ? a : mul(a, constant(b));
  }
  mlir::Value min(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::MinSIOp>(a, b);
  }
  mlir::Value max(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::MaxSIOp>(a, b);
  }
  /// Quotients rounded down, up; b is above 0.
  mlir::Value floorDiv(mlir::Value a, int64_t b) {
    return b == 1 ? a : fold<mlir::arith::FloorDivSIOp>(a, constant(b));
  }
  mlir::Value ceilDiv(mlir::Value a, int64_t b) {
    return b == 1 ? a : fold<mlir::arith::CeilDivSIOp>(a, constant(b));
  }
  /// Quotient rounded towards 0.
  mlir::Value divide(mlir::Value a, int64_t b) {
    return b == 1 ? a : fold<mlir::arith::DivSIOp>(a, constant(b));
  }
  mlir::Value le(mlir::Value a, mlir::Value b) {
    return compare(mlir::arith::CmpIPredicate::sle, a, b);
  }
  mlir::Value lt(mlir::Value a, mlir::Value b) {
    return compare(mlir::arith::CmpIPredicate::slt, a, b);
  }
  mlir::Value ge(mlir::Value a, mlir::Value b) {
    return compare(mlir::arith::CmpIPredicate::sge, a, b);
  }
  mlir::Value equal(mlir::Value a, mlir::Value b) {
    return compare(mlir::arith::CmpIPredicate::eq, a, b);
  }
  mlir::Value both(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::AndIOp>(a, b);
  }
  mlir::Value either(mlir::Value a, mlir::Value b) {
    return fold<mlir::arith::OrIOp>(a, b);
  }
  /// The opposite, pushed down to the comparisons.
  mlir::Value negate(mlir::Value a) {
    if (auto op = a.getDefiningOp<mlir::arith::AndIOp>()) {
      mlir::Value lhs = negate(op.getLhs()), rhs = negate(op.getRhs());
      return either(lhs, rhs);
    }
    if (auto op = a.getDefiningOp<mlir::arith::OrIOp>()) {
      mlir::Value lhs = negate(op.getLhs()), rhs = negate(op.getRhs());
      return both(lhs, rhs);
    }
    if (auto op = a.getDefiningOp<mlir::arith::CmpIOp>())
      return compare(mlir::arith::invertPredicate(op.getPredicate()),
                     op.getLhs(), op.getRhs());
    return fold<mlir::arith::XOrIOp>(a, boolean(true));
  }
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) {
    return builder.createOrFold<mlir::arith::SelectOp>(loc, condition, a, b);
  }

  /// The value of a constant.
  static std::optional<int64_t> constantOf(mlir::Value value) {
    mlir::APInt result;
    if (!mlir::matchPattern(value, mlir::m_ConstantInt(&result)))
      return std::nullopt;
    return result.getBitWidth() == 1 ? int64_t(result.getZExtValue())
                                     : result.getSExtValue();
  }
  static bool isTrue(mlir::Value value) { return constantOf(value) == 1; }
  static bool isFalse(mlir::Value value) { return constantOf(value) == 0; }

private:
  template <typename Op> mlir::Value fold(mlir::Value a, mlir::Value b) {
    return builder.createOrFold<Op>(loc, a, b);
  }
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a,
                      mlir::Value b) {
    return builder.createOrFold<mlir::arith::CmpIOp>(loc, predicate, a, b);
  }

  mlir::OpBuilder &builder;
  mlir::Location loc;
};

} // namespace weft::tile

#endif // WEFT_COMPILER_TILE_SCALARS_H
