//===- Roles.cpp - One warpgroup copies, the others compute ---------------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

using plan::RowSpace;

/// Whether the lanes of a warp copy the tile. What lies as it is wanted comes
/// in one piece.
static bool sendsVector(warp::SendOp op) {
  return op.getRing().getType().getTile().isVector() &&
         !liesInFragments(op.getBuffer());
}

/// A ring between roles: its tiles, each a multiple of 1024 bytes from one,
/// and its barriers, which `writeRoles` finds room for.
LogicalResult KernelWriter::writeRoleRing(warp::RingOp op) {
  auto type = ::cast<warp::RingType>(op.getResult().getType());
  warp::SharedType tile = type.getTile();
  if (!tile.isVector() && tile.getBytes() % 1024)
    return op.emitError() << "has tiles of " << tile.getBytes()
                          << " bytes; swizzled tiles are a multiple of 1024: "
                             "take a multiple of 8 rows";
  if (!tile.isVector() && roleBytes % 1024)
    return op.emitError("of tiles comes before those of vectors, whose slots "
                        "are no multiple of 1024 bytes");
  Value memory = atHead(
      "shared", [&] { return pure("warpgroup", "shared_tiles", u32(), {}); });
  RoleRing ring;
  for (Operation *user : op->getUsers()) {
    if (auto send = dyn_cast<warp::SendOp>(user)) {
      ring.name = nameOf(send.getBuffer());
      ring.inPieces = liesInFragments(send.getBuffer());
    } else if (isa<warp::DepositOp>(user))
      ring.name = "exchange";
  }
  scalars[op.getResult()] =
      name(this->add(memory, literal(roleBytes, u32())), ring.name + "_ring");
  roleBytes += type.getStages() * tile.getBytes();
  hasVectors |= tile.isVector();
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
    for (auto &[value, ring] : roleRings) {
      auto type = ::cast<warp::RingType>(value.getType());
      // A tile is copied by one thread and read by warpgroups as one, a vector
      // is copied by the lanes of a warp, or in one piece, and read by every
      // thread for itself; what the consumers hand over comes from all of them.
      bool isVector = type.getTile().isVector();
      bool byWarp = isVector && !ring.inPieces;
      bool isExchange =
          llvm::any_of(value.getUsers(), llvm::IsaPred<warp::DepositOp>);
      call("rings", "ring_init",
           {ring.barriers,
            literal(byWarp       ? 32
                    : isExchange ? warps
                                 : 1,
                    i32()),
            literal(isVector ? 32 * warps : warps / 4, i32())},
           type.getStages());
    }
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
    comment(copies ? "the producer copies ahead" : "the consumers");
    call("warpgroup", copies ? "release_registers" : "take_registers", {},
         {static_cast<int64_t>(copies ? op.getProducerRegisters()
                                      : op.getConsumerRegisters())});
    beginHead();
    LogicalResult result = success();
    if (copies) {
      result = writeProducer(source);
    } else {
      bool hasTurns =
          source.walk([](warp::TakeTurnOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
      // Forwards have no register left, not even for this.
      if (hasTurns)
        ownWarp = warpIndex();
      declareCursors(source, {});
      // The last one gives the first its first turn.
      if (hasTurns)
        ifThen(compare(emitc::CmpPredicate::ge, thread(),
                       literal(32 * warps - 128, i32())),
               [&] {
                 call("rings", "pass_turn", literal(warps / 4 - 1, i32()),
                      warps / 4);
               });
      result = writeBlock(source.front(), /*hasTerminator=*/false);
      bool addsInBulk =
          source.walk([](warp::AddStagedOp) { return WalkResult::interrupt(); })
              .wasInterrupted();
      if (addsInBulk) {
        comment("shared memory stays until it has been read");
        call("rings", "adds_done", {});
      }
    }
    emitc::YieldOp::create(builder, loc);
    ownWarp = Value();
    role = Role::all;
    return result;
  };
  if (failed(write(branch.getThenRegion(), op.getProducer(), Role::producer)) ||
      failed(write(branch.getElseRegion(), op.getConsumer(), Role::consumer)))
    return failure();
  head = before;
  return success();
}

/// One thread of the first warp copies tiles and, where there are vectors, the
/// second warp copies those: each goes as far ahead as its own rings let it,
/// and has few registers. What only the other needs is unused in its text.
/// Where warps look for points, the first one walks as a whole.
LogicalResult KernelWriter::writeProducer(Region &source) {
  bool byWarp =
      llvm::any_of(source.getOps<warp::PointsOp>(),
                   [](warp::PointsOp points) { return points.getByWarp(); });
  SmallVector<warp::SendOp> tiles, vectors;
  source.walk([&](warp::SendOp op) {
    (sendsVector(op) ? vectors : tiles).push_back(op);
  });
  LogicalResult result = success();
  Head before = head;
  auto write = [&](Value isCopying, ArrayRef<warp::SendOp> others) {
    ifThen(isCopying, [&] {
      beginHead();
      leftOut.clear();
      leftOut.insert_range(others);
      declareCursors(source, leftOut);
      result = writeBlock(source.front(), /*hasTerminator=*/false);
      leftOut.clear();
      head = before;
    });
  };
  comment(byWarp ? "one warp: tiles" : "one thread: tiles");
  isWholeWarp = byWarp;
  Value number = byWarp ? divide(thread(), literal(32, i32())) : thread();
  write(compare(emitc::CmpPredicate::eq, number, literal(0, i32())), vectors);
  isWholeWarp = false;
  if (vectors.empty() || failed(result))
    return result;
  comment("one warp: values of rows");
  write(compare(emitc::CmpPredicate::eq, divide(thread(), literal(32, i32())),
                literal(1, i32())),
        tiles);
  return result;
}

/// Rings that one role fills or empties in turn share a cursor: those whose
/// only such op is in the same block, with as many slots.
void KernelWriter::declareCursors(Region &role,
                                  const DenseSet<Operation *> &without) {
  DenseMap<Value, SmallVector<Operation *>> uses;
  role.walk([&](Operation *op) {
    if (isa<warp::SendOp, warp::ReceiveOp>(op) && !without.contains(op))
      uses[op->getOperand(0)].push_back(op);
  });
  llvm::MapVector<std::pair<Block *, int64_t>, SmallVector<RoleRing *>> groups;
  for (auto &[value, ring] : roleRings) {
    ring.held = ring.fill = Value();
    ring.moves = ring.own = nullptr;
    if (this->role == Role::consumer &&
        llvm::any_of(value.getUsers(), llvm::IsaPred<warp::DepositOp>))
      ring.fill = declareCursor(ring.name + "_fill");
    ArrayRef<Operation *> own = uses[value];
    int64_t stages = ::cast<warp::RingType>(value.getType()).getStages();
    if (own.size() == 1) {
      ring.moves = ring.own = own.front();
      groups[{own.front()->getBlock(), stages}].push_back(&ring);
    } else if (!own.empty()) {
      declareCursor(ring);
    }
  }
  for (auto &[key, group] : groups) {
    auto *last = *llvm::max_element(group, [](RoleRing *a, RoleRing *b) {
      return a->moves->isBeforeInBlock(b->moves);
    });
    if (group.size() == 1) {
      declareCursor(*last);
      continue;
    }
    Value shared = declareCursor(group.front()->name + "_next");
    for (RoleRing *ring : group) {
      ring->next = shared;
      ring->moves = last->moves;
    }
  }
}

/// Cursors of a ring alone: a consumer's oldest tile has one too.
void KernelWriter::declareCursor(RoleRing &ring) {
  ring.next = declareCursor(ring.name + "_next");
  if (role == Role::consumer)
    ring.held = declareCursor(ring.name + "_held");
}

/// Moves the cursor of `ring` on, if `op` is where it does.
void KernelWriter::advanceCursor(const RoleRing &ring, Operation *op,
                                 int64_t stages) {
  if (!ring.moves || ring.moves == op)
    call("rings", "ring_advance", addressOfVariable(ring.next), stages);
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
                             body.getArgument(1), balanced, op.getByWarp());
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
  if (leftOut.contains(op))
    return success();
  if (sendsVector(op))
    return writeSendVector(op);
  if (liesInFragments(op.getBuffer()))
    return writeSendPiece(op);
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
  call("rings", isWholeWarp ? "ring_send_by_warp" : "ring_send",
       {scalar(op.getRing()), ring.barriers, addressOfVariable(ring.next),
        tensorMapArgument(op.getBuffer(), tile.getRows()),
        this->cast(range.row, i32()), this->cast(scalar(op.getHead()), i32()),
        sequence},
       {type.getStages(), tile.getRows(), tile.getBlocks()});
  advanceCursor(ring, op, type.getStages());
  return success();
}

