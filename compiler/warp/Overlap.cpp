//===- Overlap.cpp - The next product beside this softmax -----------------===//
//
// A step of the loop, S = Q K^T; P = f(S); O += P V, is turned so that the
// second product of a step is issued beside the first one of the next: the
// matrix unit works on both while P is computed. Groups complete in order, so
// waiting for S with one younger group means that the step before's O is done:
// its V goes back then. O itself is never waited for but where a branch
// rescales it.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"
#include "compiler/warp/StepValues.h"

#include "dialects/warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_WARPOVERLAP
#include "compiler/warp/Passes.h.inc"

namespace {

/// A product with its wait, and how its tile is received and given back.
struct Product {
  warp::ReceiveOp receive;
  scf::IfOp clear; ///< of the tile's rows behind the end; null if none
  warp::IssueOp issue;
  warp::AwaitOp await;
  warp::ConsumedOp consumed;

  bool owns(Operation *op) const {
    return op && (op == receive || op == clear || op == issue || op == await ||
                  op == consumed);
  }
};

/// Reads off the product that `value` is the result of.
std::optional<Product> productOf(Value value) {
  Product product;
  product.await = value.getDefiningOp<warp::AwaitOp>();
  if (!product.await || product.await.getYounger() != 0)
    return std::nullopt;
  product.issue = product.await.getPending().getDefiningOp<warp::IssueOp>();
  if (!product.issue || !product.issue->hasOneUse())
    return std::nullopt;
  product.receive = product.issue.getB().getDefiningOp<warp::ReceiveOp>();
  if (!product.receive)
    return std::nullopt;
  for (Operation *user : product.receive->getUsers()) {
    if (user == product.issue)
      continue;
    if (!isa<warp::ClearRowsOp>(user) || product.clear)
      return std::nullopt;
    product.clear = dyn_cast<scf::IfOp>(user->getParentOp());
    if (!product.clear || product.clear.elseBlock())
      return std::nullopt;
  }
  Block *block = product.await->getBlock();
  for (Operation *user : product.receive.getRing().getUsers())
    if (auto consumed = dyn_cast<warp::ConsumedOp>(user);
        consumed && consumed->getBlock() == block &&
        product.await->isBeforeInBlock(consumed) && !product.consumed)
      product.consumed = consumed;
  if (!product.consumed || product.issue->getBlock() != block ||
      product.receive->getBlock() != block)
    return std::nullopt;
  return product;
}

/// A loop of two products per step whose second adds to what it carries.
struct OverlapLoop {
  scf::ForOp loop;
  Product first, second; ///< of a step
  Product before;        ///< the second product of the step before the loop
  scf::IfOp softmax;     ///< gives P and the accumulator, rescaled or not
  unsigned acc;          ///< number of the carried accumulator
};

std::optional<OverlapLoop> match(scf::ForOp loop) {
  OverlapLoop found;
  found.loop = loop;
  // Steps are counted, and taken in pairs.
  if (!matchPattern(loop.getStep(), m_One()))
    return std::nullopt;
  bool hasSecond = false;
  for (auto [number, value] : llvm::enumerate(loop.getYieldedValues())) {
    std::optional<Product> product = productOf(value);
    if (!product)
      continue;
    if (hasSecond || !product->await->hasOneUse())
      return std::nullopt;
    hasSecond = true;
    found.second = *product;
    found.acc = number;
  }
  if (!hasSecond || !found.second.issue.getAcc())
    return std::nullopt;
  // P and O come from one branch, the only place that touches O.
  auto softmax = found.second.issue.getAcc().getDefiningOp<scf::IfOp>();
  if (!softmax || softmax->getBlock() != loop.getBody() ||
      found.second.issue.getA().getDefiningOp() != softmax ||
      !found.second.issue.getAcc().hasOneUse() ||
      !found.second.issue.getA().hasOneUse())
    return std::nullopt;
  found.softmax = softmax;
  for (Operation *user : loop.getRegionIterArg(found.acc).getUsers())
    if (!softmax->isProperAncestor(user))
      return std::nullopt;
  bool hasFirst = false;
  for (auto await : loop.getBody()->getOps<warp::AwaitOp>()) {
    if (await == found.second.await)
      continue;
    std::optional<Product> product = productOf(await.getResult());
    if (hasFirst || !product || product->clear || product->issue.getAcc())
      return std::nullopt;
    hasFirst = true;
    found.first = *product;
  }
  if (!hasFirst)
    return std::nullopt;
  std::optional<Product> before = productOf(loop.getInits()[found.acc]);
  if (!before || before->issue.getAcc() || !before->await->hasOneUse() ||
      before->await->getBlock() != loop->getBlock() ||
      before->receive.getRing() != found.second.receive.getRing())
    return std::nullopt;
  found.before = *before;
  // A tile of the second product is held until the next one is under way.
  if (found.second.receive.getRing().getType().getStages() < 2)
    return std::nullopt;
  return found;
}

/// Whether the second product's tile can be cleared for another step.
bool clearIsComputable(OverlapLoop found) {
  scf::IfOp clear = found.second.clear;
  if (!clear)
    return true;
  if (!isComputableForStep(clear.getCondition(), found.loop))
    return false;
  for (Operation &op : clear.thenBlock()->without_terminator())
    for (Value operand : op.getOperands())
      if (operand != found.second.receive.getResult() &&
          operand.getParentBlock() != clear.thenBlock() &&
          !isComputableForStep(operand, found.loop))
        return false;
  return true;
}

class Overlapper {
public:
  explicit Overlapper(OverlapLoop found)
      : found(found), loop(found.loop), rewriter(found.loop),
        loc(found.loop.getLoc()) {}

