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
  if (layout == domain.getEncoding()) {
    if (!isPacked(::cast<RankedTensorType>(tile.getType())))
      return get(array, e);
    return pure("arithmetic", "half_of", u16(),
                {get(array, divide(e, literal(2, i32()))), e});
  }
  if (isa<warp::PartialAttr>(domain.getEncoding()) &&
      isa<warp::RowAttr>(layout))
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

/// Writes element by element what `make` gives for element e: one value for
/// each of `results`.
LogicalResult KernelWriter::forElements(
    ValueRange results, RankedTensorType domain,
    function_ref<FailureOr<SmallVector<Produced>>(Value)> make) {
  auto sumsUp = [&](RankedTensorType type) {
    return isa<warp::PartialAttr>(type.getEncoding()) &&
           isa<warp::AccAttr>(domain.getEncoding());
  };
  SmallVector<Value> targets;
  bool inPairs = false;
  for (Value result : results) {
    auto type = ::cast<RankedTensorType>(result.getType());
    Value target = arrayOf(result);
    targets.push_back(target);
    inPairs |= isPacked(type);
    if (sumsUp(type))
      unrolled(elementsOf(type, warps), 1, "r",
               [&](Value r) { set(target, r, literal("0.0f", f32())); });
  }
  LogicalResult status = success();
  auto write = [&](Value target, RankedTensorType type, Value e, Value value) {
    if (!sumsUp(type))
      return set(target, e, value);
    Value r = pure("fragments", "row_slot", i32(), e, columnsOf(domain));
    set(target, r, add(get(target, r), value));
  };
  unrolled(elementsOf(domain, warps), inPairs ? 2 : 1, "e", [&](Value e) {
    FailureOr<SmallVector<Produced>> first = make(e), second = first;
    Value next = e;
    if (inPairs) {
      next = add(e, literal(1, i32()));
      second = make(next);
    }
    // All are read before one is written: results may share with inputs.
    if (failed(first) || failed(second))
      return void(status = failure());
    for (auto [i, result] : llvm::enumerate(results)) {
      auto type = ::cast<RankedTensorType>(result.getType());
      const Produced &low = (*first)[i], &high = (*second)[i];
      if (!isPacked(type)) {
        write(targets[i], type, e, low.value);
        if (inPairs)
          write(targets[i], type, next, high.value);
        continue;
      }
      bool bf16 = type.getElementType().isBF16();
      // Two roundings are one instruction.
      Value word = low.unrounded && high.unrounded
                       ? pure("arithmetic", bf16 ? "pack_bf16" : "pack_f16",
                              u32(), {low.unrounded, high.unrounded})
                       : pure("arithmetic", "join_halves", u32(),
                              {low.value, high.value});
      set(targets[i], divide(e, literal(2, i32())), word);
    }
  });
  return status;
}

LogicalResult KernelWriter::copyTile(Value array, Value tile) {
  auto type = ::cast<RankedTensorType>(tile.getType());
  LogicalResult status = success();
  bool packed = isPacked(type);
  unrolled(elementsOf(type, warps), packed ? 2 : 1, "e", [&](Value e) {
    FailureOr<Value> value = element(tile, e, type);
    if (failed(value))
      return void(status = failure());
    // What is computed in place and has 16 bits is a constant.
    if (packed)
      set(array, divide(e, literal(2, i32())),
          pure("arithmetic", "join_halves", u32(), {*value, *value}));
    else
      set(array, e, *value);
  });
  return status;
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
  using Values = SmallVector<Produced>;
  return forElements(
      op->getResults(), domain, [&](Value e) -> FailureOr<Values> {
        SmallVector<Value> operands;
        for (Value operand : op->getOperands()) {
          FailureOr<Value> value = isa<RankedTensorType>(operand.getType())
                                       ? element(operand, e, domain)
                                       : FailureOr<Value>(scalar(operand));
          if (failed(value))
            return failure();
          operands.push_back(*value);
        }
        FailureOr<SmallVector<Value>> values = writeScalarOp(op, operands);
        if (failed(values))
          return failure();
        return Values{{values->front(),
                       isa<arith::TruncFOp>(op) ? operands.front() : Value()}};
      });
}

/// What a map does, for readers.
static StringRef describe(warp::MapOp op) {
  Block &body = op.getBody().front();
  auto has = [&](auto kind) {
    return llvm::any_of(
        body, [](Operation &inner) { return isa<decltype(kind)>(inner); });
  };
  if (body.getNumArguments() == op.getInputs().size())
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
  Block &body = op.getBody().front();
  bool acc = body.getNumArguments() > op.getInputs().size();
  // Operands and sums are by-products of work on an accumulator's elements.
  RankedTensorType domain;
  for (Type type : op->getResultTypes())
    if (auto tensor = ::cast<RankedTensorType>(type);
        !domain || isa<warp::AccAttr>(tensor.getEncoding()))
      domain = tensor;
  if (acc && isa<warp::PartialAttr>(domain.getEncoding()))
    for (Value input : op.getInputs())
      if (auto tensor = ::cast<RankedTensorType>(input.getType());
          isa<warp::AccAttr>(tensor.getEncoding()))
        domain = tensor;
  if (acc)
    domain = RankedTensorType::get(domain.getShape(), domain.getElementType(),
                                   warp::AccAttr::get(op.getContext()));
  auto write = [&]() -> LogicalResult {
    using Values = SmallVector<Produced>;
    return forElements(
        op.getResults(), domain, [&](Value e) -> FailureOr<Values> {
          for (auto [argument, input] :
               llvm::zip(body.getArguments(), op.getInputs())) {
            if (argument.use_empty())
              continue;
            FailureOr<Value> value = element(input, e, domain);
            if (failed(value))
              return failure();
            scalars[argument] = *value;
          }
          if (acc) {
            auto coordinates = body.getArguments().take_back(2);
            auto take = [&](Value coordinate, auto make, StringRef called) {
              if (coordinate.use_empty())
                return;
              // Where only its low bits are asked for, they are all there is.
              bool narrow =
                  llvm::all_of(coordinate.getUsers(), [](Operation *user) {
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
            return failure();
          Values values;
          for (Value yielded : body.getTerminator()->getOperands()) {
            auto round = yielded.getDefiningOp<arith::TruncFOp>();
            values.push_back(
                {scalar(yielded), round ? scalar(round.getIn()) : Value()});
          }
          return values;
        });
  };
  bool usesPlace =
      acc && llvm::any_of(body.getArguments().take_back(2),
                          [](Value value) { return !value.use_empty(); });
  // Its arrays outlive the step.
  for (Value result : op.getResults())
    arrayOf(result);
  if (usesPlace)
    return step(describe(op), write);
  comment(describe(op));
  return write();
}

LogicalResult KernelWriter::writeCombine(warp::CombineOp op) {
  Value target = arrayOf(op.getResult()), source = arrayOf(op.getValue());
  comment("add the sums of the four lanes of each row");
  unrolled(
      elementsOf(::cast<RankedTensorType>(op.getResult().getType()), warps), 1,
      "r", [&](Value r) {
        set(target, r, pure("reduce", "quad_sum", f32(), get(source, r)));
      });
  return success();
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
  unrolled(elementsOf(type, warps) / 2, 1, "w", [&](Value w) {
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
  if (isa<warp::PartialAttr>(type.getEncoding()))
    return result;
  unrolled(elementsOf(type, warps), 1, "r", [&](Value r) {
    set(target, r,
        pure("reduce", isMax ? "quad_max" : "quad_sum", f32(), get(target, r)));
  });
  return result;
}

} // namespace weft
