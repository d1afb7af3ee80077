//===- Tile.cpp - The tile dialect ----------------------------------------===//

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::tile;

#include "dialects/tile/TileDialect.cpp.inc"
#include "dialects/tile/TileEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/tile/TileAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/tile/TileTypes.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/tile/TileOps.cpp.inc"

void TileDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/tile/TileAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/tile/TileTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/tile/TileOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// !tile.buffer
//===----------------------------------------------------------------------===//

Type BufferType::parse(AsmParser &parser) {
  Type elementType;
  StringRef rowsName, headsName, layoutName = "strided";
  int64_t columns;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseType(elementType) ||
      parser.parseComma() || parser.parseKeyword(&rowsName) ||
      parser.parseComma() || parser.parseKeyword(&headsName) ||
      parser.parseComma() || parser.parseInteger(columns))
    return {};
  if (succeeded(parser.parseOptionalComma()) &&
      parser.parseKeyword(&layoutName))
    return {};
  if (parser.parseGreater())
    return {};
  auto rows = weft::plan::symbolizeRowSpace(rowsName);
  auto heads = weft::plan::symbolizeHeadSpace(headsName);
  auto layout = symbolizeBufferLayout(layoutName);
  if (!rows || !heads || !layout) {
    parser.emitError(loc)
        << "a buffer is <type, none|q|kv, one|heads_q|heads_kv, "
           "columns[, strided|packed|uniform]>";
    return {};
  }
  return BufferType::get(parser.getContext(), elementType, *rows, *heads,
                         columns, *layout);
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<' << getElementType() << ", "
          << weft::plan::stringifyRowSpace(getRowSpace()) << ", "
          << weft::plan::stringifyHeadSpace(getHeadSpace()) << ", "
          << getColumns();
  if (getLayout() != BufferLayout::strided)
    printer << ", " << stringifyBufferLayout(getLayout());
  printer << '>';
}

//===----------------------------------------------------------------------===//
// tile.func
//===----------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  StringAttr name;
  SmallVector<OpAsmParser::Argument> arguments;
  Builder &builder = parser.getBuilder();
  GridAttr grid;
  weft::plan::ScheduleAttr schedule;
  if (parser.parseSymbolName(name, getSymNameAttrName(result.name),
                             result.attributes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true, /*allowAttrs=*/true) ||
      parser.parseKeyword("grid") ||
      parser.parseCustomAttributeWithFallback(
          grid, Type(), getGridAttrName(result.name), result.attributes) ||
      parser.parseKeyword("schedule") ||
      parser.parseCustomAttributeWithFallback(schedule, Type(),
                                              getScheduleAttrName(result.name),
                                              result.attributes) ||
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
  printer << " schedule ";
  printer.printStrippedAttrOrType(getSchedule());
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {getSymNameAttrName(), getFunctionTypeAttrName(), getGridAttrName(),
       getScheduleAttrName(), getArgAttrsAttrName(), getResAttrsAttrName()});
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Checks a tile against the rows and the buffer it is read from or written to.
static LogicalResult verifyAccess(Operation *op, BufferType buffer,
                                  RowsType rows, Type value) {
  auto tensor = cast<RankedTensorType>(value);
  if (buffer.getRowSpace() != rows.getRowSpace())
    return op->emitOpError()
           << "takes rows of '"
           << weft::plan::stringifyRowSpace(rows.getRowSpace())
           << "' in a buffer of '"
           << weft::plan::stringifyRowSpace(buffer.getRowSpace()) << "'";
  if (tensor.getElementType() != buffer.getElementType())
    return op->emitOpError() << "tile of " << tensor.getElementType()
                             << " and buffer of " << buffer.getElementType();
  if (!tensor.hasStaticShape() || tensor.getRank() < 1 ||
      tensor.getRank() > 2 || tensor.getDimSize(0) != rows.getCount())
    return op->emitOpError() << "tile " << tensor << " does not have "
                             << rows.getCount() << " rows";
  if (tensor.getRank() == 1 ? buffer.getColumns() != 1
                            : tensor.getDimSize(1) < buffer.getColumns())
    return op->emitOpError()
           << "tile " << tensor << " does not hold the buffer's "
           << buffer.getColumns() << " columns";
  return success();
}

LogicalResult LoadOp::verify() {
  return verifyAccess(*this, getBuffer().getType(), getRows().getType(),
                      getResult().getType());
}
LogicalResult StoreOp::verify() {
  return verifyAccess(*this, getBuffer().getType(), getRows().getType(),
                      getValue().getType());
}
LogicalResult AddOp::verify() {
  if (!getBuffer().getType().getElementType().isF32())
    return emitOpError() << "adds f32 only, not "
                         << getBuffer().getType().getElementType();
  return verifyAccess(*this, getBuffer().getType(), getRows().getType(),
                      getValue().getType());
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2)
    return emitOpError() << "takes tiles of two dimensions";
  if (a.getElementType() != b.getElementType() ||
      !isa<Float16Type, BFloat16Type>(a.getElementType()) ||
      !acc.getElementType().isF32())
    return emitOpError()
           << "multiplies f16 by f16 or bf16 by bf16 into f32, not "
           << a.getElementType() << " by " << b.getElementType() << " into "
           << acc.getElementType();
  int64_t k = b.getDimSize(getTransposed() ? 1 : 0);
  int64_t n = b.getDimSize(getTransposed() ? 0 : 1);
  if (a.getDimSize(1) != k || acc.getDimSize(0) != a.getDimSize(0) ||
      acc.getDimSize(1) != n)
    return emitOpError() << "shapes do not fit: " << a
                         << (getTransposed() ? ", transposed " : ", ") << b
                         << " into " << acc;
  return success();
}

LogicalResult ReduceOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (value.getRank() != 2 || result.getRank() != 1 ||
      result.getDimSize(0) != value.getDimSize(0) ||
      result.getElementType() != value.getElementType())
    return emitOpError() << "of " << value << " gives one value per row, not "
                         << result;
  return success();
}

LogicalResult ExpandOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (getDim() != 0 && getDim() != 1)
    return emitOpError() << "dim is 0 or 1, not " << getDim();
  if (value.getRank() != 1 || result.getRank() != 2 ||
      result.getDimSize(1 - getDim()) != value.getDimSize(0) ||
      result.getElementType() != value.getElementType())
    return emitOpError() << "of " << value << " along dim " << getDim()
                         << " does not give " << result;
  return success();
}

LogicalResult CoordinatesOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  if (result.getRank() != 2 || !result.getElementType().isInteger(64))
    return emitOpError() << "gives an i64 tile of two dimensions, not "
                         << result;
  if (getDim() != 0 && getDim() != 1)
    return emitOpError() << "dim is 0 or 1, not " << getDim();
  return success();
}
