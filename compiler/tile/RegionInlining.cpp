//===- RegionInlining.cpp - Mask and score regions on tiles ---------------===//

#include "compiler/tile/RegionInlining.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"

using namespace mlir;

namespace weft::tile {

llvm::DenseSet<Value> dependentValues(Region &region, ValueRange roots) {
  llvm::DenseSet<Value> result(roots.begin(), roots.end());
  for (Operation &op : region.front())
    if (llvm::any_of(op.getOperands(),
                     [&](Value operand) { return result.contains(operand); }))
      result.insert(op.result_begin(), op.result_end());
  return result;
}

void cloneUniform(OpBuilder &builder, Region &region,
                  const llvm::DenseSet<Value> &dependent, IRMapping &mapping) {
  for (Operation &op : region.front().without_terminator())
    if (op.getNumResults() && !dependent.contains(op.getResult(0)))
      builder.clone(op, mapping);
}

namespace {
/// A tile of `shape` that holds `value` everywhere, or `value` if it is one.
Value asTile(OpBuilder &builder, Location loc, Value value,
             ArrayRef<int64_t> shape) {
  if (isa<RankedTensorType>(value.getType()))
    return value;
  return builder.createOrFold<tensor::SplatOp>(
      loc, value, RankedTensorType::get(shape, value.getType()));
}
} // namespace

LogicalResult verifyElementwise(Region &region,
                                const llvm::DenseSet<Value> &dependent) {
  for (Operation &op : region.front().without_terminator())
    if (op.getNumResults() && dependent.contains(op.getResult(0)) &&
        (!OpTrait::hasElementwiseMappableTraits(&op) || op.getNumRegions()))
      return op.emitOpError() << "has no elementwise form on tiles; write the "
                                 "region with elementwise arith and math ops";
  return success();
}

Value inlineOnTiles(OpBuilder &builder, Location loc, Region &region,
                    ArrayRef<int64_t> shape, IRMapping &mapping) {
  Block &block = region.front();
  for (Operation &op : block.without_terminator()) {
    if (op.getNumResults() && mapping.contains(op.getResult(0)))
      continue;
    Operation *clone = builder.clone(op, mapping);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPoint(clone);
    for (OpOperand &operand : clone->getOpOperands())
      operand.set(asTile(builder, loc, operand.get(), shape));
    for (OpResult result : clone->getResults())
      result.setType(RankedTensorType::get(shape, result.getType()));
  }
  Value yielded = mapping.lookup(block.getTerminator()->getOperand(0));
  return asTile(builder, loc, yielded, shape);
}

} // namespace weft::tile
