//===- TileToWarp.cpp - Tiles get their places ----------------------------===//
//
// A body is rewritten where it stands: first every tensor gets its layout as
// the encoding of its type, then the ops of the tile dialect become those of
// the warp dialect. Loops and branches follow, since their values are retyped.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"
#include "compiler/warp/VectorLayout.h"

#include "dialects/warp/Warp.h"

#include "mlir/Analysis/DataFlow/Utils.h"
#include "mlir/Analysis/DataFlowFramework.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_TILETOWARP
#include "compiler/warp/Passes.h.inc"

namespace {

/// Rows are aligned to two bytes whatever the strides: an element's own.
constexpr int64_t kLeastAlign = 2;

/// Every use of a constant gets its own, so that one may run along rows and
/// the other along columns.
void separateConstants(Operation *function) {
  SmallVector<arith::ConstantOp> constants;
  function->walk([&](arith::ConstantOp op) {
    if (isa<RankedTensorType>(op.getType()) && !op->use_empty())
      constants.push_back(op);
  });
  for (arith::ConstantOp constant : constants) {
    OpBuilder builder(constant);
    for (OpOperand &use :
         llvm::make_early_inc_range(llvm::drop_begin(constant->getUses())))
      use.set(builder.clone(*constant)->getResult(0));
  }
}

/// Sets the layout of one tensor, a block argument or a result.
LogicalResult setLayout(Value value, const DataFlowSolver &solver) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return success();
  if (tensor.getRank() != 1 && tensor.getRank() != 2)
    return emitError(value.getLoc())
           << tensor << " is neither a vector nor a tile of two dimensions";
  MLIRContext *context = value.getContext();
  Attribute layout;
  if (tensor.getRank() == 2) {
    layout = warp::AccAttr::get(context);
  } else {
    switch (lookUpVectorLayout(solver, value)) {
    case VectorLayout::Both:
      return emitError(value.getLoc())
             << "vector is used along rows and along columns; load or compute "
                "it once for each";
    case VectorLayout::Column:
      layout = warp::ColumnAttr::get(context);
      break;
    default:
      layout = warp::RowAttr::get(context);
    }
  }
  auto type = RankedTensorType::getChecked(
      [&] { return emitError(value.getLoc()); }, tensor.getShape(),
      tensor.getElementType(), layout);
  if (!type)
    return failure();
  if (auto constant = value.getDefiningOp<arith::ConstantOp>()) {
    auto elements = dyn_cast<SplatElementsAttr>(constant.getValue());
    if (!elements)
      return constant.emitError("tile is a constant of unequal elements; only "
                                "splats can be held in registers");
    constant.setValueAttr(
        SplatElementsAttr::get(type, elements.getSplatValue<Attribute>()));
  }
  value.setType(type);
  return success();
}

LogicalResult setLayouts(Operation *function, const DataFlowSolver &solver) {
  WalkResult walk = function->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          if (failed(setLayout(argument, solver)))
            return WalkResult::interrupt();
    for (Value result : op->getResults())
      if (failed(setLayout(result, solver)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  return failure(walk.wasInterrupted());
}

/// Whether a loop has one bound that moves with the point's tile and one that
/// does not: then tiles towards one end of the sequence have more work.
struct TileWork {
  bool grows = false, shrinks = false;
};
TileWork workOf(tile::FuncOp function, Value tile) {
  // What chooses between two bounds says whether there is work, not how much.
  auto dependsOnTile = [&](Value value) {
    SetVector<Value> known;
    known.insert(value);
    for (unsigned i = 0; i < known.size(); ++i) {
      Operation *op = known[i].getDefiningOp();
      if (!op)
        continue;
      OperandRange operands = op->getOperands();
      known.insert_range(isa<arith::SelectOp>(op) ? operands.drop_front()
                                                  : operands);
    }
    return known.contains(tile);
  };
  TileWork work;
  function->walk([&](scf::ForOp loop) {
    bool endMoves = dependsOnTile(loop.getUpperBound());
    bool startMoves = dependsOnTile(loop.getLowerBound());
    work.grows |= endMoves && !startMoves;
    work.shrinks |= startMoves && !endMoves;
  });
  return work;
}

/// Replaces the ops of one body, after its tensors have their layouts.
class BodyRewriter {
public:
  explicit BodyRewriter(warp::FuncOp function)
      : rewriter(function.getContext()),
        sharedLayout(function.getSchedule().usesWarpgroups()
                         ? warp::SharedLayout::swizzled
                         : warp::SharedLayout::padded),
        warps(function.getWarps()) {}

  LogicalResult run(Operation *function) {
    // Apart from the start: a product that is rewritten is gone.
    SmallVector<tile::DotOp> dots;
    SmallVector<Operation *> others;
    function->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto dot = dyn_cast<tile::DotOp>(op))
        dots.push_back(dot);
      else if (op != function)
        others.push_back(op);
    });
    // Products first: they decide where the tiles that are loaded live.
    for (tile::DotOp dot : dots)
      if (failed(rewriteDot(dot)))
        return failure();
    for (Operation *op : others)
      rewriteOther(op);
    return success();
  }

