//===- Buffers.cpp - Buffers followed through a plan ----------------------===//

#include "compiler/plan/Buffers.h"

using namespace mlir;
using namespace weft;
using namespace weft::plan;

Value weft::previousState(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  if (auto launch = dyn_cast<LaunchOp>(result.getOwner())) {
    // Results are those of acc, then those of out.
    unsigned index = result.getResultNumber(), accs = launch.getAccs().size();
    return index < accs ? launch.getAccs()[index]
                        : launch.getOuts()[index - accs];
  }
  if (auto memset = dyn_cast<MemsetOp>(result.getOwner()))
    return memset.getBuffer();
  if (auto fill = dyn_cast<FillOp>(result.getOwner()))
    return fill.getBuffer();
  return {};
}

Value weft::bufferRoot(Value value) {
  while (Value previous = previousState(value))
    value = previous;
  return value;
}

StringRef weft::bufferName(Value value) {
  Value root = bufferRoot(value);
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    auto func = dyn_cast<FuncOp>(argument.getOwner()->getParentOp());
    auto name = func ? func.getArgAttrOfType<StringAttr>(
                           argument.getArgNumber(), kNameAttr)
                     : StringAttr();
    return name ? name.getValue() : "?";
  }
  auto reserve = root.getDefiningOp<ReserveOp>();
  return reserve ? reserve.getName() : "?";
}

bool weft::isConsumed(OpOperand &operand) {
  if (auto launch = dyn_cast<LaunchOp>(operand.getOwner())) {
    // The grid, then in, then what is consumed.
    return operand.getOperandNumber() >= 1 + launch.getIns().size();
  }
  return true;
}

OpBuilder weft::kernelBuilder(ModuleOp module) {
  OpBuilder builder(module.getContext());
  auto funcs = module.getOps<FuncOp>();
  if (funcs.empty())
    builder.setInsertionPointToEnd(module.getBody());
  else
    builder.setInsertionPoint(*funcs.begin());
  return builder;
}

ReleaseOp weft::releaseOf(ReserveOp reserve) {
  Value value = reserve.getResult();
  while (value) {
    Value next;
    for (OpOperand &use : value.getUses()) {
      if (!isConsumed(use))
        continue;
      if (auto release = dyn_cast<ReleaseOp>(use.getOwner()))
        return release;
      for (Value result : use.getOwner()->getResults())
        if (previousState(result) == value)
          next = result;
    }
    value = next;
  }
  return {};
}
