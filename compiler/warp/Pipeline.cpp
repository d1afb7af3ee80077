//===- Pipeline.cpp - Copies that run ahead of their use ------------------===//
//
// Groups of copies complete in the order in which they were committed, so a
// step needs to know only how many groups follow its own: stages - 1 at its
// start, its own being the oldest of the last `stages - 1`. Every step commits
// exactly one group, an empty one if no tile is left; groups that other fetches
// commit in between are older or make the wait stricter, never weaker.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"
#include "compiler/warp/StepValues.h"

#include "dialects/warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_WARPPIPELINE
#include "compiler/warp/Passes.h.inc"

namespace {

/// A branch that a fetch stands in, within its loop.
struct Branch {
  Value condition;
  bool taken;
};

/// The branches of `loop` around `op`, outermost first; none if something else
/// than a branch stands between them.
FailureOr<SmallVector<Branch>> branchesAround(Operation *op, scf::ForOp loop) {
  SmallVector<Branch> branches;
  for (Operation *at = op; at->getParentOp() != loop; at = at->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(at->getParentOp());
    if (!branch)
      return failure();
    branches.push_back({branch.getCondition(),
                        at->getParentRegion() == &branch.getThenRegion()});
  }
  std::reverse(branches.begin(), branches.end());
  return branches;
}

bool isComputableAhead(warp::FetchOp fetch, scf::ForOp loop) {
  auto branches = branchesAround(fetch, loop);
  return succeeded(branches) &&
         llvm::all_of(
             fetch->getOperands(),
             [&](Value value) { return isComputableForStep(value, loop); }) &&
         llvm::all_of(*branches, [&](Branch branch) {
           return isComputableForStep(branch.condition, loop);
         });
}

/// The fetches of one loop whose copies run ahead.
struct PipelinedLoop {
  scf::ForOp loop;
  SmallVector<warp::FetchOp> fetches;
};

class Pipeliner {
public:
  explicit Pipeliner(warp::FuncOp function)
      : function(function), rewriter(function) {}

  void run() {
    SmallVector<warp::FetchOp> resident, blocking;
    llvm::MapVector<Operation *, PipelinedLoop> loops;
    SmallVector<warp::FetchOp> all;
    function.walk([&](warp::FetchOp fetch) { all.push_back(fetch); });
    for (warp::FetchOp fetch : all) {
      auto loop = fetch->getParentOfType<scf::ForOp>();
      if (!loop) {
        resident.push_back(fetch);
        continue;
      }
      bool isInnermost = !loop.getBody()
                              ->walk([](scf::ForOp inner) {
                                return inner.walk([](warp::FetchOp) {
                                              return WalkResult::interrupt();
                                            }).wasInterrupted()
                                           ? WalkResult::interrupt()
                                           : WalkResult::advance();
                              })
                              .wasInterrupted();
      if (!isInnermost || !isComputableAhead(fetch, loop)) {
        blocking.push_back(fetch);
        continue;
      }
      PipelinedLoop &entry = loops[loop];
      entry.loop = loop;
      entry.fetches.push_back(fetch);
    }
    // What covers a resident tile is asked while loops are still as they were.
    placeResidents(resident, loops);
    for (warp::FetchOp fetch : blocking)
      copyInPlace(fetch);
    for (auto &[op, loop] : loops)
      pipeline(loop);
  }

private:
  Value constant(Location loc, int64_t value) {
    return arith::ConstantOp::create(rewriter, loc,
                                     rewriter.getI64IntegerAttr(value));
  }

