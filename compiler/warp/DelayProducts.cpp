//===- DelayProducts.cpp - Products of a step, one and two steps later ----===//
//
// The kernel of all gradients hands dS from warpgroup to warpgroup, and would
// wait for the slowest of them in every step. So dQ's product is made two steps
// later, when what it reads has long been there. dK's, which reads dS from
// registers, follows it in the next step: then the registers of both are free
// before the step's own products need them, and the matrix unit has work while
// dS is handed over.
//
// A step's order: dQ of two steps ago, dK of the last one; what the last one
// made of dS is handed over; S; dQ is put aside; dP; dQ is added up;
// exponentials, in turns; dV, which runs on into the next step; dS. Behind dK
// comes a wait for the last dV: without it ptxas finds no registers for S and
// makes every product wait.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"

#include "compiler/warp/StepProducts.h"
#include "compiler/warp/StepValues.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_WARPDELAYPRODUCTS
#include "compiler/warp/Passes.h.inc"

namespace {

class Delayer : StepProducts {
public:
  using StepProducts::StepProducts;

  void run() {
    auto deposits = loop.getBody()->getOps<warp::DepositOp>();
    if (!llvm::hasSingleElement(deposits) || !read() ||
        !recognize(*deposits.begin()))
      return;
    carryOperand();
    delay();
    drain(runOn());
    rewriter.eraseOp(stage);
    rewriter.eraseOp(add);
  }

private:
  /// Finds the five products; false if the step is another one.
  bool recognize(warp::DepositOp op) {
    deposit = op;
    for (StepProduct &product : products) {
      auto received = product.issue.getA().getDefiningOp<warp::ReceiveOp>();
      if (product.carried)
        (product.issue.getA() == deposit.getValue() ? key : value) = product;
      else if (received && received.getRing() == deposit.getRing())
        query = product;
      else if (!product.issue.getAcc())
        (scores.issue ? derivative : scores) = product;
    }
    if (products.size() != 5 || !key.issue || !value.issue || !query.issue ||
        !derivative.issue || !query.await->hasOneUse())
      return false;
    stage = dyn_cast<warp::StageOp>(*query.await->user_begin());
    add = stage ? dyn_cast_or_null<warp::AddStagedOp>(stage->getNextNode())
                : warp::AddStagedOp();
    for (StepTile tile : tiles) {
      if (tile.receive.getResult() == key.issue.getB())
        queries = tile;
      if (tile.receive.getRing() == deposit.getRing())
        handed = tile;
    }
    // The steps before are those of one and of two less.
    return add && queries.receive && handed.receive &&
           matchPattern(loop.getStep(), m_One()) &&
           queries.receive.getRing().getType().getStages() > 1 &&
           loop.isDefinedOutsideOfLoop(query.issue.getB()) &&
           isComputableForStep(add.getRows(), loop) &&
           isComputableForStep(add.getHead(), loop) && canClearFirst();
  }

  /// The branch of the step in which rows of Q's tile are cleared.
  scf::IfOp branchOf(warp::ClearRowsOp clear) {
    return dyn_cast<scf::IfOp>(clear->getParentOp());
  }
  bool canClearFirst() {
    return llvm::all_of(queries.receive->getUsers(), [&](Operation *user) {
      auto clear = dyn_cast<warp::ClearRowsOp>(user);
      if (!clear)
        return true;
      scf::IfOp branch = branchOf(clear);
      return branch && branch->getBlock() == loop.getBody() &&
             isComputableForStep(clear.getFirst(), loop) &&
             isComputableForStep(branch.getCondition(), loop);
    });
  }

  /// The loop carries dS of the step before, at first zeros.
  void carryOperand() {
    auto type = cast<RankedTensorType>(deposit.getValue().getType());
    rewriter.setInsertionPoint(loop);
    SmallVector<Value> inits(loop.getInits());
    inits.push_back(arith::ConstantOp::create(
        rewriter, loc,
        SplatElementsAttr::get(type,
                               FloatAttr::get(type.getElementType(), 0.0))));
    auto carrying =
        scf::ForOp::create(rewriter, loc, loop.getLowerBound(),
                           loop.getUpperBound(), loop.getStep(), inits);
    carrying.getRegion().takeBody(loop.getRegion());
    last = carrying.getBody()->addArgument(type, loc);
    Operation *yield = carrying.getBody()->getTerminator();
    yield->insertOperands(yield->getNumOperands(), deposit.getValue());
    rewriter.replaceAllUsesWith(loop.getResults(),
                                carrying.getResults().drop_back());
    rewriter.eraseOp(loop);
    loop = carrying;
  }

