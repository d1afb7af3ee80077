//===- RegisterArrays.cpp - Which register tiles share an array -----------===//

#include "compiler/emitc/RegisterArrays.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"

using namespace mlir;

namespace weft {

static bool isTile(Value value) { return tileTypeOf(value) != nullptr; }

bool isComputedInPlace(Value tile) {
  Operation *op = tile.getDefiningOp();
  return op && isa<arith::ConstantOp, tensor::SplatOp, warp::CoordinatesOp,
                   warp::ExpandOp, ub::PoisonOp>(op);
}

/// The tile whose array is read when `value` is; null if there is none.
static Value arrayRead(Value value) {
  while (auto expand = value.getDefiningOp<warp::ExpandOp>())
    value = expand.getValue();
  return isTile(value) && !isComputedInPlace(value) ? value : Value();
}

RegisterArrays::RegisterArrays(warp::FuncOp kernel) : underWay(kernel) {
  collect(kernel.getBody().front());
  for (unsigned i = 0; i < tiles.size(); ++i)
    parents.push_back(i);
  Live live;
  visitBlock(kernel.getBody().front(), live);
  // What loops carry first: a copy there costs most.
  kernel.walk([&](scf::ForOp op) { proposeMerges(op); });
  kernel.walk([&](scf::ForOp op) { pinCarried(op); });
  kernel.walk([&](Operation *op) {
    if (isa<warp::MmaOp, warp::IssueOp, warp::AwaitOp, warp::SettledOp>(op))
      proposeMerges(op);
  });
  kernel.walk([&](scf::IfOp op) { proposeMerges(op); });
  kernel.walk([&](Operation *op) {
    if (!isa<scf::ForOp, warp::MmaOp, scf::IfOp>(op))
      proposeMerges(op);
  });
  finish();
}

/// Numbers the tiles of `block` and of the blocks in it.
void RegisterArrays::collect(Block &block) {
  auto add = [&](Value value) {
    if (isTile(value) && !isComputedInPlace(value)) {
      numbers[value] = tiles.size();
      tiles.push_back(value);
    }
  };
  for (Value argument : block.getArguments())
    add(argument);
  for (Operation &op : block) {
    if (!isa<warp::MapOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          collect(inner);
    for (Value result : op.getResults())
      add(result);
  }
}

//===----------------------------------------------------------------------===//
// Which lives meet
//===----------------------------------------------------------------------===//

/// `values` come to be at once, before what is in `live`.
void RegisterArrays::define(ValueRange values, Live &live) {
  auto record = [&](unsigned a, unsigned b) {
    if (a != b)
      meet.insert({std::min(a, b), std::max(a, b)});
  };
  for (Value value : values) {
    auto it = numbers.find(value);
    if (it == numbers.end())
      continue;
    for (Value other : live)
      record(it->second, numbers.at(other));
    for (Value other : values)
      if (auto at = numbers.find(other); at != numbers.end())
        record(it->second, at->second);
  }
  for (Value value : values)
    live.erase(value);
}

void RegisterArrays::use(Value value, Live &live) const {
  if (Value read = arrayRead(value))
    live.insert(read);
}

/// Turns `live` behind `block` into what is live before it.
void RegisterArrays::visitBlock(Block &block, Live &live) {
  for (Operation &op : llvm::reverse(block))
    visitOp(&op, live);
}

void RegisterArrays::visitOp(Operation *op, Live &live) {
  define(op->getResults(), live);
  if (isa<scf::ForOp, warp::PointsOp>(op)) {
    // What the body reads from outside is needed by its next run too.
    Region &region = op->getRegion(0);
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Value read = arrayRead(operand))
          if (!region.isAncestor(read.getParentRegion()))
            live.insert(read);
    });
    Live body = live;
    // Products of this step still read them in the next one.
    for (Value held : underWay.heldAtEnd.lookup(op))
      use(held, body);
    visitBlock(region.front(), body);
    define(region.getArguments(), body);
    live.insert(body.begin(), body.end());
  } else if (isa<scf::IfOp, warp::RolesOp>(op)) {
    Live before = live;
    for (Region &region : op->getRegions()) {
      if (region.empty())
        continue;
      Live inner = live;
      visitBlock(region.front(), inner);
      before.insert(inner.begin(), inner.end());
    }
    live = std::move(before);
  }
  for (Value operand : op->getOperands())
    use(operand, live);
  for (Value done : underWay.doneAt.lookup(op))
    use(done, live);
}

