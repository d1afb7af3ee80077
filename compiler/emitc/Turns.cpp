//===- Turns.cpp - Order between the points of a grid ---------------------===//

#include "compiler/emitc/KernelWriter.h"

using namespace mlir;

namespace weft {

LogicalResult KernelWriter::writeTicket(warp::TicketOp op) {
  // Counting down would give the first CTAs the last tiles.
  if (kernel.getDescending())
    return op.emitError("takes points in the order of their numbers, but its "
                        "kernel starts with the last; drop `descending`");
  comment("the point of the grid whose number is next");
  headers.insert("turns");
  auto ticket =
      emitc::CallOpaqueOp::create(builder, loc, TypeRange(u32()), "take_ticket",
                                  ValueRange(tensorArgument(op.getCounter())));
  writePointOf(name(ticket.getResult(0), "ticket"), op.getResults());
  return success();
}

/// The counter of a turn's tile: that of its first row.
FailureOr<KernelWriter::Value> KernelWriter::counterOf(tile::TurnOp op) {
  if (role != Role::all) {
    op->emitError()
        << "is for all threads of a CTA at once, which its roles do "
           "not do; leave out warp.roles";
    return failure();
  }
  return rowsOf(op.getCounter(), op.getRows(), op.getCounterHead()).pointer;
}

LogicalResult KernelWriter::writeOrderedAdd(warp::OrderedAddOp op) {
  FailureOr<Value> counter = counterOf(op);
  if (failed(counter))
    return failure();
  Value turn = scalar(op.getTurn());
  comment("wait for this tile's turn at " + nameOf(op.getBuffer()));
  call("turns", "await_turn", {*counter, turn});
  if (failed(writeStore(op, op.getValue(), op.getBuffer(), op.getRows(),
                        op.getHead(), /*unclipped=*/false, /*isAdd=*/true)))
    return failure();
  call("turns", "end_turn", {*counter, turn, scalar(op.getCount())});
  return success();
}

LogicalResult KernelWriter::writeLastArrival(tile::LastArrivalOp op) {
  FailureOr<Value> counter = counterOf(op);
  if (failed(counter))
    return failure();
  comment("whether this CTA is the last to arrive at its tile");
  headers.insert("turns");
  auto last =
      emitc::CallOpaqueOp::create(builder, loc, TypeRange(i1()), "arrive_last",
                                  ValueRange{*counter, scalar(op.getCount())});
  scalars[op.getLast()] = name(last.getResult(0), "is_last");
  return success();
}

} // namespace weft
