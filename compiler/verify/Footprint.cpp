//===- Footprint.cpp - What a body does to its operands -------------------===//

#include "compiler/verify/Footprint.h"

#include "dialects/warp/Warp.h"

using namespace mlir;
using namespace weft;
using weft::plan::Access;

StringRef weft::operandName(Value buffer) {
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument)
    return {};
  auto body = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!body)
    return {};
  auto name = body.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                plan::kNameAttr);
  return name ? name.getValue() : StringRef();
}

AffineExpr weft::firstRowOf(tile::RowAccess access, LinearForms &forms) {
  if (access.getRows())
    return forms.of(access.getRows().getDefiningOp<tile::RowsOp>().getFirst());
  if (auto fill = dyn_cast<tile::FillOp>(access.getOperation()))
    return forms.of(fill.getFirst());
  return forms.of(cast<warp::FillOp>(access.getOperation()).getFirst());
}

Conjunction weft::elementsOf(tile::RowAccess access, LinearForms &forms) {
  int64_t count = access.getRows() ? access.getRows().getType().getCount()
                                   : forms.getGrid().getRows();
  AffineExpr first = firstRowOf(access, forms);
  AffineExpr row = forms.variable(LinearForms::Row);
  AffineExpr head = forms.variable(LinearForms::BufferHead);
  Conjunction elements{
      {row - first},
      {first + count - 1 - row},
      {forms.of(access.getHead()) - head, /*isEquality=*/true}};
  // Whatever is clipped or skipped.
  tile::BufferType buffer = access.getBuffer().getType();
  elements.push_back({forms.heads(buffer.getHeadSpace()) - head - 1});
  if (!access.getRows())
    elements.push_back({forms.rowsHeld(buffer.getRowSpace()) - row - 1});
  else if (access.isClipped())
    elements.push_back({forms.rowsIn(buffer) - row - 1});
  return elements;
}

std::pair<tile::TurnOp, scf::IfOp> weft::arrivalBefore(Operation *op) {
  for (Operation *parent = op->getParentOp(); parent;
       op = parent, parent = parent->getParentOp()) {
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (!branch || op->getBlock() != branch.thenBlock())
      continue;
    if (auto arrival = dyn_cast_or_null<tile::TurnOp>(
            branch.getCondition().getDefiningOp()))
      return {arrival, branch};
  }
  return {};
}

Conjunction weft::counterOf(tile::TurnOp turn, LinearForms &forms) {
  AffineExpr first =
      forms.of(turn.getRows().getDefiningOp<tile::RowsOp>().getFirst());
  return {{first - forms.variable(LinearForms::Row), /*isEquality=*/true},
          {forms.of(turn.getCounterHead()) -
               forms.variable(LinearForms::BufferHead),
           /*isEquality=*/true}};
}

namespace {
/// Walks a body from the top, with what holds where it stands.
class Reader {
public:
  Reader(FunctionOpInterface body, LinearForms &forms)
      : body(body), forms(forms), footprints(body.getNumArguments()) {}