//===----------------------------------------------------------------------===//
// Sharing
//===----------------------------------------------------------------------===//

unsigned RegisterArrays::classOf(unsigned tile) const {
  while (parents[tile] != tile)
    tile = parents[tile] = parents[parents[tile]];
  return tile;
}

void RegisterArrays::pinCarried(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  for (auto [argument, yielded] :
       llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
    if (auto it = numbers.find(argument); it != numbers.end()) {
      auto other = numbers.find(yielded);
      if (other == numbers.end() ||
          classOf(it->second) != classOf(other->second))
        pinned.insert(argument);
    }
}

/// Gives `a` and `b` one array if no tile of one meets a tile of the other.
void RegisterArrays::merge(Value a, Value b) {
  auto ia = numbers.find(a), ib = numbers.find(b);
  if (ia == numbers.end() || ib == numbers.end() ||
      tileTypeOf(a) != tileTypeOf(b))
    return;
  unsigned ca = classOf(ia->second), cb = classOf(ib->second);
  if (ca == cb)
    return;
  for (Value value : pinned)
    if (unsigned c = classOf(numbers.at(value)); c == ca || c == cb)
      return;
  for (unsigned i = 0; i < tiles.size(); ++i)
    for (unsigned j = 0; j < tiles.size(); ++j)
      if (classOf(i) == ca && classOf(j) == cb &&
          meet.contains({std::min(i, j), std::max(i, j)}))
        return;
  parents[std::max(ca, cb)] = std::min(ca, cb);
}

void RegisterArrays::proposeMerges(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [argument, yielded, result, init] :
         llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues(),
                   loop.getResults(), loop.getInitArgs())) {
      merge(argument, result);
      merge(argument, yielded);
      merge(argument, init);
    }
  } else if (auto mma = dyn_cast<warp::MmaOp>(op)) {
    merge(mma.getResult(), mma.getAcc());
  } else if (auto issue = dyn_cast<warp::IssueOp>(op)) {
    if (issue.getAcc())
      merge(issue.getResult(), issue.getAcc());
  } else if (isa<warp::AwaitOp, warp::SettledOp>(op)) {
    merge(op->getResult(0), op->getOperand(0));
  } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        for (auto [result, yielded] :
             llvm::zip(op->getResults(),
                       region.front().getTerminator()->getOperands()))
          merge(result, yielded);
  } else if (isa<warp::MapOp>(op) ||
             OpTrait::hasElementwiseMappableTraits(op)) {
    // Element e of a result depends on element e of an input of the same type.
    // A vector is small and reads better under a name of its own.
    for (Value result : op->getResults())
      for (Value operand : op->getOperands())
        if (cast<RankedTensorType>(result.getType()).getRank() == 2)
          merge(result, operand);
  }
}

//===----------------------------------------------------------------------===//
// Names and places
//===----------------------------------------------------------------------===//

