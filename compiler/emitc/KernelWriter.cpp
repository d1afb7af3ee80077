//===- KernelWriter.cpp - Writes one kernel as EmitC ----------------------===//

#include "compiler/emitc/KernelWriter.h"

#include "compiler/emitc/Expressions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace weft {

int64_t elementsOf(RankedTensorType type, int64_t warps) {
  int64_t count = type.getNumElements();
  // Each warp owns whole blocks of 16 rows (of its warpgroup's in a slice);
  // columns are in every warp.
  Attribute layout = type.getEncoding();
  int64_t owners = isa_and_nonnull<warp::SliceAttr>(layout) ? 4 : warps;
  if (!isa_and_nonnull<warp::ColumnAttr>(layout) &&
      type.getDimSize(0) % (16 * owners) != 0)
    return 0;
  return llvm::TypeSwitch<Attribute, int64_t>(layout)
      .Case<warp::AccAttr, warp::SliceAttr, warp::OperandLayoutAttr>(
          [&](Attribute) { return count / (32 * warps); })
      .Case<warp::RowAttr, warp::PartialAttr>(
          [&](Attribute) { return count / (8 * warps); })
      .Case([&](warp::ColumnAttr) { return count / 4; })
      .Default([](Attribute) { return 0; });
}

bool isPacked(RankedTensorType type) {
  return isa<warp::OperandLayoutAttr>(type.getEncoding()) ||
         (isa<warp::AccAttr>(type.getEncoding()) &&
          isa<Float16Type, BFloat16Type>(type.getElementType()));
}

KernelWriter::KernelWriter(warp::FuncOp kernel)
    : kernel(kernel), builder(kernel), loc(kernel.getLoc()), registers(kernel),
      underWay(kernel), warps(kernel.getWarps()),
      threads(32 * kernel.getWarps()), arrays(registers.all().size()) {}

FailureOr<emitc::FuncOp> KernelWriter::write() {
  if (failed(checkSides()))
    return failure();
  for (const RegisterArray &array : registers.all())
    if (elementsOf(array.type, warps) == 0)
      return kernel.emitError()
             << "has a register tile " << array.type << " that its " << warps
             << " warps cannot hold; give it a layout of the warp dialect and "
                "16 rows a warp";
  StringRef stem = kernel.getSymName();
  stem.consume_back(plan::KernelOp::bodySuffix());
  func = emitc::FuncOp::create(builder, loc, kernel.getSymName(),
                               builder.getFunctionType({}, {}));
  func->setAttr(kEntryAttr, builder.getStringAttr("weft_" + stem));
  Block *body = func.addEntryBlock();
  builder.setInsertionPointToStart(body);
  beginHead();

  for (auto [index, argument] : llvm::enumerate(kernel.getArguments())) {
    if (isa<tile::BufferType>(argument.getType()))
      continue;
    auto which = kernel.getArgAttrOfType<StringAttr>(index, plan::kNameAttr);
    if (!which)
      return kernel.emitError()
             << "scalar argument " << index << " has no " << plan::kNameAttr;
    scalars[argument] = this->argument(argument.getType(), "scalar", -1,
                                       which.getValue(), which.str());
  }
  if (failed(writeBlock(kernel.getBody().front())))
    return failure();
  emitc::ReturnOp::create(builder, loc, Value());

  for (Operation *end : headEnds)
    end->erase();
  eraseUnused();
  sortArguments();
  orderAsEvaluated(func);
  int64_t launched = kernel.getSchedule().getThreads();
  int64_t ctasPerSm = kernel.getSchedule().getCtasPerSm();
  func->setAttr(kThreadsAttr, builder.getI64IntegerAttr(launched));
  if (ctasPerSm != 1)
    func->setAttr(kCtasPerSmAttr, builder.getI64IntegerAttr(ctasPerSm));
  if (!functions.empty()) {
    SmallVector<StringRef> texts;
    for (auto &[name, text] : functions)
      texts.push_back(text);
    func->setAttr(kFunctionsAttr, builder.getStrArrayAttr(texts));
  }
  func->setAttr(kSharedBytesAttr, builder.getI64IntegerAttr(sharedBytes));
  SmallVector<StringRef> names(headers.begin(), headers.end());
  func->setAttr(kHeadersAttr, builder.getStrArrayAttr(names));
  func.setSpecifiersAttr(
      builder.getStrArrayAttr({"extern \"C\"", "__global__",
                               "__launch_bounds__(" + std::to_string(launched) +
                                   ", " + std::to_string(ctasPerSm) + ")"}));
  return func;
}

LogicalResult KernelWriter::writeBlock(Block &block, bool hasTerminator) {
  for (Operation &op :
       llvm::make_range(block.begin(),
                        hasTerminator ? std::prev(block.end()) : block.end())) {
    loc = op.getLoc();
    if (failed(writeOp(&op)))
      return failure();
  }
  return success();
}

