//===- Machine.cpp - A model of copies, groups and barriers ---------------===//

#include "tests/unit/warp/Machine.h"

#include "tests/unit/warp/Interpreter.h"

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

class Machine : public Interpreter {
private:
  void end() override {
    for (auto &[ring, slots] : rings)
      for (Slot &slot : slots)
        if (slot.filled && !slot.arrived)
          fail("a copy is under way at the end");
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

  void step(Operation *op) override {
    TypeSwitch<Operation *>(op)
        .Case([&](warp::PointOp point) {
          set(point.getSequence(), 0);
          set(point.getTile(), 2);
          set(point.getHead(), 1);
          known[point.getExists()] =
              Builder(op->getContext()).getBoolAttr(true);
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
        .Default([&](Operation *op) { Interpreter::step(op); });
  }

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
