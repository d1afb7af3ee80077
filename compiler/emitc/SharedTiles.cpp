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
  if (buffer.getColumns() % 8)
    return op.emitError() << "copies 8 elements of 16 bits at a time, from "
                          << buffer << " to " << tile;
  bool uniform = buffer.getLayout() == tile::BufferLayout::uniform;
  StringRef primitive = uniform                  ? "copy_repeated"
                        : kernel.getAlign() < 16 ? "copy_elements"
                                                 : "copy_chunk";

  return step(
      "copy rows of " + nameOf(op.getBuffer()) + " to shared memory",
      [&]() -> LogicalResult {
        Rows rows = rowsOf(op.getBuffer(), op.getRows(), op.getHead());
        Value slot = this->cast(scalar(op.getSlot()), u32());
        Value target =
            name(this->add(scalar(op.getRing()),
                           multiply(slot, literal(tileBytes(ring), u32()))),
                 "target");
        int64_t chunksPerRow = tile.getColumns() / 8;
        int64_t chunks = tile.getRows() * chunksPerRow;
        int64_t rowBytes = tile.getRowBytes();
        auto split = [&](Value chunk) {
          Value perRow = literal(chunksPerRow, i32());
          return std::pair(
              divide(chunk, perRow),
              multiply(remainder(chunk, perRow), literal(8, i32())));
        };
        auto placeOf = [&](Value row, Value column) {
          return this->add(
              this->add(target, multiply(row, literal(rowBytes, u32()))),
              multiply(column, literal(2, u32())));
        };
        Value always = literal("true", i1());
        auto isLess = [&](Value a, Value b) {
          return compare(emitc::CmpPredicate::lt, a, b);
        };
        auto copy = [&](Value place, Value source, Value exists, Value column,
                        Value inside) {
          if (buffer.getColumns() < tile.getColumns())
            exists = both(exists,
                          isLess(column, literal(buffer.getColumns(), i32())));
          ifThen(inside, [&] {
            call("copy", primitive, {place, source, exists});
          });
        };
        int64_t steps = llvm::divideCeil(chunks, threads);

        if (threads % chunksPerRow) {
          unrolled(steps, 1, "i", [&](Value i) {
            Value chunk =
                name(this->add(thread(), multiply(i, literal(threads, i32()))),
                     "chunk");
            auto [row, column] = split(chunk);
            name(row, "row");
            name(column, "column");
            Value source = rows.pointer;
            if (!uniform)
              source = this->add(
                  this->add(source, multiply(row, rows.rowStride)), column);
            copy(placeOf(row, column), source, isLess(row, rows.left), column,
                 chunks % threads ? isLess(chunk, literal(chunks, i32()))
                                  : always);
          });
          return success();
        }

        // Threads divide into whole rows: a thread keeps its column, and its
        // rows are a constant step apart. Only the source walks; the target's
        // steps become offsets of its one address, and rows are counted from
        // the thread's first.
        int64_t rowStep = threads / chunksPerRow;
        std::string suffix = "_" + std::to_string(tile.getColumns());
        Value index = thread();
        Value firstRow =
            atHead("chunk_row" + suffix, [&] { return split(index).first; });
        Value column = atHead("chunk_column" + suffix,
                              [&] { return split(index).second; });
        Value place = anchored(placeOf(firstRow, column), "place");
        Value left = name(subtract(rows.left, firstRow), "left");
        Type pointer = rows.pointer.getType();
        Value source, sourceStep;
        if (!uniform) {
          Value stride = isInLoop() && !rows.rowStride.getDefiningOp()
                             ? name(anchored(rows.rowStride), "stride")
                             : rows.rowStride;
          source = declareVariable(pointer, "source");
          emitc::AssignOp::create(
              builder, loc, source,
              this->add(this->add(rows.pointer, multiply(firstRow, stride)),
                        column));
          sourceStep =
              name(multiply(stride, literal(rowStep, i64())), "source_step");
        }
        auto here = [&]() -> Value {
          return uniform ? rows.pointer
                         : emitc::LoadOp::create(builder, loc, pointer, source)
                               .getResult();
        };
        unrolled(steps, 1, "i", [&](Value i) {
          Value row = multiply(i, literal(rowStep, i32()));
          Value inside =
              chunks % threads
                  ? isLess(this->add(thread(),
                                     multiply(i, literal(threads, i32()))),
                           literal(chunks, i32()))
                  : always;
          copy(
              this->add(place, multiply(i, literal(rowStep * rowBytes, u32()))),
              here(), isLess(row, left), column, inside);
          if (!uniform)
            emitc::AssignOp::create(builder, loc, source,
                                    this->add(here(), sourceStep));
        });
        return success();
      });
}

} // namespace weft