/// One bulk copy of values that lie as they are read.
LogicalResult KernelWriter::writeSendPiece(warp::SendOp op) {
  auto type = ::cast<warp::RingType>(op.getRing().getType());
  auto buffer = ::cast<tile::BufferType>(op.getBuffer().getType());
  if (!type.getTile().isVector() || type.getTile().getRows() % 4)
    return op.emitError() << "copies a value a row, of a multiple of 4 rows, "
                             "from a buffer in fragments, not "
                          << buffer << " to " << type.getTile();
  RoleRing &ring = roleRings.find(op.getRing())->second;
  comment("copy values of the rows of " + ring.name);
  Rows rows = rowsOf(op.getBuffer(), op.getRows(), op.getHead());
  Value copies = literal("true", i1());
  if (isWholeWarp)
    copies = compare(emitc::CmpPredicate::eq, lane(), literal(0, i32()));
  ifThen(copies, [&] {
    call("rings", "ring_send_piece",
         {scalar(op.getRing()), ring.barriers, addressOfVariable(ring.next),
          rows.pointer},
         {type.getStages(), type.getTile().getBytes()});
  });
  advanceCursor(ring, op, type.getStages());
  return success();
}

/// Shared memory of the consumers.
LogicalResult KernelWriter::writeAlloc(warp::AllocOp op) {
  warp::SharedType tile = op.getType();
  if (!kernel.getSchedule().usesWarpgroups() || roleBytes % 1024 ||
      tile.getBytes() % 1024)
    return op.emitError("is for kernels with roles, a multiple of 1024 bytes, "
                        "in front of rings of vectors");
  Value memory = atHead(
      "shared", [&] { return pure("warpgroup", "shared_tiles", u32(), {}); });
  scalars[op.getResult()] =
      name(this->add(memory, literal(roleBytes, u32())), "staging");
  roleBytes += tile.getBytes();
  return success();
}

