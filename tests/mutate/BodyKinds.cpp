//===- BodyKinds.cpp - Mutations of what kernels do -----------------------===//

#include "tests/mutate/Kinds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weft;
using namespace weft::mutate;
using weft::plan::LaunchOp;
using weft::plan::RowSpace;

namespace {
/// A store, add or fill of a body.
struct Write {
  tile::FuncOp body;
  Operation *op;

  /// What gives the point: its sequence, tile and head.
  Operation *point() {
    return &*llvm::find_if(body.getBody().front(), [](Operation &op) {
      return isa<tile::PointOp, tile::TicketOp>(op);
    });
  }
  Value buffer() {
    return isa<tile::FillOp>(op) ? op->getOperand(0) : op->getOperand(1);
  }
  std::string describe() {
    auto argument = cast<BlockArgument>(buffer());
    auto name = body.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  plan::kNameAttr);
    return ("@" + body.getSymName() + ", " + op->getName().stripDialect() +
            " to '" + (name ? name.getValue() : "?") + "'")
        .str();
  }
};
} // namespace

/// Calls `edit(write)` for every write of every body until it returns true. An
/// add that is left out makes a wrong sum and breaks no contract (bodies skip
/// adds of nothing); that is found by the numerics tests.
template <typename... OpTs, typename Edit>
static void forWrites(EditablePlan &plan, Edit edit) {
  for (LaunchOp launch : plan.all<LaunchOp>()) {
    tile::FuncOp body = plan.bodyOf(launch);
    SmallVector<Operation *> writes;
    body.walk([&](Operation *op) {
      if (isa<OpTs...>(op))
        writes.push_back(op);
    });
    for (Operation *write : writes)
      if (edit(Write{body, write}))
        return;
  }
}

static Value constant(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantOp::create(builder, loc,
                                   builder.getI64IntegerAttr(value));
}

/// Writes only where a < b, or a <= b.
static void guard(Operation *write, arith::CmpIPredicate predicate, Value a,
                  Value b) {
  OpBuilder builder(write);
  Location loc = write->getLoc();
  Value holds = arith::CmpIOp::create(builder, loc, predicate, a, b);
  auto branch = scf::IfOp::create(builder, loc, holds, /*withElse=*/false);
  write->moveBefore(branch.thenBlock()->getTerminator());
}

static void dropBodyStore(EditablePlan &plan, Sites &sites) {
  forWrites<tile::StoreOp, tile::FillOp>(plan, [&](Write write) {
    if (!sites.take(write.describe()))
      return false;
    write.op->erase();
    return true;
  });
}

/// The side whose rows the grid does not go over.
static std::optional<RowSpace> otherSide(tile::FuncOp body) {
  switch (body.getGrid().getKind()) {
  case tile::GridKind::q:
    return RowSpace::kv;
  case tile::GridKind::kv:
    return RowSpace::q;
  case tile::GridKind::held:
    return std::nullopt;
  }
  return std::nullopt;
}

static void endEarly(EditablePlan &plan, Sites &sites) {
  forWrites<tile::StoreOp, tile::FillOp>(plan, [&](Write write) {
    std::optional<RowSpace> side = otherSide(write.body);
    if (!side || !sites.take(write.describe()))
      return false;
    OpBuilder builder(write.op);
    Location loc = write.op->getLoc();
    Value length = tile::LengthOp::create(builder, loc, builder.getI64Type(),
                                          *side, write.point()->getResult(0));
    guard(write.op, arith::CmpIPredicate::slt, constant(builder, loc, 0),
          length);
    return true;
  });
}

/// The `tile.rows` that a store or an add writes; null for a fill.
static tile::RowsOp rowsOf(Write write) {
  if (isa<tile::FillOp>(write.op))
    return {};
  return write.op->getOperand(2).getDefiningOp<tile::RowsOp>();
}