private:
  using Product = TypedValue<warp::SharedType>;

  /// The shared tile that `value`, a tile.load's result, is fetched into.
  Product fetch(tile::LoadOp load) {
    warp::FetchOp &fetch = fetches[load];
    if (!fetch) {
      auto tensor = cast<RankedTensorType>(load.getType());
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(load);
      bool isVector = tensor.getRank() == 1;
      fetch = warp::FetchOp::create(
          rewriter, load.getLoc(),
          warp::SharedType::get(
              load.getContext(), tensor.getDimSize(0),
              isVector ? 1 : tensor.getDimSize(1), tensor.getElementType(),
              isVector ? warp::SharedLayout::padded : sharedLayout),
          load.getBuffer(), load.getRows(), load.getHead(), load.getPadAttr());
    }
    return fetch.getResult();
  }

  /// Whether a vector of a step is copied ahead, as the step's tiles are: with
  /// roles, nothing but the producer hides how long memory takes.
  bool comesThroughRing(tile::LoadOp load) {
    auto tensor = cast<RankedTensorType>(load.getType());
    return sharedLayout == warp::SharedLayout::swizzled &&
           isa<warp::ColumnAttr>(tensor.getEncoding()) &&
           tensor.getElementType().isF32() &&
           load->getParentOfType<scf::ForOp>();
  }

  /// The operand that `round`, a tile.dot's first, is packed into.
  Value pack(arith::TruncFOp round) {
    warp::PackOp &pack = packs[round];
    if (!pack) {
      auto tensor = cast<RankedTensorType>(round.getType());
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfter(round);
      pack = warp::PackOp::create(
          rewriter, round.getLoc(),
          tensor.cloneWithEncoding(
              warp::OperandLayoutAttr::get(round.getContext())),
          round.getIn());
    }
    return pack.getResult();
  }

  /// The operand that `a`, a tile.dot's first, is; null if nothing packs it. A
  /// branch whose sides are packed gives the operand.
  Value packed(Value a) {
    if (auto round = a.getDefiningOp<arith::TruncFOp>())
      return pack(round);
    auto result = dyn_cast<OpResult>(a);
    auto branch = a.getDefiningOp<scf::IfOp>();
    if (!branch || !branch.elseBlock() || !a.hasOneUse())
      return Value();
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
      Value side = packed(yield.getOperand(result.getResultNumber()));
      if (!side)
        return Value();
      yield.setOperand(result.getResultNumber(), side);
      a.setType(side.getType());
    }
    return a;
  }

  LogicalResult checkFetched(tile::DotOp dot, tile::LoadOp load,
                             StringRef operand) {
    if (load && load.getPad().isZero())
      return success();
    InFlightDiagnostic error = dot.emitError() << "operand " << operand;
    if (load)
      return error << " is loaded with a pad other than 0; a tile in shared "
                      "memory is padded with zeros";
    return error << " is computed; only "
                 << (operand == "a"
                         ? "a loaded tile or a rounded (arith.truncf) "
                           "f32 tile can be operand a"
                         : "a loaded tile can be operand b");
  }

  /// A product whose first operand is a rounded tile, turned: it goes through
  /// shared memory, and all warpgroups multiply what each of them put there.
  /// With fewer rows than the warpgroups have together, each makes all rows of
  /// columns of its own.
  LogicalResult rewriteTurned(tile::DotOp dot) {
    auto round = dot.getA().getDefiningOp<arith::TruncFOp>();
    if (sharedLayout != warp::SharedLayout::swizzled || !round)
      return dot.emitError("turns operand a; only warpgroups do (mma = "
                           "warpgroup), a rounded (arith.truncf) f32 tile");
    auto load = dot.getB().getDefiningOp<tile::LoadOp>();
    if (failed(checkFetched(dot, load, "b")))
      return failure();
    auto type = cast<RankedTensorType>(dot.getType());
    if (!matchPattern(dot.getAcc(), m_AnyZeroFloat()) ||
        !llvm::all_of(dot->getUsers(), llvm::IsaPred<tile::AddOp>))
      return dot.emitError("turns operand a; such a product starts from zero, "
                           "and all that may be done with it is tile.add");
    auto from = cast<RankedTensorType>(round.getType());
    Value operand = pack(round);
    rewriter.setInsertionPoint(dot);
    auto a = warp::ExchangeOp::create(
        rewriter, dot.getLoc(),
        warp::SharedType::get(dot.getContext(), from.getDimSize(1),
                              from.getDimSize(0), from.getElementType(),
                              sharedLayout),
        operand);
    if (type.getDimSize(0) != 16 * warps)
      type = type.cloneWithEncoding(warp::SliceAttr::get(dot.getContext()));
    auto zero = arith::ConstantOp::create(
        rewriter, dot.getLoc(),
        SplatElementsAttr::get(type, rewriter.getF32FloatAttr(0)));
    Product b = fetch(load);
    auto product = warp::MmaOp::create(rewriter, dot.getLoc(), type, a, b, zero,
                                       /*transposed=*/dot.getTransposed());
    for (Operation *user : dot->getUsers())
      user->setOperand(0, product);
    rewriter.eraseOp(dot);
    return success();
  }

  LogicalResult rewriteDot(tile::DotOp dot) {
    if (dot.getATransposed())
      return rewriteTurned(dot);
    Value a = packed(dot.getA());
    if (!a) {
      auto load = dot.getA().getDefiningOp<tile::LoadOp>();
      if (failed(checkFetched(dot, load, "a")))
        return failure();
      a = fetch(load);
    }
    auto load = dot.getB().getDefiningOp<tile::LoadOp>();
    if (failed(checkFetched(dot, load, "b")))
      return failure();
    Product b = fetch(load);
    rewriter.setInsertionPoint(dot);
    rewriter.replaceOpWithNewOp<warp::MmaOp>(dot, dot.getType(), a, b,
                                             dot.getAcc(), dot.getTransposed());
    return success();
  }

  void rewriteOther(Operation *op) {
    rewriter.setInsertionPoint(op);
    TypeSwitch<Operation *>(op)
        .Case([&](tile::LoadOp load) {
          if (load->use_empty())
            return rewriter.eraseOp(load);
          if (comesThroughRing(load)) {
            rewriter.replaceOpWithNewOp<warp::ReadOp>(load, load.getType(),
                                                      fetch(load));
            return;
          }
          rewriter.replaceOpWithNewOp<warp::LoadOp>(
              load, load.getType(), load.getBuffer(), load.getRows(),
              load.getHead(), load.getPadAttr(), load.getUnclippedAttr());
        })
        .Case([&](tile::StoreOp store) {
          rewriter.replaceOpWithNewOp<warp::StoreOp>(
              store, store.getValue(), store.getBuffer(), store.getRows(),
              store.getHead(), store.getUnclipped());
        })
        .Case([&](tile::AddOp add) {
          rewriter.replaceOpWithNewOp<warp::AddOp>(
              add, add.getValue(), add.getBuffer(), add.getRows(),
              add.getHead(), add.getUnclipped());
        })
        .Case([&](tile::OrderedAddOp add) {
          rewriter.replaceOpWithNewOp<warp::OrderedAddOp>(
              add, add.getValue(), add.getBuffer(), add.getRows(),
              add.getHead(), add.getTurn(), add.getCount(), add.getCounter());
        })
        .Case([&](tile::FillOp fill) {
          rewriter.replaceOpWithNewOp<warp::FillOp>(
              fill, fill.getBuffer(), fill.getFirst(), fill.getHead(),
              fill.getValueAttr());
        })
        .Case([&](tile::ReduceOp reduce) {
          rewriter.replaceOpWithNewOp<warp::ReduceOp>(
              reduce, reduce.getType(), reduce.getKind(), reduce.getValue());
        })
        .Case([&](tile::AnyOp any) {
          rewriter.replaceOpWithNewOp<warp::AnyOp>(any, any.getValue());
        })
        .Case([&](tile::ExpandOp expand) {
          rewriter.replaceOpWithNewOp<warp::ExpandOp>(expand, expand.getType(),
                                                      expand.getValue());
        })
        .Case([&](tile::CoordinatesOp coordinates) {
          rewriter.replaceOpWithNewOp<warp::CoordinatesOp>(
              coordinates, coordinates.getType(), coordinates.getFirst(),
              coordinates.getDim());
        })
        .Case([&](arith::TruncFOp round) {
          // All that is left of a rounding that was packed.
          if (round->use_empty())
            rewriter.eraseOp(round);
        });
  }

  IRRewriter rewriter;
  warp::SharedLayout sharedLayout;
  int64_t warps;
  DenseMap<Operation *, warp::FetchOp> fetches;
  DenseMap<Operation *, warp::PackOp> packs;
};