  void run() {
    Value first = giveBackFirstEarly();
    // What is under way goes from step to step: P and O, then the rest.
    Value firstP = found.before.issue.getA();
    auto zero = arith::ConstantOp::create(
        rewriter, loc, rewriter.getZeroAttr(cast<RankedTensorType>(accType())));
    Carried carried{firstP, warp::SettledOp::create(rewriter, loc, zero), {}};
    for (auto [number, init] : llvm::enumerate(loop.getInits()))
      if (number != found.acc)
        carried.others.push_back(init);
    Value lower = loop.getLowerBound(), upper = loop.getUpperBound();
    Value one = loop.getStep();

    // Two steps a turn, so that two sets of registers for P alternate. The last
    // turn may have but one: then its P is in the other set.
    SmallVector<Value> inits = flat(carried);
    inits.push_back(ub::PoisonOp::create(rewriter, loc, firstP.getType()));
    auto pairs =
        scf::ForOp::create(rewriter, loc, lower, upper, constant(2), inits);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(pairs.getBody());
      Value index = pairs.getInductionVar();
      Carried before = unflatten(pairs.getRegionIterArgs().drop_back());
      Value isLater = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::sgt, index, lower);
      Carried after = step(index, before, isLater);
      Value second = arith::AddIOp::create(rewriter, loc, index, one);
      Value hasSecond = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::slt, second, upper);
      auto rest = scf::IfOp::create(rewriter, loc, TypeRange(flat(carried)),
                                    hasSecond, /*withElseRegion=*/true);
      rewriter.setInsertionPointToStart(rest.thenBlock());
      scf::YieldOp::create(rewriter, loc, flat(step(second, after, Value())));
      rewriter.setInsertionPointToStart(rest.elseBlock());
      scf::YieldOp::create(rewriter, loc,
                           flat({before.p, after.pending, after.others}));
      rewriter.setInsertionPointAfter(rest);
      SmallVector<Value> next(rest.getResults());
      next.push_back(after.p);
      scf::YieldOp::create(rewriter, loc, next);
    }
    Value oddP = pairs.getResults().back();
    carried = unflatten(pairs.getResults().drop_back());

    Value steps = arith::MaxSIOp::create(
        rewriter, loc, arith::SubIOp::create(rewriter, loc, upper, lower),
        constant(0));
    Value isOdd = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ne,
        arith::RemSIOp::create(rewriter, loc, steps, constant(2)), constant(0));
    Value hasSteps = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::sgt, steps, constant(0));
    Value last = arith::SubIOp::create(
        rewriter, loc, arith::AddIOp::create(rewriter, loc, lower, steps), one);
    giveBack(first);
    auto end = scf::IfOp::create(rewriter, loc, loop.getResultTypes(), isOdd,
                                 /*withElseRegion=*/true);
    rewriter.setInsertionPointToStart(end.thenBlock());
    finish({oddP, carried.pending, carried.others}, last,
           /*holdsOlder=*/Value());
    rewriter.setInsertionPointToStart(end.elseBlock());
    finish(carried, last, hasSteps);
    rewriter.replaceOp(loop, end.getResults());
    removeBefore();
  }

