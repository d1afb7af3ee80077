//===- PlanOps.cpp - The plan dialect: ops --------------------------------===//
//
// What one op can check of itself. The states over a whole plan are the
// business of the pass plan-verify.
//
//===----------------------------------------------------------------------===//

#include "dialects/plan/Plan.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace weft::plan;

#define GET_OP_CLASSES
#include "dialects/plan/PlanOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Buffers followed through a plan, and the names they give to values
//===----------------------------------------------------------------------===//

Value weft::plan::previousState(Value value) {
  auto result = dyn_cast<OpResult>(value);
  if (!result)
    return {};
  if (auto launch = dyn_cast<LaunchOp>(result.getOwner())) {
    // Results are those of acc, then those of out.
    unsigned index = result.getResultNumber(), accs = launch.getAccs().size();
    if (index < accs)
      return launch.getAccs()[index];
    return index - accs < launch.getOuts().size()
               ? launch.getOuts()[index - accs]
               : Value();
  }
  if (auto memset = dyn_cast<MemsetOp>(result.getOwner()))
    return memset.getBuffer();
  if (auto fill = dyn_cast<FillOp>(result.getOwner()))
    return fill.getBuffer();
  return {};
}

Value weft::plan::bufferRoot(Value value) {
  while (Value previous = previousState(value))
    value = previous;
  return value;
}

StringRef weft::plan::bufferName(Value value) {
  Value root = bufferRoot(value);
  if (auto argument = dyn_cast<BlockArgument>(root)) {
    auto func = dyn_cast<FuncOp>(argument.getOwner()->getParentOp());
    auto name = func ? func.getArgAttrOfType<StringAttr>(
                           argument.getArgNumber(), kNameAttr)
                     : StringAttr();
    return name ? name.getValue() : "?";
  }
  auto reserve = root.getDefiningOp<ReserveOp>();
  return reserve ? reserve.getName() : "?";
}

bool weft::plan::changesInPlace(Access access) {
  return access == Access::acc || access == Access::ordered ||
         access == Access::counter;
}

bool weft::plan::isConsumed(OpOperand &operand) {
  if (auto launch = dyn_cast<LaunchOp>(operand.getOwner()))
    // The grid, then in, then what is consumed.
    return operand.getOperandNumber() >= 1 + launch.getIns().size();
  return true;
}

static void nameResults(Operation *op, OpAsmSetValueNameFn setName) {
  for (Value result : op->getResults())
    if (StringRef name = bufferName(result); name != "?")
      setName(result, name);
}
void ReserveOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResults(*this, setName);
}
void MemsetOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResults(*this, setName);
}
void LaunchOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResults(*this, setName);
}
void FillOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  nameResults(*this, setName);
}
void SizeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), stringifySize(getSize()));
}
void FuncOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  for (BlockArgument argument : region.front().getArguments())
    if (StringRef name = bufferName(argument); name != "?")
      setName(argument, name);
}

//===----------------------------------------------------------------------===//
// plan.func, plan.kernel
//===----------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto buildFuncType =
      [](Builder &builder, ArrayRef<Type> arguments, ArrayRef<Type> results,
         function_interface_impl::VariadicFlag,
         std::string &) { return builder.getFunctionType(arguments, results); };
  return function_interface_impl::parseFunctionOp(
      parser, result, /*allowVariadic=*/false,
      getFunctionTypeAttrName(result.name), buildFuncType,
      getArgAttrsAttrName(result.name), getResAttrsAttrName(result.name));
}

void FuncOp::print(OpAsmPrinter &printer) {
  function_interface_impl::printFunctionOp(
      printer, *this, /*isVariadic=*/false, getFunctionTypeAttrName(),
      getArgAttrsAttrName(), getResAttrsAttrName());
}

LogicalResult FuncOp::verify() {
  // What reads plans goes through the ops of one block.
  if (getBody().empty() || getBody().front().empty() ||
      !isa<ReturnOp>(getBody().front().back()))
    return emitOpError() << "needs a body that ends in plan.return";
  for (Operation &op : getBody().front())
    if (op.getNumRegions() != 0 ||
        !(isPure(&op) || isa_and_nonnull<PlanDialect>(op.getDialect())))
      return op.emitOpError() << "does not belong into a plan.func: it holds "
                                 "plan ops and arithmetic on sizes";
  return success();
}

