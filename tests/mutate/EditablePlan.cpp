//===- EditablePlan.cpp - A plan whose ops can be moved and dropped -------===//

#include "tests/mutate/EditablePlan.h"

#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace weft;
using namespace weft::mutate;
using namespace weft::plan;

EditablePlan::EditablePlan(OwningOpRef<ModuleOp> opened)
    : module(std::move(opened)) {
  auto funcs = module->getOps<FuncOp>();
  assert(llvm::hasSingleElement(funcs) && "one variant at a time");
  func = *funcs.begin();
  open();
}

void EditablePlan::open() {
  llvm::DenseMap<Value, Value> roots;
  auto note = [&](Value value) {
    if (isa<BufferType>(value.getType()))
      roots[value] = bufferRoot(value);
  };
  for (BlockArgument argument : body().getArguments())
    note(argument);
  for (Operation &op : body())
    for (Value result : op.getResults())
      note(result);
  for (Operation &op : body())
    for (OpOperand &operand : op.getOpOperands())
      if (Value root = roots.lookup(operand.get()))
        operand.set(root);
  // Sizes stand first: they use nothing but each other.
  Operation *last = nullptr;
  for (Operation &op : llvm::make_early_inc_range(body())) {
    if (!isPure(&op))
      continue;
    if (last)
      op.moveAfter(last);
    else
      op.moveBefore(&body(), body().begin());
    last = &op;
  }
}

/// What the buffers of an op hold afterwards, by its operands before it.
static void inferResults(Operation *op, KernelOp kernel) {
  MLIRContext *context = op->getContext();
  if (auto memset = dyn_cast<MemsetOp>(op)) {
    BufferType type = memset.getBuffer().getType();
    for (Domain domain : type.getDomains())
      type = type.withState(
          domain,
          StateAttr::filled(context, memset.getValue().convertToDouble()));
    memset.getResult().setType(type);
  } else if (auto fill = dyn_cast<FillOp>(op)) {
    BufferType type = fill.getBuffer().getType();
    for (const APInt &domain : fill.getDomains().getAsValueRange<IntegerAttr>())
      type = type.withState(
          static_cast<Domain>(domain.getZExtValue()),
          StateAttr::filled(context, fill.getValue().convertToDouble()));
    fill.getResult().setType(type);
  } else if (auto launch = dyn_cast<LaunchOp>(op)) {
    unsigned ins = launch.getIns().size();
    for (OpResult result : launch.getResults()) {
      unsigned index = ins + result.getResultNumber();
      OperandAttr contract = kernel.getOperandContract(index);
      auto type = cast<BufferType>(launch.getOperand(1 + index).getType());
      StateAttr state =
          contract.getValue()
              ? StateAttr::filled(context,
                                  contract.getValue().getValueAsDouble())
              : StateAttr::defined(context);
      // A counter is left as it was.
      if (contract.getAccess() != Access::counter)
        for (Domain domain : contract.getDomains())
          type = type.withState(domain, state);
      result.setType(type);
    }
  }
}

OwningOpRef<ModuleOp> EditablePlan::close() {
  llvm::DenseMap<Value, Value> latest;
  auto begin = [&](Value value) {
    if (isa<BufferType>(value.getType()))
      latest[value] = value;
  };
  for (BlockArgument argument : body().getArguments())
    begin(argument);
  for (ReserveOp reserve : body().getOps<ReserveOp>())
    begin(reserve.getResult());
  for (Operation &op : body()) {
    // The results of a launch are those of acc, then those of out.
    SmallVector<Value> consumed;
    for (OpOperand &operand : op.getOpOperands()) {
      Value root = operand.get();
      Value now = latest.lookup(root);
      if (!now)
        continue;
      if (isConsumed(operand))
        consumed.push_back(root);
      operand.set(now);
    }
    auto launch = dyn_cast<LaunchOp>(op);
    inferResults(&op, launch ? kernelOf(launch) : KernelOp());
    if (!isa<ReserveOp>(op))
      for (auto [root, result] : llvm::zip(consumed, op.getResults()))
        latest[root] = result;
  }
  func.setFunctionType(
      FunctionType::get(func.getContext(), body().getArgumentTypes(),
                        SmallVector<Type>(getReturn()->getOperandTypes())));
  return std::move(module);
}

