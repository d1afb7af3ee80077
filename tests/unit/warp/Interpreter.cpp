//===- Interpreter.cpp - Control flow of kernels on scalars ---------------===//

#include "tests/unit/warp/Interpreter.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weft::test {

void Interpreter::run(warp::FuncOp function, ArrayRef<int64_t> scalars) {
  Builder builder(function.getContext());
  unsigned next = 0;
  for (BlockArgument argument : function.getArguments()) {
    if (argument.getType().isInteger(64))
      known[argument] = builder.getI64IntegerAttr(scalars[next++]);
    else
      known[argument] =
          builder.getStringAttr("arg" + Twine(argument.getArgNumber()));
  }
  block(function.getBody().front());
  end();
}

void Interpreter::fail(const Twine &message) {
  if (result.error.empty())
    result.error = message.str();
}

int64_t Interpreter::integer(Value value) const {
  return cast<IntegerAttr>(known.at(value)).getInt();
}

void Interpreter::set(Value value, int64_t number) {
  known[value] = Builder(value.getContext()).getI64IntegerAttr(number);
}

std::string Interpreter::describe(Value buffer, Value rows, Value head) const {
  return (cast<StringAttr>(known.at(buffer)).getValue() + "[" +
          Twine(integer(rows)) + ", " + Twine(integer(head)) + "]")
      .str();
}

void Interpreter::assign(ValueRange targets, ArrayRef<Attribute> values) {
  for (auto [target, value] : llvm::zip(targets, values))
    known[target] = value;
}

SmallVector<Attribute> Interpreter::valuesOf(ValueRange values) const {
  SmallVector<Attribute> attributes;
  for (Value value : values)
    attributes.push_back(known.lookup(value));
  return attributes;
}

void Interpreter::loop(scf::ForOp op) {
  SmallVector<Attribute> carried = valuesOf(op.getInitArgs());
  for (int64_t i = integer(op.getLowerBound()); i < integer(op.getUpperBound());
       i += integer(op.getStep())) {
    set(op.getInductionVar(), i);
    assign(op.getRegionIterArgs(), carried);
    block(*op.getBody());
    carried = valuesOf(op.getBody()->getTerminator()->getOperands());
  }
  assign(op.getResults(), carried);
}

void Interpreter::branch(scf::IfOp op) {
  Region &region =
      integer(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
  if (region.empty())
    return;
  block(region.front());
  assign(op.getResults(),
         valuesOf(region.front().getTerminator()->getOperands()));
}

void Interpreter::block(Block &block) {
  for (Operation &op : block)
    step(&op);
}

void Interpreter::fold(Operation *op) {
  SmallVector<OpFoldResult> folded;
  if (op->getNumResults() != 1 ||
      failed(op->fold(valuesOf(op->getOperands()), folded)) ||
      folded.size() != 1)
    return;
  auto value = llvm::dyn_cast<Attribute>(folded[0]);
  if (!value)
    value = known.lookup(cast<Value>(folded[0]));
  known[op->getResult(0)] = value;
}

void Interpreter::step(Operation *op) {
  TypeSwitch<Operation *>(op)
      .Case([&](scf::ForOp op) { loop(op); })
      .Case([&](scf::IfOp op) { branch(op); })
      .Case(
          [&](tile::RowsOp op) { set(op.getResult(), integer(op.getFirst())); })
      .Default([&](Operation *op) { fold(op); });
}

} // namespace weft::test
