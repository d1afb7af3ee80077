//===- Fold.h - Evaluates a region's block by folding -----------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_PLAN_FOLD_H
#define WEFT_TESTS_UNIT_PLAN_FOLD_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <gtest/gtest.h>

namespace weft {

/// What the terminator's operand is if the block's arguments are `arguments`;
/// null, and a failed test, if an op does not fold.
inline mlir::Attribute fold(mlir::Block &block,
                            llvm::ArrayRef<mlir::Attribute> arguments) {
  llvm::DenseMap<mlir::Value, mlir::Attribute> values;
  for (auto [argument, value] : llvm::zip(block.getArguments(), arguments))
    values[argument] = value;
  for (mlir::Operation &op : block.without_terminator()) {
    llvm::SmallVector<mlir::Attribute> operands;
    for (mlir::Value operand : op.getOperands())
      operands.push_back(values.lookup(operand));
    llvm::SmallVector<mlir::OpFoldResult> results;
    if (failed(op.fold(operands, results)) || results.size() != 1) {
      ADD_FAILURE() << op.getName().getStringRef().str() << " does not fold";
      return {};
    }
    auto attr = llvm::dyn_cast<mlir::Attribute>(results[0]);
    values[op.getResult(0)] =
        attr ? attr : values.lookup(llvm::cast<mlir::Value>(results[0]));
  }
  return values.lookup(block.getTerminator()->getOperand(0));
}

/// The same for a block of i64 (and i1) values.
inline int64_t foldIntegers(mlir::Block &block,
                            llvm::ArrayRef<int64_t> arguments) {
  mlir::Builder builder(block.getParent()->getContext());
  llvm::SmallVector<mlir::Attribute> attrs;
  for (int64_t argument : arguments)
    attrs.push_back(builder.getI64IntegerAttr(argument));
  auto result = llvm::dyn_cast_or_null<mlir::IntegerAttr>(fold(block, attrs));
  return result ? result.getValue().getZExtValue() : 0;
}

} // namespace weft

#endif // WEFT_TESTS_UNIT_PLAN_FOLD_H
