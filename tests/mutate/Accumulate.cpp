//===- Accumulate.cpp - A second plan for the split backward --------------===//

#include "tests/mutate/Accumulate.h"

#include "compiler/plan/Sizes.h"
#include "dialects/attn/Attn.h"

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

/// A buffer of zeros.
static Value reserveCounter(EditablePlan &plan, OpBuilder &builder,
                            StringRef name, BufferType type) {
  OpBuilder sizeBuilder = plan.sizeBuilder();
  auto side = plan.getModule()->getAttrOfType<attn::SideAttr>("weft.kv");
  Value bytes = SizeBuilder(sizeBuilder)
                    .bytes(type, side.getLayout() == attn::RowLayout::thd);
  Location loc = plan.getFunc().getLoc();
  auto reserve = ReserveOp::create(builder, loc, type, name, bytes, Value());
  MemsetOp::create(builder, loc, type, reserve.getResult(),
                   builder.getF64FloatAttr(0));
  return reserve.getResult();
}

static BufferType rounded(BufferType type, int64_t tile) {
  return BufferType::undefined(type.getElementType(), type.getRowSpace(),
                               type.getHeadSpace(), type.getColumns(), tile);
}

/// Rounds the rows of a reserved buffer wherever it is used.
static void roundRows(EditablePlan &plan, ReserveOp reserve, int64_t tile) {
  BufferType type = rounded(reserve.getResult().getType(), tile);
  reserve.getResult().setType(type);
  OpBuilder builder = plan.sizeBuilder();
  auto side = plan.getModule()->getAttrOfType<attn::SideAttr>("weft.kv");
  reserve.getBytesMutable().assign(SizeBuilder(builder).bytes(
      type, side.getLayout() == attn::RowLayout::thd));
  for (MemsetOp memset : plan.all<MemsetOp>())
    if (memset.getBuffer() == reserve.getResult())
      memset.getResult().setType(type);
  for (LaunchOp launch : plan.all<LaunchOp>())
    for (auto [index, operand] : llvm::enumerate(plan.operandsOf(launch))) {
      if (operand.buffer != reserve.getResult())
        continue;
      OperandAttr contract = operand.contract;
      plan.setContract(
          launch, index,
          OperandAttr::get(contract.getContext(), contract.getName(),
                           contract.getAccess(), contract.getDomains(),
                           contract.getValue(), tile));
      tile::FuncOp body = plan.bodyOf(launch);
      BlockArgument argument = body.getBody().getArgument(index);
      auto taken = cast<tile::BufferType>(argument.getType());
      argument.setType(tile::BufferType::get(
          taken.getContext(), taken.getElementType(), taken.getRowSpace(),
          taken.getHeadSpace(), taken.getColumns(), taken.getLayout(), tile));
      body.setFunctionType(FunctionType::get(
          body.getContext(), body.getBody().getArgumentTypes(), TypeRange()));
      break;
    }
}

/// Every add of a body to `sum` is made in turn.
static void takeTurns(tile::FuncOp body, Value sum, Value counter,
                      int64_t ratio) {
  for (Operation *user : llvm::make_early_inc_range(sum.getUsers())) {
    auto add = cast<tile::AddOp>(user);
    OpBuilder builder(add);
    Location loc = add.getLoc();
    // addToKeyHead divided the head by the ratio.
    Value queryHead = add.getHead().getDefiningOp()->getOperand(0);
    Value members = arith::ConstantOp::create(builder, loc,
                                              builder.getI64IntegerAttr(ratio));
    Value first = arith::MulIOp::create(builder, loc, add.getHead(), members);
    Value turn = arith::SubIOp::create(builder, loc, queryHead, first);
    tile::OrderedAddOp::create(builder, loc, add.getValue(), sum, add.getRows(),
                               add.getHead(), turn, members, counter);
    add.erase();
  }
}

bool weft::mutate::addsQueryGradients(ModuleOp module) {
  return llvm::any_of(module.getOps<KernelOp>(), [](KernelOp kernel) {
    return kernel.getKind() == KernelKind::dqkv;
  });
}

void weft::mutate::orderAdds(EditablePlan &plan, int64_t ratio) {
  MLIRContext *context = plan.getModule().getContext();
  Type i32 = IntegerType::get(context, 32);
  SmallVector<std::string> kernels;
  for (LaunchOp launch : plan.all<LaunchOp>())
    if (!launch.getAccs().empty())
      kernels.push_back(launch.getKernel().str());
  for (const std::string &kernel : kernels) {
    // Each change makes a launch anew.
    auto find = [&] {
      SmallVector<LaunchOp> launches = plan.all<LaunchOp>();
      return *llvm::find_if(launches, [&](LaunchOp launch) {
        return launch.getKernel() == kernel;
      });
    };
    LaunchOp launch = find();
    SmallVector<Value> sums(launch.getAccs());
    int64_t tile = plan.bodyOf(launch).getGrid().getRows();
    auto contractOf = [&](StringRef name, Domain domain, int64_t rounding) {
      return OperandAttr::get(context, name, Access::counter, {domain},
                              FloatAttr(), rounding);
    };
    for (Value sum : sums) {
      auto reserve = sum.getDefiningOp<ReserveOp>();
      roundRows(plan, reserve, tile);
      launch = find();
      unsigned index = llvm::find(launch.getOperands(), sum) -
                       launch.getOperands().begin() - 1;
      plan.setContract(
          launch, index,
          withAccess(plan.kernelOf(launch).getOperandContract(index),
                     Access::ordered));
      std::string name = (reserve.getName() + "_turns").str();
      OpBuilder builder(reserve);
      builder.setInsertionPointAfter(reserve);
      Value counter =
          reserveCounter(plan, builder, name,
                         BufferType::undefined(i32, RowSpace::kv,
                                               HeadSpace::heads_kv, 1, tile));
      plan.addInPlace(launch, counter, contractOf(name, Domain::valid, tile),
                      tile::BufferType::get(context, i32, RowSpace::kv,
                                            HeadSpace::heads_kv, 1,
                                            tile::BufferLayout::packed, tile));
      tile::FuncOp body = plan.bodyOf(launch);
      unsigned last = launch.getIns().size() + launch.getAccs().size() - 1;
      takeTurns(body, body.getBody().getArgument(index),
                body.getBody().getArgument(last), ratio);
      builder.setInsertionPointAfter(plan.getReturn()->getPrevNode());
      ReleaseOp::create(builder, reserve.getLoc(), counter);
    }
    // Points begin in the order of their numbers.
    std::string name = kernel + "_tickets";
    OpBuilder builder(launch);
    Value tickets = reserveCounter(
        plan, builder, name,
        BufferType::undefined(i32, RowSpace::none, HeadSpace::none, 1));
    plan.addInPlace(launch, tickets, contractOf(name, Domain::all, 0),
                    tile::BufferType::get(context, i32, RowSpace::none,
                                          HeadSpace::none, 1,
                                          tile::BufferLayout::packed, 0));
    builder.setInsertionPoint(plan.getReturn());
    ReleaseOp::create(builder, launch.getLoc(), tickets);
    tile::FuncOp body = plan.bodyOf(launch);
    auto point = *body.getBody().front().getOps<tile::PointOp>().begin();
    builder.setInsertionPoint(point);
    auto ticket = tile::TicketOp::create(
        builder, point.getLoc(), point->getResultTypes(),
        body.getBody().getArgument(launch.getIns().size() +
                                   launch.getAccs().size() - 1));
    point->replaceAllUsesWith(ticket->getResults());
    point.erase();
  }
}
