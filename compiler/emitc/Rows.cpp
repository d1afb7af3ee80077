//===- Rows.cpp - The grid's points, and where rows lie in memory ---------===//

#include "compiler/emitc/KernelWriter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace weft {

using plan::RowSpace;

static StringRef suffixOf(RowSpace space) {
  return space == RowSpace::q ? "_q" : "_kv";
}

/// The row layout of one side: a fact of the kernel or of its module.
attn::SideAttr KernelWriter::sideOf(RowSpace space) const {
  std::string key = "weft." + plan::stringifyRowSpace(space).str();
  for (Operation *op = kernel; op; op = op->getParentOp())
    if (auto side = op->getAttrOfType<attn::SideAttr>(key))
      return side;
  return {};
}

static bool isPacked(attn::SideAttr side) {
  return side.getLayout() == attn::RowLayout::thd;
}

/// thd: offsets of the sequences' first rows.
KernelWriter::Value KernelWriter::startsOf(RowSpace space) {
  std::string name = "cu_seqlens" + suffixOf(space).str();
  return offsetsArgument(sideOf(space).getPadded() ? name + "_padded" : name);
}
/// thd: prefix sums of the used lengths.
KernelWriter::Value KernelWriter::usedOf(RowSpace space) {
  return offsetsArgument("cu_seqlens" + suffixOf(space).str());
}
KernelWriter::Value KernelWriter::rowsHeld(RowSpace space) {
  return sizeArgument("rows" + suffixOf(space).str());
}
KernelWriter::Value KernelWriter::heads(plan::HeadSpace space) {
  return sizeArgument(plan::stringifyHeadSpace(space));
}

KernelWriter::Value KernelWriter::lengthOf(RowSpace space, Value sequence) {
  attn::SideAttr side = sideOf(space);
  std::string suffix = suffixOf(space).str();
  std::string key = "length" + suffix +
                    std::to_string(reinterpret_cast<uintptr_t>(
                        sequence.getAsOpaquePointer()));
  return once(key, sequence, [&]() -> Value {
    Value index = scalar(sequence);
    if (isPacked(side))
      return name(
          pure("rows", "packed_length", i64(),
               {startsOf(space), usedOf(space), rowsHeld(space), index}),
          "length" + suffix);
    Value seqlen = sizeArgument("seqlen" + suffix);
    if (!side.getPadded())
      return seqlen;
    return name(pure("rows", "padded_length", i64(),
                     {offsetsArgument("seqlens" + suffix), seqlen, index}),
                "length" + suffix);
  });
}

LogicalResult KernelWriter::checkSides() {
  for (RowSpace space : {RowSpace::q, RowSpace::kv})
    if (!sideOf(space))
      return kernel.emitError()
             << "has no weft." << plan::stringifyRowSpace(space)
             << " that says how the rows of that side lie; give it, as in "
                "attributes {weft."
             << plan::stringifyRowSpace(space) << " = #attn.side<batch>}";
  return success();
}

/// The side that the points of a grid own rows of.
static RowSpace spaceOf(tile::GridAttr grid) {
  return grid.getKind() == tile::GridKind::kv ? RowSpace::kv : RowSpace::q;
}
static bool isHeld(tile::GridAttr grid) {
  return grid.getKind() == tile::GridKind::held;
}

KernelWriter::Slots KernelWriter::writeSlots(bool anew) {
  tile::GridAttr grid = kernel.getGrid();
  RowSpace space = spaceOf(grid);
  Value rows = literal(grid.getRows(), i64());
  auto ceilDiv = [&](Value a, Value b) {
    return pure("arithmetic", "ceil_div", i64(), {a, b});
  };
  auto size = [&](Value argument) {
    return anew ? anchored(argument) : argument;
  };
  Slots made;
  if (isHeld(grid)) {
    made.slots = ceilDiv(
        pure("arithmetic", "greater", i64(),
             {size(rowsHeld(RowSpace::q)), size(rowsHeld(RowSpace::kv))}),
        rows);
  } else if (isPacked(sideOf(space))) {
    made.slots = this->add(ceilDiv(size(rowsHeld(space)), rows),
                           size(sizeArgument("batch")));
  } else {
    Value seqlen = size(sizeArgument("seqlen" + suffixOf(space).str()));
    made.tiles = name(this->cast(ceilDiv(seqlen, rows), u32()), "tiles");
    made.slots =
        multiply(this->cast(size(sizeArgument("batch")), u32()), made.tiles);
  }
  made.slots = name(this->cast(made.slots, u32()), "slots");
  return made;
}

