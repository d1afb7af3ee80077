//===- Formulas.cpp - Arithmetic on sizes, as people read it --------------===//

#include "compiler/explain/Formulas.h"

#include "dialects/plan/Plan.h"
#include "runtime/program/Names.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace weft;
using namespace weft::plan;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

// How a formula binds, so that it is printed with the brackets it needs.
enum Precedence { kSum, kProduct, kAtom };

static std::string formula(Value value, Precedence within = kSum);

static std::string binary(Operation *op, llvm::StringRef sign, Precedence own,
                          Precedence within) {
  std::string text = formula(op->getOperand(0), own) + " " + sign.str() + " " +
                     formula(op->getOperand(1), Precedence(own + 1));
  return own < within ? "(" + text + ")" : text;
}

static std::string call(Operation *op, llvm::StringRef name) {
  return name.str() + "(" + formula(op->getOperand(0)) + ", " +
         formula(op->getOperand(1)) + ")";
}

// An i64 over the sizes of a call, as arithmetic people read.
static std::string formula(Value value, Precedence within) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return "?";
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case<SizeOp>(
          [](SizeOp size) { return stringifySize(size.getSize()).str(); })
      .Case<arith::ConstantOp>([](arith::ConstantOp constant) {
        auto integer = llvm::dyn_cast<IntegerAttr>(constant.getValue());
        return integer ? llvm::itostr(integer.getInt()) : std::string("?");
      })
      .Case<arith::AddIOp>(
          [&](Operation *op) { return binary(op, "+", kSum, within); })
      .Case<arith::SubIOp>(
          [&](Operation *op) { return binary(op, "-", kSum, within); })
      .Case<arith::MulIOp>(
          [&](Operation *op) { return binary(op, "*", kProduct, within); })
      .Case<arith::CeilDivSIOp, arith::CeilDivUIOp>([](Operation *op) {
        return "ceil(" + formula(op->getOperand(0)) + " / " +
               formula(op->getOperand(1), kAtom) + ")";
      })
      .Case<arith::FloorDivSIOp>([](Operation *op) {
        return "floor(" + formula(op->getOperand(0)) + " / " +
               formula(op->getOperand(1), kAtom) + ")";
      })
      .Case<arith::MaxSIOp>([](Operation *op) { return call(op, "max"); })
      .Case<arith::MinSIOp>([](Operation *op) { return call(op, "min"); })
      .Case<arith::AndIOp>(
          [&](Operation *op) { return binary(op, "and", kSum, within); })
      .Case<arith::CmpIOp>([&](arith::CmpIOp compare) {
        llvm::StringRef sign;
        switch (compare.getPredicate()) {
        case arith::CmpIPredicate::slt:
          sign = "<";
          break;
        case arith::CmpIPredicate::sle:
          sign = "<=";
          break;
        case arith::CmpIPredicate::sgt:
          sign = ">";
          break;
        case arith::CmpIPredicate::sge:
          sign = ">=";
          break;
        case arith::CmpIPredicate::eq:
          sign = "==";
          break;
        default:
          sign = "?";
        }
        return binary(compare, sign, kSum, within);
      })
      .Default(
          [](Operation *op) { return op->getName().getStringRef().str(); });
}

std::string weft::formulaText(Value value) { return formula(value); }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Nothing where 64 bits do not hold the result.
static std::optional<int64_t> combine(Operation *op, int64_t a, int64_t b) {
  int64_t result = 0;
  if (isa<arith::AddIOp>(op))
    return llvm::AddOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  if (isa<arith::SubIOp>(op))
    return llvm::SubOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  if (isa<arith::MulIOp>(op))
    return llvm::MulOverflow(a, b, result) ? std::nullopt
                                           : std::optional(result);
  if (isa<arith::CeilDivSIOp, arith::CeilDivUIOp>(op))
    return b > 0 ? std::optional(llvm::divideCeilSigned(a, b)) : std::nullopt;
  if (isa<arith::FloorDivSIOp>(op))
    return b > 0 ? std::optional(llvm::divideFloorSigned(a, b)) : std::nullopt;
  if (isa<arith::MaxSIOp>(op))
    return std::max(a, b);
  if (isa<arith::MinSIOp>(op))
    return std::min(a, b);
  if (isa<arith::AndIOp>(op))
    return a & b;
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return arith::applyCmpPredicate(compare.getPredicate(), APInt(64, a, true),
                                    APInt(64, b, true));
  return std::nullopt;
}

std::optional<int64_t> weft::formulaValue(Value value,
                                          const program::SizeValues &sizes) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto size = dyn_cast<SizeOp>(op))
    return sizes[*program::toSizeKind(stringifySize(size.getSize()))];
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto integer = dyn_cast<IntegerAttr>(constant.getValue());
    if (!integer || integer.getValue().getBitWidth() > 64)
      return std::nullopt;
    return integer.getValue().getSExtValue();
  }
  if (op->getNumOperands() != 2)
    return std::nullopt;
  std::optional<int64_t> a = formulaValue(op->getOperand(0), sizes);
  std::optional<int64_t> b = formulaValue(op->getOperand(1), sizes);
  return a && b ? combine(op, *a, *b) : std::nullopt;
}

std::string weft::grouped(int64_t number) {
  std::string digits = llvm::itostr(number);
  for (int64_t at = int64_t(digits.size()) - 3; at > (number < 0); at -= 3)
    digits.insert(size_t(at), 1, ',');
  return digits;
}
