//===- Buffers.cpp - Buffers followed through a plan ----------------------===//

#include "compiler/plan/Buffers.h"

using namespace mlir;
using namespace weft;
using namespace weft::plan;

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