bool liesInFragments(Value buffer) {
  return ::cast<tile::BufferType>(buffer.getType()).getLayout() ==
         tile::BufferLayout::fragments;
}

LogicalResult KernelWriter::writeOp(Operation *op) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp) { return writeFor(op); })
      .Case([&](scf::IfOp) { return writeIf(op); })
      .Case([&](warp::PointOp op) { return writePoint(op); })
      .Case([&](warp::AwaitLaunchesOp) {
        comment("the launches before this one are done");
        call("thread", "await_launches", {});
        return success();
      })
      .Case([&](warp::TicketOp op) { return writeTicket(op); })
      .Case([&](warp::OrderedAddOp op) { return writeOrderedAdd(op); })
      .Case([&](tile::LastArrivalOp op) { return writeLastArrival(op); })
      .Case([&](tile::LengthOp op) {
        scalars[op.getResult()] = lengthOf(op.getRowSpace(), op.getSequence());
        return success();
      })
      .Case([&](tile::RowsOp op) { return writeRows(op); })
      .Case([&](warp::RingOp op) {
        return kernel.getSchedule().usesWarpgroups() ? writeRoleRing(op)
                                                     : writeRing(op);
      })
      .Case([&](warp::RolesOp op) { return writeRoles(op); })
      .Case([&](warp::PointsOp op) { return writePoints(op); })
      .Case([&](warp::SendOp op) { return writeSend(op); })
      .Case([&](warp::ReceiveOp op) { return writeReceive(op); })
      .Case([&](warp::HeldOp op) { return writeHeld(op); })
      .Case([&](warp::DepositOp op) { return writeDeposit(op); })
      .Case([&](warp::ConsumedOp op) { return writeConsumed(op); })
      .Case([&](warp::ReadOp op) { return writeRead(op); })
      .Case<warp::TakeTurnOp, warp::PassTurnOp>(
          [&](Operation *op) { return writeTurn(op); })
      .Case([&](warp::ClearRowsOp op) { return writeClearRows(op); })
      .Case([&](warp::IssueOp op) { return writeIssue(op); })
      .Case([&](warp::AwaitOp op) { return writeAwait(op); })
      .Case([&](warp::SettledOp op) { return writeSettled(op); })
      .Case([&](warp::AnyOp op) { return writeAny(op); })
      .Case([&](warp::PutOp op) { return writePut(op); })
      .Case([&](warp::GetOp op) { return writeGet(op); })
      .Case([&](warp::CommitOp) {
        call("copy", "copy_commit", {});
        return success();
      })
      .Case([&](warp::WaitOp op) {
        call("copy", "copy_wait", {}, {static_cast<int64_t>(op.getPending())});
        return success();
      })
      .Case([&](warp::BarrierOp) {
        call("thread", "cta_barrier", {});
        return success();
      })
      .Case([&](warp::AllocOp op) { return writeAlloc(op); })
      .Case([&](warp::LoadOp op) {
        return liesInFragments(op.getBuffer()) ? writeLoadFragments(op)
                                               : writeLoad(op);
      })
      .Case([&](warp::StoreOp op) {
        if (liesInFragments(op.getBuffer()))
          return writeStoreFragments(op);
        if (op.getThrough())
          return writeStoreThrough(op);
        return writeStore(op, op.getValue(), op.getBuffer(), op.getRows(),
                          op.getHead(), op.getUnclipped(), /*isAdd=*/false);
      })
      .Case([&](warp::AddOp op) {
        return writeStore(op, op.getValue(), op.getBuffer(), op.getRows(),
                          op.getHead(), op.getUnclipped(), /*isAdd=*/true);
      })
      .Case([&](warp::StageOp op) { return writeStage(op); })
      .Case([&](warp::AddStagedOp op) { return writeAddStaged(op); })
      .Case([&](warp::FillOp op) { return writeFill(op); })
      .Case([&](warp::MmaOp op) { return writeMma(op); })
      .Case([&](warp::PackOp op) { return writePack(op); })
      .Case([&](warp::ReduceOp op) { return writeReduce(op); })
      .Case([&](warp::CombineOp op) { return writeCombine(op); })
      .Case([&](warp::MapOp op) { return writeMap(op); })
      .Case<warp::CoordinatesOp, warp::ExpandOp, tensor::SplatOp, ub::PoisonOp>(
          [](auto) { return success(); })
      .Case([&](warp::FetchOp op) {
        return op.emitError("has no place in shared memory yet; run "
                            "warp-pipeline first");
      })
      .Default([&](Operation *op) -> LogicalResult {
        bool tiles = llvm::any_of(op->getResultTypes(), [](Type type) {
          return isa<RankedTensorType>(type);
        });
        if (tiles)
          return isa<arith::ConstantOp>(op) ? success() : writeElementwise(op);
        SmallVector<Value> operands;
        for (Value operand : op->getOperands())
          operands.push_back(scalar(operand));
        FailureOr<SmallVector<Value>> results = writeScalarOp(op, operands);
        if (failed(results))
          return failure();
        for (auto [source, written] : llvm::zip(op->getResults(), *results)) {
          scalars[source] = written;
          if (auto given = op->getAttrOfType<StringAttr>(plan::kNameAttr))
            name(written, given.getValue());
          else if (std::string hint = hintFor(source); !hint.empty())
            name(written, hint);
        }
        return success();
      });
}

