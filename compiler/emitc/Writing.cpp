//===- Writing.cpp - Expressions and statements of a kernel's text --------===//

#include "compiler/emitc/KernelWriter.h"

#include "compiler/emitc/Expressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weft {

using Value = mlir::Value;

Type KernelWriter::opaque(StringRef name) {
  return emitc::OpaqueType::get(builder.getContext(), name);
}

Type KernelWriter::pointerTo(Type type, bool isConst) {
  if (isConst)
    type = opaque(type.isF32()    ? "const float"
                  : type == i32() ? "const int32_t"
                                  : "const uint16_t");
  return emitc::PointerType::get(type);
}

Type KernelWriter::storageType(Type element) {
  return isa<Float16Type, BFloat16Type>(element) ? u16() : element;
}

Value KernelWriter::literal(StringRef text, Type type) {
  return emitc::LiteralOp::create(builder, loc, type, text);
}
Value KernelWriter::literal(int64_t value, Type type) {
  std::string text = std::to_string(value);
  if (value < INT32_MIN || value > INT32_MAX)
    text = value == INT64_MIN ? "(-9223372036854775807ll - 1)" : text + "ll";
  return literal(text, type);
}

/// Pointers and wide integers win, as in C++.
static Type arithmeticType(Value a, Value b) {
  auto rank = [](Type type) {
    if (isa<emitc::PointerType>(type))
      return 4;
    if (type.isF32())
      return 3;
    if (type.isInteger(64))
      return 2;
    return type.isUnsignedInteger(32) ? 1 : 0;
  };
  return rank(a.getType()) >= rank(b.getType()) ? a.getType() : b.getType();
}

static std::optional<StringRef> literalText(Value value) {
  if (auto literal = value.getDefiningOp<emitc::LiteralOp>())
    return literal.getValue();
  return std::nullopt;
}
static bool isLiteral(Value value, StringRef text) {
  return literalText(value) == text;
}

/// A literal takes the type of the integer beside it: the text of an i64
/// literal is an int, and the sum of two ints is no i64.
void KernelWriter::matchLiterals(Value &a, Value &b) {
  auto isInteger = [](Value value) {
    return isa<IntegerType>(value.getType());
  };
  if (!isInteger(a) || !isInteger(b) || a.getType() == b.getType())
    return;
  if (literalText(a))
    a = cast(a, b.getType());
  else if (literalText(b))
    b = cast(b, a.getType());
}

Value KernelWriter::add(Value a, Value b) {
  matchLiterals(a, b);
  if (isLiteral(b, "0") && arithmeticType(a, b) == a.getType())
    return a;
  if (isLiteral(a, "0") && a.getType() == b.getType())
    return b;
  return emitc::AddOp::create(builder, loc, arithmeticType(a, b), a, b);
}
Value KernelWriter::subtract(Value a, Value b) {
  matchLiterals(a, b);
  return emitc::SubOp::create(builder, loc, arithmeticType(a, b), a, b);
}
Value KernelWriter::multiply(Value a, Value b) {
  matchLiterals(a, b);
  for (Value factor : {a, b})
    if (isLiteral(factor, "0") && !arithmeticType(a, b).isF32())
      return literal(0, arithmeticType(a, b));
  if (isLiteral(a, "1") && !a.getType().isF32())
    return b;
  if (isLiteral(b, "1") && !b.getType().isF32())
    return a;
  return emitc::MulOp::create(builder, loc, arithmeticType(a, b), a, b);
}
Value KernelWriter::divide(Value a, Value b) {
  matchLiterals(a, b);
  return emitc::DivOp::create(builder, loc, arithmeticType(a, b), a, b);
}
Value KernelWriter::remainder(Value a, Value b) {
  matchLiterals(a, b);
  return emitc::RemOp::create(builder, loc, arithmeticType(a, b), a, b);
}
Value KernelWriter::compare(emitc::CmpPredicate predicate, Value a, Value b) {
  return emitc::CmpOp::create(builder, loc, i1(), predicate, a, b);
}
Value KernelWriter::both(Value a, Value b) {
  if (isLiteral(a, "true"))
    return b;
  if (isLiteral(b, "true"))
    return a;
  return emitc::LogicalAndOp::create(builder, loc, i1(), a, b);
}
Value KernelWriter::cast(Value a, Type type) {
  if (auto text = literalText(a); text && !isa<Float32Type>(type))
    return literal(*text, type);
  return a.getType() == type ? a : emitc::CastOp::create(builder, loc, type, a);
}

Value KernelWriter::pure(StringRef header, StringRef callee, Type result,
                         ValueRange operands, ArrayRef<int64_t> templateArgs) {
  headers.insert(header.str());
  ArrayAttr parameters;
  if (!templateArgs.empty())
    parameters = builder.getI64ArrayAttr(templateArgs);
  auto op = emitc::CallOpaqueOp::create(builder, loc, TypeRange(result), callee,
                                        operands, ArrayAttr(), parameters);
  op->setAttr(kPureAttr, builder.getUnitAttr());
  return op.getResult(0);
}

void KernelWriter::call(StringRef header, StringRef callee, ValueRange operands,
                        ArrayRef<int64_t> templateArgs) {
  headers.insert(header.str());
  ArrayAttr parameters;
  if (!templateArgs.empty())
    parameters = builder.getI64ArrayAttr(templateArgs);
  emitc::CallOpaqueOp::create(builder, loc, TypeRange(), callee, operands,
                              ArrayAttr(), parameters);
}

