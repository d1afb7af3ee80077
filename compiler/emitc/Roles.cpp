//===- Roles.cpp - One warpgroup copies, the others compute ---------------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

using plan::RowSpace;

/// A ring between roles: its tiles, each a multiple of 1024 bytes from one,
/// and its barriers, which `writeRoles` finds room for.
LogicalResult KernelWriter::writeRoleRing(warp::RingOp op) {
  auto type = ::cast<warp::RingType>(op.getResult().getType());
  if (type.getTile().getBytes() % 1024)
    return op.emitError() << "has tiles of " << type.getTile().getBytes()
                          << " bytes; swizzled tiles are a multiple of 1024: "
                             "take a multiple of 8 rows";
  Value memory = atHead(
      "shared", [&] { return pure("warpgroup", "shared_tiles", u32(), {}); });
  RoleRing ring;
  for (Operation *user : op->getUsers())
    if (auto send = dyn_cast<warp::SendOp>(user))
      ring.name = nameOf(send.getBuffer());
  scalars[op.getResult()] =
      name(this->add(memory, literal(roleBytes, u32())), ring.name + "_ring");
  roleBytes += type.getStages() * type.getTile().getBytes();
  roleRings.insert({op.getResult(), ring});
  return success();
}

LogicalResult KernelWriter::writeRoles(warp::RolesOp op) {
  Value memory = atHead(
      "shared", [&] { return pure("warpgroup", "shared_tiles", u32(), {}); });
  comment("barriers: a slot of a ring is full, or empty");
  int64_t barriers = roleBytes;
  for (auto &[value, ring] : roleRings) {
    ring.barriers = name(this->add(memory, literal(barriers, u32())),
                         ring.name + "_barriers");
    barriers += 16 * ::cast<warp::RingType>(value.getType()).getStages();
  }
  // The rings begin at a multiple of 1024, wherever the memory does.
  sharedBytes = barriers + 1024;
  Value isFirst = compare(emitc::CmpPredicate::eq, thread(), literal(0, i32()));
  ifThen(isFirst, [&] {
    for (auto &[value, ring] : roleRings)
      call("rings", "ring_init", {ring.barriers, literal(warps / 4, i32())},
           ::cast<warp::RingType>(value.getType()).getStages());
    call("rings", "ring_init_done", {});
  });
  call("thread", "cta_barrier", {});

  Value group = name(pure("thread", "warp_uniform", i32(),
                          divide(thread(), literal(128, i32()))),
                     "group");
  auto branch = emitc::IfOp::create(
      builder, loc, compare(emitc::CmpPredicate::eq, group, literal(0, i32())),
      /*addThenBlock=*/true, /*addElseBlock=*/true);
  Head before = head;
  auto write = [&](Region &written, Region &source, Role as) -> LogicalResult {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&written.front());
    role = as;
    bool copies = as == Role::producer;
    comment(copies ? "the producer: one thread copies tiles ahead"
                   : "the consumers");
    call("warpgroup", copies ? "release_registers" : "take_registers", {},
         {static_cast<int64_t>(copies ? op.getProducerRegisters()
                                      : op.getConsumerRegisters())});
    beginHead();
    for (auto &[value, ring] : roleRings) {
      ring.next = declareCursor(ring.name + "_next");
      if (!copies)
        ring.held = declareCursor(ring.name + "_held");
    }
    LogicalResult result = success();
    if (copies) {
      Value isFirst =
          compare(emitc::CmpPredicate::eq, thread(), literal(0, i32()));
      ifThen(isFirst, [&] {
        beginHead();
        result = writeBlock(source.front(), /*hasTerminator=*/false);
      });
    } else {
      result = writeBlock(source.front(), /*hasTerminator=*/false);
    }
    emitc::YieldOp::create(builder, loc);
    role = Role::all;
    return result;
  };
  if (failed(write(branch.getThenRegion(), op.getProducer(), Role::producer)) ||
      failed(write(branch.getElseRegion(), op.getConsumer(), Role::consumer)))
    return failure();
  head = before;
  return success();
}