private:
  struct Carried {
    Value p, pending;
    SmallVector<Value> others; ///< the loop's, without the accumulator
  };

  SmallVector<Value> flat(const Carried &carried) {
    SmallVector<Value> values{carried.p, carried.pending};
    llvm::append_range(values, carried.others);
    return values;
  }
  Carried unflatten(ValueRange values) {
    return {values[0], values[1], llvm::to_vector(values.drop_front(2))};
  }
  Value constant(int64_t value) {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getI64IntegerAttr(value));
  }
  Type accType() { return loop.getInits()[found.acc].getType(); }

  /// Issues the second product of step `index`.
  Value issueSecond(Value index, Value p, Value acc) {
    Product product = found.second;
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    Operation *receive = rewriter.clone(*product.receive, mapping);
    if (product.clear) {
      for (Operation &op : product.clear.thenBlock()->without_terminator())
        for (Value operand : op.getOperands())
          if (operand.getParentBlock() != product.clear.thenBlock())
            computeForStep(rewriter, operand, loop, mapping);
      computeForStep(rewriter, product.clear.getCondition(), loop, mapping);
      rewriter.clone(*product.clear, mapping);
    }
    return warp::IssueOp::create(
        rewriter, product.issue.getLoc(), product.issue.getType(), p,
        receive->getResult(0), acc, product.issue.getTransposed());
  }

  /// The first products' own a, a tile that stays for all steps, is not read by
  /// the last second product: it need not wait for that to go back. Returns its
  /// ring, to give it back at the end of the loop, if it is given back behind
  /// the branch around the loop now and nothing else reads it.
  Value giveBackFirstEarly() {
    auto received = found.first.issue.getA().getDefiningOp<warp::ReceiveOp>();
    auto outer = dyn_cast<scf::IfOp>(loop->getParentOp());
    if (!received || !outer || !outer.elseBlock() ||
        loop->getBlock() != outer.thenBlock() ||
        received->getBlock() != outer->getBlock())
      return Value();
    for (Operation *user : received->getUsers()) {
      Operation *use = outer.thenBlock()->findAncestorOpInBlock(*user);
      if (!use || loop->isBeforeInBlock(use))
        return Value();
    }
    warp::ConsumedOp consumed;
    for (Operation *user : received.getRing().getUsers())
      if (auto op = dyn_cast<warp::ConsumedOp>(user)) {
        if (consumed || op->getBlock() != outer->getBlock())
          return Value();
        consumed = op;
      }
    if (!consumed)
      return Value();
    rewriter.eraseOp(consumed);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(outer.elseBlock());
    giveBack(received.getRing());
    return received.getRing();
  }
  void giveBack(Value ring) {
    if (ring)
      warp::ConsumedOp::create(rewriter, loc, ring, /*age=*/0);
  }

  void giveBackSecond(Value condition, int64_t age) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (condition) {
      auto branch = scf::IfOp::create(rewriter, loc, condition);
      rewriter.setInsertionPointToStart(branch.thenBlock());
    }
    warp::ConsumedOp::create(rewriter, found.second.consumed.getLoc(),
                             found.second.consumed.getRing(), age);
  }

  /// One step: the first product of `index` beside the second of the step
  /// before. `holdsOlder`: whether the second's tile of the step before that is
  /// still held; always without it.
  Carried step(Value index, const Carried &in, Value holdsOlder) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), index);
    unsigned next = 0;
    for (unsigned number = 0; number < loop.getNumRegionIterArgs(); ++number)
      if (number != found.acc)
        mapping.map(loop.getRegionIterArg(number), in.others[next++]);
    Value pending;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (found.second.owns(&op))
        continue;
      if (&op == found.first.issue) {
        rewriter.clone(op, mapping);
        Value before =
            arith::SubIOp::create(rewriter, loc, index, loop.getStep());
        pending = issueSecond(before, in.p, in.pending);
        continue;
      }
      if (&op == found.first.await) {
        auto await = warp::AwaitOp::create(
            rewriter, op.getLoc(), op.getResult(0).getType(),
            mapping.lookup(found.first.issue.getResult()), /*younger=*/1);
        mapping.map(op.getResult(0), await.getResult());
        continue;
      }
      if (&op == found.softmax) {
        cloneSoftmax(mapping, pending);
        continue;
      }
      rewriter.clone(op, mapping);
      if (&op == found.first.consumed)
        giveBackSecond(holdsOlder, 1);
    }
    Carried out{mapping.lookup(found.second.issue.getA()),
                mapping.lookup(found.second.issue.getAcc()),
                {}};
    for (auto [number, value] : llvm::enumerate(loop.getYieldedValues()))
      if (number != found.acc)
        out.others.push_back(mapping.lookupOrDefault(value));
    return out;
  }

  /// The branch, with the accumulator under way where it is not touched.
  void cloneSoftmax(IRMapping &mapping, Value pending) {
    scf::IfOp branch = found.softmax;
    unsigned number =
        cast<OpResult>(found.second.issue.getAcc()).getResultNumber();
    SmallVector<Type> types(branch.getResultTypes());
    types[number] = pending.getType();
    auto cloned =
        scf::IfOp::create(rewriter, branch.getLoc(), types,
                          mapping.lookupOrDefault(branch.getCondition()), true);
    OpBuilder::InsertionGuard guard(rewriter);
    Value acc = loop.getRegionIterArg(found.acc);
    for (auto [from, to] :
         {std::pair(branch.thenBlock(), cloned.thenBlock()),
          std::pair(branch.elseBlock(), cloned.elseBlock())}) {
      rewriter.setInsertionPointToStart(to);
      IRMapping inside = mapping;
      auto yield = cast<scf::YieldOp>(from->getTerminator());
      bool touches = llvm::any_of(acc.getUsers(), [&](Operation *user) {
        return from->findAncestorOpInBlock(*user) && user != yield;
      });
      touches |= yield.getOperand(number) != acc;
      if (touches)
        inside.map(acc, warp::AwaitOp::create(rewriter, branch.getLoc(),
                                              acc.getType(), pending,
                                              /*younger=*/0)
                            .getResult());
      for (Operation &op : from->without_terminator())
        rewriter.clone(op, inside);
      SmallVector<Value> yielded;
      for (auto [i, value] : llvm::enumerate(yield.getOperands())) {
        if (i != number)
          yielded.push_back(inside.lookupOrDefault(value));
        else if (touches)
          yielded.push_back(warp::SettledOp::create(
              rewriter, branch.getLoc(), inside.lookupOrDefault(value)));
        else
          yielded.push_back(pending);
      }
      scf::YieldOp::create(rewriter, branch.getLoc(), yielded);
    }
    mapping.map(branch.getResults(), cloned.getResults());
  }

  /// The second product of the last step `index`, and what the loop gives.
  void finish(const Carried &in, Value index, Value holdsOlder) {
    Value pending = issueSecond(index, in.p, in.pending);
    Value acc = warp::AwaitOp::create(rewriter, loc, accType(), pending,
                                      /*younger=*/0);
    giveBackSecond(holdsOlder, 1);
    giveBackSecond(Value(), 0);
    SmallVector<Value> results(in.others);
    results.insert(results.begin() + found.acc, acc);
    scf::YieldOp::create(rewriter, loc, results);
  }

  /// The second product of the step before the loop is the loop's now.
  void removeBefore() {
    rewriter.eraseOp(found.before.consumed);
    rewriter.eraseOp(found.before.await);
    rewriter.eraseOp(found.before.issue);
    if (found.before.clear)
      rewriter.eraseOp(found.before.clear);
    rewriter.eraseOp(found.before.receive);
  }

  OverlapLoop found;
  scf::ForOp loop;
  IRRewriter rewriter;
  Location loc;
};

class WarpOverlap : public impl::WarpOverlapBase<WarpOverlap> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (std::optional<OverlapLoop> found = match(loop);
          found && clearIsComputable(*found))
        Overlapper(*found).run();
  }
};

} // namespace
} // namespace weft
