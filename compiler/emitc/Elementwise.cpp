//===- Elementwise.cpp - Work on a thread's elements of register tiles ----===//

#include "compiler/emitc/KernelWriter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace weft {

/// Columns of the accumulators that the fragment formulas count in.
static int64_t columnsOf(RankedTensorType type) {
  return type.getDimSize(type.getRank() - 1);
}

/// Row in the tile (i32) of element `e` of a thread.
KernelWriter::Value KernelWriter::rowOf(RankedTensorType domain, Value e) {
  Value inWarp =
      isa<warp::AccAttr>(domain.getEncoding())
          ? pure("fragments", "row_of", i32(), {e, lane()}, columnsOf(domain))
          : pure("fragments", "row_of_slot", i32(), {e, lane()});
  return add(warpRow(domain.getDimSize(0)), inWarp);
}

/// Column in the tile (i32) of element `e` of a thread.
KernelWriter::Value KernelWriter::columnOf(RankedTensorType domain, Value e) {
  if (isa<warp::AccAttr>(domain.getEncoding()))
    return pure("fragments", "column_of", i32(), {e, lane()},
                columnsOf(domain));
  return pure("fragments", "column_of_slot", i32(), {e, lane()});
}

FailureOr<KernelWriter::Value> KernelWriter::element(Value tile, Value e,
                                                     RankedTensorType domain) {
  Operation *op = tile.getDefiningOp();
  if (auto constant = dyn_cast_or_null<arith::ConstantOp>(op))
    return literalOf(op, constant.getValue());
  if (auto splat = dyn_cast_or_null<tensor::SplatOp>(op))
    return scalar(splat.getInput());
  if (auto coordinates = dyn_cast_or_null<warp::CoordinatesOp>(op)) {
    auto type = ::cast<RankedTensorType>(tile.getType());
    bool row = isa<warp::RowAttr>(type.getEncoding()) ||
               (coordinates.getDim() == 0 &&
                !isa<warp::ColumnAttr>(type.getEncoding()));
    Value index = row ? rowOf(domain, e) : columnOf(domain, e);
    return add(scalar(coordinates.getFirst()), index);
  }
  if (auto expand = dyn_cast_or_null<warp::ExpandOp>(op))
    return element(expand.getValue(), e, domain);

  Value array = arrayOf(tile);
  Attribute layout = ::cast<RankedTensorType>(tile.getType()).getEncoding();
  if (layout == domain.getEncoding())
    return get(array, e);
  if (isa<warp::AccAttr>(domain.getEncoding()) &&
      isa<warp::RowAttr, warp::ColumnAttr>(layout))
    return get(array,
               pure("fragments",
                    isa<warp::RowAttr>(layout) ? "row_slot" : "column_slot",
                    i32(), e, columnsOf(domain)));
  return emitError(loc) << "a tile " << tile.getType()
                        << " has no elements in the layout of " << domain;
}

LogicalResult KernelWriter::copyTile(Value array, Value tile) {
  auto type = ::cast<RankedTensorType>(tile.getType());
  LogicalResult result = success();
  unrolled(elementsOf(type, warps), 1, "e", [&](Value e) {
    FailureOr<Value> value = element(tile, e, type);
    if (succeeded(value))
      set(array, e, *value);
    else
      result = failure();
  });
  return result;
}

void KernelWriter::copyArray(Value target, Value source) {
  int64_t count = ::cast<emitc::ArrayType>(target.getType()).getShape().front();
  unrolled(count, 1, "e", [&](Value e) { set(target, e, get(source, e)); });
}

/// One op on whole tiles.
LogicalResult KernelWriter::writeElementwise(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
    return op->emitError("does not work on tiles element by element");
  auto domain = ::cast<RankedTensorType>(op->getResult(0).getType());
  Value target = arrayOf(op->getResult(0));
  LogicalResult result = success();
  unrolled(elementsOf(domain, warps), 1, "e", [&](Value e) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      FailureOr<Value> value = isa<RankedTensorType>(operand.getType())
                                   ? element(operand, e, domain)
                                   : FailureOr<Value>(scalar(operand));
      if (failed(value))
        return void(result = failure());
      operands.push_back(*value);
    }
    FailureOr<SmallVector<Value>> values = writeScalarOp(op, operands);
    if (failed(values))
      return void(result = failure());
    set(target, e, values->front());
  });
  return result;
}

/// What a map does, for readers.
static StringRef describe(warp::MapOp op) {
  Block &body = op.getBody().front();
  auto has = [&](auto kind) {
    return llvm::any_of(
        body, [](Operation &inner) { return isa<decltype(kind)>(inner); });
  };
  bool acc = isa<warp::AccAttr>(
      cast<RankedTensorType>(op.getResultTypes().front()).getEncoding());
  if (!acc)
    return "for each row or column";
  if (llvm::any_of(body.getArguments().take_back(2),
                   [](Value coordinate) { return !coordinate.use_empty(); }))
    return "each element by its row and column: the mask";
  if (has(math::Exp2Op()))
    return "exponentials";
  if (has(arith::TruncFOp()))
    return "round";
  return "element by element";
}