static void wholeTilesOnly(EditablePlan &plan, Sites &sites) {
  forWrites<tile::StoreOp, tile::FillOp>(plan, [&](Write write) {
    tile::RowsOp rows = rowsOf(write);
    if (!rows || !sites.take(write.describe()))
      return false;
    OpBuilder builder(write.op);
    Location loc = write.op->getLoc();
    tile::RowsType type = rows.getResult().getType();
    Value length =
        tile::LengthOp::create(builder, loc, builder.getI64Type(),
                               type.getRowSpace(), rows.getSequence());
    Value end = arith::AddIOp::create(builder, loc, rows.getFirst(),
                                      constant(builder, loc, type.getCount()));
    guard(write.op, arith::CmpIPredicate::sle, end, length);
    return true;
  });
}

static void shiftRows(EditablePlan &plan, Sites &sites) {
  forWrites<tile::StoreOp, tile::FillOp>(plan, [&](Write write) {
    tile::RowsOp rows = rowsOf(write);
    if (!rows || !sites.take(write.describe()))
      return false;
    OpBuilder builder(write.op);
    Location loc = write.op->getLoc();
    Value first = arith::AddIOp::create(builder, loc, rows.getFirst(),
                                        constant(builder, loc, 1));
    Value moved = tile::RowsOp::create(builder, loc, rows.getResult().getType(),
                                       rows.getSequence(), first);
    write.op->setOperand(2, moved);
    return true;
  });
}

static void dropClip(EditablePlan &plan, Sites &sites) {
  forWrites<tile::StoreOp, tile::AddOp>(plan, [&](Write write) {
    if (!sites.take(write.describe()))
      return false;
    if (auto store = dyn_cast<tile::StoreOp>(write.op))
      store.setUnclipped(true);
    else
      cast<tile::AddOp>(write.op).setUnclipped(true);
    return true;
  });
}

static void firstHeadOnly(EditablePlan &plan, Sites &sites) {
  forWrites<tile::StoreOp, tile::FillOp>(plan, [&](Write write) {
    if (cast<tile::BufferType>(write.buffer().getType()).getHeadSpace() ==
            plan::HeadSpace::none ||
        !sites.take(write.describe()))
      return false;
    OpBuilder builder(write.op);
    Location loc = write.op->getLoc();
    guard(write.op, arith::CmpIPredicate::slt, write.point()->getResult(2),
          constant(builder, loc, 1));
    return true;
  });
}

/// Calls `edit(add)` for the ordered add of a body that is taken.
template <typename Edit>
static void forTurns(EditablePlan &plan, Edit edit, Sites &sites) {
  forWrites<tile::OrderedAddOp>(plan, [&](Write write) {
    if (!sites.take(write.describe()))
      return false;
    edit(cast<tile::OrderedAddOp>(write.op));
    return true;
  });
}

/// An op of another kind with the same operands in its place.
template <typename Op> static void replaceWrite(Write write) {
  OpBuilder builder(write.op);
  Op::create(builder, write.op->getLoc(), TypeRange(), write.op->getOperands(),
             write.op->getAttrs());
  write.op->erase();
}

static void addForStore(EditablePlan &plan, Sites &sites) {
  forWrites<tile::StoreOp, tile::FillOp>(plan, [&](Write write) {
    if (!isa<tile::StoreOp>(write.op) ||
        !cast<tile::BufferType>(write.buffer().getType())
             .getElementType()
             .isF32() ||
        !sites.take(write.describe()))
      return false;
    replaceWrite<tile::AddOp>(write);
    return true;
  });
}

static void storeForAdd(EditablePlan &plan, Sites &sites) {
  forWrites<tile::AddOp>(plan, [&](Write write) {
    if (!sites.take(write.describe()))
      return false;
    replaceWrite<tile::StoreOp>(write);
    return true;
  });
}

/// Contract and body alike: each contributor of an element stores.
static void accToOut(EditablePlan &plan, Sites &sites) {
  for (LaunchOp launch : plan.all<LaunchOp>())
    for (auto [index, operand] : llvm::enumerate(plan.operandsOf(launch)))
      if (operand.contract.getAccess() == plan::Access::acc &&
          sites.take(EditablePlan::describe(launch) + ", '" +
                     operand.contract.getName() + "'"))
        return plan.setContract(
            launch, index, withAccess(operand.contract, plan::Access::out));
}