KernelWriter::Value KernelWriter::declareCursor(const Twine &called) {
  headers.insert("rings");
  auto cursor = emitc::VariableOp::create(
      builder, loc, emitc::LValueType::get(opaque("ring_cursor")),
      emitc::OpaqueAttr::get(builder.getContext(), "{0, 0}"));
  cursor->setAttr(plan::kNameAttr, builder.getStringAttr(called));
  return cursor;
}

KernelWriter::Value KernelWriter::addressOfVariable(Value variable) {
  Type type = ::cast<emitc::LValueType>(variable.getType()).getValueType();
  return emitc::AddressOfOp::create(builder, loc, emitc::PointerType::get(type),
                                    variable);
}

/// A loop over the points of this CTA; both roles walk the same.
LogicalResult KernelWriter::writePoints(warp::PointsOp op) {
  Block &body = op.getBody().front();
  comment("the points of the grid that this CTA takes, one after the other");
  Value cta = name(pure("thread", "cta_index", u32(), {}), "cta");
  Value ctas = name(pure("thread", "cta_count", u32(), {}), "ctas");
  bool balanced = op.getBalanced();
  Slots slots;
  Value heads, points, pair, units;
  auto here = [&](StringRef callee) -> Value {
    return emitc::CallOpaqueOp::create(builder, loc, TypeRange(u32()), callee,
                                       ValueRange())
        .getResult(0);
  };
  auto count = [&](bool anew) {
    if (anew) {
      cta = name(here("cta_index_here"), "cta");
      ctas = name(here("cta_count_here"), "ctas");
    }
    slots = writeSlots(anew);
    Value given = this->heads(kernel.getGrid().getHeads());
    heads = name(this->cast(anew ? anchored(given) : given, u32()), "heads");
    points = name(multiply(slots.slots, heads), "points");
    if (!balanced)
      return;
    pair = name(emitc::ConditionalOp::create(
                    builder, loc, u32(),
                    compare(emitc::CmpPredicate::gt, points, ctas),
                    literal(2, u32()), literal(1, u32())),
                "pair");
    units = name(
        divide(subtract(this->add(slots.slots, pair), literal(1, u32())), pair),
        "units");
  };
  count(/*anew=*/false);
  Value first = cta, end = points, step = ctas;
  if (balanced) {
    first = literal(0, u32());
    end = name(pure("rows", "unit_steps", u32(),
                    {multiply(units, heads), pair, cta, ctas}),
               "steps");
    step = literal(1, u32());
  }
  auto loop = emitc::ForOp::create(builder, loc, first, end, step,
                                   [](OpBuilder &, Location, Value) {});
  loop->setAttr(plan::kNameAttr,
                builder.getStringAttr(balanced ? "step" : "point"));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  beginHead();
  Value point = loop.getInductionVar(), head, slot, isSlot;
  if (balanced) {
    comment("a long tile and a short one in turn, if there are enough of them");
    count(/*anew=*/true);
  }
  if (balanced) {
    Value together = name(headsTogether(heads), "together");
    Value unit =
        name(this->add(multiply(divide(point, pair), ctas), cta), "unit");
    head = pure("rows", "unit_head", u32(), {unit, units, heads, together});
    Value number =
        pure("rows", "unit_number", u32(), {unit, units, heads, together});
    slot =
        name(this->add(multiply(number, pair), remainder(point, pair)), "slot");
    isSlot = compare(emitc::CmpPredicate::lt, slot, slots.slots);
  } else {
    head = divide(point, slots.slots);
    slot = remainder(point, slots.slots);
    isSlot = literal("true", i1());
  }
  LogicalResult result = success();
  ifThen(isSlot, [&] {
    scalars[body.getArgument(2)] = name(this->cast(head, i64()), "head");
    Value exists = writeSlot(slot, slots, body.getArgument(0),
                             body.getArgument(1), balanced);
    ifThen(exists, [&] {
      beginHead();
      result = writeBlock(body, /*hasTerminator=*/false);
    });
  });
  emitc::YieldOp::create(builder, loc);
  return result;
}

