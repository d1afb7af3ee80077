//===- Turns.cpp - The order that points of a grid take -------------------===//

#include "compiler/verify/Turns.h"

#include "compiler/verify/Coverage.h"
#include "dialects/warp/Warp.h"

using namespace mlir;
using namespace weft;

/// Whether the number depends on the problem and its sequence alone.
static bool isOfProblem(AffineExpr count) {
  bool ofProblem = true;
  count.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      ofProblem &= dim.getPosition() <= LinearForms::HeadsKv;
  });
  return ofProblem;
}

static Conjunction counterOnPath(const TurnOnPath &turn, LinearForms &forms) {
  Conjunction conditions = turn.path;
  llvm::append_range(conditions, counterOf(turn.op, forms));
  return conditions;
}

LogicalResult TurnChecks::checkTurns(StringRef name,
                                     ArrayRef<TurnOnPath> turns) {
  tile::TurnOp first = turns.front().op;
  AffineExpr count = forms.of(first.getCount());
  // All forms first: what `ofSecond` says holds until there is another
  // variable.
  for (const TurnOnPath &turn : turns) {
    tile::TurnOp op = turn.op;
    AffineExpr number = forms.of(op.getTurn());
    if (forms.of(op.getCount()) != count)
      return error(op) << "counts turns at '" << name
                       << "' to another number than before";
    if (op.waits() != first.waits())
      return error(op) << "takes turns at '" << name
                       << "' that are waited for and such that are not; give "
                          "each kind counters of its own";
    if (arrivalBefore(op).first)
      return error(op) << "takes a turn at '" << name
                       << "' behind a last arrival, where it is open which "
                          "point it is";
    if (!isOfProblem(count))
      return error(op) << "counts turns at '" << name
                       << "' to a number that is not one of lengths and heads "
                          "alone, so that points may not agree on it";
    if (op.waits() && !hasTicket)
      return error(op) << "waits for its turn at '" << name
                       << "', but the point waited for may never begin: take "
                          "points by tile.ticket";
    for (AffineExpr excess : {-number - 1, number - count}) {
      Conjunction outside = turn.path;
      outside.push_back({excess});
      if (auto witness = forms.solve(outside))
        return error(op) << "may take a turn at '" << name
                         << "' that is none of 0 to count - 1: "
                         << LinearForms::describe(*witness);
    }
  }
  for (auto [index, one] : llvm::enumerate(turns))
    for (const TurnOnPath &other : turns.take_front(index + 1))
      if (failed(checkPair(name, one, other)) ||
          (&one != &other && failed(checkPair(name, other, one))))
        return failure();

  Coverage coverage(forms, turns, count);
  auto witness = coverage.findUnwritten(body.getFunctionBody().front());
  if (!witness)
    return success();
  InFlightDiagnostic diagnostic =
      error(first)
      << "leaves out a turn at '" << name
      << "', so that later ones never come and it is not set to 0 again: "
      << LinearForms::describe(*witness);
  if (Operation *unfollowed = coverage.getUnfollowed())
    diagnostic.attachNote(unfollowed->getLoc())
        << "turns here do not count: they hang on what is not linear in "
           "lengths, heads and the point";
  return diagnostic;
}