/// A name for the array of `tile` and how telling it is (more is better).
static std::pair<std::string, int> suggestName(Value tile) {
  Operation *op = tile.getDefiningOp();
  if (!op) {
    // What a loop carries is named after what it becomes.
    auto argument = cast<BlockArgument>(tile);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return {"", 0};
    Value next = loop.getYieldedValues()[argument.getArgNumber() - 1];
    Operation *last = next.getDefiningOp();
    if (last && isa<warp::MapOp>(last))
      for (Value input : last->getOperands())
        if (input.getDefiningOp<warp::ReduceOp>())
          return {"running_" + suggestName(input).first, 2};
    return last && !isa<scf::ForOp>(last)
               ? std::pair(suggestName(next).first, 1)
               : std::pair(std::string(), 0);
  }
  if (auto name = op->getAttrOfType<StringAttr>(plan::kNameAttr))
    return {name.str(), 5};
  if (auto load = dyn_cast<warp::LoadOp>(op)) {
    auto kernel = op->getParentOfType<warp::FuncOp>();
    auto argument = dyn_cast<BlockArgument>(load.getBuffer());
    if (argument && argument.getOwner() == &kernel.getBody().front())
      if (auto name = kernel.getArgAttrOfType<StringAttr>(
              argument.getArgNumber(), plan::kNameAttr))
        return {name.str() + "_tile", 4};
  }
  if (auto reduce = dyn_cast<warp::ReduceOp>(op))
    return {reduce.getKind() == tile::ReduceKind::max ? "row_max" : "row_sum",
            3};
  if (isa<warp::PackOp>(op))
    return {"packed", 3};
  Attribute layout = tileTypeOf(tile).getEncoding();
  if (isa<warp::OperandLayoutAttr>(layout))
    return {"packed", 3};
  if (isa<warp::PartialAttr>(layout))
    return {"partial_sum", 3};
  if (isa<warp::CombineOp>(op))
    return {"row_sum", 3};
  if (auto map = dyn_cast<warp::MapOp>(op)) {
    bool exponential = false;
    map.walk([&](math::Exp2Op) { exponential = true; });
    bool vector = tileTypeOf(tile).getRank() == 1;
    if (exponential)
      return {vector ? "rescale" : "p", 2};
    return {vector ? "vector" : "tile", 1};
  }
  if (auto mma = dyn_cast<warp::MmaOp>(op))
    return mma.getTransposed() ? std::pair<std::string, int>("s", 3)
                               : std::pair<std::string, int>("acc", 3);
  if (auto issue = dyn_cast<warp::IssueOp>(op))
    return issue.getTransposed() ? std::pair<std::string, int>("s", 3)
                                 : std::pair<std::string, int>("acc", 3);
  return {"", 0};
}

void RegisterArrays::finish() {
  DenseMap<unsigned, unsigned> arrayOfClass;
  SmallVector<int> telling;
  for (auto [number, tile] : llvm::enumerate(tiles)) {
    auto [it, isNew] = arrayOfClass.try_emplace(classOf(number), arrays.size());
    if (isNew) {
      arrays.push_back({tileTypeOf(tile), nullptr, ""});
      telling.push_back(-1);
    }
    RegisterArray &array = arrays[it->second];
    indices[tile] = it->second;
    auto [name, rank] = suggestName(tile);
    if (rank > telling[it->second]) {
      telling[it->second] = rank;
      array.name = name;
    }
    auto widen = [&](Operation *op) {
      if (!array.home)
        array.home = op->getBlock();
      while (!array.home->findAncestorOpInBlock(*op))
        array.home = array.home->getParentOp()->getBlock();
    };
    if (auto argument = dyn_cast<BlockArgument>(tile))
      widen(argument.getOwner()->getParentOp());
    else
      widen(tile.getDefiningOp());
    SmallVector<Value> readers{tile};
    while (!readers.empty())
      for (Operation *user : readers.pop_back_val().getUsers()) {
        widen(user);
        if (auto expand = dyn_cast<warp::ExpandOp>(user))
          readers.push_back(expand.getResult());
        // What a loop or a branch yields is copied in its own scope or at its
        // end; both lie in the block of `user`.
      }
  }
  // What products of one step read into the next must outlive the step.
  for (auto &[loop, held] : underWay.heldAtEnd)
    for (Value tile : held)
      for (Block *&home = arrays[indexOf(tile)].home;
           !home->findAncestorOpInBlock(*loop);)
        home = home->getParentOp()->getBlock();
  for (RegisterArray &array : arrays)
    if (array.name.empty())
      array.name = array.type.getRank() == 1 ? "vector" : "tile";
}

} // namespace weft