LogicalResult KernelWriter::writeSend(warp::SendOp op) {
  auto type = ::cast<warp::RingType>(op.getRing().getType());
  auto buffer = ::cast<tile::BufferType>(op.getBuffer().getType());
  warp::SharedType tile = type.getTile();
  if (buffer.getLayout() != tile::BufferLayout::strided || tile.getRows() > 256)
    return op.emitError() << "copies up to 256 rows of a tensor of the call, "
                             "not "
                          << buffer << " to " << tile;
  RoleRing &ring = roleRings.find(op.getRing())->second;
  const RowRange &range = ranges.at(op.getRows());
  bool packedRows = sideOf(range.space).getLayout() == attn::RowLayout::thd;
  Value sequence = packedRows ? literal(0, i32())
                              : this->cast(scalar(range.sequence), i32());
  comment("copy rows of " + ring.name);
  call("rings", "ring_send",
       {scalar(op.getRing()), ring.barriers, addressOfVariable(ring.next),
        tensorMapArgument(op.getBuffer(), tile.getRows()),
        this->cast(range.row, i32()), this->cast(scalar(op.getHead()), i32()),
        sequence},
       {type.getStages(), tile.getRows(), tile.getBlocks()});
  return success();
}

KernelWriter::Value KernelWriter::tensorMapArgument(Value buffer,
                                                    int64_t rows) {
  auto type = ::cast<tile::BufferType>(buffer.getType());
  std::string called = nameOf(buffer) + "_map";
  Value map = argument(opaque("const __grid_constant__ tensor_map"),
                       "tensor_map", operandOf(buffer), "", called);
  Argument &made = arguments.at(called);
  NamedAttrList facts(
      made.attributes.getAs<DictionaryAttr>(kArgAttr).getValue());
  for (auto [key, value] : {std::pair<StringRef, int64_t>("box_rows", rows),
                            {"columns", type.getColumns()}})
    facts.set(key, builder.getI64IntegerAttr(value));
  NamedAttrList all(made.attributes.getValue());
  all.set(kArgAttr, facts.getDictionary(builder.getContext()));
  made.attributes = all.getDictionary(builder.getContext());
  return map;
}

LogicalResult KernelWriter::writeReceive(warp::ReceiveOp op) {
  auto type = ::cast<warp::RingType>(op.getRing().getType());
  RoleRing &ring = roleRings.find(op.getRing())->second;
  headers.insert("rings");
  auto received = emitc::CallOpaqueOp::create(
      builder, loc, TypeRange(u32()), "ring_receive",
      ValueRange{scalar(op.getRing()), ring.barriers,
                 addressOfVariable(ring.next)},
      ArrayAttr(),
      builder.getI64ArrayAttr({type.getStages(), type.getTile().getBytes()}));
  scalars[op.getResult()] = name(received.getResult(0), ring.name + "_tile");
  return success();
}

LogicalResult KernelWriter::writeConsumed(warp::ConsumedOp op) {
  RoleRing &ring = roleRings.find(op.getRing())->second;
  call("rings", "ring_give_back",
       {ring.barriers, addressOfVariable(ring.held), thread()},
       ::cast<warp::RingType>(op.getRing().getType()).getStages());
  return success();
}

LogicalResult KernelWriter::writeClearRows(warp::ClearRowsOp op) {
  auto tile = ::cast<warp::SharedType>(op.getTile().getType());
  comment("rows past the sequence's end count as zeros");
  call("rings", "clear_rows",
       {scalar(op.getTile()), scalar(op.getFirst()), thread()},
       {tile.getRows(), tile.getBlocks(), 32 * warps});
  return success();
}

} // namespace weft
