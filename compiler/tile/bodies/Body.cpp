//===- Body.cpp - What the bodies of all kernels are built from -----------===//

#include "compiler/tile/bodies/Body.h"

#include "compiler/tile/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using weft::plan::HeadSpace;
using weft::plan::KernelKind;
using weft::plan::RowSpace;

namespace weft::tile {

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

namespace {
template <typename Op> ProblemFacts readFacts(Op op) {
  ProblemFacts facts;
  facts.op = op;
  facts.dtype = op.getDtype();
  facts.headDim = op.getHeadDim();
  facts.headDimV = op.getHeadDimV();
  facts.headRatio = op.getHeadRatio();
  facts.align = op.getAlign();
  facts.q = op.getQ();
  facts.kv = op.getKv();
  facts.parameters = op.getParameters();
  if (!op.getMask().empty())
    facts.mask = &op.getMask();
  if (!op.getScore().empty())
    facts.score = &op.getScore();
  return facts;
}
} // namespace

FailureOr<ProblemFacts> ProblemFacts::of(Operation *op) {
  if (auto forward = dyn_cast<attn::ForwardOp>(op))
    return readFacts(forward);
  auto backward = dyn_cast<attn::BackwardOp>(op);
  if (!backward)
    return op->emitOpError()
           << "is no attention problem; a kernel's problem is "
              "an attn.forward or attn.backward";
  ProblemFacts facts = readFacts(backward);
  facts.scalarDOut = backward.getScalarDout();
  if (!backward.getDerivative().empty())
    facts.derivative = &backward.getDerivative();
  if (facts.score && !facts.derivative)
    return op->emitOpError()
           << "has a score change without its derivative; give "
              "one or run attn-derive-score";
  return facts;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {

/// The buffer of an operand; null for a name that no kernel has.
BufferType bufferType(plan::OperandAttr operand, const ProblemFacts &problem) {
  StringRef name = operand.getName();
  MLIRContext *context = problem.dtype.getContext();
  Type f32 = Float32Type::get(context);
  auto tensor = [&](RowSpace rows, HeadSpace heads, int64_t columns,
                    bool uniform = false) {
    return BufferType::get(context, problem.dtype, rows, heads, columns,
                           uniform ? BufferLayout::uniform
                                   : BufferLayout::strided,
                           /*rounded=*/0);
  };
  auto workspace = [&](RowSpace rows, int64_t columns) {
    return BufferType::get(context, f32, rows, HeadSpace::heads_q, columns,
                           operand.getRounded() ? BufferLayout::fragments
                                                : BufferLayout::packed,
                           operand.getRounded());
  };
  if (name == "query" || name == "d_query")
    return tensor(RowSpace::q, HeadSpace::heads_q, problem.headDim);
  if (name == "key" || name == "d_key")
    return tensor(RowSpace::kv, HeadSpace::heads_kv, problem.headDim);
  if (name == "value" || name == "d_value")
    return tensor(RowSpace::kv, HeadSpace::heads_kv, problem.headDimV);
  if (name == "out")
    return tensor(RowSpace::q, HeadSpace::heads_q, problem.headDimV);
  if (name == "d_out")
    return tensor(RowSpace::q, HeadSpace::heads_q, problem.headDimV,
                  problem.scalarDOut);
  if (name == "lse")
    return BufferType::get(context, f32, RowSpace::q, HeadSpace::heads_q, 1,
                           BufferLayout::strided, /*rounded=*/0);
  if (name == "delta" || name == "lse_log2")
    return workspace(RowSpace::q, 1);
  if (name == "d_query_sum")
    return workspace(RowSpace::q, problem.headDim);
  if (name == "d_key_partial")
    return workspace(RowSpace::kv, problem.headDim);
  if (name == "d_value_partial")
    return workspace(RowSpace::kv, problem.headDimV);
  return {};
}

/// The contracts a body of the kind can be written for: operands as
/// "in,in>out", alternatives apart by '|'.
StringRef knownContracts(KernelKind kind) {
  switch (kind) {
  case KernelKind::forward:
    return "query,key,value>out,lse";
  case KernelKind::delta:
    return "out,d_out,lse>delta,lse_log2";
  case KernelKind::dkdv:
    return "query,key,value,d_out,lse_log2,delta>d_key,d_value|"
           "query,key,value,d_out,lse_log2,delta>d_key_partial,d_value_partial";
  case KernelKind::dqkv:
    return "query,key,value,d_out,lse_log2,delta>d_query_sum,d_key,d_value|"
           "query,key,value,d_out,lse_log2,delta>d_query_sum,d_key_partial,"
           "d_value_partial";
  case KernelKind::dk:
    return "query,key,value,d_out,lse_log2,delta>d_key|"
           "query,key,value,d_out,lse_log2,delta>d_key_partial";
  case KernelKind::dv:
    return "query,key,d_out,lse_log2>d_value|"
           "query,key,d_out,lse_log2>d_value_partial";
  case KernelKind::dq:
    return "query,key,value,d_out,lse_log2,delta>d_query";
  case KernelKind::reduce:
    return "d_key_partial>d_key|d_value_partial>d_value";
  case KernelKind::convert:
    return "d_query_sum>d_query";
  case KernelKind::fill:
    return "";
  }
  llvm_unreachable("all kinds handled");
}

/// Kinds whose body walks tiles of the other side.
bool hasLoop(KernelKind kind) {
  return kind == KernelKind::forward || kind == KernelKind::dqkv ||
         kind == KernelKind::dkdv || kind == KernelKind::dk ||
         kind == KernelKind::dv || kind == KernelKind::dq;
}

/// Kinds that take the scale.
bool hasScale(KernelKind kind) {
  return hasLoop(kind) || kind == KernelKind::convert;
}

/// A contract in the form of `knownContracts`.
std::string contractText(plan::KernelOp kernel) {
  std::string text;
  bool results = false;
  for (auto operand : kernel.getContract().getAsRange<plan::OperandAttr>()) {
    bool result = operand.getAccess() != plan::Access::in;
    if (result && !results)
      text += '>';
    else if (!text.empty())
      text += ',';
    results |= result;
    text += operand.getName();
  }
  return text;
}

GridAttr gridOf(plan::KernelOp kernel) {
  MLIRContext *context = kernel.getContext();
  int64_t rows = kernel.getSchedule().getRows();
  switch (kernel.getKind()) {
  case KernelKind::forward:
  case KernelKind::delta:
  case KernelKind::dq:
  case KernelKind::convert:
    return GridAttr::get(context, GridKind::q, rows, HeadSpace::heads_q);
  case KernelKind::dqkv:
  case KernelKind::dkdv:
  case KernelKind::dk:
  case KernelKind::dv: {
    // Partials have the query heads: each walks its own.
    auto last = kernel.getOperandContract(kernel.getContract().size() - 1);
    bool split = last.getName().ends_with("_partial");
    return GridAttr::get(context, GridKind::kv, rows,
                         split ? HeadSpace::heads_q : HeadSpace::heads_kv);
  }
  case KernelKind::reduce:
    return GridAttr::get(context, GridKind::kv, rows, HeadSpace::heads_kv);
  case KernelKind::fill:
    return GridAttr::get(context, GridKind::held, rows, HeadSpace::heads_q);
  }
  llvm_unreachable("all kinds handled");
}

} // namespace

LogicalResult Body::check(plan::KernelOp kernel, const ProblemFacts &problem) {
  if (hasLoop(kernel.getKind()) && kernel.getSchedule().getColumns() <= 0)
    return kernel.emitOpError()
           << "walks tiles of the other side; its schedule has to give the "
              "rows of one as columns, above 0";
  bool isBackward = isa<attn::BackwardOp>(problem.op);
  if (kernel.getKind() != KernelKind::fill &&
      isBackward == (kernel.getKind() == KernelKind::forward))
    return kernel.emitOpError()
           << "is a step of "
           << (isBackward ? "a forward, but its problem is a backward"
                          : "a backward, but its problem is a forward");
  if (kernel.getKind() == KernelKind::fill) {
    for (auto operand : kernel.getContract().getAsRange<plan::OperandAttr>())
      if (!bufferType(operand, problem) ||
          operand.getAccess() != plan::Access::out || !operand.getValue())
        return kernel.emitOpError()
               << "a fill takes tensors of the problem as `out`, each with "
                  "its value; not "
               << operand;
    return success();
  }
  SmallVector<StringRef> known;
  knownContracts(kernel.getKind()).split(known, '|');
  std::string text = contractText(kernel);
  if (llvm::is_contained(known, text))
    return success();
  InFlightDiagnostic error = kernel.emitOpError()
                             << "no body of kind '"
                             << plan::stringifyKernelKind(kernel.getKind())
                             << "' has the contract " << text << "; known: ";
  llvm::interleave(
      known, [&](StringRef one) { error << one; }, [&] { error << " or "; });
  return error;
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

Body::Body(plan::KernelOp kernel, const ProblemFacts &problem)
    : builder(kernel.getContext()), loc(kernel.getLoc()), scalars(builder, loc),
      problem(problem), rows(kernel.getSchedule().getRows()),
      columns(kernel.getSchedule().getColumns()) {
  Type i64 = builder.getI64Type(), f32 = builder.getF32Type();
  SmallVector<Type> types;
  SmallVector<StringRef> names;
  for (auto operand : kernel.getContract().getAsRange<plan::OperandAttr>()) {
    names.push_back(operand.getName());
    types.push_back(bufferType(operand, problem));
  }
  if (hasScale(kernel.getKind())) {
    SmallVector<StringRef> used{"scale"};
    llvm::append_range(used, problem.parameters.getAsValueRange<StringAttr>());
    for (StringRef name : {"scale", "softcap", "window_left", "window_right"})
      if (llvm::is_contained(used, name)) {
        names.push_back(name);
        types.push_back(name.starts_with("window") ? i64 : f32);
      }
  }
  SmallVector<DictionaryAttr> attributes;
  for (StringRef name : names)
    attributes.push_back(builder.getDictionaryAttr(
        builder.getNamedAttr(plan::kNameAttr, builder.getStringAttr(name))));

  builder.setInsertionPointAfter(kernel);
  func = FuncOp::create(
      builder, loc, (kernel.getSymName() + plan::KernelOp::bodySuffix()).str(),
      builder.getFunctionType(types, {}), gridOf(kernel), kernel.getSchedule(),
      builder.getArrayAttr(
          SmallVector<Attribute>(attributes.begin(), attributes.end())),
      ArrayAttr());
  func->setAttr(kAlignAttr, builder.getI64IntegerAttr(problem.align));
  func->setAttr(kQuerySideAttr, problem.q);
  func->setAttr(kKeySideAttr, problem.kv);
  Block &block = func.getBody().emplaceBlock();
  for (auto [name, type] : llvm::zip_equal(names, types))
    operands[name] = block.addArgument(type, loc);
  builder.setInsertionPointToStart(&block);
  auto point = PointOp::create(builder, loc, i64, i64, i64);
  sequence = point.getSequence();
  tile = point.getTile();
  head = point.getHead();
  first = scalars.mul(tile, rows);
}

FuncOp Body::finish() {
  ReturnOp::create(builder, loc);
  llvm::BitVector unused(func.getNumArguments());
  for (BlockArgument argument : func.getArguments())
    if (argument.use_empty() && !isa<BufferType>(argument.getType()))
      unused.set(argument.getArgNumber());
  (void)func.eraseArguments(unused);
  return func;
}

Value Body::buffer(StringRef name) const { return operands.lookup(name); }
Value Body::scalar(StringRef name) const { return operands.lookup(name); }

Value Body::length(RowSpace side) {
  return LengthOp::create(builder, loc, builder.getI64Type(), side, sequence);
}

Value Body::rowsAt(RowSpace side, Value from, int64_t count) {
  return RowsOp::create(builder, loc,
                        RowsType::get(builder.getContext(), side, count),
                        sequence, from);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value Body::load(StringRef name, Value rows, Value head, double pad) {
  Value from = buffer(name);
  auto type = cast<BufferType>(from.getType());
  SmallVector<int64_t> shape{cast<RowsType>(rows.getType()).getCount()};
  if (type.getColumns() > 1)
    shape.push_back(padded(type.getColumns()));
  return LoadOp::create(builder, loc,
                        RankedTensorType::get(shape, type.getElementType()),
                        from, rows, head, APFloat(pad), type.isRounded());
}

void Body::store(Value value, StringRef name, Value rows, Value head) {
  Value to = buffer(name);
  if (!cast<BufferType>(to.getType()).getElementType().isF32())
    value = round(value);
  StoreOp::create(builder, loc, value, to, rows, head,
                  cast<BufferType>(to.getType()).isRounded());
}

void Body::add(Value value, StringRef name, Value rows, Value head) {
  Value to = buffer(name);
  AddOp::create(builder, loc, value, to, rows, head,
                cast<BufferType>(to.getType()).isRounded());
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

SmallVector<Value> Body::loop(Value first, Value last, ValueRange start,
                              Turn turn) {
  auto loop =
      scf::ForOp::create(builder, loc, first, last, scalars.constant(1), start);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> next =
      turn(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(builder, loc, next);
  return loop.getResults();
}

SmallVector<Value> Body::loopOverGroup(Value headKv, ValueRange start,
                                       Turn turn) {
  Value firstHead = scalars.mul(headKv, problem.headRatio);
  Value zero = scalars.constant(0);
  Value ratio = scalars.constant(problem.headRatio);
  return loop(zero, ratio, start, [&](Value index, ValueRange carried) {
    return turn(scalars.add(firstHead, index), carried);
  });
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> shapeOf(Value tile) {
  return cast<RankedTensorType>(tile.getType()).getShape();
}

RankedTensorType Body::tileType(ArrayRef<int64_t> shape) const {
  return RankedTensorType::get(shape, Float32Type::get(loc.getContext()));
}

Value Body::filled(ArrayRef<int64_t> shape, double value) {
  APFloat element(value);
  bool lost;
  element.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &lost);
  return arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(tileType(shape), element));
}

Value Body::splat(Value scalar, ArrayRef<int64_t> shape) {
  return builder.createOrFold<tensor::SplatOp>(
      loc, scalar, RankedTensorType::get(shape, scalar.getType()));
}

Value Body::times(Value value, Value factor) {
  return multiply(value, splat(factor, shapeOf(value)));
}
Value Body::times(Value value, double factor) {
  return multiply(value, filled(shapeOf(value), factor));
}
Value Body::multiply(Value a, Value b) {
  return arith::MulFOp::create(builder, loc, a, b);
}
Value Body::subtract(Value a, Value b) {
  return arith::SubFOp::create(builder, loc, a, b);
}

Value Body::expand(Value vector, int64_t dim, Value like) {
  return ExpandOp::create(builder, loc, tileType(shapeOf(like)), vector,
                          builder.getI64IntegerAttr(dim));
}

Value Body::round(Value value) {
  return arith::TruncFOp::create(
      builder, loc, RankedTensorType::get(shapeOf(value), problem.dtype),
      value);
}
Value Body::widen(Value value) {
  return arith::ExtFOp::create(builder, loc, tileType(shapeOf(value)), value);
}

Value Body::dot(Value a, Value b, Value acc) {
  return DotOp::create(builder, loc, a, b, acc, /*aTransposed=*/false,
                       /*transposed=*/false);
}
Value Body::dotTransposed(Value a, Value b) {
  Value zero = filled({shapeOf(a)[0], shapeOf(b)[0]}, 0.0);
  return DotOp::create(builder, loc, a, b, zero, /*aTransposed=*/false,
                       /*transposed=*/true);
}
Value Body::transposedDot(Value a, Value b) {
  Value zero = filled({shapeOf(a)[1], shapeOf(b)[1]}, 0.0);
  return DotOp::create(builder, loc, a, b, zero, /*aTransposed=*/true,
                       /*transposed=*/false);
}

} // namespace weft::tile
