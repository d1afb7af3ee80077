//===- PartialSums.cpp - Row sums stay with the lanes that made them ------===//
//
// A lane's part of a row's sum may be carried, added to and scaled by what is
// the same for the whole row; the parts are added over the lanes only where the
// sum itself is asked for.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"

#include "dialects/warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_WARPPARTIALSUMS
#include "compiler/warp/Passes.h.inc"

namespace {

class PartialSums {
public:
  explicit PartialSums(warp::FuncOp function)
      : function(function), rewriter(function) {}

  void run() {
    function.walk([&](warp::ReduceOp reduce) {
      if (reduce.getKind() == tile::ReduceKind::sum)
        reached.insert(reduce.getResult());
    });
    reach();
    prune();
    if (reached.empty())
      return;
    for (Value value : reached)
      toPartial(value);
    for (Value value : reached)
      convertUses(value);
  }

private:
  /// A value that a use hands on: what a loop or a branch calls it next.
  static SmallVector<Value> successors(OpOperand &use) {
    Operation *owner = use.getOwner();
    unsigned number = use.getOperandNumber();
    if (auto yield = dyn_cast<scf::YieldOp>(owner)) {
      Operation *parent = yield->getParentOp();
      SmallVector<Value> next{parent->getResult(number)};
      if (auto loop = dyn_cast<scf::ForOp>(parent))
        next.push_back(loop.getRegionIterArg(number));
      return next;
    }
    if (auto loop = dyn_cast<scf::ForOp>(owner); loop && number >= 3)
      return {loop.getResult(number - 3), loop.getRegionIterArg(number - 3)};
    return {};
  }

  /// Everything that might be partial sums, whatever its other operands are.
  void reach() {
    for (unsigned i = 0; i < reached.size(); ++i)
      for (OpOperand &use : reached[i].getUses()) {
        for (Value next : successors(use))
          reached.insert(next);
        if (isa<arith::AddFOp, arith::MulFOp>(use.getOwner()))
          reached.insert(use.getOwner()->getResult(0));
      }
  }

  bool isPartial(Value value) const { return reached.contains(value); }
  static bool isZero(Value value) {
    return matchPattern(value, m_AnyZeroFloat());
  }
  bool canBePartial(Value value) const {
    return isPartial(value) || isZero(value);
  }

  /// Whether everything `value` may hold is a sum of the lanes' parts.
  bool holds(Value value) const {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
      unsigned number = argument.getArgNumber() - 1;
      return canBePartial(loop.getInits()[number]) &&
             canBePartial(loop.getYieldedValues()[number]) &&
             isPartial(loop.getResult(number));
    }
    Operation *op = value.getDefiningOp();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return isPartial(loop.getRegionIterArg(number));
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return canBePartial(branch.thenYield().getOperand(number)) &&
             canBePartial(branch.elseYield().getOperand(number));
    if (isa<arith::AddFOp>(op))
      return canBePartial(op->getOperand(0)) && canBePartial(op->getOperand(1));
    if (isa<arith::MulFOp>(op))
      return isPartial(op->getOperand(0)) != isPartial(op->getOperand(1));
    return isa<warp::ReduceOp>(op);
  }

  void prune() {
    for (bool changed = true; changed;) {
      SmallVector<Value> lost;
      for (Value value : reached)
        if (!holds(value))
          lost.push_back(value);
      changed = !lost.empty();
      for (Value value : lost)
        reached.remove(value);
    }
  }

  Type partial(Type type) {
    return cast<RankedTensorType>(type).cloneWithEncoding(
        warp::PartialAttr::get(type.getContext()));
  }

  void toPartial(Value value) {
    rowTypes[value] = value.getType();
    value.setType(partial(value.getType()));
  }

  /// `value`, one per row, as each lane of the row has it.
  Value spread(Value value, Operation *user) {
    rewriter.setInsertionPoint(user);
    if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
      auto elements = cast<SplatElementsAttr>(constant.getValue());
      auto type = cast<ShapedType>(partial(value.getType()));
      return arith::ConstantOp::create(
          rewriter, constant.getLoc(),
          SplatElementsAttr::get(type, elements.getSplatValue<Attribute>()));
    }
    return warp::ExpandOp::create(rewriter, value.getLoc(),
                                  partial(value.getType()), value);
  }

  /// Whether `use` may see the parts; its other operands follow then.
  bool takesPartial(OpOperand &use) {
    Operation *owner = use.getOwner();
    if (isa<arith::AddFOp, arith::MulFOp>(owner))
      return isPartial(owner->getResult(0));
    SmallVector<Value> next = successors(use);
    if (!next.empty())
      return isPartial(next.front());
    // A vote on the size of a sum: its users know that yes is always right.
    auto compare = dyn_cast<arith::CmpFOp>(owner);
    return compare && compare->hasOneUse() &&
           isa<warp::AnyOp>(*compare->user_begin()) &&
           matchPattern(compare.getRhs(), m_Constant());
  }

  void convertUses(Value value) {
    Value combined;
    for (OpOperand &use : llvm::make_early_inc_range(value.getUses())) {
      Operation *owner = use.getOwner();
      if (takesPartial(use)) {
        if (auto compare = dyn_cast<arith::CmpFOp>(owner))
          compare.getResult().setType(partial(compare.getResult().getType()));
        if (isa<arith::AddFOp, arith::MulFOp, arith::CmpFOp>(owner))
          for (OpOperand &other : owner->getOpOperands())
            if (!isa<warp::PartialAttr>(
                    cast<RankedTensorType>(other.get().getType())
                        .getEncoding()))
              other.set(spread(other.get(), owner));
        continue;
      }
      if (isa<warp::CombineOp>(owner))
        continue;
      if (!combined) {
        rewriter.setInsertionPointAfterValue(value);
        combined = warp::CombineOp::create(rewriter, value.getLoc(),
                                           rowTypes.lookup(value), value);
      }
      use.set(combined);
    }
    // Zeros that stand for a sum where control flow meets.
    for (OpOperand *source : sources(value))
      if (!isPartial(source->get()) && isZero(source->get()))
        source->set(spread(source->get(), source->getOwner()));
  }

  /// Where `value`, of a loop or a branch, comes from.
  static SmallVector<OpOperand *> sources(Value value) {
    auto ofYield = [](scf::YieldOp yield, unsigned number) {
      return &yield->getOpOperand(number);
    };
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      auto loop = cast<scf::ForOp>(argument.getOwner()->getParentOp());
      unsigned number = argument.getArgNumber() - 1;
      return {
          &loop.getInitsMutable()[number],
          ofYield(cast<scf::YieldOp>(loop.getBody()->getTerminator()), number)};
    }
    if (auto branch = value.getDefiningOp<scf::IfOp>()) {
      unsigned number = cast<OpResult>(value).getResultNumber();
      return {ofYield(branch.thenYield(), number),
              ofYield(branch.elseYield(), number)};
    }
    return {};
  }

  warp::FuncOp function;
  IRRewriter rewriter;
  llvm::SetVector<Value> reached;
  DenseMap<Value, Type> rowTypes;
};

class WarpPartialSums : public impl::WarpPartialSumsBase<WarpPartialSums> {
  void runOnOperation() override {
    if (getOperation().getSchedule().usesWarpgroups())
      PartialSums(getOperation()).run();
  }
};

} // namespace
} // namespace weft
