//===- Control.cpp - Loops, conditions and what they hand on --------------===//

#include "compiler/emitc/KernelWriter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace weft {

static bool isTile(Value value) { return tileTypeOf(value) != nullptr; }

/// The buffers that ops of `kind` in `op` take, in order.
template <typename... Ops>
static llvm::SetVector<Value> buffersOf(Operation *op) {
  llvm::SetVector<Value> buffers;
  op->walk([&](Operation *inner) {
    if (isa<Ops...>(inner))
      for (Value operand : inner->getOperands())
        if (isa<tile::BufferType>(operand.getType()))
          buffers.insert(operand);
  });
  return buffers;
}

/// Gives a scalar that a loop or condition hands on its variable. Tiles have
/// their arrays.
LogicalResult KernelWriter::declareCarried(Value value, StringRef name,
                                           bool isSlot) {
  if (isTile(value))
    return arrayOf(value), success();
  Type type = value.getType();
  if (isSlot) // of a few
    type = i32();
  else if (isa<warp::SharedType>(type))
    type = u32();
  if (!isa<IntegerType, Float32Type>(type))
    return emitError(loc) << "a loop or condition cannot hand on " << type;
  carried[value] = declareVariable(type, name);
  return success();
}

/// `value` is what the variable, or the array, of `from` holds now.
void KernelWriter::takeCarried(Value value, Value from) {
  if (!isTile(value))
    scalars[value] = emitc::LoadOp::create(
        builder, loc,
        ::cast<emitc::LValueType>(carried[from].getType()).getValueType(),
        carried[from]);
}

/// Assigns all at once: no target is written before it has been read.
LogicalResult KernelWriter::assignAll(ArrayRef<Assignment> assignments) {
  struct Copy {
    Value target, source; ///< arrays
  };
  SmallVector<Copy> copies;
  SmallVector<Assignment> computed;
  for (const Assignment &assignment : assignments) {
    if (!isTile(assignment.target)) {
      Value variable = carried[assignment.target];
      emitc::AssignOp::create(
          builder, loc, variable,
          this->cast(
              scalar(assignment.source),
              ::cast<emitc::LValueType>(variable.getType()).getValueType()));
      continue;
    }
    // What nobody reads before it is written needs no value.
    if (assignment.source.getDefiningOp<ub::PoisonOp>())
      continue;
    Value target = arrayOf(assignment.target);
    if (isComputedInPlace(assignment.source))
      computed.push_back(assignment);
    else if (Value source = arrayOf(assignment.source); source != target)
      copies.push_back({target, source});
  }
  // What is computed may read an array that a copy overwrites.
  for (const Assignment &assignment : computed) {
    Value target = arrayOf(assignment.target);
    for (Copy &copy : copies)
      if (copy.source == target) {
        Value kept = declareArray(
            ::cast<emitc::ArrayType>(target.getType()).getElementType(),
            ::cast<emitc::ArrayType>(target.getType()).getShape().front(),
            "kept");
        copyArray(kept, target);
        copy.source = kept;
      }
    if (failed(copyTile(target, assignment.source)))
      return failure();
  }
  while (!copies.empty()) {
    auto ready = llvm::find_if(copies, [&](const Copy &copy) {
      return llvm::none_of(copies, [&](const Copy &other) {
        return other.source == copy.target;
      });
    });
    if (ready == copies.end()) { // a cycle: one source is put aside
      auto type = ::cast<emitc::ArrayType>(copies.front().source.getType());
      Value kept =
          declareArray(type.getElementType(), type.getShape().front(), "kept");
      copyArray(kept, copies.front().source);
      copies.front().source = kept;
      continue;
    }
    copyArray(ready->target, ready->source);
    copies.erase(ready);
  }
  return success();
}

static emitc::LiteralOp asLiteral(Value value) {
  return value.getDefiningOp<emitc::LiteralOp>();
}

