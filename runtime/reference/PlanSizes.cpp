//===- PlanSizes.cpp - The scalars of a plan ------------------------------===//

#include "runtime/reference/PlanSizes.h"

#include "runtime/reference/Code.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace weft;
using namespace weft::reference;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;
namespace arith = mlir::arith;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}
static Error error(mlir::Operation *op, const Twine &message) {
  return error(describeOp(op) + " " + message);
}

bool PlanSizes::knows(mlir::Operation &op) {
  return llvm::isa<plan::SizeOp>(op) ||
         llvm::isa<arith::ArithDialect>(op.getDialect());
}

int64_t PlanSizes::sizeOf(plan::Size size) const {
  switch (size) {
  case plan::Size::batch:
    return problem.batch;
  case plan::Size::seqlen_q:
    return problem.q.seqlen;
  case plan::Size::seqlen_kv:
    return problem.kv.seqlen;
  case plan::Size::rows_q:
    return problem.q.rows;
  case plan::Size::rows_kv:
    return problem.kv.rows;
  case plan::Size::heads_q:
    return problem.q.heads;
  case plan::Size::heads_kv:
    return problem.kv.heads;
  case plan::Size::sm_count:
    return smCount;
  }
  return 0;
}

Expected<int64_t> PlanSizes::get(mlir::Value value) const {
  auto entry = integers.find(value);
  if (entry == integers.end())
    return error("a plan's scalars come from plan.size and integer arithmetic");
  return entry->second;
}

static std::optional<int64_t> compare(arith::CmpIPredicate predicate, int64_t a,
                                      int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::sge:
    return a >= b;
  default:
    return std::nullopt;
  }
}

/// Binary integer arithmetic; nothing where it overflows or is not known.
static std::optional<int64_t> combine(mlir::Operation *op, int64_t a,
                                      int64_t b) {
  int64_t result;
  bool divides = b > 0;
  return llvm::TypeSwitch<mlir::Operation *, std::optional<int64_t>>(op)
      .Case([&](arith::AddIOp) -> std::optional<int64_t> {
        if (llvm::AddOverflow(a, b, result))
          return std::nullopt;
        return result;
      })
      .Case([&](arith::SubIOp) -> std::optional<int64_t> {
        if (llvm::SubOverflow(a, b, result))
          return std::nullopt;
        return result;
      })
      .Case([&](arith::MulIOp) -> std::optional<int64_t> {
        if (llvm::MulOverflow(a, b, result))
          return std::nullopt;
        return result;
      })
      .Case([&](arith::CeilDivSIOp) -> std::optional<int64_t> {
        if (!divides)
          return std::nullopt;
        return a / b + (a % b > 0);
      })
      .Case([&](arith::FloorDivSIOp) -> std::optional<int64_t> {
        if (!divides)
          return std::nullopt;
        return a / b - (a % b < 0);
      })
      .Case([&](arith::DivSIOp) -> std::optional<int64_t> {
        if (!divides)
          return std::nullopt;
        return a / b;
      })
      .Case([&](arith::RemSIOp) -> std::optional<int64_t> {
        if (!divides)
          return std::nullopt;
        return a % b;
      })
      .Case([&](arith::MinSIOp) { return std::optional(std::min(a, b)); })
      .Case([&](arith::MaxSIOp) { return std::optional(std::max(a, b)); })
      .Case([&](arith::AndIOp) { return std::optional(a & b); })
      .Case([&](arith::OrIOp) { return std::optional(a | b); })
      .Case([&](arith::XOrIOp) { return std::optional(a ^ b); })
      .Case([&](arith::CmpIOp op) { return compare(op.getPredicate(), a, b); })
      .Default([](mlir::Operation *) { return std::nullopt; });
}

Error PlanSizes::evaluate(mlir::Operation &operation) {
  mlir::Operation *op = &operation;
  if (auto size = llvm::dyn_cast<plan::SizeOp>(op)) {
    integers[size.getResult()] = sizeOf(size.getSize());
    return Error::success();
  }
  if (auto constant = llvm::dyn_cast<arith::ConstantOp>(op)) {
    auto value = llvm::dyn_cast<mlir::IntegerAttr>(constant.getValue());
    if (!value || value.getValue().getBitWidth() > 64)
      return unsupported(op, "a plan's constants are i64 and i1");
    integers[constant.getResult()] = value.getType().isInteger(1)
                                         ? value.getValue().getBoolValue()
                                         : value.getValue().getSExtValue();
    return Error::success();
  }
  llvm::SmallVector<int64_t, 3> operands;
  for (mlir::Value operand : op->getOperands()) {
    Expected<int64_t> value = get(operand);
    if (!value)
      return unsupported(op, llvm::toString(value.takeError()));
    operands.push_back(*value);
  }
  if (llvm::isa<arith::SelectOp>(op)) {
    integers[op->getResult(0)] = operands[0] ? operands[1] : operands[2];
    return Error::success();
  }
  if (llvm::isa<arith::ExtUIOp>(op)) {
    integers[op->getResult(0)] = operands[0];
    return Error::success();
  }
  if (operands.size() != 2 || op->getNumResults() != 1)
    return unsupported(op, "a plan knows no such op");
  std::optional<int64_t> value = combine(op, operands[0], operands[1]);
  if (!value)
    return error(op, "of " + Twine(operands[0]) + " and " + Twine(operands[1]) +
                         " overflows, divides by less than 1, or is not known "
                         "to plans");
  integers[op->getResult(0)] = *value;
  return Error::success();
}
