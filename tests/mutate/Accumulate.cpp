//===- Accumulate.cpp - A second plan for the split backward --------------===//

#include "tests/mutate/Accumulate.h"

#include "compiler/plan/Sizes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace weft;
using namespace weft::mutate;
using namespace weft::plan;

/// Operand `index` of a body has the heads of the key side.
static Value takeKeyHeads(tile::FuncOp body, unsigned index) {
  BlockArgument argument = body.getBody().getArgument(index);
  auto type = cast<tile::BufferType>(argument.getType());
  argument.setType(tile::BufferType::get(
      type.getContext(), type.getElementType(), type.getRowSpace(),
      HeadSpace::heads_kv, type.getColumns(), type.getLayout(),
      type.getRounded()));
  body.setFunctionType(FunctionType::get(
      body.getContext(), body.getBody().getArgumentTypes(), TypeRange()));
  return argument;
}

/// Every query head adds to the rows of its key head.
static void addToKeyHead(Value buffer, int64_t ratio) {
  for (Operation *user : buffer.getUsers()) {
    auto add = cast<tile::AddOp>(user);
    OpBuilder builder(add);
    Location loc = add.getLoc();
    Value divisor = arith::ConstantOp::create(builder, loc,
                                              builder.getI64IntegerAttr(ratio));
    Value head = arith::DivSIOp::create(builder, loc, add.getHead(), divisor);
    add.getHeadMutable().assign(head);
  }
}

/// The sum over a group is one load.
static void loadSum(tile::FuncOp body, Value buffer) {
  auto load = cast<tile::LoadOp>(*buffer.getUsers().begin());
  auto loop = load->getParentOfType<scf::ForOp>();
  auto point = *body.getBody().front().getOps<tile::PointOp>().begin();
  OpBuilder builder(loop);
  Value sum = tile::LoadOp::create(
      builder, load.getLoc(), loop.getResult(0).getType(), buffer,
      load.getRows(), point.getHead(), APFloat(0.0));
  loop.getResult(0).replaceAllUsesWith(sum);
  loop.erase();
}

bool weft::mutate::accumulatePartials(EditablePlan &plan, int64_t ratio) {
  bool any = false;
  for (ReserveOp reserve : plan.all<ReserveOp>()) {
    reserve.getOffsetMutable().clear();
    BufferType type = reserve.getResult().getType();
    if (type.getRowSpace() != RowSpace::kv ||
        type.getHeadSpace() != HeadSpace::heads_q)
      continue;
    any = true;
    type = BufferType::undefined(type.getElementType(), type.getRowSpace(),
                                 HeadSpace::heads_kv, type.getColumns());
    reserve.getResult().setType(type);
    OpBuilder builder = plan.sizeBuilder();
    SizeBuilder sizes(builder);
    reserve.getBytesMutable().assign(sizes.mul(
        sizes.mul(sizes.get(Size::rows_kv), sizes.get(Size::heads_kv)),
        sizes.constant(4 * type.getColumns())));
    builder.setInsertionPointAfter(reserve);
    MemsetOp::create(builder, reserve.getLoc(), type, reserve.getResult(),
                     builder.getF64FloatAttr(0));
    for (LaunchOp launch : plan.all<LaunchOp>()) {
      unsigned index = 0;
      for (auto operand : plan.operandsOf(launch)) {
        if (operand.buffer == reserve.getResult()) {
          Value buffer = takeKeyHeads(plan.bodyOf(launch), index);
          if (operand.contract.getAccess() == Access::in) {
            loadSum(plan.bodyOf(launch), buffer);
          } else {
            plan.setContract(launch, index,
                             withAccess(operand.contract, Access::acc));
            for (auto [i, now] : llvm::enumerate(plan.operandsOf(launch)))
              if (now.buffer == reserve.getResult())
                addToKeyHead(plan.bodyOf(launch).getBody().getArgument(i),
                             ratio);
          }
          break;
        }
        ++index;
      }
    }
  }
  return any;
}