/// An op of the body that has no place in a schedule, or null.
Operation *findForeignOp(tile::FuncOp function) {
  Operation *foreign = nullptr;
  function->walk([&](Operation *op) {
    bool known = op == function ||
                 isa<tile::PointOp, tile::LengthOp, tile::RowsOp, tile::LoadOp,
                     tile::StoreOp, tile::AddOp, tile::FillOp, tile::DotOp,
                     tile::TicketOp, tile::OrderedAddOp, tile::LastArrivalOp,
                     tile::ReduceOp, tile::AnyOp, tile::ExpandOp,
                     tile::CoordinatesOp, tile::ReturnOp, scf::ForOp, scf::IfOp,
                     scf::YieldOp, arith::ConstantOp, tensor::SplatOp>(op) ||
                 OpTrait::hasElementwiseMappableTraits(op);
    if (known)
      return WalkResult::advance();
    foreign = op;
    return WalkResult::interrupt();
  });
  return foreign;
}

class TileToWarp : public impl::TileToWarpBase<TileToWarp> {
  void runOnOperation() override {
    for (auto function :
         llvm::make_early_inc_range(getOperation().getOps<tile::FuncOp>()))
      if (failed(lower(function)))
        return signalPassFailure();
  }

  /// Whether a launch of the kernel may begin while the one before it runs.
  bool isLaunchedEarly(warp::FuncOp function) {
    StringRef kernel = function.getSymName();
    kernel.consume_back(plan::KernelOp::bodySuffix());
    return getOperation()
        ->walk([&](plan::LaunchOp launch) {
          return launch.getEarly() && launch.getKernel() == kernel
                     ? WalkResult::interrupt()
                     : WalkResult::advance();
        })
        .wasInterrupted();
  }