/// The lanes of the warp copy a vector, element by element: a
/// sequence's rows begin anywhere.
LogicalResult KernelWriter::writeSendVector(warp::SendOp op) {
  auto type = ::cast<warp::RingType>(op.getRing().getType());
  auto buffer = ::cast<tile::BufferType>(op.getBuffer().getType());
  if (buffer.getLayout() == tile::BufferLayout::uniform)
    return op.emitError() << "copies vectors of rows, not " << buffer;
  RoleRing &ring = roleRings.find(op.getRing())->second;
  FailureOr<Value> pad =
      literalOf(op, FloatAttr::get(buffer.getElementType(),
                                   op.getPad().convertToDouble()));
  if (failed(pad))
    return failure();
  comment("copy values of the rows of " + ring.name);
  Rows rows = rowsOf(op.getBuffer(), op.getRows(), op.getHead());
  call("rings", "ring_send_vector",
       {scalar(op.getRing()), ring.barriers, addressOfVariable(ring.next),
        rows.pointer, this->cast(rows.rowStride, i64()), rows.left, *pad,
        lane()},
       {type.getStages(), type.getTile().getRows()});
  advanceCursor(ring, op, type.getStages());
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
  SmallVector<Value> operands{scalar(op.getRing()), ring.barriers,
                              addressOfVariable(ring.next)};
  if (op.getWhen()) {
    if (ring.moves)
      return op.emitError("receives under a condition from a ring that nothing "
                          "else receives from");
    operands.push_back(scalar(op.getWhen()));
  }
  auto received = emitc::CallOpaqueOp::create(
      builder, loc, TypeRange(u32()),
      op.getWhen() ? "ring_receive_when" : "ring_receive", operands,
      ArrayAttr(),
      builder.getI64ArrayAttr({type.getStages(), type.getTile().getBytes()}));
  scalars[op.getResult()] = name(received.getResult(0), ring.name + "_tile");
  if (!op.getWhen())
    advanceCursor(ring, op, type.getStages());
  return success();
}