LogicalResult KernelWriter::writeFor(Operation *op) {
  auto loop = ::cast<scf::ForOp>(op);
  Value lower = scalar(loop.getLowerBound());
  Value upper = scalar(loop.getUpperBound());
  Value step = scalar(loop.getStep());
  SmallVector<std::string> walked;
  for (Value buffer : buffersOf<warp::PutOp, warp::LoadOp>(op))
    walked.push_back(nameOf(buffer));
  Operation *begin =
      comment(walked.empty() ? "loop"
                             : "walk the tiles of " + llvm::join(walked, ", "));

  SmallVector<Assignment> initial;
  for (auto [argument, init] :
       llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs())) {
    std::string hint = hintFor(argument);
    if (failed(declareCarried(argument,
                              hint.empty() ? "carried" : "next_" + hint,
                              StringRef(hint).ends_with("_slot"))))
      return failure();
    initial.push_back({argument, init});
  }
  if (failed(assignAll(initial)))
    return failure();

  // Bulk copies name rows by 32 bits, so tiles can be counted in as many: a
  // register less for each bound, and the copying threads have few, as have
  // consumers of a gradient.
  bool narrow =
      (role == Role::producer || (role == Role::consumer && hasVectors)) &&
      lower.getType() == i64();
  if (narrow)
    for (Value *bound : {&lower, &upper, &step})
      *bound = asLiteral(*bound)
                   ? literal(asLiteral(*bound).getValue(), i32())
                   : pure("arithmetic", "loop_bound", i32(), *bound);
  auto written = emitc::ForOp::create(builder, loc, lower, upper, step,
                                      [](OpBuilder &, Location, Value) {});
  auto given = op->getAttrOfType<StringAttr>(plan::kNameAttr);
  written->setAttr(plan::kNameAttr,
                   given ? given : builder.getStringAttr("step"));
  scalars[loop.getInductionVar()] = written.getInductionVar();
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(written.getBody());
    if (narrow)
      scalars[loop.getInductionVar()] = cast(written.getInductionVar(), i64());
    scopes.push_back({op, begin});
    for (Value argument : loop.getRegionIterArgs()) {
      takeCarried(argument, argument);
      if (std::string hint = hintFor(argument);
          !hint.empty() && scalar(argument))
        name(scalar(argument), hint);
    }
    beginHead();
    if (failed(writeBlock(*loop.getBody())))
      return failure();
    SmallVector<Assignment> next;
    for (auto [argument, yielded] :
         llvm::zip(loop.getRegionIterArgs(), loop.getYieldedValues()))
      next.push_back({argument, yielded});
    if (failed(assignAll(next)))
      return failure();
    emitc::YieldOp::create(builder, loc);
    scopes.pop_back();
  }
  beginHead();
  SmallVector<Assignment> results;
  for (auto [result, argument] :
       llvm::zip(loop.getResults(), loop.getRegionIterArgs())) {
    takeCarried(result, argument);
    if (isTile(result))
      results.push_back({result, argument});
  }
  return assignAll(results);
}

LogicalResult KernelWriter::writeIf(Operation *op) {
  auto branch = ::cast<scf::IfOp>(op);
  Value condition = scalar(branch.getCondition());

  // What is known to hold needs no condition.
  if (auto known = condition.getDefiningOp<emitc::LiteralOp>()) {
    Region &region = op->getRegion(known.getValue() == "true" ? 0 : 1);
    if (region.empty())
      return success();
    if (failed(writeBlock(region.front())))
      return failure();
    SmallVector<Assignment> results;
    for (auto [result, yielded] : llvm::zip(
             op->getResults(), region.front().getTerminator()->getOperands())) {
      if (isTile(result))
        results.push_back({result, yielded});
      else
        scalars[result] = scalar(yielded);
    }
    return assignAll(results);
  }

  for (Value result : op->getResults())
    if (failed(declareCarried(result, "chosen")))
      return failure();
  // An else that only hands on what lies in place already says nothing.
  auto isInPlace = [&](Value result, Value yielded) {
    return isTile(result) && !isComputedInPlace(yielded) &&
           arrayOf(result) == arrayOf(yielded);
  };
  bool hasElse = !branch.getElseRegion().empty();
  if (hasElse && llvm::hasSingleElement(branch.getElseRegion().front()))
    hasElse = !llvm::all_of(
        llvm::zip(op->getResults(), branch.elseYield().getOperands()),
        [&](auto pair) {
          return isInPlace(std::get<0>(pair), std::get<1>(pair));
        });
  Operation *begin = nullptr;
  SmallVector<std::string> copied;
  for (Value buffer : buffersOf<warp::PutOp>(op))
    copied.push_back(nameOf(buffer));
  if (isa_and_nonnull<warp::PointOp, warp::TicketOp>(
          branch.getCondition().getDefiningOp()))
    begin = comment("a slot past its sequence's tiles has nothing to do");
  else if (!copied.empty())
    begin = comment("copy ahead: " + llvm::join(copied, ", "));
  auto written = emitc::IfOp::create(builder, loc, condition,
                                     /*addThenBlock=*/true, hasElse);
  for (unsigned i = 0; i < (hasElse ? 2u : 1u); ++i) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&written->getRegion(i).front());
    scopes.push_back({op, begin ? begin : written.getOperation()});
    Block &block = op->getRegion(i).front();
    Head before = head;
    if (failed(writeBlock(block)))
      return failure();
    // What was made at the same place is seen behind the branch, too.
    if (head.end != before.end)
      head = std::move(before);
    SmallVector<Assignment> results;
    for (auto [result, yielded] :
         llvm::zip(op->getResults(), block.getTerminator()->getOperands()))
      results.push_back({result, yielded});
    if (failed(assignAll(results)))
      return failure();
    emitc::YieldOp::create(builder, loc);
    scopes.pop_back();
  }
  for (Value result : op->getResults())
    takeCarried(result, result);
  return success();
}

} // namespace weft
