//===- Fill.cpp - Values of the rows that belong to no sequence -----------===//

#include "compiler/tile/bodies/Body.h"

using namespace mlir;

namespace weft::tile {

void buildFill(Body &body, plan::KernelOp kernel) {
  for (auto operand : kernel.getContract().getAsRange<plan::OperandAttr>())
    FillOp::create(body.builder, body.loc, body.buffer(operand.getName()),
                   body.first, body.head, operand.getValue());
}

} // namespace weft::tile
