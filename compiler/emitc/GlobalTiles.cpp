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

/// A lane's part of a buffer's rows: its first element, how many rows exist
/// from there on (null: all), and the way to the others, which is known when
/// the text is compiled but for the stride.
struct KernelWriter::LanePart {
  Value pointer, stride, left;
  RankedTensorType domain;
  int64_t columns;
};

KernelWriter::LanePart KernelWriter::laneOf(Value buffer, const Rows &rows,
                                            RankedTensorType domain) {
  auto type = ::cast<tile::BufferType>(buffer.getType());
  LanePart part{rows.pointer, Value(), Value(), domain, type.getColumns()};
  // A column vector's elements are rows of its buffer.
  bool slice = isa<warp::SliceAttr>(domain.getEncoding());
  Value row =
      isa<warp::ColumnAttr>(domain.getEncoding())
          ? pure("fragments", "lane_column", i32(), lane())
          : add(slice ? multiply(remainder(warpIndex(), literal(4, i32())),
                                 literal(16, i32()))
                      : warpRow(domain.getDimSize(0)),
                pure("fragments", "lane_row", i32(), lane()));
  name(row, "own_row");
  if (rows.left)
    part.left = name(subtract(rows.left, row), "left");
  if (type.getLayout() == tile::BufferLayout::uniform)
    return part;
  part.stride = isInLoop() && !rows.rowStride.getDefiningOp()
                    ? name(anchored(rows.rowStride), "stride")
                    : rows.rowStride;
  Value offset = multiply(row, part.stride);
  if (isa<warp::AccAttr, warp::SliceAttr>(domain.getEncoding()))
    offset = add(offset, pure("fragments", "lane_column", i32(), lane()));
  if (slice)
    offset = add(offset,
                 multiply(warpgroup(),
                          literal(domain.getDimSize(1) / (warps / 4), i32())));
  part.pointer = name(add(part.pointer, offset), "lane_" + nameOf(buffer));
  return part;
}

/// Address of element `e`, and whether it exists.
std::pair<KernelWriter::Value, KernelWriter::Value>
KernelWriter::placeOf(const LanePart &part, Value e) {
  int64_t n = part.domain.getDimSize(part.domain.getRank() - 1);
  bool slice = isa<warp::SliceAttr>(part.domain.getEncoding());
  bool acc = slice || isa<warp::AccAttr>(part.domain.getEncoding());
  if (slice)
    n /= warps / 4;
  bool column = isa<warp::ColumnAttr>(part.domain.getEncoding());
  Value row = acc      ? pure("fragments", "row_step", i32(), e, n)
              : column ? pure("fragments", "slot_column_step", i32(), e)
                       : pure("fragments", "slot_row_step", i32(), e);
  name(row, "row");
  Value exists = part.left ? compare(emitc::CmpPredicate::lt, row, part.left)
                           : literal("true", i1());
  Value offset = part.stride ? multiply(row, part.stride) : Value();
  if (acc) {
    Value step = pure("fragments", "column_step", i32(), e, n);
    name(step, "column");
    // Columns end with a block of 8: the lane does not matter.
    if (n > part.columns)
      exists = both(exists, compare(emitc::CmpPredicate::lt, step,
                                    literal(part.columns, i32())));
    if (offset)
      offset = add(offset, step);
  }
  return {offset ? add(part.pointer, offset) : part.pointer, exists};
}

