//===- Fragments.cpp - Buffers that lie as accumulators do ----------------===//
//
// Workspace whose only readers and writers are our kernels need not lie in
// rows. Here a warp's 16 rows of 64 columns are one piece of 4 KiB in which
// each lane's values are neighbours: nothing is shuffled on the way from and to
// registers, and one bulk add brings a whole piece.
//
//===----------------------------------------------------------------------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

/// What a lane has of whole tiles: its first values, and the way to those of
/// the next block of 64 columns, in elements.
struct KernelWriter::LaneFragments {
  Value pointer;
  int64_t columns, blockStride;
};

FailureOr<KernelWriter::LaneFragments>
KernelWriter::fragmentsOf(Operation *op, Value buffer, Value rows, Value head,
                          bool unclipped, RankedTensorType domain) {
  auto type = ::cast<tile::BufferType>(buffer.getType());
  bool slice = isa<warp::SliceAttr>(domain.getEncoding());
  int64_t owners = slice ? 4 : warps, groups = slice ? warps / 4 : 1;
  if (domain.getRank() != 2 || !unclipped ||
      domain.getDimSize(0) != 16 * owners ||
      domain.getDimSize(0) != type.getRounded() ||
      domain.getDimSize(1) != type.getColumns() ||
      (type.getColumns() % (64 * groups) && type.getColumns() > 64))
    return op->emitError() << "moves one tile of " << type
                           << ", unclipped, 16 rows a warp, not " << domain;
  int64_t columns = type.getColumns() / groups;
  int64_t blockStride = 64 * type.getRounded();
  Rows from = rowsOf(buffer, rows, head);
  Value own = slice ? remainder(warpIndex(), literal(4, i32())) : warpIndex();
  Value offset = this->add(multiply(own, literal(16 * 64, i32())),
                           multiply(lane(), literal(4, i32())));
  // Blocks of its own, or a part of the only one.
  if (slice)
    offset = this->add(
        offset,
        multiply(warpgroup(), literal(columns < 64 ? columns * 16
                                                   : columns / 64 * blockStride,
                                      i32())));
  return LaneFragments{
      name(this->add(from.pointer, offset), "lane_" + nameOf(buffer)), columns,
      blockStride};
}

LogicalResult KernelWriter::writeLoadFragments(warp::LoadOp op) {
  auto domain = ::cast<RankedTensorType>(op.getResult().getType());
  return step("load " + nameOf(op.getBuffer()), [&]() -> LogicalResult {
    FailureOr<LaneFragments> from =
        fragmentsOf(op, op.getBuffer(), op.getRows(), op.getHead(),
                    op.getUnclipped(), domain);
    if (failed(from))
      return failure();
    call("memory", "load_fragments",
         {addressOf(arrayOf(op.getResult()), literal(0, i32())), from->pointer},
         {from->columns, from->blockStride});
    return success();
  });
}

/// The warp's own part of a tile in fragments.
KernelWriter::Value KernelWriter::stagedPart(Value tile) {
  auto type = ::cast<warp::SharedType>(tile.getType());
  return name(this->add(scalar(tile),
                        multiply(this->cast(warpIndex(), u32()),
                                 literal(type.getBytes() / warps, u32()))),
              "staged");
}

LogicalResult KernelWriter::writeStage(warp::StageOp op) {
  return step("put it aside", [&]() -> LogicalResult {
    call("rings", "stage_fragments",
         {stagedPart(op.getTile()),
          addressOf(arrayOf(op.getValue()), literal(0, i32())), lane()},
         elementsOf(::cast<RankedTensorType>(op.getValue().getType()), warps));
    return success();
  });
}

LogicalResult KernelWriter::writeAddStaged(warp::AddStagedOp op) {
  auto tile = ::cast<warp::SharedType>(op.getTile().getType());
  bool slice = tile.getRows() != 16 * warps;
  auto domain = RankedTensorType::get(
      {tile.getRows(), tile.getColumns()}, tile.getElementType(),
      slice ? Attribute(warp::SliceAttr::get(op.getContext()))
            : Attribute(warp::AccAttr::get(op.getContext())));
  return step("add to " + nameOf(op.getBuffer()), [&]() -> LogicalResult {
    FailureOr<LaneFragments> to =
        fragmentsOf(op, op.getBuffer(), op.getRows(), op.getHead(),
                    /*unclipped=*/true, domain);
    if (failed(to))
      return failure();
    call("rings", "add_staged", {to->pointer, stagedPart(op.getTile()), lane()},
         {to->columns, to->blockStride});
    return success();
  });
}

/// A value for each row, where a step's columns want it.
LogicalResult KernelWriter::writeStoreFragments(warp::StoreOp op) {
  auto type = ::cast<tile::BufferType>(op.getBuffer().getType());
  auto domain = ::cast<RankedTensorType>(op.getValue().getType());
  if (!isa<warp::RowAttr>(domain.getEncoding()) || !op.getUnclipped())
    return op.emitError() << "stores a value for each row of " << type
                          << ", unclipped, not " << domain;
  return step("store " + nameOf(op.getBuffer()), [&]() -> LogicalResult {
    Rows to = rowsOf(op.getBuffer(), op.getRows(), op.getHead());
    Value row = name(this->add(warpRow(domain.getDimSize(0)),
                               pure("fragments", "lane_row", i32(), lane())),
                     "own_row");
    LogicalResult status = success();
    // The four lanes of a row hold the same.
    ifThen(compare(emitc::CmpPredicate::eq,
                   remainder(lane(), literal(4, i32())), literal(0, i32())),
           [&] {
             unrolled(elementsOf(domain, warps), 1, "e", [&](Value e) {
               Value place =
                   pure("fragments", "vector_place", i32(),
                        this->add(
                            row, pure("fragments", "slot_row_step", i32(), e)));
               FailureOr<Value> value = element(op.getValue(), e, domain);
               if (failed(value))
                 return void(status = failure());
               call("memory", "store", {this->add(to.pointer, place), *value});
             });
           });
    return status;
  });
}

} // namespace weft