KernelWriter::Value KernelWriter::writeSlot(Value slot, const Slots &slots,
                                            Value sequenceOf, Value tileOf,
                                            bool paired, bool byWarp) {
  tile::GridAttr grid = kernel.getGrid();
  RowSpace space = spaceOf(grid);
  attn::SideAttr side = sideOf(space);
  // There are less than 2^31 CTAs, and so slots, tiles and heads.
  auto wide = [&](Value value, StringRef called) {
    return name(this->cast(value, i64()), called);
  };
  // From the last slot down: the last tiles of sequences come first.
  if (kernel.getDescending() && !paired)
    slot = subtract(subtract(slots.slots, literal(1, u32())), slot);
  name(slot, "slot");

  Value sequence, tile, exists, before;
  if (isHeld(grid)) {
    sequence = literal(0, i64());
    tile = wide(slot, "tile");
    exists = literal("true", i1());
  } else if (isPacked(side)) {
    Value starts = startsOf(space), total = rowsHeld(space);
    Value step = literal(grid.getRows(), i32());
    SmallVector<Value> asked{starts, total, sizeArgument("batch"), step, slot};
    if (byWarp)
      asked.push_back(lane());
    sequence =
        name(byWarp ? pure("search", "sequence_of_slot_by_warp", i64(), asked)
                    : pure("rows", "sequence_of_slot", i64(), asked),
             "sequence");
    before = pure("rows", "first_slot", i64(), {starts, total, step, sequence});
    tile = name(subtract(slot, before), paired ? "place" : "tile");
  } else {
    sequence = wide(divide(slot, slots.tiles), "sequence");
    tile = wide(remainder(slot, slots.tiles), paired ? "place" : "tile");
    before = subtract(slot, remainder(slot, slots.tiles));
    if (!side.getPadded())
      exists = literal("true", i1());
  }
  scalars[sequenceOf] = sequence;
  if (paired && before) {
    Value tiles = exists ? this->cast(slots.tiles, i64())
                         : pure("arithmetic", "ceil_div", i64(),
                                {lengthOf(space, sequenceOf),
                                 literal(grid.getRows(), i64())});
    Value odd = compare(emitc::CmpPredicate::ne,
                        remainder(before, literal(2, before.getType())),
                        literal(0, before.getType()));
    tile = name(pure("rows", "paired_tile", i64(), {tile, tiles, odd}), "tile");
  }
  scalars[tileOf] = tile;
  if (!exists)
    exists = name(compare(emitc::CmpPredicate::lt,
                          multiply(tile, literal(grid.getRows(), i64())),
                          lengthOf(space, sequenceOf)),
                  "exists");
  return exists;
}

/// How many heads are walked together, so that what their tiles read of the
/// other side stays in the L2. The lengths of packed sequences are not known
/// here: all heads of a tile, then.
KernelWriter::Value KernelWriter::headsTogether(Value heads) {
  constexpr int64_t cache = int64_t(16) << 20; // a third of an H200's
  RowSpace own = spaceOf(kernel.getGrid());
  RowSpace other = own == RowSpace::q ? RowSpace::kv : RowSpace::q;
  if (isPacked(sideOf(other)))
    return heads;
  int64_t rowBytes = 0;
  for (Type type : kernel.getFunctionType().getInputs())
    if (auto buffer = dyn_cast<tile::BufferType>(type);
        buffer && buffer.getRowSpace() == other)
      rowBytes += buffer.getColumns() *
                  buffer.getElementType().getIntOrFloatBitWidth() / 8;
  Value bytes =
      multiply(sizeArgument(other == RowSpace::q ? "seqlen_q" : "seqlen_kv"),
               literal(rowBytes, i64()));
  return pure("rows", "heads_together", u32(),
              {heads, bytes, literal(cache, i64())});
}