/// Of two runs, `one` at a point of a higher number than `other`, or at one
/// point.
LogicalResult TurnChecks::checkPair(StringRef name, const TurnOnPath &one,
                                    const TurnOnPath &other) {
  tile::TurnOp first = one.op, second = other.op;
  AffineExpr tile = forms.variable(LinearForms::Tile);
  AffineExpr head = forms.variable(LinearForms::Head);
  AffineExpr number = forms.of(first.getTurn());
  Conjunction a = counterOnPath(one, forms), b = counterOnPath(other, forms);
  SmallVector<AffineExpr> loops;
  if (&one == &other)
    for (Operation *op = first->getParentOp(); op; op = op->getParentOp())
      if (auto loop = dyn_cast<scf::ForOp>(op))
        loops.push_back(forms.variable(forms.turnOf(loop)));
  AffineExpr otherNumber = forms.ofSecond(forms.of(second.getTurn()));
  AffineExpr otherTile = forms.ofSecond(tile), otherHead = forms.ofSecond(head);

  Conjunction samePoint{{tile - otherTile, /*isEquality=*/true},
                        {head - otherHead, /*isEquality=*/true}};
  std::vector<Conjunction> twice;
  if (&one != &other)
    twice.push_back(samePoint);
  for (AffineExpr loop : loops) {
    twice.push_back(samePoint);
    twice.back().push_back({loop - forms.ofSecond(loop) - 1});
  }
  for (const Conjunction &between : twice)
    if (auto witness = forms.solveForTwoRuns(a, b, between))
      return error(first) << "takes two turns at a counter of '" << name
                          << "' at one point: "
                          << LinearForms::describe(*witness);

  // Points are numbered head by head, then tile by tile.
  for (Conjunction between :
       {Conjunction{{head - otherHead - 1}},
        Conjunction{{head - otherHead, /*isEquality=*/true},
                    {tile - otherTile - 1}}}) {
    Conjunction same = between;
    same.push_back({number - otherNumber, /*isEquality=*/true});
    if (auto witness = forms.solveForTwoRuns(a, b, same))
      return error(first) << "gives one turn at a counter of '" << name
                          << "' to two points, one of them: "
                          << LinearForms::describe(*witness);
    if (!second.waits())
      continue;
    between.push_back({otherNumber - number - 1});
    if (auto witness = forms.solveForTwoRuns(a, b, between))
      return error(second) << "may wait at '" << name
                           << "' for a point of a higher number: "
                           << LinearForms::describe(*witness);
  }
  return success();
}

LogicalResult TurnChecks::checkOneCounter(StringRef name,
                                          ArrayRef<AccessOnPath> adds) {
  auto counterOf = [](AccessOnPath add) -> Value {
    return cast<tile::TurnOp>(add.op.getOperation()).getCounter();
  };
  for (const AccessOnPath &add : adds)
    if (counterOf(add) != counterOf(adds.front()))
      return error(add.op) << "adds in turn to '" << name << "' by '"
                           << operandName(counterOf(add))
                           << "' and elsewhere by '"
                           << operandName(counterOf(adds.front()))
                           << "', between which there is no order";
  return success();
}

LogicalResult TurnChecks::checkBehindArrivals(StringRef name,
                                              ArrayRef<AccessOnPath> writes) {
  for (const AccessOnPath &write : writes) {
    auto [arrival, branch] = arrivalBefore(write.op);
    if (!arrival)
      continue;
    tile::RowAccess op = write.op;
    if (op->getBlock() != branch.thenBlock() || !op.getRows())
      return error(op) << "writes to '" << name
                       << "' behind a last arrival in a loop or under another "
                          "condition, so that it may depend on the point";
    AffineExpr row = firstRowOf(op, forms), head = forms.of(op.getHead());
    Conjunction counter = counterOf(arrival, forms);
    for (AffineExpr place : {row, head})
      if (auto witness = forms.solveForTwoRuns(
              counter, counter, {{place - forms.ofSecond(place) - 1}}))
        return error(op) << "writes to '" << name
                         << "' at a place that depends on which point is the "
                            "last to arrive: "
                         << LinearForms::describe(*witness);
  }
  return success();
}

/// Whether a value is made of constants and what a launch passes.
static bool isOfLaunch(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return isa<FunctionOpInterface>(value.getParentBlock()->getParentOp());
  return isPure(op) && !op->getNumRegions() && !isa<tile::PointOp>(op) &&
         llvm::all_of(op->getOperands(), isOfLaunch);
}