int64_t KernelWriter::slotsToNewest(const RoleRing &ring, Operation *op) const {
  // A shared cursor is at the slot behind the ring's newest tile, but for the
  // stretch of its block in which that tile is there and the cursor has yet to
  // move: it is at its slot.
  if (!ring.moves)
    return 1;
  Operation *here = ring.moves->getBlock()->findAncestorOpInBlock(*op);
  bool isAtNewest = here && ring.own->isBeforeInBlock(here) &&
                    here->isBeforeInBlock(ring.moves);
  return !isAtNewest;
}

LogicalResult KernelWriter::writeHeld(warp::HeldOp op) {
  RoleRing &ring = roleRings.find(op.getRing())->second;
  auto type = ::cast<warp::RingType>(op.getRing().getType());
  int64_t bytes = type.getTile().getBytes(), back = slotsToNewest(ring, op);
  SmallVector<Value> operands{scalar(op.getRing())};
  if (op.getWhen())
    operands.push_back(ring.barriers);
  operands.push_back(addressOfVariable(ring.next));
  if (op.getWhen())
    operands.push_back(scalar(op.getWhen()));
  headers.insert("rings");
  auto held = emitc::CallOpaqueOp::create(
      builder, loc, TypeRange(u32()),
      op.getWhen() ? "ring_held_or_next" : "ring_held", operands, ArrayAttr(),
      builder.getI64ArrayAttr({type.getStages(), bytes, back}));
  scalars[op.getResult()] = name(held.getResult(0), ring.name + "_held");
  return success();
}

/// Each warp puts its rows as columns, and says that they are there.
LogicalResult KernelWriter::writeDeposit(warp::DepositOp op) {
  RoleRing &ring = roleRings.find(op.getRing())->second;
  auto type = ::cast<warp::RingType>(op.getRing().getType());
  warp::SharedType tile = type.getTile();
  if (tile.getColumns() != 16 * warps)
    return op.emitError() << "takes 16 rows from each of " << warps
                          << " warps, not " << op.getValue().getType();
  comment("hand it to all warpgroups");
  call("rings", "ring_deposit",
       {scalar(op.getRing()), ring.barriers, addressOfVariable(ring.fill),
        addressOf(arrayOf(op.getValue()), literal(0, i32())), warpIndex(),
        lane()},
       {type.getStages(), tile.getRows(), tile.getBlocks()});
  call("rings", "ring_advance", addressOfVariable(ring.fill), type.getStages());
  return success();
}

LogicalResult KernelWriter::writeConsumed(warp::ConsumedOp op) {
  RoleRing &ring = roleRings.find(op.getRing())->second;
  auto type = ::cast<warp::RingType>(op.getRing().getType());
  bool isVector = type.getTile().isVector();
  auto giveBack = [&](Value cursor, int64_t back) {
    SmallVector<Value> operands{ring.barriers, addressOfVariable(cursor)};
    if (!isVector)
      operands.push_back(thread());
    call("rings", isVector ? "ring_give_back_vector" : "ring_give_back",
         operands, {type.getStages(), back});
  };
  if (ring.held) {
    giveBack(ring.held, 0);
    call("rings", "ring_advance", addressOfVariable(ring.held),
         type.getStages());
    return success();
  }
  giveBack(ring.next, op.getAge() + slotsToNewest(ring, op));
  return success();
}

LogicalResult KernelWriter::writeTurn(Operation *op) {
  call("rings", isa<warp::TakeTurnOp>(op) ? "take_turn" : "pass_turn",
       warpgroup(), warps / 4);
  return success();
}

KernelWriter::Value KernelWriter::warpgroup() {
  return atHead("warpgroup",
                [&] { return divide(warpIndex(), literal(4, i32())); });
}

LogicalResult KernelWriter::writeRead(warp::ReadOp op) {
  auto domain = ::cast<RankedTensorType>(op.getResult().getType());
  Value target = arrayOf(op.getResult());
  comment("a value for each of the lane's columns");
  call("rings", "read_columns",
       {addressOf(target, literal(0, i32())), scalar(op.getTile()), lane()},
       domain.getDimSize(0));
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