LogicalResult KernelWriter::writePoint(warp::PointOp op) {
  comment("the point of the grid that this CTA takes");
  writePointOf(name(pure("thread", "cta_index", u32(), {}), "cta"),
               op.getResults());
  return success();
}

void KernelWriter::writePointOf(Value cta, ValueRange results) {
  Slots slots = writeSlots();
  Value head = divide(cta, slots.slots);
  scalars[results[2]] = name(this->cast(head, i64()), "head");
  scalars[results[3]] =
      writeSlot(remainder(cta, slots.slots), slots, results[0], results[1]);
}

LogicalResult KernelWriter::writeRows(tile::RowsOp op) {
  auto type = ::cast<tile::RowsType>(op.getResult().getType());
  RowSpace space = type.getRowSpace();
  std::string suffix = suffixOf(space).str();
  RowRange range;
  range.space = space;
  range.sequence = op.getSequence();
  range.first = scalar(op.getFirst());
  range.row = range.first;
  if (isPacked(sideOf(space))) {
    std::string key = "start" + suffix +
                      std::to_string(reinterpret_cast<uintptr_t>(
                          op.getSequence().getAsOpaquePointer()));
    Value start = once(key, op.getSequence(), [&] {
      return name(
          pure("rows", "sequence_start", i64(),
               {startsOf(space), rowsHeld(space), scalar(op.getSequence())}),
          "start" + suffix);
    });
    range.row = name(this->add(start, range.first), "row" + suffix);
  }
  range.left = name(pure("rows", "rows_within", i32(),
                         {lengthOf(space, op.getSequence()), range.first,
                          literal(type.getCount(), i32())}),
                    "left" + suffix);
  ranges[op.getResult()] = range;
  return success();
}

/// Whether the buffer has no strides of its own.
static bool isWorkspace(tile::BufferType type) {
  return type.getLayout() == tile::BufferLayout::packed ||
         type.getLayout() == tile::BufferLayout::fragments;
}

/// Rows of all tiles of a rounded buffer.
KernelWriter::Value KernelWriter::rowsOfTiles(tile::BufferType type) {
  RowSpace space = type.getRowSpace();
  std::string called =
      ("rows" + suffixOf(space) + "_in_" + Twine(type.getRounded())).str();
  auto make = [&] {
    // Made here: all of it stands in front of loops.
    Value rounded = literal(type.getRounded(), i64());
    Value tiles =
        isPacked(sideOf(space))
            ? this->add(divide(rowsHeld(space), rounded), sizeArgument("batch"))
            : multiply(sizeArgument("batch"), tilesOfSequence(type));
    return name(multiply(tiles, rounded), called);
  };
  return once(called, {}, make, /*readsMemory=*/false);
}

/// Tiles that a sequence of a batch layout has in a rounded buffer.
KernelWriter::Value KernelWriter::tilesOfSequence(tile::BufferType type) {
  return pure("arithmetic", "ceil_div", i64(),
              {sizeArgument("seqlen" + suffixOf(type.getRowSpace()).str()),
               literal(type.getRounded(), i64())});
}

/// Row 0 of a sequence of packed rows in a rounded buffer.
KernelWriter::Value KernelWriter::startInTiles(tile::BufferType type,
                                               Value sequence) {
  RowSpace space = type.getRowSpace();
  std::string called =
      ("start" + suffixOf(space) + "_in_" + Twine(type.getRounded())).str();
  std::string key = called + "," +
                    std::to_string(reinterpret_cast<uintptr_t>(
                        sequence.getAsOpaquePointer()));
  return once(key, sequence, [&] {
    Value slot = pure("rows", "first_slot", i64(),
                      {startsOf(space), rowsHeld(space),
                       literal(type.getRounded(), i32()), scalar(sequence)});
    return name(multiply(slot, literal(type.getRounded(), i64())), called);
  });
}

