//===- FuseMaps.cpp - Elementwise work as loops over elements -------------===//
//
// The ops of a block that are not elementwise (products, reductions, loads,
// branches, loops) keep their order and cut it into gaps. Elementwise work is
// done in the last gap before anything needs it, and the work of one gap on
// tiles of one shape and layout becomes one map. No cycles can arise: vectors
// never come from tiles but through a reduction, which ends a gap, and tiles of
// different shapes never come from each other.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"

#include "dialects/warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

#include <map>
#include <tuple>

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_WARPFUSEMAPS
#include "compiler/warp/Passes.h.inc"

namespace {

bool isElementwise(Operation *op) {
  if (op->getNumResults() != 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  return isa<warp::ExpandOp, warp::CoordinatesOp, tensor::SplatOp,
             arith::ConstantOp>(op) ||
         OpTrait::hasElementwiseMappableTraits(op);
}

/// Whether an op that is not elementwise needs the tile itself.
bool hasOtherUser(Operation *op) {
  return llvm::any_of(op->getUsers(),
                      [](Operation *user) { return !isElementwise(user); });
}

/// A tile times one factor for all its elements.
bool isScaling(Operation *op) {
  return isa<arith::MulFOp>(op) && isElementwise(op) &&
         llvm::any_of(op->getOperands(), [](Value operand) {
           return operand.getDefiningOp<tensor::SplatOp>();
         });
}

/// Elementwise, and done again in each map that needs it rather than kept:
/// what costs next to nothing, and tiles of i1 and i64, which cost more
/// registers than time. A scaled tile that is there anyway is taken.
bool isRedone(Operation *op) {
  if (!isElementwise(op))
    return false;
  auto tensor = cast<RankedTensorType>(op->getResult(0).getType());
  return isa<warp::ExpandOp, warp::CoordinatesOp, tensor::SplatOp,
             arith::ConstantOp, arith::ExtFOp>(op) ||
         tensor.getElementType().isInteger() ||
         (isScaling(op) && !hasOtherUser(op));
}

/// Whether the work of an elementwise op gets a place: it is redone nowhere, or
/// an op that is not elementwise needs its tile. Constants can be had anywhere.
bool isKept(Operation *op) {
  return !isa<arith::ConstantOp>(op) && (!isRedone(op) || hasOtherUser(op));
}

/// Elementwise work that becomes one map, before `anchor`.
struct Group {
  Operation *anchor = nullptr;
  llvm::SetVector<Operation *> work; ///< in the block's order
  llvm::SetVector<Value> inputs;
  SmallVector<Operation *> results; ///< those of `work` seen from outside
};

class Fuser {
public:
  explicit Fuser(warp::FuncOp function) : function(function) {}

  void run() {
    sinkScalings();
    function->walk<WalkOrder::PreOrder>([&](Block *block) { gather(*block); });
    DenseSet<Value> taken;
    for (Group &group : groups) {
      for (Operation *op : group.work)
        for (Value operand : op->getOperands())
          gatherInputs(group, operand);
      taken.insert_range(group.inputs);
    }
    // All maps are written before the first of their results is put to use, so
    // that each is written from the ops as they were.
    SmallVector<std::pair<Operation *, Value>> results;
    for (Group &group : groups) {
      for (Operation *op : group.work)
        if (taken.contains(op->getResult(0)) || hasOtherUser(op))
          group.results.push_back(op);
      if (group.results.empty())
        continue;
      warp::MapOp map = write(group);
      for (auto [op, result] : llvm::zip(group.results, map.getResults()))
        results.push_back({op, result});
    }
    for (auto [op, result] : results)
      op->getResult(0).replaceAllUsesWith(result);
    eraseDead();
  }

private:
  /// A tile that is scaled for a branch is scaled in it: outside, both tiles
  /// would stay in registers for both sides.
  void sinkScalings() {
    SmallVector<OpOperand *> uses;
    function->walk([&](Operation *op) {
      if (isScaling(op))
        for (OpOperand &use : op->getResult(0).getUses())
          if (auto branch = dyn_cast<scf::IfOp>(use.getOwner()->getParentOp());
              branch && !isElementwise(use.getOwner()) &&
              branch->getBlock() == op->getBlock())
            uses.push_back(&use);
    });
    for (OpOperand *use : uses) {
      OpBuilder builder(use->getOwner());
      use->set(builder.clone(*use->get().getDefiningOp())->getResult(0));
    }
  }

  /// Adds the ops of `block` that need `op`, seen through ops that are redone.
  static void addNeeders(Operation *op, Block *block,
                         SmallVectorImpl<Operation *> &needers) {
    for (Operation *user : op->getUsers()) {
      if (isRedone(user))
        addNeeders(user, block, needers);
      if (!isElementwise(user) || isKept(user))
        if (Operation *inBlock = block->findAncestorOpInBlock(*user))
          needers.push_back(inBlock);
    }
  }

  /// Forms the groups of one block, from its end: where an op's work is done
  /// hangs on where that of its users is.
  void gather(Block &block) {
    SmallVector<Operation *> anchors;      // counted from the end
    DenseMap<Operation *, unsigned> gapOf; // the anchor behind the gap
    SmallVector<RankedTensorType> domains;
    // Ordered as the maps will be: by gap, vectors before the tiles that may
    // need them.
    std::map<std::tuple<int, int64_t, unsigned>, Group> found;
    for (Operation &op : llvm::reverse(block)) {
      if (!isElementwise(&op)) {
        gapOf[&op] = anchors.size();
        anchors.push_back(&op);
        continue;
      }
      SmallVector<Operation *> needers;
      if (isKept(&op))
        addNeeders(&op, &block, needers);
      if (needers.empty())
        continue;
      unsigned gap = 0;
      for (Operation *needer : needers)
        gap = std::max(gap, gapOf.lookup(needer));
      gapOf[&op] = gap;
      auto type = cast<RankedTensorType>(op.getResult(0).getType());
      const auto *domain = llvm::find_if(domains, [&](RankedTensorType known) {
        return known.getShape() == type.getShape() &&
               known.getEncoding() == type.getEncoding();
      });
      unsigned index = domain - domains.begin();
      if (domain == domains.end())
        domains.push_back(type);
      int64_t rank = type.getRank();
      // What a row has in common may go into its lanes' parts, never back.
      bool isPartial = isa_and_nonnull<warp::PartialAttr>(type.getEncoding());
      Group &group = found[{-int(gap), 2 * rank + isPartial, index}];
      group.anchor = anchors[gap];
      group.work.insert(&op);
    }
    for (auto &[key, group] : found) {
      SmallVector<Operation *> work = group.work.takeVector();
      group.work.insert(work.rbegin(), work.rend());
      groups.push_back(std::move(group));
    }
  }

  /// Adds what the map of `group` takes to compute `value`.
  static void gatherInputs(Group &group, Value value) {
    Operation *op = value.getDefiningOp();
    if (!isa<RankedTensorType>(value.getType()) ||
        (op && group.work.contains(op)))
      return;
    if (!op || !isRedone(op)) {
      group.inputs.insert(value);
      return;
    }
    for (Value operand : op->getOperands())
      gatherInputs(group, operand);
  }

  static warp::MapOp write(Group &group) {
    SmallVector<Type> types;
    for (Operation *op : group.results)
      types.push_back(op->getResult(0).getType());
    OpBuilder builder(group.anchor);
    SmallVector<Location> locs;
    for (Operation *op : group.work)
      locs.push_back(op->getLoc());
    Location loc = builder.getFusedLoc(locs);
    auto map =
        warp::MapOp::create(builder, loc, types, group.inputs.getArrayRef());
    Block *body = builder.createBlock(&map.getBody());
    IRMapping elements;
    for (Value input : group.inputs)
      elements.map(input,
                   body->addArgument(
                       cast<RankedTensorType>(input.getType()).getElementType(),
                       input.getLoc()));
    if (cast<RankedTensorType>(types.front()).getRank() == 2)
      body->addArguments({builder.getI64Type(), builder.getI64Type()},
                         {loc, loc});
    SmallVector<Value> yielded;
    for (Operation *op : group.results)
      yielded.push_back(writeElement(builder, op->getResult(0), elements));
    warp::YieldOp::create(builder, loc, yielded);
    return map;
  }

  /// Writes what computes an element of `value`.
  static Value writeElement(OpBuilder &builder, Value value,
                            IRMapping &elements) {
    if (!isa<RankedTensorType>(value.getType()))
      return value;
    if (Value known = elements.lookupOrNull(value))
      return known;
    Block *body = builder.getInsertionBlock();
    Value element =
        TypeSwitch<Operation *, Value>(value.getDefiningOp())
            .Case([&](arith::ConstantOp op) {
              auto splat = cast<SplatElementsAttr>(op.getValue());
              return arith::ConstantOp::create(
                  builder, op.getLoc(),
                  cast<TypedAttr>(splat.getSplatValue<Attribute>()));
            })
            .Case([&](tensor::SplatOp op) { return op.getInput(); })
            .Case([&](warp::ExpandOp op) {
              return writeElement(builder, op.getValue(), elements);
            })
            .Case([&](warp::CoordinatesOp op) {
              Value index =
                  body->getArgument(body->getNumArguments() - 2 + op.getDim());
              return arith::AddIOp::create(builder, op.getLoc(), op.getFirst(),
                                           index);
            })
            .Default([&](Operation *op) {
              IRMapping operands;
              for (Value operand : op->getOperands())
                operands.map(operand, writeElement(builder, operand, elements));
              Operation *scalar = builder.clone(*op, operands);
              Value result = scalar->getResult(0);
              result.setType(
                  cast<RankedTensorType>(result.getType()).getElementType());
              return result;
            });
    elements.map(value, element);
    return element;
  }

  void eraseDead() {
    SmallVector<Operation *> ops;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isElementwise(op))
        ops.push_back(op);
    });
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty())
        op->erase();
  }

  warp::FuncOp function;
  std::vector<Group> groups;
};

class WarpFuseMaps : public impl::WarpFuseMapsBase<WarpFuseMaps> {
  void runOnOperation() override { Fuser(getOperation()).run(); }
};

} // namespace
} // namespace weft