LogicalResult KernelWriter::writeLoad(warp::LoadOp op) {
  auto type = ::cast<tile::BufferType>(op.getBuffer().getType());
  auto domain = ::cast<RankedTensorType>(op.getResult().getType());
  bool acc = isa<warp::AccAttr>(domain.getEncoding());
  if (acc && type.getColumns() % 8)
    return op.emitError() << "loads columns by 8, not those of " << type;
  FailureOr<Value> pad = literalOf(
      op, FloatAttr::get(type.getElementType(), op.getPad().convertToDouble()));
  if (failed(pad))
    return failure();

  return step("load " + nameOf(op.getBuffer()), [&]() -> LogicalResult {
    Value target = arrayOf(op.getResult());
    Rows rows = rowsOf(op.getBuffer(), op.getRows(), op.getHead());
    if (op.getUnclipped())
      rows.left = Value();
    LanePart part = laneOf(op.getBuffer(), rows, domain);
    bool pair = acc && canPair(type, kernel.getAlign());
    bool packed = isPacked(domain);
    Type storage = storageType(type.getElementType());
    auto load = [&](Value e) {
      auto [source, exists] = placeOf(part, e);
      return pure("memory", "load_or", storage, {source, exists, *pad});
    };
    unrolled(elementsOf(domain, warps), pair || packed ? 2 : 1, "e",
             [&](Value e) {
               Value word = divide(e, literal(2, i32()));
               if (pair) {
                 auto [source, exists] = placeOf(part, e);
                 if (packed)
                   set(target, word,
                       pure("memory", "load_word_or", u32(),
                            {source, exists, *pad}));
                 else
                   call("memory", "load_pair_or",
                        {addressOf(target, e), source, exists, *pad});
               } else if (packed) {
                 Value low = load(e);
                 Value high = load(add(e, literal(1, i32())));
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
                                       Value rowRange, Value head,
                                       bool unclipped, bool isAdd) {
  auto type = ::cast<tile::BufferType>(buffer.getType());
  auto domain = ::cast<RankedTensorType>(value.getType());
  bool slice = isa<warp::SliceAttr>(domain.getEncoding());
  if (type.getLayout() == tile::BufferLayout::fragments)
    return op->emitError() << "adds to rows; to " << type
                           << " it goes by warp.stage and warp.add_staged";
  if (slice && domain.getDimSize(1) != type.getColumns())
    return op->emitError() << "adds all columns of " << type << ", not "
                           << domain;
  bool acc = slice || isa<warp::AccAttr>(domain.getEncoding());
  if (acc && type.getColumns() % 8)
    return op->emitError() << "stores columns by 8, not those of " << type;

  auto write = [&]() -> LogicalResult {
    Rows rows = rowsOf(buffer, rowRange, head);
    if (unclipped)
      rows.left = Value();
    LanePart part = laneOf(buffer, rows, domain);
    bool pair = acc && !isAdd && canPair(type, kernel.getAlign());
    LogicalResult status = success();
    unrolled(elementsOf(domain, warps), pair ? 2 : 1, "e", [&](Value e) {
      auto [target, exists] = placeOf(part, e);
      // The four lanes of a row hold the same.
      if (!acc)
        exists = both(exists, compare(emitc::CmpPredicate::eq,
                                      remainder(lane(), literal(4, i32())),
                                      literal(0, i32())));
      Value place = target;
      ifThen(exists, [&] {
        FailureOr<Value> first = element(value, e, domain);
        if (failed(first))
          return void(status = failure());
        if (isAdd) {
          call("memory", "atomic_add", {place, *first});
        } else if (pair && isPacked(domain) && !isComputedInPlace(value)) {
          call("memory", "store_word",
               {place, get(arrayOf(value), divide(e, literal(2, i32())))});
        } else if (pair) {
          FailureOr<Value> second =
              element(value, add(e, literal(1, i32())), domain);
          if (failed(second))
            return void(status = failure());
          call("memory", "store_pair", {place, *first, *second});
        } else {
          call("memory", "store", {place, *first});
        }
      });
    });
    return status;
  };
  return step((isAdd ? "add to " : "store ") + nameOf(buffer), write);
}

/// Each warp by itself: its rows into the tile, then from there in one piece.
LogicalResult KernelWriter::writeStoreThrough(warp::StoreOp op) {
  auto type = ::cast<tile::BufferType>(op.getBuffer().getType());
  auto domain = ::cast<RankedTensorType>(op.getValue().getType());
  auto tile = ::cast<warp::SharedType>(op.getThrough().getType());
  if (type.getLayout() != tile::BufferLayout::strided ||
      kernel.getAlign() != 16 || isComputedInPlace(op.getValue()) ||
      role != Role::consumer || domain.getDimSize(0) != 16 * warps)
    return op->emitOpError()
           << "goes through shared memory from 16 computed rows of each "
              "consumer warp to a tensor of the call with rows aligned to 16 "
              "bytes; leave `through` out";
  auto write = [&]() -> LogicalResult {
    Rows rows = rowsOf(op.getBuffer(), op.getRows(), op.getHead());
    if (op.getUnclipped())
      rows.left = literal(domain.getDimSize(0), i32());
    Value row = warpRow(domain.getDimSize(0));
    Value left = name(subtract(rows.left, row), "left");
    Value stride = isInLoop() && !rows.rowStride.getDefiningOp()
                       ? name(anchored(rows.rowStride), "stride")
                       : rows.rowStride;
    Value target = name(add(rows.pointer, multiply(row, stride)),
                        "warp_" + nameOf(op.getBuffer()));
    Value staged = name(add(scalar(op.getThrough()),
                            multiply(cast(row, u32()), literal(128, u32()))),
                        "staged");
    call("rings", "stage_rows",
         {staged, addressOf(arrayOf(op.getValue()), literal(0, i32())), lane()},
         {tile.getRows(), type.getColumns()});
    call("rings", "store_staged", {staged, target, stride, left, lane()},
         {tile.getRows(), type.getColumns()});
    call("rings", "staging_done", divide(warpIndex(), literal(4, i32())));
    return success();
  };
  return step("store " + nameOf(op.getBuffer()) + " by 16 bytes", write);
}

} // namespace weft