/// Element 0 of row 0 of a sequence (batch) or of the buffer (thd), for one
/// head.
KernelWriter::Value KernelWriter::basePointer(Value buffer, Value sequence,
                                              Value head) {
  auto type = ::cast<tile::BufferType>(buffer.getType());
  Value pointer = tensorArgument(buffer);
  if (type.getLayout() == tile::BufferLayout::uniform)
    return pointer;
  bool packedRows = isPacked(sideOf(type.getRowSpace()));
  auto number = [](Value value) {
    return std::to_string(
        reinterpret_cast<uintptr_t>(value.getAsOpaquePointer()));
  };
  std::string key = "base" + std::to_string(operandOf(buffer)) + "," +
                    number(sequence) + "," + number(head);
  return once(
      key, {sequence, head},
      [&] {
        // In a loop, what does not change in it is computed there all the same.
        bool inLoop =
            isa<emitc::ForOp>(builder.getInsertionBlock()->getParentOp());
        auto index = [&](Value value) {
          return inLoop ? anchored(scalar(value)) : scalar(value);
        };
        Value offset;
        bool hasHeads = type.getHeadSpace() != plan::HeadSpace::none;
        if (isWorkspace(type)) {
          bool rounded = type.isRounded();
          if (hasHeads)
            offset =
                multiply(index(head), rounded ? rowsOfTiles(type)
                                              : rowsHeld(type.getRowSpace()));
          if (!packedRows) {
            Value rows = rounded
                             ? multiply(tilesOfSequence(type),
                                        literal(type.getRounded(), i64()))
                             : sizeArgument("seqlen" +
                                            suffixOf(type.getRowSpace()).str());
            Value before = multiply(index(sequence), rows);
            offset = offset ? this->add(offset, before) : before;
          }
          if (offset)
            offset = multiply(offset, literal(type.getColumns(), i64()));
        } else {
          if (!packedRows)
            offset = multiply(index(sequence), strideArgument(buffer, "batch"));
          if (hasHeads) {
            Value before =
                multiply(index(head), strideArgument(buffer, "head"));
            offset = offset ? this->add(offset, before) : before;
          }
        }
        return offset
                   ? name(this->add(pointer, offset), nameOf(buffer) + "_base")
                   : pointer;
      },
      /*readsMemory=*/false);
}

KernelWriter::Rows KernelWriter::rowsOf(Value buffer, Value rows, Value head) {
  auto type = ::cast<tile::BufferType>(buffer.getType());
  const RowRange &range = ranges.at(rows);
  Value base = basePointer(buffer, range.sequence, head);
  if (type.getLayout() == tile::BufferLayout::uniform)
    return {base, Value(), range.left};
  Value stride = isWorkspace(type) ? literal(type.getColumns(), i64())
                                   : strideArgument(buffer, "row");
  Value row = range.row, left = range.left;
  if (int64_t rounded = type.getRounded()) {
    // A sequence has tiles to itself, and all rows of them.
    row = range.first;
    if (isPacked(sideOf(range.space)))
      row = name(this->add(startInTiles(type, range.sequence), row),
                 "row" + suffixOf(range.space) + "_in_" + Twine(rounded));
    Value whole = literal(rounded, i64());
    Value length =
        multiply(pure("arithmetic", "ceil_div", i64(),
                      {lengthOf(range.space, range.sequence), whole}),
                 whole);
    int64_t count = ::cast<tile::RowsType>(rows.getType()).getCount();
    left = name(pure("rows", "rows_within", i32(),
                     {length, range.first, literal(count, i32())}),
                "left" + suffixOf(range.space) + "_in_" + Twine(rounded));
  }
  Value pointer =
      name(this->add(base, multiply(row, stride)), nameOf(buffer) + "_rows");
  return {pointer, stride, left};
}

} // namespace weft
