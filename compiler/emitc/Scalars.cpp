//===- Scalars.cpp - Ops on scalars, alone or as elements of tiles --------===//

#include "compiler/emitc/KernelWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/Format.h"

using namespace mlir;

namespace weft {

/// A C literal that reads back as `value`.
static std::string floatText(float value) {
  if (std::isnan(value))
    return "NAN";
  if (std::isinf(value))
    return value < 0 ? "-INFINITY" : "INFINITY";
  std::string text;
  for (int digits = 1; digits <= 9; ++digits) {
    text.clear();
    llvm::raw_string_ostream stream(text);
    stream << llvm::format("%.*g", digits, static_cast<double>(value));
    if (std::strtof(text.c_str(), nullptr) == value)
      break;
  }
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text + "f";
}

/// The literal of one element of a constant.
FailureOr<Value> KernelWriter::literalOf(Operation *op, TypedAttr value) {
  if (auto dense = dyn_cast<DenseElementsAttr>(value)) {
    if (!dense.isSplat())
      return op->emitError("a tile constant must have one value everywhere");
    value = dense.getElementType().isInteger()
                ? TypedAttr(dense.getSplatValue<IntegerAttr>())
                : TypedAttr(dense.getSplatValue<FloatAttr>());
  }
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    if (number.getType().isInteger(1))
      return literal(number.getValue().isZero() ? "false" : "true", i1());
    return literal(number.getValue().getSExtValue(), number.getType());
  }
  if (auto number = dyn_cast<FloatAttr>(value)) {
    if (number.getType().isF32())
      return literal(floatText(number.getValue().convertToFloat()), f32());
    if (isa<Float16Type, BFloat16Type>(number.getType()))
      return literal(number.getValue().bitcastToAPInt().getZExtValue(), u16());
  }
  return op->emitError() << "no constant of type " << value.getType()
                         << "; i1, i64, f32, f16 and bf16 are known";
}