  Value constant(int64_t value) {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getI64IntegerAttr(value));
  }
  /// Whether the loop is at least `count` steps behind its first.
  Value isLater(int64_t count) {
    Value from = loop.getLowerBound();
    if (count > 1)
      from = arith::AddIOp::create(rewriter, loc, from, constant(count - 1));
    return arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                                 loop.getInductionVar(), from);
  }
  Block *when(Value condition) {
    return scf::IfOp::create(rewriter, loc, condition).thenBlock();
  }

  /// A dQ leaves its registers.
  void putAside(Value sum) {
    warp::ConsumedOp::create(rewriter, loc, deposit.getRing(), /*age=*/0);
    warp::StageOp::create(rewriter, loc, sum, stage.getTile());
  }
  /// Adds it up, as that of the step that `step` stands for.
  void addUp(Value step) {
    IRMapping mapping;
    mapping.map(loop.getInductionVar(), step);
    Value rows = computeForStep(rewriter, add.getRows(), loop, mapping);
    Value head = computeForStep(rewriter, add.getHead(), loop, mapping);
    warp::AddStagedOp::create(rewriter, loc, stage.getTile(), add.getBuffer(),
                              rows, head);
  }

  /// The first step's dK adds zeros times what the tile holds: numbers.
  void clearFirst(Value held, Value isLater) {
    for (Operation *user : queries.receive->getUsers()) {
      auto clear = dyn_cast<warp::ClearRowsOp>(user);
      if (!clear)
        continue;
      scf::IfOp branch = branchOf(clear);
      IRMapping mapping;
      mapping.map(loop.getInductionVar(), loop.getInductionVar());
      Value first = computeForStep(rewriter, clear.getFirst(), loop, mapping);
      Value isPartial =
          computeForStep(rewriter, branch.getCondition(), loop, mapping);
      Value isFirst = arith::XOrIOp::create(
          rewriter, loc, isLater,
          arith::ConstantOp::create(rewriter, loc, rewriter.getBoolAttr(true)));
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(
          when(arith::AndIOp::create(rewriter, loc, isFirst, isPartial)));
      warp::ClearRowsOp::create(rewriter, loc, held, first);
      return;
    }
  }

  void delay() {
    // In front of the step, and of waiting for its tiles: the older products.
    Operation *start = &loop.getBody()->front();
    rewriter.setInsertionPoint(start);
    Value isSecond = isLater(1), isThird = isLater(2);
    auto received = warp::ReceiveOp::create(
        rewriter, loc, handed.receive.getType(), deposit.getRing(), isThird);
    rewriter.moveOpBefore(query.issue, start);
    query.issue.getAMutable().assign(received);
    Value ring = queries.receive.getRing();
    auto held = warp::HeldOp::create(rewriter, loc, queries.receive.getType(),
                                     ring, isSecond);
    clearFirst(held, isSecond);
    rewriter.moveOpBefore(key.issue, start);
    key.issue.getAMutable().assign(last);
    key.issue.getBMutable().assign(held);
    auto handOver = scf::IfOp::create(rewriter, loc, isSecond);
    rewriter.moveOpBefore(deposit, handOver.thenBlock(),
                          handOver.thenBlock()->begin());
    deposit.getValueMutable().assign(last);

    // Behind it: dQ leaves its registers, which dP takes. It is added up behind
    // that one, so that the matrix unit has work while the bulk add waits for
    // what was put aside.
    rewriter.moveOpAfter(query.await, scores.issue);
    rewriter.setInsertionPointAfter(query.await);
    auto leave = scf::IfOp::create(rewriter, loc, isThird);
    rewriter.setInsertionPointToStart(leave.thenBlock());
    putAside(query.await);
    rewriter.eraseOp(handed.consumed);
    rewriter.eraseOp(handed.receive);
    Operation *anchor = leave;
    if (canFollow(derivative.issue, anchor))
      follow(derivative.issue, anchor);
    rewriter.setInsertionPointAfter(anchor);
    Value old = arith::SubIOp::create(rewriter, loc, loop.getInductionVar(),
                                      constant(2));
    rewriter.setInsertionPointToStart(when(isThird));
    addUp(old);

    // The queries of dK's product go back once it is done.
    rewriter.moveOpBefore(key.await, scores.await);
    rewriter.setInsertionPointAfter(key.await);
    rewriter.eraseOp(queries.consumed);
    rewriter.setInsertionPointToStart(when(isSecond));
    warp::ConsumedOp::create(rewriter, loc, ring, /*age=*/1);
  }

  /// dV runs on into the next step. Returns the wait for it, behind the loop.
  Operation *runOn() {
    for (StepProduct &product : products)
      if (product.issue == key.issue)
        product.carried.reset();
    sortProducts();
    takeTurns(scores.await, derivative.await);
    SmallVector<StepTile> late = findLateTiles();
    countYounger();
    Operation *wait = carry();
    // Behind the older products, so that P's registers are free for S.
    rewriter.setInsertionPoint(scores.issue);
    auto await =
        warp::AwaitOp::create(rewriter, loc, value.issue.getType().getTile(),
                              value.issue.getAcc(), /*younger=*/2);
    value.issue.getAccMutable().assign(await.getResult());
    giveBack(late, await, wait);
    return wait;
  }

  /// Behind the loop: the products of its last steps.
  void drain(Operation *wait) {
    rewriter.setInsertionPointAfter(wait);
    Value first = loop.getLowerBound(), end = loop.getUpperBound();
    Value sum = loop.getResult(*key.carried),
          operand = loop.getResults().back();
    Value any = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::sgt,
                                      end, first);
    auto branch = scf::IfOp::create(rewriter, loc, sum.getType(), any,
                                    /*withElseRegion=*/true);
    rewriter.replaceAllUsesExcept(sum, branch.getResult(0), branch);

    rewriter.setInsertionPointToStart(branch.thenBlock());
    Value ring = queries.receive.getRing();
    warp::DepositOp::create(rewriter, loc, deposit.getRing(), operand);
    auto held = warp::HeldOp::create(rewriter, loc, queries.receive.getType(),
                                     ring, Value());
    auto issue = warp::IssueOp::create(rewriter, loc, key.issue.getType(),
                                       operand, held, sum, UnitAttr());
    auto done = warp::AwaitOp::create(rewriter, loc, sum.getType(), issue, 0);
    warp::ConsumedOp::create(rewriter, loc, ring, /*age=*/0);
    Value from = arith::MaxSIOp::create(
        rewriter, loc, first,
        arith::SubIOp::create(rewriter, loc, end, constant(2)));
    auto rest = scf::ForOp::create(rewriter, loc, from, end, loop.getStep());
    scf::YieldOp::create(rewriter, loc, done.getResult());
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, sum);

    rewriter.setInsertionPointToStart(rest.getBody());
    auto received = warp::ReceiveOp::create(
        rewriter, loc, deposit.getRing().getType().getTile(),
        deposit.getRing());
    auto product = warp::IssueOp::create(rewriter, loc, query.issue.getType(),
                                         received, query.issue.getB(), Value(),
                                         query.issue.getTransposedAttr());
    auto dQ =
        warp::AwaitOp::create(rewriter, loc, query.await.getType(), product, 0);
    putAside(dQ);
    addUp(rest.getInductionVar());
  }

  warp::DepositOp deposit;
  warp::StageOp stage;
  warp::AddStagedOp add;
  /// S, dP, dV, dK and dQ.
  StepProduct scores, derivative, value, key, query;
  /// Q, and dS as it is handed over.
  StepTile queries, handed;
  Value last; ///< dS of the step before
};

class WarpDelayProducts
    : public impl::WarpDelayProductsBase<WarpDelayProducts> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      Delayer(loop).run();
  }
};

} // namespace
} // namespace weft
