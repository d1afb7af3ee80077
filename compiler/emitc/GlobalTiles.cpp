//===- GlobalTiles.cpp - Register tiles from and to global memory ---------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

/// Whether two neighbours of a row, the first at an even column, can be one
/// access of twice the size.
static bool canPair(tile::BufferType type, int64_t align) {
  int64_t bytes = type.getElementType().isF32() ? 4 : 2;
  if (type.getColumns() % 2)
    return false;
  return type.getLayout() == tile::BufferLayout::packed ||
         (type.getLayout() == tile::BufferLayout::strided &&
          align >= 2 * bytes);
}

LogicalResult KernelWriter::writeLoad(warp::LoadOp op) {
  auto type = ::cast<tile::BufferType>(op.getBuffer().getType());
  auto domain = ::cast<RankedTensorType>(op.getResult().getType());
  if (domain.getElementType() != type.getElementType())
    return op.emitError() << "loads elements of " << type << " as " << domain;
  bool acc = isa<warp::AccAttr>(domain.getEncoding());
  bool row = isa<warp::RowAttr>(domain.getEncoding());
  if (!acc && !row && !isa<warp::ColumnAttr>(domain.getEncoding()))
    return op.emitError("loads #warp.acc, #warp.row or #warp.column");
  FailureOr<Value> pad = literalOf(
      op, FloatAttr::get(type.getElementType(), op.getPad().convertToDouble()));
  if (failed(pad))
    return failure();

  return step("load " + nameOf(op.getBuffer()), [&]() -> LogicalResult {
    Value target = arrayOf(op.getResult());
    Rows rows = rowsOf(op.getBuffer(), op.getRows(), op.getHead());
    bool uniform = type.getLayout() == tile::BufferLayout::uniform;
    bool pair = acc && canPair(type, kernel.getAlign());
    bool packed = isPacked(domain);
    auto place = [&](Value e) {
      // A column vector is loaded from rows, too.
      Value index = acc || row ? rowOf(domain, e) : columnOf(domain, e);
      name(index, "row");
      Value exists = compare(emitc::CmpPredicate::lt, index, rows.left);
      Value source = rows.pointer;
      if (!uniform)
        source = this->add(source, multiply(index, rows.rowStride));
      if (acc) {
        Value column = name(columnOf(domain, e), "column");
        if (domain.getDimSize(1) > type.getColumns())
          exists = both(exists, compare(emitc::CmpPredicate::lt, column,
                                        literal(type.getColumns(), i32())));
        if (!uniform)
          source = this->add(source, column);
      }
      return std::pair(source, exists);
    };
    Type storage = storageType(type.getElementType());
    auto load = [&](Value e) {
      auto [source, exists] = place(e);
      return pure("memory", "load_or", storage, {source, exists, *pad});
    };
    unrolled(elementsOf(domain, warps), pair || packed ? 2 : 1, "e",
             [&](Value e) {
               Value word = divide(e, literal(2, i32()));
               if (pair) {
                 auto [source, exists] = place(e);
                 if (packed)
                   set(target, word,
                       pure("memory", "load_word_or", u32(),
                            {source, exists, *pad}));
                 else
                   call("memory", "load_pair_or",
                        {addressOf(target, e), source, exists, *pad});
               } else if (packed) {
                 Value low = load(e);
                 Value high = load(this->add(e, literal(1, i32())));
                 set(target, word,
                     pure("arithmetic", "join_halves", u32(), {low, high}));
               } else {
                 set(target, e, load(e));
               }
             });
    return success();
  });
}

LogicalResult KernelWriter::writeStore(Operation *op, Value value, Value buffer,
                                       Value rowRange, Value head, bool add) {
  auto type = ::cast<tile::BufferType>(buffer.getType());
  auto domain = ::cast<RankedTensorType>(value.getType());
  if (domain.getElementType() != type.getElementType())
    return op->emitError() << "stores " << domain << " as elements of " << type;
  if (add && !type.getElementType().isF32())
    return op->emitError("adds f32 only");
  bool acc = isa<warp::AccAttr>(domain.getEncoding());
  if (!acc && !isa<warp::RowAttr>(domain.getEncoding()))
    return op->emitError("stores #warp.acc or #warp.row");
  if (type.getLayout() == tile::BufferLayout::uniform)
    return op->emitError("stores to memory of one element");

  return step(
      (add ? "add to " : "store ") + nameOf(buffer), [&]() -> LogicalResult {
        Rows rows = rowsOf(buffer, rowRange, head);
        bool pair = acc && !add && canPair(type, kernel.getAlign());
        LogicalResult result = success();
        unrolled(elementsOf(domain, warps), pair ? 2 : 1, "e", [&](Value e) {
          Value row = name(rowOf(domain, e), "row");
          Value exists = compare(emitc::CmpPredicate::lt, row, rows.left);
          Value target = this->add(rows.pointer, multiply(row, rows.rowStride));
          if (acc) {
            Value column = name(columnOf(domain, e), "column");
            if (domain.getDimSize(1) > type.getColumns())
              exists = both(exists, compare(emitc::CmpPredicate::lt, column,
                                            literal(type.getColumns(), i32())));
            target = this->add(target, column);
          } else {
            // The four lanes of a row hold the same.
            exists = both(exists, compare(emitc::CmpPredicate::eq,
                                          remainder(lane(), literal(4, i32())),
                                          literal(0, i32())));
          }
          ifThen(exists, [&] {
            FailureOr<Value> first = element(value, e, domain);
            if (failed(first))
              return void(result = failure());
            if (add) {
              call("memory", "atomic_add", {target, *first});
            } else if (pair && isPacked(domain) && !isComputedInPlace(value)) {
              call("memory", "store_word",
                   {target, get(arrayOf(value), divide(e, literal(2, i32())))});
            } else if (pair) {
              FailureOr<Value> second =
                  element(value, this->add(e, literal(1, i32())), domain);
              if (failed(second))
                return void(result = failure());
              call("memory", "store_pair", {target, *first, *second});
            } else {
              call("memory", "store", {target, *first});
            }
          });
        });
        return result;
      });
}

} // namespace weft