  FailureOr<SmallVector<Footprint>> read() {
    if (failed(visit(body.getFunctionBody().front(), {})))
      return failure();
    return std::move(footprints);
  }

private:
  /// `path` holds whenever the block is run; there may be more that does.
  LogicalResult visit(Block &block, const Conjunction &path) {
    for (Operation &op : block)
      if (failed(visit(op, path)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation &op, const Conjunction &path) {
    if (auto turn = dyn_cast<tile::TurnOp>(op))
      if (failed(visitTurn(turn, path)))
        return failure();
    if (auto access = dyn_cast<tile::RowAccess>(op))
      return visitAccess(access, path);
    if (isa<tile::TurnOp>(op))
      return success();
    if (isa<tile::TicketOp, warp::TicketOp>(op)) {
      forms.bindPoint(op.getResult(0), op.getResult(1), op.getResult(2));
      footprintOf(op.getOperand(0)).tickets.push_back(&op);
      return success();
    }
    // A buffer may go nowhere else, or the footprint would not be all.
    if (llvm::any_of(op.getOperandTypes(), llvm::IsaPred<tile::BufferType>) ||
        llvm::any_of(op.getResultTypes(), llvm::IsaPred<tile::BufferType>))
      return op.emitError()
             << "body @" << body.getName() << " has a buffer in '"
             << op.getName() << "', which does not say how it reads or writes";
    if (auto point = dyn_cast<tile::PointOp>(op)) {
      forms.bindPoint(point.getSequence(), point.getTile(), point.getHead());
      return success();
    }
    if (auto point = dyn_cast<warp::PointOp>(op)) {
      forms.bindPoint(point.getSequence(), point.getTile(), point.getHead());
      return success();
    }
    if (auto points = dyn_cast<warp::PointsOp>(op)) {
      Block &each = points.getBody().front();
      forms.bindPoint(each.getArgument(0), each.getArgument(1),
                      each.getArgument(2));
      return visit(each, path);
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (failed(visit(*branch.thenBlock(),
                       with(path, branch.getCondition(), true))))
        return failure();
      return branch.elseBlock()
                 ? visit(*branch.elseBlock(),
                         with(path, branch.getCondition(), false))
                 : success();
    }
    // What is known of a loop's turn is known of its variable.
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return visit(*loop.getBody(), path);
    if (auto roles = dyn_cast<warp::RolesOp>(op))
      return success(succeeded(visit(roles.getProducer().front(), path)) &&
                     succeeded(visit(roles.getConsumer().front(), path)));
    WalkResult inside = op.walk([&](tile::RowAccess access) {
      access->emitError() << "body @" << body.getName() << " accesses '"
                          << operandName(access.getBuffer()) << "' inside a '"
                          << op.getName()
                          << "', which the proof cannot follow; use scf.if, "
                             "scf.for, warp.points or warp.roles";
      return WalkResult::interrupt();
    });
    return success(!inside.wasInterrupted());
  }

  Conjunction with(Conjunction path, Value condition, bool truth) {
    // Any of those that arrive may be the last.
    if (isa_and_nonnull<tile::TurnOp>(condition.getDefiningOp()))
      return path;
    auto when = forms.whenIs(condition, truth);
    // Of several cases none is certain.
    if (when && when->size() == 1)
      llvm::append_range(path, when->front());
    return path;
  }

  Footprint &footprintOf(Value buffer) {
    return footprints[cast<BlockArgument>(buffer).getArgNumber()];
  }

  /// The tile of a turn is one of its sequence's.
  LogicalResult visitTurn(tile::TurnOp turn, const Conjunction &path) {
    footprintOf(turn.getCounter()).turns.push_back({turn, path});
    tile::BufferType counter = turn.getCounter().getType();
    auto rows = turn.getRows().getDefiningOp<tile::RowsOp>();
    if (!rows || !forms.isSequence(rows.getSequence()))
      return turn->emitError()
             << "body @" << body.getName() << " takes a turn at '"
             << operandName(turn.getCounter())
             << "' on rows that are not those of its point's sequence";
    AffineExpr first = forms.of(rows.getFirst());
    AffineExpr head = forms.of(turn.getCounterHead());
    auto isNever = [&](AffineExpr excess, StringRef what) -> LogicalResult {
      Conjunction conditions = path;
      conditions.push_back({excess});
      auto witness = forms.solve(conditions);
      if (!witness)
        return success();
      return turn->emitError()
             << "body @" << body.getName() << " may take a turn at '"
             << operandName(turn.getCounter()) << "' for " << what
             << ", as with " << LinearForms::describe(*witness);
    };
    return success(
        succeeded(isNever(-first - 1, "rows before the sequence's first")) &&
        succeeded(isNever(first - forms.rowsIn(counter),
                          "a tile past the sequence's last")) &&
        succeeded(isNever(first % counter.getRounded() - 1,
                          "rows that begin inside of a tile")) &&
        succeeded(isNever(-head - 1, "a head below the counter's first")) &&
        succeeded(isNever(head - forms.heads(counter.getHeadSpace()),
                          "a head past the counter's last")));
  }

  LogicalResult visitAccess(tile::RowAccess access, const Conjunction &path) {
    auto argument = cast<BlockArgument>(access.getBuffer());
    Footprint &footprint = footprintOf(argument);
    switch (access.getAccess()) {
    case Access::in:
      footprint.reads.push_back({access, path});
      break;
    case Access::out:
      footprint.stores.push_back({access, path});
      break;
    case Access::acc:
      footprint.adds.push_back({access, path});
      break;
    case Access::ordered:
      footprint.orderedAdds.push_back({access, path});
      break;
    case Access::counter:
      llvm_unreachable("counters have no rows to access");
    }
    // A fill chooses among the rows and heads there are.
    if (!access.getRows())
      return isImpossible(access, path, -firstRowOf(access, forms) - 1,
                          "rows before the first that is held");
    auto rows = access.getRows().getDefiningOp<tile::RowsOp>();
    if (!rows || !forms.isSequence(rows.getSequence()))
      return access->emitError()
             << "body @" << body.getName() << " accesses '"
             << operandName(argument)
             << "' on rows that are not those of its point's sequence";
    AffineExpr head = forms.of(access.getHead());
    AffineExpr heads = forms.heads(access.getBuffer().getType().getHeadSpace());
    if (failed(isImpossible(access, path, -firstRowOf(access, forms) - 1,
                            "rows before the sequence's first")) ||
        failed(isImpossible(access, path, -head - 1,
                            "a head below the buffer's first")) ||
        failed(isImpossible(access, path, head - heads,
                            "a head past the buffer's last")))
      return failure();
    // Within a tile in fragments rows do not follow one another.
    tile::BufferType buffer = access.getBuffer().getType();
    if (buffer.getLayout() == tile::BufferLayout::fragments &&
        failed(isImpossible(access, path,
                            firstRowOf(access, forms) % buffer.getRounded() - 1,
                            "rows that begin inside of a tile")))
      return failure();
    // What a bulk copy reads there reaches no result; nothing clears what a
    // load does, which may be unclipped of a rounded buffer alone.
    if (access.isClipped() ||
        (access.getAccess() == Access::in && !buffer.isRounded()))
      return success();
    AffineExpr end =
        firstRowOf(access, forms) + access.getRows().getType().getCount();
    return isImpossible(access, path, end - forms.rowsIn(buffer) - 1,
                        buffer.isRounded()
                            ? "rows past the sequence's last tile, not clipped"
                            : "rows past the sequence's end, not clipped");
  }

  /// An error if `excess` may be at least 0 on the path.
  LogicalResult isImpossible(tile::RowAccess access, Conjunction path,
                             AffineExpr excess, StringRef what) {
    // Mostly the path does not matter, and accesses have much in common.
    if (forms.isAlwaysNegative(excess))
      return success();
    path.push_back({excess});
    auto witness = forms.solve(path);
    if (!witness)
      return success();
    // Without a point nobody gets here.
    path.push_back({forms.variable(LinearForms::Tile)});
    path.push_back({forms.variable(LinearForms::Head)});
    if (!forms.solve(path))
      return success();
    StringRef verb = access.getAccess() == Access::in    ? "read"
                     : access.getAccess() == Access::out ? "write"
                                                         : "add to";
    return access->emitError()
           << "body @" << body.getName() << " may " << verb << " '"
           << operandName(access.getBuffer()) << "' on " << what << ", as with "
           << LinearForms::describe(*witness);
  }

  FunctionOpInterface body;
  LinearForms &forms;
  SmallVector<Footprint> footprints;
};
} // namespace

FailureOr<SmallVector<Footprint>> weft::readFootprints(FunctionOpInterface body,
                                                       LinearForms &forms) {
  return Reader(body, forms).read();
}