ReturnOp EditablePlan::getReturn() {
  return cast<ReturnOp>(body().getTerminator());
}
KernelOp EditablePlan::kernelOf(LaunchOp launch) {
  return module->lookupSymbol<KernelOp>(launch.getKernel());
}
tile::FuncOp EditablePlan::bodyOf(LaunchOp launch) {
  return module->lookupSymbol<tile::FuncOp>(
      (launch.getKernel() + KernelOp::bodySuffix()).str());
}
ReleaseOp EditablePlan::releaseOf(ReserveOp reserve) {
  for (ReleaseOp release : body().getOps<ReleaseOp>())
    if (release.getBuffer() == reserve.getResult())
      return release;
  return {};
}
bool EditablePlan::uses(Operation *op, Value buffer) {
  return llvm::is_contained(op->getOperands(), buffer);
}

std::string EditablePlan::describe(Operation *op) {
  if (auto launch = dyn_cast<LaunchOp>(op))
    return ("launch @" + launch.getKernel()).str();
  std::string text = op->getName().stripDialect().str();
  Value buffer = isa<ReserveOp>(op) ? op->getResult(0) : op->getOperand(0);
  return text + " " + bufferName(buffer).str();
}

OpBuilder EditablePlan::sizeBuilder() {
  Operation *first = &body().front();
  while (isPure(first))
    first = first->getNextNode();
  return OpBuilder(first);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

SmallVector<EditablePlan::LaunchOperand>
EditablePlan::operandsOf(LaunchOp launch) {
  SmallVector<LaunchOperand> operands;
  KernelOp kernel = kernelOf(launch);
  for (auto [index, buffer] :
       llvm::enumerate(launch->getOperands().drop_front()))
    operands.push_back({kernel.getOperandContract(index), buffer});
  return operands;
}

void EditablePlan::setBuffer(LaunchOp launch, unsigned index, Value buffer) {
  launch->setOperand(1 + index, buffer);
}

/// Where a launch has its operand: in, acc, out.
static unsigned groupOf(Access access) {
  return access == Access::in ? 0 : changesInPlace(access) ? 1 : 2;
}

void EditablePlan::addInPlace(LaunchOp &launch, Value buffer,
                              OperandAttr contract, tile::BufferType type) {
  unsigned index = launch.getIns().size() + launch.getAccs().size();
  KernelOp kernel = kernelOf(launch);
  SmallVector<Attribute> contracts(kernel.getContract().getValue());
  contracts.insert(contracts.begin() + index, contract);
  OpBuilder builder(launch);
  kernel.setContractAttr(builder.getArrayAttr(contracts));
  SmallVector<Value> accs(launch.getAccs());
  accs.push_back(buffer);
  SmallVector<Type> results;
  for (ValueRange group : {ValueRange(accs), ValueRange(launch.getOuts())})
    llvm::append_range(results, group.getTypes());
  auto made = LaunchOp::create(
      builder, launch.getLoc(), results, launch.getKernel(), launch.getGrid(),
      launch.getIns(), accs, launch.getOuts(), launch.getEarly());
  (void)bodyOf(launch).insertArgument(
      index, type,
      builder.getDictionaryAttr(builder.getNamedAttr(
          plan::kNameAttr, builder.getStringAttr(contract.getName()))),
      launch.getLoc());
  launch.erase();
  launch = made;
}

void EditablePlan::rebuild(LaunchOp &launch, ArrayRef<unsigned> order,
                           ArrayRef<OperandAttr> contracts) {
  SmallVector<Value> groups[3]; // in, acc, out
  SmallVector<Attribute> attributes;
  SmallVector<Type> results;
  for (auto [index, contract] : llvm::zip_equal(order, contracts)) {
    Value buffer = launch->getOperand(1 + index);
    attributes.push_back(contract);
    groups[groupOf(contract.getAccess())].push_back(buffer);
    if (contract.getAccess() != Access::in)
      results.push_back(buffer.getType());
  }
  OpBuilder builder(launch);
  auto made = LaunchOp::create(builder, launch.getLoc(), results,
                               launch.getKernel(), launch.getGrid(), groups[0],
                               groups[1], groups[2], launch.getEarly());
  kernelOf(launch).setContractAttr(builder.getArrayAttr(attributes));

  // The body takes its arguments in the contract's order, scalars last.
  if (tile::FuncOp code = bodyOf(launch)) {
    Block &block = code.getBody().front();
    unsigned buffers = launch->getNumOperands() - 1;
    SmallVector<unsigned> from(order);
    for (unsigned i = buffers; i < block.getNumArguments(); ++i)
      from.push_back(i);
    unsigned old = block.getNumArguments();
    SmallVector<DictionaryAttr> names;
    for (unsigned index : from) {
      BlockArgument argument = block.getArgument(index);
      names.push_back(code.getArgAttrDict(index));
      argument.replaceAllUsesWith(
          block.addArgument(argument.getType(), argument.getLoc()));
    }
    block.eraseArguments(0, old);
    code.setFunctionType(FunctionType::get(
        code.getContext(), block.getArgumentTypes(), TypeRange()));
    code.setAllArgAttrs(names);
  }
  launch.erase();
  launch = made;
}

void EditablePlan::setContract(LaunchOp &launch, unsigned index,
                               OperandAttr contract) {
  SmallVector<LaunchOperand> operands = operandsOf(launch);
  Access before = operands[index].contract.getAccess();
  operands[index].contract = contract;
  if (contract.getAccess() != before)
    if (tile::FuncOp code = bodyOf(launch)) {
      Value buffer = code.getBody().getArgument(index);
      if (cast<tile::BufferType>(buffer.getType()).getElementType().isF32())
        for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
          OpBuilder builder(user);
          if (contract.getAccess() == Access::acc && isa<tile::StoreOp>(user))
            tile::AddOp::create(builder, user->getLoc(), TypeRange(),
                                user->getOperands(), user->getAttrs());
          else if (contract.getAccess() == Access::out &&
                   isa<tile::AddOp>(user))
            tile::StoreOp::create(builder, user->getLoc(), TypeRange(),
                                  user->getOperands(), user->getAttrs());
          else
            continue;
          user->erase();
        }
    }
  auto group = [&](unsigned i) {
    return groupOf(operands[i].contract.getAccess());
  };
  auto order = llvm::to_vector(llvm::seq<unsigned>(operands.size()));
  llvm::stable_sort(
      order, [&](unsigned a, unsigned b) { return group(a) < group(b); });
  SmallVector<OperandAttr> contracts;
  for (unsigned i : order)
    contracts.push_back(operands[i].contract);
  rebuild(launch, order, contracts);
}

