//===- Expressions.cpp - Ops that become part of an expression ------------===//

#include "compiler/emitc/Expressions.h"

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

bool hasNoEffect(Operation *op) {
  return op->hasAttr(kPureAttr) ||
         isa<emitc::AddOp, emitc::SubOp, emitc::MulOp, emitc::DivOp,
             emitc::RemOp, emitc::CmpOp, emitc::BitwiseAndOp,
             emitc::BitwiseOrOp, emitc::BitwiseXorOp, emitc::LogicalAndOp,
             emitc::LogicalOrOp, emitc::BitwiseLeftShiftOp,
             emitc::BitwiseRightShiftOp, emitc::CastOp, emitc::ConditionalOp,
             emitc::UnaryMinusOp, emitc::LogicalNotOp, emitc::AddressOfOp>(op);
}

/// Whether a load must not move across `op`.
static bool mayWrite(Operation *op) {
  if (auto verbatim = dyn_cast<emitc::VerbatimOp>(op))
    return !verbatim.getValue().starts_with("//");
  return !hasNoEffect(op) && !isa<emitc::LiteralOp, emitc::SubscriptOp,
                                  emitc::LoadOp, emitc::VariableOp>(op);
}

/// Whether `op`, or what may become part of it, calls functions.
static bool callsFunctions(Operation *op) {
  if (isa<emitc::CallOpaqueOp>(op))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *inner = operand.getDefiningOp();
    return inner && inner->hasOneUse() && !inner->hasAttr(plan::kNameAttr) &&
           hasNoEffect(inner) && callsFunctions(inner);
  });
}

/// The op whose line `op` ends up on.
static Operation *placeOf(Operation *op) {
  while (!op->use_empty() && isPartOfUser(op))
    op = *op->getUsers().begin();
  return op;
}

bool isPartOfUser(Operation *op) {
  if (isa<emitc::LiteralOp, emitc::SubscriptOp>(op))
    return true;
  if (op->getNumResults() != 1 || !op->hasOneUse() ||
      op->hasAttr(plan::kNameAttr))
    return false;
  OpOperand &use = *op->getUses().begin();
  Operation *user = use.getOwner();
  if (user->getBlock() != op->getBlock())
    return false;
  // All of a loop's head but its start is evaluated again and again.
  if (isa<emitc::ForOp>(user) && use.getOperandNumber() != 0)
    return false;
  if (isa<emitc::SubscriptOp>(user) && !user->hasOneUse())
    return false;
  // These evaluate not all of their operands: no more than what is free.
  bool lazy =
      isa<emitc::LogicalAndOp, emitc::LogicalOrOp, emitc::ConditionalOp>(
          user) &&
      use.getOperandNumber() != 0;
  if (lazy && callsFunctions(op))
    return false;
  if (hasNoEffect(op))
    return true;
  if (!isa<emitc::LoadOp>(op))
    return false;
  Operation *place = placeOf(user);
  if (place->getBlock() != op->getBlock())
    return false;
  for (Operation *between = op->getNextNode(); between != place;
       between = between->getNextNode())
    if (mayWrite(between))
      return false;
  return true;
}

/// Moves what is part of `op` in front of `place`, operand by operand.
static void gather(Operation *op, Operation *place) {
  for (Value operand : op->getOperands()) {
    Operation *inner = operand.getDefiningOp();
    if (!inner || inner->getBlock() != place->getBlock() ||
        !inner->hasOneUse() || !isPartOfUser(inner))
      continue;
    gather(inner, place);
    inner->moveBefore(place);
  }
}

void orderAsEvaluated(emitc::FuncOp func) {
  SmallVector<Operation *> lines;
  func.walk([&](Operation *op) {
    if (op != func && !isPartOfUser(op))
      lines.push_back(op);
  });
  for (Operation *line : lines)
    gather(line, line);
}

} // namespace weft