//===----------------------------------------------------------------------===//
// Made once
//===----------------------------------------------------------------------===//

void KernelWriter::beginHead() {
  head = {emitc::VerbatimOp::create(builder, loc, StringRef("head")), {}};
  headEnds.push_back(head.end);
}

Value KernelWriter::atHead(StringRef key, function_ref<Value()> make) {
  Value &value = head.values[key.str()];
  if (value)
    return value;
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(head.end);
  Value made = make();
  return value = name(made, key);
}

Value KernelWriter::thread() {
  return atHead("thread", [&] {
    Value index = pure("thread", "thread_index", i32(), {});
    // The producer's threads come first.
    return role == Role::consumer ? subtract(index, literal(128, i32()))
                                  : index;
  });
}
Value KernelWriter::warpIndex() {
  if (ownWarp)
    return ownWarp;
  Value index = thread();
  return atHead("warp", [&] {
    return pure("thread", "warp_uniform", i32(),
                divide(index, literal(32, i32())));
  });
}
Value KernelWriter::lane() {
  Value index = thread();
  return atHead("lane", [&] { return remainder(index, literal(32, i32())); });
}
Value KernelWriter::warpRow(int64_t rows) {
  if (warps == 1)
    return literal(0, i32());
  Value index = warpIndex();
  // All tiles of one kernel have the rows of its grid, as a rule.
  std::string key = "warp_row";
  if (rows != kernel.getGrid().getRows())
    key += "_" + std::to_string(rows);
  return atHead(key,
                [&] { return multiply(index, literal(rows / warps, i32())); });
}

Value KernelWriter::once(const std::string &key, ValueRange inputs,
                         function_ref<Value()> make, bool readsMemory) {
  for (auto [it, end] = onceValues.equal_range(key); it != end; ++it)
    for (Block *block = builder.getBlock(); block;
         block = block->getParentOp() ? block->getParentOp()->getBlock()
                                      : nullptr)
      if (it->second.getParentBlock() == block)
        return it->second;

  OpBuilder::InsertionGuard guard(builder);
  for (const Scope &scope : llvm::reverse(scopes)) {
    if (readsMemory && isa_and_nonnull<scf::IfOp>(scope.source))
      break;
    if (scope.source && llvm::any_of(inputs, [&](Value input) {
          return scope.source->isAncestor(
              input.getParentRegion()->getParentOp());
        }))
      break;
    builder.setInsertionPoint(scope.written);
  }
  Value made = make();
  onceValues.emplace(key, made);
  return made;
}

Value KernelWriter::arrayOf(Value tile) {
  unsigned index = registers.indexOf(tile);
  if (arrays[index])
    return arrays[index];
  const RegisterArray &array = registers.all()[index];
  OpBuilder::InsertionGuard guard(builder);
  for (const Scope &scope : llvm::reverse(scopes)) {
    if (scope.source &&
        array.home->findAncestorOpInBlock(*scope.source) != scope.source)
      continue;
    builder.setInsertionPoint(scope.written);
  }
  bool packed = isPacked(array.type);
  return arrays[index] = declareArray(
             packed ? u32() : storageType(array.type.getElementType()),
             elementsOf(array.type, warps) / (packed ? 2 : 1), array.name);
}

/// Erases what has no effect and no use: names that were not needed after all.
void KernelWriter::eraseUnused() {
  SmallVector<Operation *> order;
  func.walk([&](Operation *op) { order.push_back(op); });
  for (Operation *op : llvm::reverse(order)) {
    if (op->getNumResults() == 0 || !op->use_empty())
      continue;
    bool removable =
        op->hasAttr(kPureAttr) || isa<emitc::LiteralOp, emitc::SubscriptOp,
                                      emitc::LoadOp, emitc::VariableOp>(op);
    if (auto expression = dyn_cast<emitc::CExpressionInterface>(op))
      removable |= !expression.hasSideEffects();
    if (auto add = dyn_cast<emitc::AddOp>(op)) // of a pointer
      removable = true;
    if (removable)
      op->erase();
  }
}

} // namespace weft