LogicalResult TurnChecks::checkValues(Operation *op, tile::TurnOp arrival,
                                      scf::IfOp branch) {
  // Two that are last at the same counter, in the same turns of loops.
  Conjunction counter = counterOf(arrival, forms);
  SmallVector<AffineExpr> loops;
  for (Operation *parent = op->getParentOp(); parent != branch;
       parent = parent->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      loops.push_back(forms.variable(forms.turnOf(loop)));
  auto isSame = [&](AffineExpr form) -> LogicalResult {
    Conjunction between{{form - forms.ofSecond(form) - 1}};
    for (AffineExpr loop : loops)
      between.push_back({loop - forms.ofSecond(loop), /*isEquality=*/true});
    auto witness = forms.solveForTwoRuns(counter, counter, between);
    if (!witness)
      return success();
    return error(op) << "computes behind a last arrival what depends on which "
                        "point it is: "
                     << LinearForms::describe(*witness);
  };
  // Numbers count where they get into tiles or decide.
  bool isOnlyNumbers = llvm::all_of(
      op->getResultTypes(), [](Type type) { return type.isInteger(64); });
  bool isPlace = isa<tile::RowsOp, tile::RowAccess, tile::TurnOp>(op);
  for (Value operand : op->getOperands()) {
    if (isa<tile::BufferType, tile::RowsType>(operand.getType()))
      continue;
    if (operand.getType().isInteger(64)) {
      bool counts = op->getNumRegions() || !isOnlyNumbers;
      if (counts && !isPlace && failed(isSame(forms.of(operand))))
        return failure();
    } else if (!branch->isAncestor(operand.getParentRegion()->getParentOp()) &&
               !isOfLaunch(operand)) {
      return error(op) << "uses behind a last arrival what a point computed "
                          "before, and which point it is is open";
    }
  }
  auto read = dyn_cast<tile::RowAccess>(op);
  if (!read || read.getAccess() != plan::Access::in)
    return success();
  return success(succeeded(isSame(firstRowOf(read, forms))) &&
                 succeeded(isSame(forms.of(read.getHead()))));
}

LogicalResult TurnChecks::checkValuesBehindArrivals() {
  WalkResult walk = body->walk([&](scf::IfOp branch) {
    auto arrival =
        dyn_cast_or_null<tile::TurnOp>(branch.getCondition().getDefiningOp());
    if (!arrival)
      return WalkResult::advance();
    return branch.getThenRegion().walk([&](Operation *op) {
      return WalkResult(checkValues(op, arrival, branch));
    });
  });
  return failure(walk.wasInterrupted());
}

/// Whether each point passes here.
static bool isPassedAlways(Operation *op) {
  for (Operation *parent = op->getParentOp();
       parent && !isa<FunctionOpInterface>(parent);
       parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (!branch || !isa_and_nonnull<warp::PointOp, warp::TicketOp>(
                       branch.getCondition().getDefiningOp()))
      return false;
  }
  return true;
}

LogicalResult TurnChecks::checkReadBack(StringRef name,
                                        ArrayRef<AccessOnPath> reads,
                                        ArrayRef<AccessOnPath> stores) {
  for (const AccessOnPath &read : reads) {
    auto [arrival, branch] = arrivalBefore(read.op);
    SmallVector<AccessOnPath> before;
    if (arrival && isPassedAlways(arrival))
      for (const AccessOnPath &store : stores)
        if (store.op->getBlock() == arrival->getBlock() &&
            store.op->isBeforeInBlock(arrival))
          before.push_back(store);
    if (before.empty())
      return error(read.op)
             << "reads '" << name
             << "', which is 'out' in its contract: only behind a last arrival "
                "that every point passes after its stores may it be read back";
    Coverage coverage(forms, before);
    if (auto witness = coverage.findUnseen(read.op, arrival))
      return error(read.op) << "may read '" << name
                            << "' where no point that has arrived wrote: "
                            << LinearForms::describe(*witness);
  }
  return success();
}