bool KernelWriter::isInLoop() const {
  return llvm::any_of(scopes, [](const Scope &scope) {
    return isa_and_nonnull<scf::ForOp>(scope.source);
  });
}

LogicalResult KernelWriter::step(const Twine &what,
                                 function_ref<LogicalResult()> body) {
  Operation *begin = comment(what);
  emitc::VerbatimOp::create(builder, loc, StringRef("{"));
  scopes.push_back({nullptr, begin});
  Head before = head;
  if (isInLoop())
    beginHead();
  LogicalResult result = body();
  if (isInLoop())
    head = std::move(before);
  scopes.pop_back();
  emitc::VerbatimOp::create(builder, loc, StringRef("}"));
  return result;
}

/// The same value, from which nothing is taken out of the loop around.
Value KernelWriter::anchored(Value value, StringRef called) {
  headers.insert("thread");
  auto op = emitc::CallOpaqueOp::create(
      builder, loc, TypeRange(value.getType()), "anchor", ValueRange(value));
  if (called.empty())
    return op.getResult(0);
  return name(op.getResult(0), called);
}

Value KernelWriter::name(Value value, const Twine &name) {
  if (Operation *op = value.getDefiningOp())
    if (!isa<emitc::LiteralOp>(op) && !op->hasAttr(plan::kNameAttr))
      op->setAttr(plan::kNameAttr, builder.getStringAttr(name));
  return value;
}

/// A name for a scalar by what it is used for, or nothing.
std::string KernelWriter::hintFor(Value value) const {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    Value asHead, asSlot, buffer;
    if (auto rows = dyn_cast<tile::RowsOp>(user)) {
      if (use.getOperandNumber() == 1)
        return ("first_" +
                plan::stringifyRowSpace(
                    ::cast<tile::RowsType>(rows.getType()).getRowSpace()))
            .str();
    } else if (auto put = dyn_cast<warp::PutOp>(user)) {
      if (put.getSlot() == value)
        return "free_slot";
      if (put.getHead() == value)
        buffer = put.getBuffer();
    } else if (auto get = dyn_cast<warp::GetOp>(user)) {
      if (get.getSlot() == value)
        return "ring_slot";
    } else if (auto load = dyn_cast<warp::LoadOp>(user)) {
      if (load.getHead() == value)
        buffer = load.getBuffer();
    } else if (auto loop = dyn_cast<scf::ForOp>(user)) {
      if (loop.getUpperBound() == value)
        return "end";
      if (loop.getLowerBound() == value)
        return "begin";
    }
    if (buffer)
      return ::cast<tile::BufferType>(buffer.getType()).getHeadSpace() ==
                     plan::HeadSpace::heads_kv
                 ? "head_kv"
                 : "head_q";
  }
  return "";
}

Operation *KernelWriter::comment(const Twine &text) {
  return emitc::VerbatimOp::create(builder, loc,
                                   builder.getStringAttr("// " + text));
}

Value KernelWriter::declareArray(Type element, int64_t size,
                                 const Twine &name) {
  Type type = emitc::ArrayType::get({size}, element);
  auto op = emitc::VariableOp::create(
      builder, loc, type, emitc::OpaqueAttr::get(builder.getContext(), ""));
  op->setAttr(plan::kNameAttr, builder.getStringAttr(name));
  return op;
}
Value KernelWriter::declareVariable(Type type, const Twine &name) {
  auto op = emitc::VariableOp::create(
      builder, loc, emitc::LValueType::get(type),
      emitc::OpaqueAttr::get(builder.getContext(), ""));
  op->setAttr(plan::kNameAttr, builder.getStringAttr(name));
  return op;
}

Value KernelWriter::at(Value array, Value index) {
  Type element =
      isa<emitc::PointerType>(array.getType())
          ? ::cast<emitc::PointerType>(array.getType()).getPointee()
          : ::cast<emitc::ArrayType>(array.getType()).getElementType();
  return emitc::SubscriptOp::create(
      builder, loc, emitc::LValueType::get(element), array, ValueRange(index));
}
Value KernelWriter::get(Value array, Value index) {
  Value place = at(array, index);
  return emitc::LoadOp::create(
      builder, loc, ::cast<emitc::LValueType>(place.getType()).getValueType(),
      place);
}
void KernelWriter::set(Value array, Value index, Value value) {
  emitc::AssignOp::create(builder, loc, at(array, index), value);
}
Value KernelWriter::addressOf(Value array, Value index) {
  Value place = at(array, index);
  Type element = ::cast<emitc::LValueType>(place.getType()).getValueType();
  return emitc::AddressOfOp::create(builder, loc,
                                    emitc::PointerType::get(element), place);
}

void KernelWriter::unrolled(int64_t count, int64_t step, const Twine &name,
                            function_ref<void(Value)> body) {
  if (count <= step)
    return body(literal(0, i32()));
  emitc::VerbatimOp::create(builder, loc, StringRef("#pragma unroll"));
  auto loop = emitc::ForOp::create(builder, loc, literal(0, i32()),
                                   literal(count, i32()), literal(step, i32()),
                                   [](OpBuilder &, Location, Value) {});
  loop->setAttr(plan::kNameAttr, builder.getStringAttr(name));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
  emitc::YieldOp::create(builder, loc);
}

void KernelWriter::ifThen(Value condition, function_ref<void()> body) {
  if (isLiteral(condition, "true"))
    return body();
  auto op = emitc::IfOp::create(builder, loc, condition, /*addThenBlock=*/true,
                                /*addElseBlock=*/false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&op.getThenRegion().front());
  body();
  emitc::YieldOp::create(builder, loc);
}

} // namespace weft
