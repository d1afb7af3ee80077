//===- RoleMachine.cpp - A model of roles, rings and products -------------===//

#include "tests/unit/warp/RoleMachine.h"

#include "tests/unit/warp/Interpreter.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/TypeSwitch.h"

#include <deque>
#include <random>
#include <set>

using namespace mlir;

namespace weft::test {
namespace {

/// What a role does to a ring, in order.
struct Event {
  enum Kind { Send, Receive, Consumed } kind;
  const void *ring;
};

class RoleMachine : public Interpreter {
public:
  explicit RoleMachine(unsigned seed) : random(seed) {}

private:
  struct Tile {
    std::string content;
    int64_t lastReader = -1; ///< the youngest group that reads it
    bool back = false;
  };
  using TileRef = std::shared_ptr<Tile>;

  void end() override {
    for (const auto &[ring, tiles] : sent)
      if (!tiles.empty())
        fail("a tile was sent that nobody received");
    for (const auto &[ring, tiles] : held)
      if (!tiles.empty())
        fail("a tile was never given back");
    meet();
    if (wrongAge)
      fail("a tile that is given back has another age");
  }

  /// Lets both roles go on as far as the rings' slots let them.
  void meet() {
    std::map<const void *, int64_t> filled, free;
    for (auto [ring, stages] : slots)
      free[ring] = stages;
    size_t producer = 0, consumer = 0;
    while (producer < sends.size() || consumer < takes.size()) {
      bool moved = false;
      if (producer < sends.size() && free[sends[producer].ring] > 0) {
        --free[sends[producer].ring];
        ++filled[sends[producer++].ring];
        moved = true;
      }
      if (consumer < takes.size()) {
        Event event = takes[consumer];
        if (event.kind == Event::Consumed) {
          ++free[event.ring];
          ++consumer;
          moved = true;
        } else if (filled[event.ring] > 0) {
          --filled[event.ring];
          ++consumer;
          moved = true;
        }
      }
      if (!moved)
        return fail("both roles wait for each other");
    }
  }

  void points(warp::PointsOp op) {
    for (int64_t tile : {2, 0}) {
      int64_t point[] = {0, tile, 1};
      for (auto [argument, value] :
           llvm::zip(op.getBody().getArguments(), point))
        set(argument, value);
      block(op.getBody().front());
    }
  }

  std::string read(Value value) {
    auto found = tiles.find(value);
    if (found == tiles.end())
      return "register";
    Tile &tile = *found->second;
    if (tile.back)
      fail("a product reads " + tile.content + ", which was given back");
    tile.lastReader = groups;
    return tile.content;
  }

  void issue(warp::IssueOp op) {
    std::string a = read(op.getA());
    result.products.push_back(a + " x " + read(op.getB()));
    // Groups on one accumulator follow each other in the unit.
    set(op.getResult(), groups);
    ++groups;
  }

  void await(warp::AwaitOp op) {
    done = std::max<int64_t>(done, groups - op.getYounger());
    if (integer(op.getPending()) >= done)
      fail("an accumulator is read while a product adds to it");
  }

  void consumed(const void *ring, int64_t age) {
    takes.push_back({Event::Consumed, ring});
    std::deque<TileRef> &queue = held[ring];
    if (queue.empty())
      return fail("a tile is given back that was not received");
    if (static_cast<int64_t>(queue.size()) - 1 != age)
      wrongAge = true;
    if (queue.front()->lastReader >= done)
      fail("a product may still read " + queue.front()->content);
    queue.front()->back = true;
    queue.pop_front();
  }

  void step(Operation *op) override {
    TypeSwitch<Operation *>(op)
        .Case([&](warp::RolesOp roles) {
          block(roles.getProducer().front());
          block(roles.getConsumer().front());
        })
        .Case([&](warp::PointsOp pointsOp) { points(pointsOp); })
        .Case([&](tile::LengthOp length) { set(length.getResult(), 6); })
        .Case([&](warp::RingOp ring) {
          slots[key(ring.getResult())] = ring.getType().getStages();
        })
        .Case([&](warp::SendOp send) {
          const void *ring = key(send.getRing());
          sends.push_back({Event::Send, ring});
          auto tile = std::make_shared<Tile>();
          tile->content =
              describe(send.getBuffer(), send.getRows(), send.getHead());
          sent[ring].push_back(tile);
        })
        .Case([&](warp::ReceiveOp receive) {
          const void *ring = key(receive.getRing());
          takes.push_back({Event::Receive, ring});
          if (sent[ring].empty())
            return fail("a tile is received that nobody sent");
          tiles[receive.getResult()] = sent[ring].front();
          held[ring].push_back(sent[ring].front());
          sent[ring].pop_front();
        })
        .Case([&](warp::ConsumedOp op) {
          consumed(key(op.getRing()), op.getAge());
        })
        .Case([&](warp::IssueOp op) { issue(op); })
        .Case([&](warp::AwaitOp op) { await(op); })
        .Case([&](warp::SettledOp op) { set(op.getResult(), -1); })
        .Case([&](warp::ClearRowsOp op) {
          result.products.push_back("clear " + tiles[op.getTile()]->content);
        })
        .Case([&](warp::AnyOp op) {
          known[op.getResult()] =
              Builder(op.getContext()).getBoolAttr(random() % 2);
        })
        .Default([&](Operation *op) { Interpreter::step(op); });
  }

  static const void *key(Value value) { return value.getAsOpaquePointer(); }

  std::mt19937 random;
  DenseMap<Value, TileRef> tiles;
  std::map<const void *, std::deque<TileRef>> sent, held;
  std::map<const void *, int64_t> slots;
  std::vector<Event> sends, takes;
  bool wrongAge = false;
  int64_t groups = 0; ///< issued
  int64_t done = 0;   ///< of them, the oldest
};

} // namespace

Run runRoles(warp::FuncOp function, ArrayRef<int64_t> scalars, unsigned seed) {
  RoleMachine machine(seed);
  machine.run(function, scalars);
  return machine.result;
}

} // namespace weft::test