  /// A ring for `fetch`, at the top of the kernel: shared memory is laid out
  /// once.
  Value makeRing(warp::FetchOp fetch, int64_t stages) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&function.getBody().front());
    if (lastRing)
      rewriter.setInsertionPointAfter(lastRing);
    auto ring =
        warp::RingOp::create(rewriter, fetch.getLoc(),
                             warp::RingType::get(fetch.getContext(), stages,
                                                 fetch.getResult().getType()));
    lastRing = ring;
    return ring;
  }

  /// Replaces a fetch outside loops. Its tile comes before the first step of
  /// any later pipelined loop, whose group is younger, so only other uses need
  /// a wait and a barrier of their own.
  void placeResidents(ArrayRef<warp::FetchOp> fetches,
                      llvm::MapVector<Operation *, PipelinedLoop> &loops) {
    // Each fetch's first use, in its block, that nothing covers.
    SmallVector<std::pair<warp::FetchOp, Operation *>> firstUses;
    for (warp::FetchOp fetch : fetches) {
      Operation *first = nullptr;
      for (Operation *user : fetch->getUsers()) {
        bool covered = false;
        for (Operation *at = user; at != function; at = at->getParentOp())
          covered |= loops.contains(at);
        Operation *use = fetch->getBlock()->findAncestorOpInBlock(*user);
        if (!covered && (!first || use->isBeforeInBlock(first)))
          first = use;
      }
      if (first)
        firstUses.push_back({fetch, first});
    }
    // No copy outlives its kernel, even if the loop that would wait for it has
    // no step.
    llvm::SetVector<Block *> unwaited;
    for (warp::FetchOp fetch : fetches)
      if (llvm::none_of(firstUses,
                        [&](const auto &use) { return use.first == fetch; }))
        unwaited.insert(fetch->getBlock());
    for (Block *block : unwaited) {
      rewriter.setInsertionPoint(block->getTerminator());
      warp::WaitOp::create(rewriter, function.getLoc(), 0);
    }
    // One wait serves every fetch that precedes it.
    llvm::stable_sort(firstUses, [](const auto &left, const auto &right) {
      return left.second->getBlock() == right.second->getBlock() &&
             left.second->isBeforeInBlock(right.second);
    });
    DenseMap<Block *, Operation *> lastWaits;
    for (auto [fetch, use] : firstUses) {
      Operation *&lastWait = lastWaits[use->getBlock()];
      if (lastWait && fetch->isBeforeInBlock(lastWait))
        continue;
      rewriter.setInsertionPoint(use);
      waitAndMeet(use->getLoc(), 0);
      lastWait = use;
    }
    for (warp::FetchOp fetch : fetches) {
      Value ring = makeRing(fetch, 1);
      rewriter.setInsertionPoint(fetch);
      Value slot = constant(fetch.getLoc(), 0);
      put(fetch, ring, slot);
      warp::CommitOp::create(rewriter, fetch.getLoc());
      // One get per block of uses, since it stands behind their wait.
      llvm::MapVector<Block *, Operation *> firstUses;
      for (Operation *user : fetch->getUsers()) {
        Operation *&first = firstUses[user->getBlock()];
        if (!first || user->isBeforeInBlock(first))
          first = user;
      }
      for (auto &[block, first] : firstUses) {
        rewriter.setInsertionPoint(first);
        auto get = warp::GetOp::create(rewriter, fetch.getLoc(),
                                       fetch.getResult().getType(), ring, slot);
        rewriter.replaceUsesWithIf(fetch.getResult(), get,
                                   [block = block](OpOperand &use) {
                                     return use.getOwner()->getBlock() == block;
                                   });
      }
      rewriter.eraseOp(fetch);
    }
  }

  /// Replaces a fetch of a loop whose copy cannot run ahead.
  void copyInPlace(warp::FetchOp fetch) {
    Location loc = fetch.getLoc();
    Value ring = makeRing(fetch, 1);
    rewriter.setInsertionPoint(fetch);
    Value slot = constant(loc, 0);
    warp::BarrierOp::create(rewriter, loc);
    put(fetch, ring, slot);
    warp::CommitOp::create(rewriter, loc);
    waitAndMeet(loc, 0);
    rewriter.replaceOpWithNewOp<warp::GetOp>(fetch, fetch.getResult().getType(),
                                             ring, slot);
  }

  void put(warp::FetchOp fetch, Value ring, Value slot) {
    warp::PutOp::create(rewriter, fetch.getLoc(), ring, slot, fetch.getBuffer(),
                        fetch.getRows(), fetch.getHead());
  }

  void waitAndMeet(Location loc, int64_t pending) {
    warp::WaitOp::create(rewriter, loc, pending);
    warp::BarrierOp::create(rewriter, loc);
  }

  /// Starts the copies of one step of `loop`, if there is such a step.
  void putStep(PipelinedLoop &pipelined, ArrayRef<Value> rings, Value slot,
               Value step, Value last, bool check) {
    Location loc = pipelined.loop.getLoc();
    OpBuilder::InsertionGuard guard(rewriter);
    if (check) {
      Value more = arith::CmpIOp::create(rewriter, loc,
                                         arith::CmpIPredicate::slt, step, last);
      auto branch = scf::IfOp::create(rewriter, loc, more);
      rewriter.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    IRMapping mapping;
    mapping.map(pipelined.loop.getInductionVar(), step);
    for (auto [fetch, ring] : llvm::zip(pipelined.fetches, rings)) {
      OpBuilder::InsertionGuard fetchGuard(rewriter);
      // What is computed under a branch is not seen behind it.
      IRMapping own = mapping;
      SmallVector<Branch> branches = *branchesAround(fetch, pipelined.loop);
      IRMapping &known = branches.empty() ? mapping : own;
      for (Branch branch : branches) {
        Value condition =
            computeForStep(rewriter, branch.condition, pipelined.loop, known);
        if (!branch.taken)
          condition = arith::XOrIOp::create(
              rewriter, loc, condition,
              arith::ConstantOp::create(rewriter, loc,
                                        rewriter.getBoolAttr(true)));
        auto inner = scf::IfOp::create(rewriter, loc, condition);
        rewriter.setInsertionPoint(inner.thenBlock()->getTerminator());
      }
      Value rows =
          computeForStep(rewriter, fetch.getRows(), pipelined.loop, known);
      Value head =
          computeForStep(rewriter, fetch.getHead(), pipelined.loop, known);
      Value buffer =
          computeForStep(rewriter, fetch.getBuffer(), pipelined.loop, known);
      warp::PutOp::create(rewriter, fetch.getLoc(), ring, slot, buffer, rows,
                          head);
    }
  }

  void pipeline(PipelinedLoop &pipelined) {
    scf::ForOp loop = pipelined.loop;
    Location loc = loop.getLoc();
    int64_t stages = function.getSchedule().getStages();
    int64_t ahead = stages - 1;
    SmallVector<Value> rings;
    for (warp::FetchOp fetch : pipelined.fetches)
      rings.push_back(makeRing(fetch, stages));

    if (stages == 1) {
      rewriter.setInsertionPointToStart(loop.getBody());
      Value slot = constant(loc, 0);
      warp::BarrierOp::create(rewriter, loc);
      putStep(pipelined, rings, slot, loop.getInductionVar(),
              loop.getUpperBound(), /*check=*/false);
      warp::CommitOp::create(rewriter, loc);
      waitAndMeet(loc, 0);
      replaceFetches(pipelined, rings, slot);
      return;
    }

    rewriter.setInsertionPoint(loop);
    if (loop->getParentOfType<scf::ForOp>())
      warp::BarrierOp::create(rewriter, loc);
    Value step = loop.getLowerBound();
    for (int64_t stage = 0; stage < ahead; ++stage) {
      if (stage)
        step = arith::AddIOp::create(rewriter, loc, step, loop.getStep());
      putStep(pipelined, rings, constant(loc, stage), step,
              loop.getUpperBound(), /*check=*/true);
      warp::CommitOp::create(rewriter, loc);
    }
    Value distance = arith::MulIOp::create(rewriter, loc, loop.getStep(),
                                           constant(loc, ahead));
    Value zero = constant(loc, 0), one = constant(loc, 1),
          lastSlot = constant(loc, stages - 1);

    // The slot of the step, counted along.
    auto withSlot = loop.replaceWithAdditionalYields(
        rewriter, zero, /*replaceInitOperandUsesInLoop=*/false,
        [&](OpBuilder &builder, Location, ArrayRef<BlockArgument> added) {
          Value slot = added.front();
          Value next = arith::AddIOp::create(builder, loc, slot, one);
          Value wraps = arith::CmpIOp::create(
              builder, loc, arith::CmpIPredicate::eq, slot, lastSlot);
          return SmallVector<Value>{
              arith::SelectOp::create(builder, loc, wraps, zero, next)};
        });
    loop = pipelined.loop = cast<scf::ForOp>(withSlot->getOperation());
    Value slot = loop.getRegionIterArgs().back();

    rewriter.setInsertionPointToStart(loop.getBody());
    waitAndMeet(loc, ahead - 1);
    Value before = arith::SubIOp::create(rewriter, loc, slot, one);
    Value isFirst = arith::CmpIOp::create(rewriter, loc,
                                          arith::CmpIPredicate::eq, slot, zero);
    Value freed =
        arith::SelectOp::create(rewriter, loc, isFirst, lastSlot, before);
    Value stepAhead =
        arith::AddIOp::create(rewriter, loc, loop.getInductionVar(), distance);
    putStep(pipelined, rings, freed, stepAhead, loop.getUpperBound(),
            /*check=*/true);
    warp::CommitOp::create(rewriter, loc);
    replaceFetches(pipelined, rings, slot);
  }

  void replaceFetches(PipelinedLoop &pipelined, ArrayRef<Value> rings,
                      Value slot) {
    for (auto [fetch, ring] : llvm::zip(pipelined.fetches, rings)) {
      rewriter.setInsertionPoint(fetch);
      rewriter.replaceOpWithNewOp<warp::GetOp>(
          fetch, fetch.getResult().getType(), ring, slot);
    }
  }

  warp::FuncOp function;
  IRRewriter rewriter;
  Operation *lastRing = nullptr;
};

class WarpPipeline : public impl::WarpPipelineBase<WarpPipeline> {
  void runOnOperation() override {
    // A producer's copies run ahead by themselves.
    if (!getOperation().getSchedule().usesWarpgroups())
      Pipeliner(getOperation()).run();
  }
};

} // namespace
} // namespace weft
