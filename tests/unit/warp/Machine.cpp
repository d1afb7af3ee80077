//===- Machine.cpp - A model of copies, groups and barriers ---------------===//

#include "tests/unit/warp/Machine.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weft::test {
namespace {

/// One slot of shared memory.
struct Slot {
  std::string content;
  bool filled = false;  ///< a copy into it was started
  bool arrived = false; ///< this thread waited for the copy's group
  bool visible = false; ///< and a barrier followed
  bool read = false;    ///< read since the last barrier
};

/// A tile that a product may read: a slot, or the content of a fetch.
struct Tile {
  Slot *slot = nullptr;
  std::string content;
};

class Machine {
public:
  Run result;

  void run(warp::FuncOp function, ArrayRef<int64_t> scalars) {
    Builder builder(function.getContext());
    unsigned next = 0;
    for (BlockArgument argument : function.getArguments()) {
      if (argument.getType().isInteger(64))
        known[argument] = builder.getI64IntegerAttr(scalars[next++]);
      else
        known[argument] =
            builder.getStringAttr("arg" + Twine(argument.getArgNumber()));
    }
    block(function.getBody().front());
    for (auto &[ring, slots] : rings)
      for (Slot &slot : slots)
        if (slot.filled && !slot.arrived)
          fail("a copy is under way at the end");
  }

private:
  void fail(const Twine &message) {
    if (result.error.empty())
      result.error = message.str();
  }

  int64_t integer(Value value) {
    return cast<IntegerAttr>(known.at(value)).getInt();
  }

  std::string describe(Value buffer, Value rows, Value head) {
    return (cast<StringAttr>(known.at(buffer)).getValue() + "[" +
            Twine(cast<IntegerAttr>(known.at(rows)).getInt()) + ", " +
            Twine(integer(head)) + "]")
        .str();
  }

  Slot &slotOf(Value ring, Value index) {
    int64_t at = integer(index);
    std::vector<Slot> &slots = rings.at(ring.getAsOpaquePointer());
    if (at < 0 || at >= int64_t(slots.size())) {
      fail("slot " + Twine(at) + " of " + Twine(slots.size()));
      at = 0;
    }
    return slots[at];
  }

  std::string read(Value value) {
    if (!tiles.count(value))
      return "register";
    Tile &tile = tiles[value];
    if (!tile.slot)
      return tile.content;
    if (!tile.slot->visible)
      fail("a product reads " + tile.slot->content +
           " before every thread may see it");
    tile.slot->read = true;
    return tile.slot->content;
  }

  void put(warp::PutOp op) {
    Slot &slot = slotOf(op.getRing(), op.getSlot());
    if (slot.read)
      fail("a slot is filled while another warp may still read " +
           slot.content);
    if (slot.filled && !slot.arrived)
      fail("a slot is filled while a copy into it is under way");
    slot = Slot();
    slot.filled = true;
    slot.content = describe(op.getBuffer(), op.getRows(), op.getHead());
    open.push_back(&slot);
  }

  void wait(int64_t pending) {
    while (int64_t(groups.size()) > pending) {
      for (Slot *slot : groups.front())
        slot->arrived = true;
      groups.erase(groups.begin());
    }
  }

  void barrier() {
    for (auto &[ring, slots] : rings)
      for (Slot &slot : slots) {
        slot.read = false;
        slot.visible |= slot.arrived;
      }
  }

  void assign(ValueRange targets, ArrayRef<Attribute> values) {
    for (auto [target, value] : llvm::zip(targets, values))
      known[target] = value;
  }

  SmallVector<Attribute> valuesOf(ValueRange values) {
    SmallVector<Attribute> result;
    for (Value value : values)
      result.push_back(known.lookup(value));
    return result;
  }

  void loop(scf::ForOp op) {
    SmallVector<Attribute> carried = valuesOf(op.getInitArgs());
    Builder builder(op.getContext());
    for (int64_t i = integer(op.getLowerBound());
         i < integer(op.getUpperBound()); i += integer(op.getStep())) {
      known[op.getInductionVar()] = builder.getI64IntegerAttr(i);
      assign(op.getRegionIterArgs(), carried);
      block(*op.getBody());
      carried = valuesOf(op.getBody()->getTerminator()->getOperands());
    }
    assign(op.getResults(), carried);
  }

  void branch(scf::IfOp op) {
    Region &region =
        integer(op.getCondition()) ? op.getThenRegion() : op.getElseRegion();
    if (region.empty())
      return;
    block(region.front());
    assign(op.getResults(),
           valuesOf(region.front().getTerminator()->getOperands()));
  }

  void block(Block &block) {
    for (Operation &op : block)
      step(&op);
  }

  void step(Operation *op) {
    Builder builder(op->getContext());
    TypeSwitch<Operation *>(op)
        .Case([&](scf::ForOp loopOp) { loop(loopOp); })
        .Case([&](scf::IfOp branchOp) { branch(branchOp); })
        .Case([&](warp::PointOp point) {
          known[point.getSequence()] = builder.getI64IntegerAttr(0);
          known[point.getTile()] = builder.getI64IntegerAttr(2);
          known[point.getHead()] = builder.getI64IntegerAttr(1);
          known[point.getExists()] = builder.getBoolAttr(true);
        })
        .Case([&](tile::RowsOp rows) {
          Attribute first = known.at(rows.getFirst());
          known[rows.getResult()] = first;
        })
        .Case([&](warp::RingOp ring) {
          rings[ring.getResult().getAsOpaquePointer()].resize(
              ring.getType().getStages());
        })
        .Case([&](warp::FetchOp fetch) {
          tiles[fetch.getResult()] = {
              nullptr,
              describe(fetch.getBuffer(), fetch.getRows(), fetch.getHead())};
        })
        .Case([&](warp::PutOp putOp) { put(putOp); })
        .Case([&](warp::CommitOp) {
          groups.push_back(std::move(open));
          open.clear();
        })
        .Case([&](warp::WaitOp waitOp) { wait(waitOp.getPending()); })
        .Case([&](warp::BarrierOp) { barrier(); })
        .Case([&](warp::GetOp get) {
          tiles[get.getResult()] = {&slotOf(get.getRing(), get.getSlot()), ""};
        })
        .Case([&](warp::MmaOp mma) {
          std::string a = read(mma.getA());
          result.products.push_back(a + " x " + read(mma.getB()));
        })
        .Default([&](Operation *scalar) {
          SmallVector<OpFoldResult> folded;
          if (scalar->getNumResults() != 1 ||
              failed(scalar->fold(valuesOf(scalar->getOperands()), folded)) ||
              folded.size() != 1)
            return;
          auto value = llvm::dyn_cast<Attribute>(folded[0]);
          if (!value)
            value = known.lookup(cast<Value>(folded[0]));
          known[scalar->getResult(0)] = value;
        });
  }

  DenseMap<Value, Attribute> known;
  DenseMap<Value, Tile> tiles;
  std::map<const void *, std::vector<Slot>> rings;
  std::vector<Slot *> open;
  std::vector<std::vector<Slot *>> groups;
};

} // namespace

Run run(warp::FuncOp function, ArrayRef<int64_t> scalars) {
  Machine machine;
  machine.run(function, scalars);
  return machine.result;
}

} // namespace weft::test