  /// What orders points asks of a schedule: CTAs of one point whose threads go
  /// together, and loads that wait for what was read before them.
  LogicalResult checkTurns(tile::FuncOp function) {
    WalkResult walk = function->walk([&](Operation *op) {
      if (isa<tile::TicketOp, tile::TurnOp>(op) &&
          function.getSchedule().usesWarpgroups()) {
        op->emitError("takes turns in a schedule of warpgroups, whose CTAs "
                      "have no order; give the kernel mma = warp");
        return WalkResult::interrupt();
      }
      auto dot = dyn_cast<tile::DotOp>(op);
      if (!dot)
        return WalkResult::advance();
      for (Value operand : {dot.getA(), dot.getB()})
        if (auto load = operand.getDefiningOp<tile::LoadOp>())
          for (Operation *user : load.getBuffer().getUsers())
            if (isa<tile::StoreOp>(user)) {
              dot.emitError("multiplies a tile that the kernel itself stores; "
                            "copies to shared memory do not wait for an "
                            "arrival");
              return WalkResult::interrupt();
            }
      return WalkResult::advance();
    });
    return failure(walk.wasInterrupted());
  }

  LogicalResult lower(tile::FuncOp function) {
    if (Operation *foreign = findForeignOp(function)) {
      InFlightDiagnostic error = foreign->emitError()
                                 << "has no lowering to warps";
      if (isa<tile::SoftmaxStepOp>(foreign))
        error << "; run the pass tile-expand-softmax first";
      return error;
    }
    if (function.getBody().empty())
      return function.emitError("needs a body");
    SmallVector<Operation *> points;
    for (Operation &op : function.getBody().front())
      if (isa<tile::PointOp, tile::TicketOp>(op))
        points.push_back(&op);
    if (points.size() != 1)
      return function.emitError("needs one tile.point or tile.ticket at the "
                                "top of its body");
    if (failed(checkTurns(function)))
      return failure();

    separateConstants(function);
    DataFlowSolver solver;
    SymbolTableCollection symbols;
    dataflow::loadBaselineAnalyses(solver);
    solver.load<VectorLayoutAnalysis>(symbols);
    if (failed(solver.initializeAndRun(function)) ||
        failed(setLayouts(function, solver)))
      return failure();

    IRRewriter rewriter(function);
    Operation *point = points.front();
    TileWork work = workOf(function, point->getResult(1));
    // Tickets count up.
    bool descending = work.grows && !work.shrinks && isa<tile::PointOp>(point);
    bool uneven = work.grows != work.shrinks;
    auto align = function->getAttrOfType<IntegerAttr>("weft.align");
    auto result = warp::FuncOp::create(
        rewriter, function.getLoc(), function.getSymNameAttr(),
        function.getFunctionTypeAttr(), function.getGridAttr(),
        function.getScheduleAttr(),
        rewriter.getI64IntegerAttr(align ? align.getInt() : kLeastAlign),
        descending ? rewriter.getUnitAttr() : UnitAttr(),
        uneven ? rewriter.getUnitAttr() : UnitAttr(),
        function.getArgAttrsAttr(), function.getResAttrsAttr());
    for (NamedAttribute attribute : function->getDiscardableAttrs())
      if (attribute.getName() != "weft.align")
        result->setDiscardableAttr(attribute.getName(), attribute.getValue());
    rewriter.inlineRegionBefore(function.getBody(), result.getBody(),
                                result.getBody().end());
    rewriter.eraseOp(function);

    // All of the body but the point itself moves under "the point exists".
    Block &body = result.getBody().front();
    rewriter.setInsertionPointToStart(&body);
    Location loc = point->getLoc();
    if (isLaunchedEarly(result))
      warp::AwaitLaunchesOp::create(rewriter, loc);
    Operation *warpPoint;
    if (auto ticket = dyn_cast<tile::TicketOp>(point))
      warpPoint = warp::TicketOp::create(rewriter, loc, ticket.getCounter());
    else
      warpPoint = warp::PointOp::create(rewriter, loc);
    rewriter.replaceOp(point, warpPoint->getResults().drop_back());
    auto exists =
        scf::IfOp::create(rewriter, loc, warpPoint->getResults().back());
    Block *then = exists.thenBlock();
    then->getOperations().splice(then->begin(), body.getOperations(),
                                 std::next(exists->getIterator()),
                                 std::prev(body.end()));
    Operation *end = body.getTerminator();
    rewriter.setInsertionPoint(end);
    rewriter.replaceOpWithNewOp<warp::ReturnOp>(end);

    return BodyRewriter(result).run(result);
  }
};

} // namespace
} // namespace weft