static void bodyFillValue(EditablePlan &plan, Sites &sites) {
  forWrites<tile::StoreOp, tile::FillOp>(plan, [&](Write write) {
    auto fill = dyn_cast<tile::FillOp>(write.op);
    if (!fill || !sites.take(write.describe()))
      return false;
    fill.setValueAttr(FloatAttr::get(Float64Type::get(fill.getContext()), 1.0));
    return true;
  });
}

/// The turns of a tile in the opposite order, so that low numbers wait.
static void waitForLaterTicket(EditablePlan &plan, Sites &sites) {
  forTurns(
      plan,
      [&](tile::OrderedAddOp add) {
        OpBuilder builder(add);
        Location loc = add.getLoc();
        Value last = arith::SubIOp::create(builder, loc, add.getCount(),
                                           constant(builder, loc, 1));
        add.getTurnMutable().assign(
            arith::SubIOp::create(builder, loc, last, add.getTurn()));
      },
      sites);
}

/// Points begin in any order, and wait all the same.
static void dropTicket(EditablePlan &plan, Sites &sites) {
  for (LaunchOp launch : plan.all<LaunchOp>())
    for (auto ticket : llvm::make_early_inc_range(
             plan.bodyOf(launch).getBody().front().getOps<tile::TicketOp>())) {
      if (!sites.take(EditablePlan::describe(launch)))
        continue;
      OpBuilder builder(ticket);
      auto point = tile::PointOp::create(builder, ticket.getLoc(),
                                         ticket->getResultTypes());
      ticket->replaceAllUsesWith(point->getResults());
      // Its counter stays one of the contract's.
      return ticket.erase();
    }
}

static void skipTurn(EditablePlan &plan, Sites &sites) {
  forTurns(
      plan,
      [&](tile::OrderedAddOp add) {
        OpBuilder builder(add);
        guard(add, arith::CmpIPredicate::slt,
              constant(builder, add.getLoc(), 0), add.getTurn());
      },
      sites);
}

static void takeTurnTwice(EditablePlan &plan, Sites &sites) {
  forTurns(
      plan, [&](tile::OrderedAddOp add) { OpBuilder(add).clone(*add); }, sites);
}

ArrayRef<Kind> weft::mutate::bodyKinds() {
  static const Kind kinds[] = {
      {"drop-body-store", Level::Body,
       "a body does not write what its contract says", dropBodyStore},
      {"end-early", Level::Body,
       "points whose sequence is empty on the other side write nothing",
       endEarly},
      {"whole-tiles-only", Level::Body,
       "a sequence's last, partly filled tile is not written", wholeTilesOnly},
      {"shift-rows", Level::Body, "rows are written one row further",
       shiftRows},
      {"first-head-only", Level::Body, "only head 0 is written", firstHeadOnly},
      {"add-for-store", Level::Body, "a body adds where its contract stores",
       addForStore},
      {"store-for-add", Level::Body, "a body stores where its contract adds",
       storeForAdd},
      {"acc-to-out", Level::Body,
       "contract and body store where they added: several contributors of an "
       "element",
       accToOut},
      {"body-fill-value", Level::Body,
       "a body fills with another value than its contract says", bodyFillValue},
      {"wait-for-later-ticket", Level::Body, "a CTA waits for a higher ticket",
       waitForLaterTicket},
      {"drop-ticket", Level::Body, "CTAs wait that took no ticket", dropTicket},
      {"skip-turn", Level::Body, "the first turn at a counter is left out",
       skipTurn},
      {"take-turn-twice", Level::Body, "a point takes its turn twice",
       takeTurnTwice},
      {"drop-clip", Level::Body, "a store runs past the sequence's end",
       dropClip},
  };
  return kinds;
}

SmallVector<Kind> weft::mutate::allKinds() {
  SmallVector<Kind> kinds(planKinds());
  llvm::append_range(kinds, bodyKinds());
  return kinds;
}