LogicalResult KernelOp::verify() {
  llvm::SmallDenseSet<StringRef> names;
  for (auto operand : getContract().getAsRange<OperandAttr>()) {
    if (!names.insert(operand.getName()).second)
      return emitOpError() << "contract lists '" << operand.getName()
                           << "' twice";
    llvm::SmallDenseSet<Domain> domains;
    for (Domain domain : operand.getDomains())
      if (!domains.insert(domain).second)
        return emitOpError() << "operand '" << operand.getName() << "' lists '"
                             << stringifyDomain(domain) << "' twice";
  }
  bool seenOut = false, seenAcc = false;
  for (auto operand : getContract().getAsRange<OperandAttr>()) {
    switch (operand.getAccess()) {
    case Access::in:
      if (seenAcc || seenOut)
        return emitOpError()
               << "contract lists 'in' operands first, then 'acc', "
                  "then 'out'; '"
               << operand.getName() << "' is out of order";
      break;
    case Access::acc:
    case Access::ordered:
    case Access::counter:
      if (seenOut)
        return emitOpError()
               << "contract lists 'in' operands first, then 'acc', "
                  "then 'out'; '"
               << operand.getName() << "' is out of order";
      seenAcc = true;
      break;
    case Access::out:
      seenOut = true;
      break;
    }
    if (operand.getDomains().empty())
      return emitOpError() << "operand '" << operand.getName()
                           << "' covers no domain";
    if (operand.getValue() && operand.getAccess() != Access::out)
      return emitOpError() << "only an 'out' operand has a value, not '"
                           << operand.getName() << "'";
  }
  return success();
}

LogicalResult GuardOp::verify() {
  for (Operation *op = (*this)->getPrevNode(); op; op = op->getPrevNode())
    if (!isPure(op))
      return emitOpError() << "comes before anything but sizes and arithmetic";
  return success();
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

LogicalResult ReserveOp::verify() {
  BufferType type = getResult().getType();
  if (type != type.withAllUndefined())
    return emitOpError() << "a reserved buffer is undefined, not " << type;
  if (getName().empty())
    return emitOpError() << "needs a name";
  return success();
}

LogicalResult MemsetOp::verify() {
  BufferType before = getBuffer().getType(), after = getResult().getType();
  if (!before.isSameMemory(after))
    return emitOpError() << "changes the state of " << before
                         << " alone, but returns " << after;
  for (Domain domain : after.getDomains())
    if (!after.getState(domain).isFilledWith(getValue().convertToDouble()))
      return emitOpError()
             << "fills '" << stringifyDomain(domain)
             << "', so the result's state must be filled with the value";
  return success();
}

ParseResult FillOp::parse(OpAsmParser &parser, OperationState &result) {
  OpAsmParser::UnresolvedOperand buffer;
  FloatAttr value;
  SmallVector<Attribute> domains;
  Type before, after;
  Builder &builder = parser.getBuilder();
  auto parseDomain = [&]() -> ParseResult {
    StringRef keyword;
    SMLoc loc = parser.getCurrentLocation();
    if (parser.parseKeyword(&keyword))
      return failure();
    std::optional<Domain> domain = symbolizeDomain(keyword);
    if (!domain)
      return parser.emitError(loc) << "unknown domain '" << keyword
                                   << "'; allowed: valid, gap, tail, all";
    domains.push_back(builder.getI32IntegerAttr(static_cast<int32_t>(*domain)));
    return success();
  };
  if (parser.parseOperand(buffer) || parser.parseComma() ||
      parser.parseAttribute(value, builder.getF64Type()) ||
      parser.parseKeyword("on") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                     parseDomain) ||
      parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColonType(before) || parser.parseArrow() ||
      parser.parseType(after) ||
      parser.resolveOperand(buffer, before, result.operands))
    return failure();
  result.addAttribute(getValueAttrName(result.name), value);
  result.addAttribute(getDomainsAttrName(result.name),
                      builder.getArrayAttr(domains));
  result.addTypes(after);
  return success();
}

void FillOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getBuffer() << ", ";
  printer.printAttributeWithoutType(getValueAttr());
  printer << " on [";
  llvm::interleaveComma(getDomains().getAsValueRange<IntegerAttr>(), printer,
                        [&](const APInt &domain) {
                          printer << stringifyDomain(
                              static_cast<Domain>(domain.getZExtValue()));
                        });
  printer << ']';
  printer.printOptionalAttrDict((*this)->getAttrs(),
                                {getValueAttrName(), getDomainsAttrName()});
  printer << " : " << getBuffer().getType() << " -> " << getResult().getType();
}

LogicalResult FillOp::verify() {
  if (getDomains().empty())
    return emitOpError() << "fills no domain";
  BufferType expected = getBuffer().getType();
  if (expected.isRounded())
    return emitOpError() << "fills rows held, and " << expected
                         << " rounds its rows up; use plan.memset";
  for (const APInt &index : getDomains().getAsValueRange<IntegerAttr>()) {
    auto domain = static_cast<Domain>(index.getZExtValue());
    if (!llvm::is_contained(expected.getDomains(), domain))
      return emitOpError() << "the buffer has no domain '"
                           << stringifyDomain(domain) << "'";
    expected = expected.withState(
        domain, StateAttr::filled(getContext(), getValue().convertToDouble()));
  }
  if (expected != getResult().getType())
    return emitOpError() << "leaves " << expected << ", but returns "
                         << getResult().getType();
  return success();
}

//===----------------------------------------------------------------------===//
// plan.launch, plan.return
//===----------------------------------------------------------------------===//

LogicalResult LaunchOp::verify() {
  auto module = (*this)->getParentOfType<ModuleOp>();
  auto kernel =
      module ? module.lookupSymbol<KernelOp>(getKernel()) : KernelOp();
  if (!kernel)
    return emitOpError() << "names no plan.kernel: @" << getKernel();
  SmallVector<Value> operands(getIns());
  llvm::append_range(operands, getAccs());
  llvm::append_range(operands, getOuts());
  if (operands.size() != kernel.getContract().size())
    return emitOpError() << "has " << operands.size()
                         << " operands, but the contract of @" << getKernel()
                         << " has " << kernel.getContract().size();
  if (getResults().size() != getAccs().size() + getOuts().size())
    return emitOpError() << "returns one buffer for each acc and out operand: "
                         << getAccs().size() + getOuts().size() << ", not "
                         << getResults().size();
  for (auto [index, operand] : llvm::enumerate(operands)) {
    OperandAttr contract = kernel.getOperandContract(index);
    Access group = index < getIns().size()                      ? Access::in
                   : index < getIns().size() + getAccs().size() ? Access::acc
                                                                : Access::out;
    bool inPlace = changesInPlace(contract.getAccess());
    if (inPlace ? group != Access::acc : contract.getAccess() != group)
      return emitOpError() << "passes '" << contract.getName() << "' as '"
                           << stringifyAccess(group)
                           << "', but the contract says '"
                           << stringifyAccess(contract.getAccess()) << "'";
    if (group == Access::in)
      continue;
    auto before = cast<BufferType>(operand.getType());
    auto after =
        cast<BufferType>(getResults()[index - getIns().size()].getType());
    if (!before.isSameMemory(after))
      return emitOpError() << "'" << contract.getName() << "' goes in as "
                           << before << " and comes back as other memory, "
                           << after;
  }
  return success();
}

LogicalResult ReturnOp::verify() {
  auto func = cast<FuncOp>((*this)->getParentOp());
  if (getOperandTypes() != TypeRange(func.getResultTypes()))
    return emitOpError() << "returns (" << getOperandTypes() << "), but @"
                         << func.getSymName() << " has results ("
                         << func.getResultTypes() << ")";
  return success();
}
