//===- Warp.cpp - The warp dialect ----------------------------------------===//

#include "dialects/warp/Warp.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::warp;

#include "dialects/warp/WarpDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/warp/WarpAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/warp/WarpTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/warp/WarpOps.cpp.inc"

void WarpDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/warp/WarpAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/warp/WarpTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/warp/WarpOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// warp.func
//===----------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  Builder &builder = parser.getBuilder();
  weft::tile::GridAttr grid;
  weft::plan::ScheduleAttr schedule;
  IntegerAttr align;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parser.parseKeyword("grid") ||
      parser.parseCustomAttributeWithFallback(
          grid, Type(), getGridAttrName(result.name), result.attributes))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("descending")))
    result.addAttribute(getDescendingAttrName(result.name),
                        builder.getUnitAttr());
  if (parser.parseKeyword("schedule") ||
      parser.parseCustomAttributeWithFallback(schedule, Type(),
                                              getScheduleAttrName(result.name),
                                              result.attributes) ||
      parser.parseKeyword("align") || parser.parseEqual() ||
      parser.parseAttribute(align, builder.getI64Type(),
                            getAlignAttrName(result.name), result.attributes) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes))
    return failure();
  SmallVector<Type> types;
  for (const OpAsmParser::Argument &argument : arguments)
    types.push_back(argument.type);
  result.addAttribute(getFunctionTypeAttrName(result.name),
                      TypeAttr::get(builder.getFunctionType(types, {})));
  call_interface_impl::addArgAndResultAttrs(builder, result, arguments, {},
                                            getArgAttrsAttrName(result.name),
                                            getResAttrsAttrName(result.name));
  return parser.parseRegion(*result.addRegion(), arguments);
}

void FuncOp::print(OpAsmPrinter &printer) {
  printer << ' ';
  printer.printSymbolName(getSymName());
  printer << '(';
  ArrayAttr attributes = getArgAttrsAttr();
  for (BlockArgument argument : getArguments()) {
    if (argument.getArgNumber())
      printer << ", ";
    DictionaryAttr own;
    if (attributes)
      own = cast<DictionaryAttr>(attributes[argument.getArgNumber()]);
    printer.printRegionArgument(argument, own ? own.getValue()
                                              : ArrayRef<NamedAttribute>());
  }
  printer << ") grid ";
  printer.printStrippedAttrOrType(getGrid());
  if (getDescending())
    printer << " descending";
  printer << " schedule ";
  printer.printStrippedAttrOrType(getSchedule());
  printer << " align = " << getAlign();
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getGridAttrName(),
       getScheduleAttrName(), getAlignAttrName(), getDescendingAttrName(),
       getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// The layout of a register tile, or null.
static Attribute layoutOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getEncoding() : Attribute();
}

LogicalResult MmaOp::verify() {
  auto acc = cast<RankedTensorType>(getAcc().getType());
  if (!isa_and_nonnull<AccAttr>(acc.getEncoding()) ||
      !acc.getElementType().isF32())
    return emitOpError() << "accumulates in f32 #warp.acc, not " << acc;
  int64_t m, k;
  if (auto shared = dyn_cast<SharedType>(getA().getType())) {
    m = shared.getRows();
    k = shared.getColumns();
  } else if (isa_and_nonnull<OperandLayoutAttr>(layoutOf(getA().getType()))) {
    auto tensor = cast<RankedTensorType>(getA().getType());
    m = tensor.getDimSize(0);
    k = tensor.getDimSize(1);
  } else {
    return emitOpError() << "takes a as #warp.operand or !warp.shared, not "
                         << getA().getType();
  }
  SharedType b = getB().getType();
  int64_t bk = getTransposed() ? b.getColumns() : b.getRows();
  int64_t bn = getTransposed() ? b.getRows() : b.getColumns();
  if (m != acc.getDimSize(0) || bn != acc.getDimSize(1) || k != bk)
    return emitOpError() << "shapes do not fit: " << getA().getType()
                         << (getTransposed() ? ", transposed " : ", ") << b
                         << " into " << acc;
  if (m % 16 || bn % 16 || k % 16)
    return emitOpError() << "works on multiples of 16, not " << m << " x " << bn
                         << " x " << k;
  return success();
}

LogicalResult PackOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!isa_and_nonnull<AccAttr>(value.getEncoding()) ||
      !isa_and_nonnull<OperandLayoutAttr>(result.getEncoding()) ||
      value.getShape() != result.getShape() ||
      !value.getElementType().isF32() ||
      !isa<Float16Type, BFloat16Type>(result.getElementType()))
    return emitOpError()
           << "turns an f32 #warp.acc into an f16 or bf16 #warp.operand of "
              "the same shape, not "
           << value << " into " << result;
  return success();
}

LogicalResult MapOp::verifyRegions() {
  if (getResults().empty())
    return emitOpError() << "needs a result";
  auto domain = cast<RankedTensorType>(getResults().front().getType());
  for (Type type : getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    if (tensor.getShape() != domain.getShape() ||
        tensor.getEncoding() != domain.getEncoding())
      return emitOpError() << "results have one shape and layout, not "
                           << domain << " and " << tensor;
  }
  if (!isa_and_nonnull<AccAttr, RowAttr, ColumnAttr>(domain.getEncoding()))
    return emitOpError()
           << "works on #warp.acc, #warp.row or #warp.column, not " << domain;
  bool acc = isa<AccAttr>(domain.getEncoding());
  SmallVector<Type> expected;
  for (Type type : getInputs().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    bool same = tensor.getShape() == domain.getShape() &&
                tensor.getEncoding() == domain.getEncoding();
    bool row = acc && isa_and_nonnull<RowAttr>(tensor.getEncoding()) &&
               tensor.getDimSize(0) == domain.getDimSize(0);
    bool column = acc && isa_and_nonnull<ColumnAttr>(tensor.getEncoding()) &&
                  tensor.getDimSize(0) == domain.getDimSize(1);
    if (!same && !row && !column)
      return emitOpError() << "input " << tensor << " does not fit the domain "
                           << domain;
    expected.push_back(tensor.getElementType());
  }
  if (acc)
    expected.append(2, IntegerType::get(getContext(), 64));
  if (getBody().getArgumentTypes() != ArrayRef<Type>(expected))
    return emitOpError() << "region must take (" << expected << "), not ("
                         << getBody().getArgumentTypes() << ")";
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  SmallVector<Type> yielded;
  for (Type type : getResultTypes())
    yielded.push_back(cast<RankedTensorType>(type).getElementType());
  if (yield.getOperandTypes() != TypeRange(yielded))
    return emitOpError() << "region must yield (" << yielded << "), not ("
                         << yield.getOperandTypes() << ")";
  return success();
}
