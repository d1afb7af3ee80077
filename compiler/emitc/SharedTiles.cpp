//===- SharedTiles.cpp - Tiles in shared memory: rings and copies ---------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

/// A ring is a range of the CTA's dynamic shared memory; what stands for it is
/// its first byte's address.
LogicalResult KernelWriter::writeRing(warp::RingOp op) {
  auto type = ::cast<warp::RingType>(op.getResult().getType());
  std::string called = "ring";
  for (Operation *user : op->getUsers())
    if (auto put = dyn_cast<warp::PutOp>(user)) {
      called = nameOf(put.getBuffer()) + "_ring";
      break;
    }
  Value memory = atHead(
      "shared", [&] { return pure("thread", "shared_memory", u32(), {}); });
  scalars[op.getResult()] =
      name(sharedBytes == 0 ? this->cast(memory, u32())
                            : this->add(memory, literal(sharedBytes, u32())),
           called);
  // Rows are padded to an odd number of 16 bytes, which ldmatrix asks of every
  // row's address.
  sharedBytes +=
      llvm::alignTo(type.getStages() * type.getTile().getBytes(), 16);
  return success();
}

static int64_t tileBytes(warp::RingType type) {
  return llvm::alignTo(type.getTile().getBytes(), 16);
}

LogicalResult KernelWriter::writeGet(warp::GetOp op) {
  auto type = ::cast<warp::RingType>(op.getRing().getType());
  std::string called = "tile";
  for (Operation *user : op.getRing().getUsers())
    if (auto put = dyn_cast<warp::PutOp>(user)) {
      called = nameOf(put.getBuffer()) + "_tile";
      break;
    }
  Value slot = this->cast(scalar(op.getSlot()), u32());
  scalars[op.getResult()] =
      name(this->add(scalar(op.getRing()),
                     multiply(slot, literal(tileBytes(type), u32()))),
           called);
  return success();
}

/// All threads copy 16 bytes at a time. Rows that do not exist and columns past
/// the buffer's become zero.
LogicalResult KernelWriter::writePut(warp::PutOp op) {
  auto ring = ::cast<warp::RingType>(op.getRing().getType());
  auto buffer = ::cast<tile::BufferType>(op.getBuffer().getType());
  warp::SharedType tile = ring.getTile();
  if (buffer.getElementType() != tile.getElementType() ||
      isa<Float32Type>(tile.getElementType()) || tile.getColumns() % 8 ||
      buffer.getColumns() % 8 || buffer.getColumns() > tile.getColumns())
    return op.emitError() << "copies 8 elements of 16 bits at a time, from "
                          << buffer << " to " << tile;
  bool uniform = buffer.getLayout() == tile::BufferLayout::uniform;
  StringRef primitive = uniform                  ? "copy_repeated"
                        : kernel.getAlign() < 16 ? "copy_elements"
                                                 : "copy_chunk";

  comment("copy rows of " + nameOf(op.getBuffer()) + " to shared memory");
  Rows rows = rowsOf(op.getBuffer(), op.getRows(), op.getHead());
  Value slot = this->cast(scalar(op.getSlot()), u32());
  Value target =
      name(this->add(scalar(op.getRing()),
                     multiply(slot, literal(tileBytes(ring), u32()))),
           "target");
  int64_t chunksPerRow = tile.getColumns() / 8;
  int64_t chunks = tile.getRows() * chunksPerRow;
  // Where threads divide into whole rows, a thread keeps its column and its
  // rows are a constant step apart.
  bool wholeRows = threads % chunksPerRow == 0;
  int64_t rowStep = threads / chunksPerRow;
  Value perRow = literal(chunksPerRow, i32());
  Value eight = literal(8, i32());
  Value firstRow, column;
  if (wholeRows) {
    std::string suffix = std::to_string(tile.getColumns());
    Value index = thread();
    firstRow = atHead("chunk_row_" + suffix, [&] {
      return divide(index, literal(chunksPerRow, i32()));
    });
    column = atHead("chunk_column_" + suffix, [&] {
      return multiply(remainder(index, literal(chunksPerRow, i32())),
                      literal(8, i32()));
    });
  }
  // The source walks with a thread's rows: one product, then sums.
  Value source, sourceStep;
  if (!uniform && wholeRows) {
    Type pointer = rows.pointer.getType();
    source = declareVariable(pointer, "source");
    emitc::AssignOp::create(
        builder, loc, source,
        this->add(this->add(rows.pointer, multiply(firstRow, rows.rowStride)),
                  column));
    sourceStep = multiply(rows.rowStride, literal(rowStep, i64()));
    name(sourceStep, "source_step");
  }
  unrolled(llvm::divideCeil(chunks, threads), 1, "i", [&](Value i) {
    Value row, inside = literal("true", i1());
    if (wholeRows) {
      row = name(this->add(firstRow, multiply(i, literal(rowStep, i32()))),
                 "row");
    } else {
      Value chunk = name(
          this->add(thread(), multiply(i, literal(threads, i32()))), "chunk");
      row = name(divide(chunk, perRow), "row");
      column = name(multiply(remainder(chunk, perRow), eight), "column");
    }
    if (chunks % threads)
      inside =
          compare(emitc::CmpPredicate::lt, row, literal(tile.getRows(), i32()));
    Value exists = compare(emitc::CmpPredicate::lt, row, rows.left);
    if (buffer.getColumns() < tile.getColumns())
      exists = both(exists, compare(emitc::CmpPredicate::lt, column,
                                    literal(buffer.getColumns(), i32())));
    auto here = [&]() -> Value {
      return emitc::LoadOp::create(builder, loc, rows.pointer.getType(),
                                   source);
    };
    Value from = rows.pointer;
    if (source)
      from = here();
    else if (!uniform)
      from = this->add(this->add(from, multiply(row, rows.rowStride)), column);
    Value place = this->add(
        this->add(target, multiply(row, literal(tile.getRowBytes(), u32()))),
        multiply(column, literal(2, u32())));
    ifThen(inside, [&] { call("copy", primitive, {place, from, exists}); });
    if (source)
      emitc::AssignOp::create(builder, loc, source,
                              this->add(here(), sourceStep));
  });
  return success();
}

} // namespace weft