FailureOr<SmallVector<Value>> KernelWriter::writeScalarOp(Operation *op,
                                                          ValueRange operands) {
  auto one = [](Value value) { return SmallVector<Value>{value}; };
  auto arithmetic = [&](StringRef callee, Type type) {
    return one(pure("arithmetic", callee, type, operands));
  };
  auto intrinsic = [&](StringRef callee) {
    return one(pure("types", callee, f32(), operands));
  };
  Type storage =
      op->getNumResults() == 1
          ? storageType(getElementTypeOrSelf(op->getResult(0).getType()))
          : Type();
  auto unknown = [&]() -> FailureOr<SmallVector<Value>> {
    return op->emitError("has no counterpart in CUDA C++ here");
  };
  if (!storage || llvm::any_of(operands, [](Value v) { return !v; }))
    return unknown();
  bool is16Bit = llvm::any_of(op->getOperandTypes(), [](Type type) {
    return isa<Float16Type, BFloat16Type>(getElementTypeOrSelf(type));
  });
  if (is16Bit && !isa<arith::ExtFOp, arith::SelectOp>(op))
    return op->emitError("f16 and bf16 are only extended, rounded and "
                         "selected; compute in f32");
  auto binary = [&](auto make) -> FailureOr<SmallVector<Value>> {
    Value a = operands[0], b = operands[1];
    // Two literals would be computed as int.
    bool aIsLiteral = a.getDefiningOp<emitc::LiteralOp>() != nullptr;
    bool bIsLiteral = b.getDefiningOp<emitc::LiteralOp>() != nullptr;
    if (aIsLiteral && bIsLiteral && storage.isInteger(64))
      a = emitc::CastOp::create(builder, loc, i64(), a);
    else if (aIsLiteral)
      a = this->cast(a, b.getType());
    else if (bIsLiteral)
      b = this->cast(b, a.getType());
    return one((this->*make)(a, b));
  };
  auto logical = [&](auto bitwise) {
    return one(decltype(bitwise)::create(builder, loc, storage, operands[0],
                                         operands[1]));
  };

  return llvm::TypeSwitch<Operation *, FailureOr<SmallVector<Value>>>(op)
      .Case([&](arith::ConstantOp op) -> FailureOr<SmallVector<Value>> {
        FailureOr<Value> value = literalOf(op, op.getValue());
        if (failed(value))
          return failure();
        return one(*value);
      })
      .Case<arith::AddIOp, arith::AddFOp>(
          [&](auto) { return binary(&KernelWriter::add); })
      .Case<arith::SubIOp, arith::SubFOp>(
          [&](auto) { return binary(&KernelWriter::subtract); })
      .Case<arith::MulIOp, arith::MulFOp>(
          [&](auto) { return binary(&KernelWriter::multiply); })
      .Case<arith::DivSIOp>([&](auto) { return binary(&KernelWriter::divide); })
      .Case<arith::RemSIOp>(
          [&](auto) { return binary(&KernelWriter::remainder); })
      .Case<arith::FloorDivSIOp>(
          [&](auto) { return arithmetic("floor_div", i64()); })
      .Case<arith::CeilDivSIOp>(
          [&](auto) { return arithmetic("ceil_div", i64()); })
      .Case<arith::MinSIOp>([&](auto) { return arithmetic("lesser", i64()); })
      .Case<arith::MaxSIOp>([&](auto) { return arithmetic("greater", i64()); })
      .Case<arith::AndIOp>([&](auto) { return logical(emitc::BitwiseAndOp()); })
      .Case<arith::OrIOp>([&](auto) { return logical(emitc::BitwiseOrOp()); })
      .Case<arith::XOrIOp>([&](auto) { return logical(emitc::BitwiseXorOp()); })
      .Case<arith::DivFOp>([&](auto) { return arithmetic("divide", f32()); })
      .Case<arith::MaxNumFOp>(
          [&](auto) { return arithmetic("greater_number", f32()); })
      .Case<arith::MinNumFOp>(
          [&](auto) { return arithmetic("lesser_number", f32()); })
      .Case<arith::MaximumFOp>(
          [&](auto) { return arithmetic("maximum", f32()); })
      .Case<arith::MinimumFOp>(
          [&](auto) { return arithmetic("minimum", f32()); })
      .Case<arith::NegFOp>([&](auto) {
        return one(
            emitc::UnaryMinusOp::create(builder, loc, f32(), operands[0]));
      })
      .Case<math::Exp2Op>(
          [&](auto) { return arithmetic("exp2_approx", f32()); })
      .Case<math::Log2Op>(
          [&](auto) { return arithmetic("log2_approx", f32()); })
      .Case<math::ExpOp>([&](auto) { return intrinsic("expf"); })
      .Case<math::LogOp>([&](auto) { return intrinsic("logf"); })
      .Case<math::TanhOp>([&](auto) { return intrinsic("tanhf"); })
      .Case<math::SinOp>([&](auto) { return intrinsic("sinf"); })
      .Case<math::CosOp>([&](auto) { return intrinsic("cosf"); })
      .Case<math::SqrtOp>([&](auto) { return intrinsic("sqrtf"); })
      .Case<math::RsqrtOp>([&](auto) { return intrinsic("rsqrtf"); })
      .Case<math::AbsFOp>([&](auto) { return intrinsic("fabsf"); })
      .Case<math::FmaOp>([&](auto) { return intrinsic("fmaf"); })
      .Case<math::CopySignOp>([&](auto) { return intrinsic("copysignf"); })
      .Case<math::PowFOp>([&](auto) { return intrinsic("powf"); })
      .Case<arith::SIToFPOp, arith::UIToFPOp>(
          [&](auto) { return one(this->cast(operands[0], f32())); })
      .Case<arith::TruncIOp, arith::ExtSIOp>(
          [&](auto) { return one(this->cast(operands[0], storage)); })
      .Case<arith::ExtUIOp>(
          [&](auto) { return one(this->cast(operands[0], storage)); })
      .Case([&](arith::ExtFOp op) {
        bool bf16 = getElementTypeOrSelf(op.getIn().getType()).isBF16();
        return arithmetic(bf16 ? "widen_bf16" : "widen_f16", f32());
      })
      .Case([&](arith::TruncFOp op) {
        bool bf16 = getElementTypeOrSelf(op.getType()).isBF16();
        return arithmetic(bf16 ? "round_bf16" : "round_f16", u16());
      })
      .Case<arith::SelectOp>([&](auto) {
        Value a = operands[1], b = operands[2];
        if (a.getDefiningOp<emitc::LiteralOp>())
          a = this->cast(a, b.getType());
        b = this->cast(b, a.getType());
        return one(emitc::ConditionalOp::create(builder, loc, a.getType(),
                                                operands[0], a, b));
      })
      .Case([&](arith::CmpIOp op) -> FailureOr<SmallVector<Value>> {
        using From = arith::CmpIPredicate;
        using To = emitc::CmpPredicate;
        To predicate;
        switch (op.getPredicate()) {
        case From::eq:
          predicate = To::eq;
          break;
        case From::ne:
          predicate = To::ne;
          break;
        case From::slt:
          predicate = To::lt;
          break;
        case From::sle:
          predicate = To::le;
          break;
        case From::sgt:
          predicate = To::gt;
          break;
        case From::sge:
          predicate = To::ge;
          break;
        default:
          return op.emitError("integers are signed: compare them so");
        }
        return one(compare(predicate, operands[0], operands[1]));
      })
      .Case([&](arith::CmpFOp op) -> FailureOr<SmallVector<Value>> {
        using From = arith::CmpFPredicate;
        using To = emitc::CmpPredicate;
        auto is = [&](To predicate) {
          return compare(predicate, operands[0], operands[1]);
        };
        // An unordered comparison is the ordered opposite, negated.
        auto isNot = [&](To predicate) {
          return emitc::LogicalNotOp::create(builder, loc, i1(), is(predicate));
        };
        switch (op.getPredicate()) {
        case From::OEQ:
          return one(is(To::eq));
        case From::OGT:
          return one(is(To::gt));
        case From::OGE:
          return one(is(To::ge));
        case From::OLT:
          return one(is(To::lt));
        case From::OLE:
          return one(is(To::le));
        case From::UNE:
          return one(is(To::ne));
        case From::UGT:
          return one(isNot(To::le));
        case From::UGE:
          return one(isNot(To::lt));
        case From::ULT:
          return one(isNot(To::ge));
        case From::ULE:
          return one(isNot(To::gt));
        case From::UNO:
        case From::ORD: {
          bool ordered = op.getPredicate() == From::ORD;
          To same = ordered ? To::eq : To::ne;
          Value a = compare(same, operands[0], operands[0]);
          Value b = compare(same, operands[1], operands[1]);
          if (ordered)
            return one(emitc::BitwiseAndOp::create(builder, loc, i1(), a, b));
          return one(emitc::BitwiseOrOp::create(builder, loc, i1(), a, b));
        }
        case From::ONE:
        case From::UEQ: {
          Value differ = emitc::BitwiseOrOp::create(builder, loc, i1(),
                                                    is(To::lt), is(To::gt));
          if (op.getPredicate() == From::ONE)
            return one(differ);
          return one(emitc::LogicalNotOp::create(builder, loc, i1(), differ));
        }
        case From::AlwaysFalse:
          return one(literal("false", i1()));
        case From::AlwaysTrue:
          return one(literal("true", i1()));
        }
        return failure();
      })
      .Default([&](Operation *) { return unknown(); });
}

} // namespace weft
