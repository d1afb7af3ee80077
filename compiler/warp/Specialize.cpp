//===- Specialize.cpp - One warpgroup copies, the others compute ----------===//
//
// Each buffer that is fetched from gets a ring. The producer's body is what of
// the kernel decides which tiles are fetched, in which order; the consumers'
// body is the kernel, with tiles received where they are used. Rings are first
// in, first out, and both bodies come from one, so the order agrees.
//
//===----------------------------------------------------------------------===//

#include "compiler/warp/Passes.h"

#include "compiler/attn/FromSpec.h"
#include "compiler/schedule/Schedule.h"
#include "dialects/attn/Attn.h"
#include "dialects/warp/Warp.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace weft {
#define GEN_PASS_DEF_WARPSPECIALIZE
#include "compiler/warp/Passes.h.inc"

namespace {

bool containsFetch(Operation *op) {
  return op->walk([](warp::FetchOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

bool isTensor(Type type) { return isa<RankedTensorType>(type); }

class Specializer {
public:
  explicit Specializer(warp::FuncOp function)
      : function(function), rewriter(function) {}

  LogicalResult run() {
    auto points = function.getOps<warp::PointOp>();
    if (!llvm::hasSingleElement(points))
      return function.emitError("needs one warp.point at the top of its body");
    point = *points.begin();
    if (!point.getExists().hasOneUse())
      return point.emitError("needs one scf.if on whether the point exists");
    exists = dyn_cast<scf::IfOp>(*point.getExists().user_begin());
    if (!exists || exists.getNumResults() || exists.elseBlock())
      return point.emitError("needs one scf.if on whether the point exists");
    function.walk([&](warp::FetchOp fetch) { fetches.push_back(fetch); });
    SmallVector<warp::AddOp> adds;
    function.walk([&](warp::AddOp add) { adds.push_back(add); });
    for (warp::AddOp add : adds)
      addInBulk(add);
    makeRings();

    rewriter.setInsertionPoint(exists);
    bool sendsVectors = llvm::any_of(needs, [](auto &need) {
      auto buffer = cast<tile::BufferType>(need.first.getType());
      return need.second.second.isVector() &&
             buffer.getLayout() != tile::BufferLayout::fragments;
    });
    RoleRegisters registers =
        roleRegisters(function.getWarps(), isBalanced(), sendsVectors,
                      function.getSchedule().getCtasPerSm());
    Location loc = exists.getLoc();
    auto roles = warp::RolesOp::create(rewriter, loc, registers.producer,
                                       registers.consumer);
    if (failed(writeProducer(roles)))
      return failure();
    writeConsumer(roles);
    return success();
  }

private:
  /// Adds to a buffer that lies in fragments go in bulk, by way of shared
  /// memory.
  void addInBulk(warp::AddOp add) {
    auto value = cast<RankedTensorType>(add.getValue().getType());
    if (add.getBuffer().getType().getLayout() !=
            tile::BufferLayout::fragments ||
        value.getRank() != 2)
      return;
    Location loc = add.getLoc();
    rewriter.setInsertionPoint(point);
    auto staged = warp::AllocOp::create(
        rewriter, loc,
        warp::SharedType::get(add.getContext(), value.getDimSize(0),
                              value.getDimSize(1), value.getElementType(),
                              warp::SharedLayout::fragments));
    rewriter.setInsertionPoint(add);
    warp::StageOp::create(rewriter, loc, add.getValue(), staged);
    warp::AddStagedOp::create(rewriter, loc, staged, add.getBuffer(),
                              add.getRows(), add.getHead());
    rewriter.eraseOp(add);
  }

  /// A ring for each buffer, at the top of the kernel.
  void makeRings() {
    rewriter.setInsertionPoint(point);
    for (warp::FetchOp fetch : fetches) {
      auto [stages, type] = needs[fetch.getBuffer()];
      int64_t needed = 1;
      if (fetch->getParentOfType<scf::ForOp>())
        needed = isSecondOperand(fetch)
                     ? function.getSchedule().getSecondStages()
                     : function.getSchedule().getStages();
      needs[fetch.getBuffer()] = {std::max(stages, needed),
                                  fetch.getResult().getType()};
    }
    // One is filled while the products of the one before are under way.
    SmallVector<warp::ExchangeOp> exchanges;
    function.walk([&](warp::ExchangeOp op) { exchanges.push_back(op); });
    for (warp::ExchangeOp exchange : exchanges)
      exchangeRings[exchange] = warp::RingOp::create(
          rewriter, function.getLoc(),
          warp::RingType::get(function.getContext(), 2, exchange.getType()));
    if (function.getSchedule().getPersistent() && secondSlotsFit())
      for (auto &[buffer, need] : needs)
        need.first = std::max<int64_t>(need.first, 2);
    // Vectors last: swizzled tiles begin at multiples of 1024 bytes.
    for (bool isVector : {false, true})
      for (auto &[buffer, need] : needs)
        if (need.second.isVector() == isVector)
          rings[buffer] = warp::RingOp::create(
              rewriter, function.getLoc(),
              warp::RingType::get(function.getContext(), need.first,
                                  need.second));
  }

  /// Whether the tiles that a point keeps may have a second slot, so that those
  /// of the next point come while this one's are used.
  bool secondSlotsFit() {
    auto name = function->getParentOp()->getAttrOfType<StringAttr>(kTargetAttr);
    llvm::Expected<const Target *> target =
        targetByName(name ? name.getValue() : "");
    if (!target) {
      llvm::consumeError(target.takeError());
      return false;
    }
    int64_t bytes = swizzleAlignment;
    for (auto &[exchange, ring] : exchangeRings) {
      auto type = cast<warp::RingType>(ring.getType());
      bytes += type.getStages() * (type.getTile().getBytes() + barrierBytes);
    }
    function.walk([&](warp::AllocOp op) { bytes += op.getType().getBytes(); });
    for (auto &[buffer, need] : needs)
      bytes += std::max<int64_t>(need.first, 2) *
               (need.second.getBytes() + barrierBytes);
    return bytes <=
           sharedPerCta(**target, function.getSchedule().getCtasPerSm());
  }

  /// Whether the tile is b of a product that is not transposed: it is used
  /// last in a step, and given back late.
  static bool isSecondOperand(warp::FetchOp fetch) {
    return llvm::any_of(fetch->getUsers(), [&](Operation *user) {
      auto mma = dyn_cast<warp::MmaOp>(user);
      return mma && mma.getB() == fetch.getResult() && !mma.getTransposed();
    });
  }

  /// Whether CTAs take point after point, some longer than others.
  bool isBalanced() {
    return function.getUneven() && function.getSchedule().getPersistent();
  }

  /// Whether warps look for the sequences of points together: those of forwards
  /// with packed rows. Gradients walk as they were measured.
  bool isSearched() {
    StringRef name = function.getSymName();
    auto module = function->getParentOfType<ModuleOp>();
    if (!module || !name.consume_back(plan::KernelOp::bodySuffix()))
      return false;
    auto kernel = module.lookupSymbol<plan::KernelOp>(name);
    auto side = function->getAttrOfType<attn::SideAttr>("weft.q");
    if (!side)
      side = module->getAttrOfType<attn::SideAttr>("weft.q");
    return kernel && kernel.getKind() == plan::KernelKind::forward && side &&
           side.getLayout() == attn::RowLayout::thd;
  }

  /// Whether a product would carry what a tile holds behind the sequence's end
  /// into rows that exist. Only the scores' keys do not matter: whatever their
  /// columns hold, the mask replaces it.
  bool mustBeClear(warp::FetchOp fetch) const {
    // Rows of a may become columns of a product's operand: where they are
    // handed over, all warpgroups add over them.
    if (!exchangeRings.empty())
      return fetch.getResult().getType().isSwizzled();
    return llvm::any_of(fetch->getUsers(), [&](Operation *user) {
      auto mma = dyn_cast<warp::MmaOp>(user);
      if (!mma || mma.getB() != fetch.getResult())
        return false;
      bool isScores = mma.getTransposed() &&
                      mma == *mma->getBlock()->getOps<warp::MmaOp>().begin();
      return !isScores ||
             fetch.getRows().getType().getRowSpace() != plan::RowSpace::kv;
    });
  }

  warp::PointsOp makePoints(Region &role, Location loc) {
    rewriter.createBlock(&role);
    auto points =
        warp::PointsOp::create(rewriter, loc, isBalanced(), isSearched());
    Type i64 = rewriter.getI64Type();
    rewriter.createBlock(&points.getBody(), {}, {i64, i64, i64},
                         {loc, loc, loc});
    return points;
  }

  //===--------------------------------------------------------------------===//
  // Producer
  //===--------------------------------------------------------------------===//

  LogicalResult writeProducer(warp::RolesOp roles) {
    OpBuilder::InsertionGuard guard(rewriter);
    warp::PointsOp points = makePoints(roles.getProducer(), roles.getLoc());
    IRMapping mapping;
    mapping.map(point.getResults().drop_back(),
                points.getBody().getArguments());
    return copy(*exists.thenBlock(), mapping);
  }

  /// Whether the producer has `value`.
  bool has(Value value, const IRMapping &mapping) {
    return mapping.contains(value) ||
           (value.getDefiningOp() != point &&
            !exists.getThenRegion().isAncestor(value.getParentRegion()));
  }

  LogicalResult require(Operation *op, ValueRange values,
                        const IRMapping &mapping) {
    for (Value value : values)
      if (!has(value, mapping))
        return op->emitError("decides which tiles are fetched by what is "
                             "computed from tiles; the producer has no "
                             "registers for those");
    return success();
  }

  /// Writes what decides on the fetches of `block`, and the fetches.
  LogicalResult copy(Block &block, IRMapping &mapping) {
    for (Operation &op : block.without_terminator()) {
      if (auto fetch = dyn_cast<warp::FetchOp>(op)) {
        if (failed(require(&op, op.getOperands(), mapping)))
          return failure();
        warp::SendOp::create(rewriter, op.getLoc(), rings[fetch.getBuffer()],
                             mapping.lookupOrDefault(fetch.getBuffer()),
                             mapping.lookupOrDefault(fetch.getRows()),
                             mapping.lookupOrDefault(fetch.getHead()),
                             fetch.getPadAttr());
        continue;
      }
      if (op.getNumRegions()) {
        if (containsFetch(&op) && failed(copyControl(op, mapping)))
          return failure();
        continue;
      }
      bool isScalar =
          isPure(&op) && llvm::none_of(op.getResultTypes(), isTensor) &&
          llvm::all_of(op.getOperands(),
                       [&](Value operand) { return has(operand, mapping); });
      if (isScalar)
        rewriter.clone(op, mapping);
    }
    return success();
  }

  LogicalResult copyControl(Operation &op, IRMapping &mapping) {
    OpBuilder::InsertionGuard guard(rewriter);
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      ValueRange bounds = loop->getOperands().take_front(3);
      if (failed(require(&op, bounds, mapping)))
        return failure();
      auto copied = scf::ForOp::create(rewriter, op.getLoc(),
                                       mapping.lookupOrDefault(bounds[0]),
                                       mapping.lookupOrDefault(bounds[1]),
                                       mapping.lookupOrDefault(bounds[2]));
      mapping.map(loop.getInductionVar(), copied.getInductionVar());
      rewriter.setInsertionPointToStart(copied.getBody());
      return copy(*loop.getBody(), mapping);
    }
    auto branch = dyn_cast<scf::IfOp>(op);
    if (!branch)
      return op.emitError("fetches tiles; only scf.for and scf.if may");
    if (failed(require(&op, branch.getCondition(), mapping)))
      return failure();
    bool hasElse =
        branch.elseBlock() && containsFetch(branch) &&
        branch.elseBlock()
            ->walk([](warp::FetchOp) { return WalkResult::interrupt(); })
            .wasInterrupted();
    auto copied = scf::IfOp::create(
        rewriter, op.getLoc(), mapping.lookupOrDefault(branch.getCondition()),
        hasElse);
    rewriter.setInsertionPointToStart(copied.thenBlock());
    if (failed(copy(*branch.thenBlock(), mapping)))
      return failure();
    if (!hasElse)
      return success();
    rewriter.setInsertionPointToStart(copied.elseBlock());
    return copy(*branch.elseBlock(), mapping);
  }

  //===--------------------------------------------------------------------===//
  // Consumers
  //===--------------------------------------------------------------------===//

  void writeConsumer(warp::RolesOp roles) {
    warp::PointsOp points = makePoints(roles.getConsumer(), roles.getLoc());
    Block *body = &points.getBody().front();
    rewriter.eraseOp(exists.thenBlock()->getTerminator());
    rewriter.inlineBlockBefore(exists.thenBlock(), body, body->end());
    rewriter.eraseOp(exists);
    rewriter.replaceAllUsesWith(point.getResults().drop_back(),
                                body->getArguments());
    rewriter.eraseOp(point);
    function.walk([&](warp::StoreOp store) { storeThrough(store); });
    for (warp::FetchOp fetch : fetches)
      receive(fetch);
    SmallVector<warp::ExchangeOp> exchanges;
    function.walk([&](warp::ExchangeOp op) { exchanges.push_back(op); });
    for (warp::ExchangeOp exchange : exchanges)
      handOver(exchange);
    SmallVector<warp::MmaOp> products;
    function.walk([&](warp::MmaOp mma) { products.push_back(mma); });
    for (warp::MmaOp mma : products)
      issue(mma);
  }

  /// Lets a store go through a tile of the same rows that is not used any more,
  /// if the next one has a slot of its own meanwhile.
  void storeThrough(warp::StoreOp store) {
    auto value = cast<RankedTensorType>(store.getValue().getType());
    for (warp::FetchOp fetch : fetches) {
      auto ring = cast<warp::RingType>(rings[fetch.getBuffer()].getType());
      // A tile that all products are done with may wait a little, where no
      // memory is left for a second one.
      bool mayStay = ring.getStages() > 1 || !exchangeRings.empty();
      // As b, all its rows are read by every warpgroup; as a, by their own one.
      bool isShared = llvm::any_of(fetch->getUsers(), [&](Operation *user) {
        auto mma = dyn_cast<warp::MmaOp>(user);
        return mma && mma.getB() == fetch.getResult();
      });
      if (fetch->getBlock() != store->getBlock() || !mayStay || isShared ||
          fetch.getRows() != store.getRows() || function.getAlign() != 16 ||
          !warp::StoreOp::goesThrough(value, store.getBuffer().getType(),
                                      fetch.getResult().getType()))
        continue;
      store.getThroughMutable().assign(fetch.getResult());
      return;
    }
  }

  /// Receives a tile before its first use and gives it back behind its last.
  void receive(warp::FetchOp fetch) {
    Value ring = rings[fetch.getBuffer()];
    Operation *first = nullptr, *last = nullptr;
    for (Operation *user : fetch->getUsers()) {
      Operation *use = fetch->getBlock()->findAncestorOpInBlock(*user);
      if (!first || use->isBeforeInBlock(first))
        first = use;
      if (!last || last->isBeforeInBlock(use))
        last = use;
    }
    Location loc = fetch.getLoc();
    rewriter.setInsertionPoint(first ? first : fetch.getOperation());
    auto received = warp::ReceiveOp::create(rewriter, loc,
                                            fetch.getResult().getType(), ring);
    if (mustBeClear(fetch))
      clear(fetch, received);
    last = last ? last : received.getOperation();
    if (fetch.getResult().getType().isVector())
      last = lastOfRun(last);
    rewriter.setInsertionPointAfter(last);
    warp::ConsumedOp::create(rewriter, loc, ring, /*age=*/0);
    rewriter.replaceOp(fetch, received);
  }

  /// The consumers hand a tile to one another through a ring.
  void handOver(warp::ExchangeOp exchange) {
    Location loc = exchange.getLoc();
    rewriter.setInsertionPoint(exchange);
    Value ring = exchangeRings.lookup(exchange);
    warp::DepositOp::create(rewriter, loc, ring, exchange.getValue());
    auto received =
        warp::ReceiveOp::create(rewriter, loc, exchange.getType(), ring);
    Operation *last = received;
    for (Operation *user : exchange->getUsers())
      if (Operation *use = exchange->getBlock()->findAncestorOpInBlock(*user);
          last->isBeforeInBlock(use))
        last = use;
    rewriter.setInsertionPointAfter(last);
    warp::ConsumedOp::create(rewriter, loc, ring, /*age=*/0);
    rewriter.replaceOp(exchange, received);
  }

  /// The op behind which the elementwise work that `read`, of a vector, is used
  /// in is done: until the next product, values may be read where they are
  /// used.
  static Operation *lastOfRun(Operation *read) {
    Operation *last = read;
    SmallVector<Operation *> users{read};
    while (!users.empty()) {
      Operation *op = users.pop_back_val();
      if (op->getBlock() != read->getBlock())
        continue;
      if (last->isBeforeInBlock(op))
        last = op;
      if (isa<warp::ReadOp, warp::ExpandOp>(op))
        llvm::append_range(users, op->getUsers());
    }
    for (Operation *next = last->getNextNode();
         next && !isa<warp::MmaOp>(next) &&
         !next->hasTrait<OpTrait::IsTerminator>();
         next = next->getNextNode())
      last = next;
    return last;
  }

  /// Rows of the tile behind the sequence's end become zero where a bulk copy
  /// may bring something else.
  void clear(warp::FetchOp fetch, Value tile) {
    plan::RowSpace space = fetch.getRows().getType().getRowSpace();
    auto side = function->getAttrOfType<attn::SideAttr>(
        space == plan::RowSpace::q ? "weft.q" : "weft.kv");
    // A batch without padding ends where the tensor's rows do, and the copy is
    // clipped there.
    if (side && side.getLayout() == attn::RowLayout::batch && !side.getPadded())
      return;
    auto rows = fetch.getRows().getDefiningOp<tile::RowsOp>();
    Location loc = fetch.getLoc();
    auto constant = [&](int64_t value) -> Value {
      return arith::ConstantOp::create(rewriter, loc,
                                       rewriter.getI64IntegerAttr(value));
    };
    Value length =
        tile::LengthOp::create(rewriter, loc, space, rows.getSequence());
    Value held = arith::SubIOp::create(rewriter, loc, length, rows.getFirst());
    Value isPartial =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt, held,
                              constant(fetch.getRows().getType().getCount()));
    auto branch = scf::IfOp::create(rewriter, loc, isPartial);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    warp::ClearRowsOp::create(rewriter, loc, tile, held);
  }

  void issue(warp::MmaOp mma) {
    rewriter.setInsertionPoint(mma);
    Value acc = mma.getAcc();
    if (matchPattern(acc, m_AnyZeroFloat()))
      acc = Value();
    auto pending = warp::IssueOp::create(
        rewriter, mma.getLoc(),
        warp::PendingType::get(cast<RankedTensorType>(mma.getType())),
        mma.getA(), mma.getB(), acc, mma.getTransposed());
    rewriter.replaceOpWithNewOp<warp::AwaitOp>(mma, mma.getType(), pending,
                                               /*younger=*/0);
  }

  warp::FuncOp function;
  IRRewriter rewriter;
  warp::PointOp point;
  scf::IfOp exists;
  SmallVector<warp::FetchOp> fetches;
  llvm::MapVector<Value, std::pair<int64_t, warp::SharedType>> needs;
  DenseMap<Value, Value> rings;
  llvm::MapVector<Operation *, Value> exchangeRings;
};

class WarpSpecialize : public impl::WarpSpecializeBase<WarpSpecialize> {
  void runOnOperation() override {
    if (getOperation().getSchedule().usesWarpgroups() &&
        failed(Specializer(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace
} // namespace weft