LogicalResult KernelWriter::writeMap(warp::MapOp op) {
  auto domain = ::cast<RankedTensorType>(op.getResultTypes().front());
  SmallVector<Value> targets;
  for (Value result : op.getResults())
    targets.push_back(arrayOf(result));
  Block &body = op.getBody().front();
  comment(describe(op));
  LogicalResult result = success();
  unrolled(elementsOf(domain, warps), 1, "e", [&](Value e) {
    for (auto [argument, input] :
         llvm::zip(body.getArguments(), op.getInputs())) {
      if (argument.use_empty())
        continue;
      FailureOr<Value> value = element(input, e, domain);
      if (failed(value))
        return void(result = failure());
      scalars[argument] = *value;
    }
    if (isa<warp::AccAttr>(domain.getEncoding())) {
      auto coordinates = body.getArguments().take_back(2);
      auto take = [&](Value coordinate, auto make, StringRef called) {
        if (coordinate.use_empty())
          return;
        // Where only its low bits are asked for, they are all there is.
        bool narrow = llvm::all_of(coordinate.getUsers(), [](Operation *user) {
          return isa<arith::TruncIOp>(user);
        });
        Value value = make();
        scalars[coordinate] =
            name(narrow ? value : this->cast(value, i64()), called);
      };
      take(
          coordinates[0], [&] { return rowOf(domain, e); }, "row");
      take(
          coordinates[1], [&] { return columnOf(domain, e); }, "column");
    }
    if (failed(writeBlock(body)))
      return void(result = failure());
    // All are read before one is written: results may share with inputs.
    SmallVector<Value> values;
    for (Value yielded : body.getTerminator()->getOperands())
      values.push_back(scalar(yielded));
    for (auto [target, value] : llvm::zip(targets, values))
      set(target, e, value);
  });
  return result;
}

/// Word w of an operand is elements 2 w and 2 w + 1 of the accumulator: blocks
/// of 16 columns of C fragments are A fragments.
LogicalResult KernelWriter::writePack(warp::PackOp op) {
  auto type = ::cast<RankedTensorType>(op.getResult().getType());
  auto domain = ::cast<RankedTensorType>(op.getValue().getType());
  Value target = arrayOf(op.getResult());
  bool bf16 = type.getElementType().isBF16();
  comment("round to the operand of the next product");
  LogicalResult result = success();
  unrolled(elementsOf(type, warps), 1, "w", [&](Value w) {
    Value first = multiply(w, literal(2, i32()));
    Value second = add(multiply(w, literal(2, i32())), literal(1, i32()));
    FailureOr<Value> low = element(op.getValue(), first, domain);
    FailureOr<Value> high = element(op.getValue(), second, domain);
    if (failed(low) || failed(high))
      return void(result = failure());
    set(target, w,
        pure("arithmetic", bf16 ? "pack_bf16" : "pack_f16", u32(),
             {*low, *high}));
  });
  return result;
}

LogicalResult KernelWriter::writeReduce(warp::ReduceOp op) {
  auto domain = ::cast<RankedTensorType>(op.getValue().getType());
  auto type = ::cast<RankedTensorType>(op.getResult().getType());
  if (!isa<warp::AccAttr>(domain.getEncoding()) ||
      !isa<warp::RowAttr>(type.getEncoding()))
    return op.emitError("reduces a #warp.acc tile to a #warp.row vector");
  bool isMax = op.getKind() == tile::ReduceKind::max;
  Value target = arrayOf(op.getResult());
  comment(isMax ? "largest of each row, over a thread's elements and then over "
                  "the four lanes of the row"
                : "sum of each row, over a thread's elements and then over the "
                  "four lanes of the row");
  unrolled(elementsOf(type, warps), 1, "r", [&](Value r) {
    set(target, r, literal(isMax ? "-INFINITY" : "0.0f", f32()));
  });
  headers.insert("arithmetic");
  LogicalResult result = success();
  unrolled(elementsOf(domain, warps), 1, "e", [&](Value e) {
    FailureOr<Value> value = element(op.getValue(), e, domain);
    if (failed(value))
      return void(result = failure());
    Value r =
        name(pure("fragments", "row_slot", i32(), e, columnsOf(domain)), "r");
    Value sofar = get(target, r);
    set(target, r,
        isMax ? pure("arithmetic", "greater_number", f32(), {sofar, *value})
              : add(sofar, *value));
  });
  unrolled(elementsOf(type, warps), 1, "r", [&](Value r) {
    set(target, r,
        pure("reduce", isMax ? "quad_max" : "quad_sum", f32(), get(target, r)));
  });
  return result;
}

} // namespace weft