void EditablePlan::dropOperand(LaunchOp &launch, unsigned index) {
  if (tile::FuncOp code = bodyOf(launch)) {
    Value buffer = code.getBody().getArgument(index);
    for (Operation *user : llvm::make_early_inc_range(buffer.getUsers())) {
      assert(user->getNumResults() == 0 && "only what is written is dropped");
      user->erase();
    }
  }
  SmallVector<unsigned> order;
  SmallVector<OperandAttr> contracts;
  for (auto [i, operand] : llvm::enumerate(operandsOf(launch)))
    if (i != index) {
      order.push_back(i);
      contracts.push_back(operand.contract);
    }
  rebuild(launch, order, contracts);
}

OperandAttr weft::mutate::withDomains(OperandAttr contract,
                                      ArrayRef<Domain> domains) {
  return OperandAttr::get(contract.getContext(), contract.getName(),
                          contract.getAccess(), domains, contract.getValue(),
                          contract.getRounded());
}
OperandAttr weft::mutate::withValue(OperandAttr contract, double value) {
  return OperandAttr::get(
      contract.getContext(), contract.getName(), contract.getAccess(),
      contract.getDomains(),
      FloatAttr::get(Float64Type::get(contract.getContext()), value),
      contract.getRounded());
}
OperandAttr weft::mutate::withAccess(OperandAttr contract, Access access) {
  return OperandAttr::get(
      contract.getContext(), contract.getName(), access, contract.getDomains(),
      access == Access::out ? contract.getValue() : FloatAttr(),
      contract.getRounded());
}
