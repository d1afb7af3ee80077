//===- Tile.cpp - The tile dialect ----------------------------------------===//

#include "dialects/tile/Tile.h"

#include "dialects/tile/Access.h"
#include "dialects/tile/KernelSyntax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft;
using namespace weft::tile;

#include "dialects/tile/TileDialect.cpp.inc"
#include "dialects/tile/TileEnums.cpp.inc"
#include "dialects/tile/TileInterfaces.cpp.inc"

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

Operation *TileDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                            Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
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
  int64_t rounded = 0;
  bool more = succeeded(parser.parseOptionalComma());
  if (more && failed(parser.parseOptionalKeyword("rounded"))) {
    if (parser.parseKeyword(&layoutName))
      return {};
    more = succeeded(parser.parseOptionalComma());
    if (more && parser.parseKeyword("rounded"))
      return {};
  }
  if (more && (parser.parseEqual() || parser.parseInteger(rounded)))
    return {};
  if (parser.parseGreater())
    return {};
  auto rows = plan::symbolizeRowSpace(rowsName);
  auto heads = plan::symbolizeHeadSpace(headsName);
  auto layout = symbolizeBufferLayout(layoutName);
  if (!rows || !heads || !layout) {
    parser.emitError(loc) << "a buffer is <type, q|kv, heads_q|heads_kv, "
                             "columns[, strided|packed|uniform|fragments]"
                             "[, rounded = multiple of 8]>";
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    elementType, *rows, *heads, columns, *layout, rounded);
}

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Type elementType, plan::RowSpace rowSpace,
                                 plan::HeadSpace headSpace, int64_t columns,
                                 BufferLayout layout, int64_t rounded) {
  if (!isa<Float16Type, BFloat16Type, Float32Type>(elementType) &&
      !elementType.isInteger(32))
    return emitError() << "a buffer holds f16, bf16 or f32, or i32 counters, "
                          "not "
                       << elementType;
  if (elementType.isInteger(32)) {
    bool single = rowSpace == plan::RowSpace::none &&
                  headSpace == plan::HeadSpace::none && !rounded;
    bool ofTiles = rowSpace != plan::RowSpace::none &&
                   headSpace != plan::HeadSpace::none && rounded;
    if ((!single && !ofTiles) || columns != 1 ||
        layout != BufferLayout::packed || !plan::isRounding(rounded))
      return emitError() << "counters are <i32, none, one, 1, packed> for "
                            "tickets, or <i32, q|kv, heads_q|heads_kv, 1, "
                            "packed, rounded = R> for tiles of R rows";
    return success();
  }
  if (rowSpace == plan::RowSpace::none || headSpace == plan::HeadSpace::none)
    return emitError() << "a buffer of a kernel has rows of q or kv and heads "
                          "of heads_q or heads_kv";
  if (columns < 1)
    return emitError() << "a buffer has at least 1 column, not " << columns;
  if (!plan::isRounding(rounded))
    return emitError() << plan::roundingRule(rounded);
  if (layout == BufferLayout::fragments) {
    if (!elementType.isF32() || rounded == 0 || rounded % 16 ||
        (columns != 1 && columns % 64))
      return emitError() << "fragments are f32, in tiles of rows rounded to a "
                            "multiple of 16, of one column or a multiple of 64";
    return success();
  }
  if (rounded && layout != BufferLayout::packed)
    return emitError() << "only workspace, which is packed, has rounded rows";
  return success();
}

void BufferType::print(AsmPrinter &printer) const {
  printer << '<' << getElementType() << ", "
          << plan::stringifyRowSpace(getRowSpace()) << ", "
          << plan::stringifyHeadSpace(getHeadSpace()) << ", " << getColumns();
  if (getLayout() != BufferLayout::strided)
    printer << ", " << stringifyBufferLayout(getLayout());
  if (isRounded())
    printer << ", rounded = " << getRounded();
  printer << '>';
}

//===----------------------------------------------------------------------===//
// #tile.grid, !tile.rows
//===----------------------------------------------------------------------===//

LogicalResult GridAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               GridKind kind, int64_t rows,
                               plan::HeadSpace heads) {
  if (rows < 1)
    return emitError() << "a tile of a grid has at least 1 row, not " << rows;
  if (heads == plan::HeadSpace::none)
    return emitError() << "a grid has the heads of heads_q or heads_kv";
  return success();
}

LogicalResult RowsType::verify(function_ref<InFlightDiagnostic()> emitError,
                               plan::RowSpace rowSpace, int64_t count) {
  if (rowSpace == plan::RowSpace::none)
    return emitError() << "rows belong to q or kv";
  if (count < 1)
    return emitError() << "at least 1 row, not " << count;
  return success();
}

//===----------------------------------------------------------------------===//
// tile.func
//===----------------------------------------------------------------------===//

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto nothing = [] { return ParseResult(success()); };
  return parseKernel<FuncOp>(parser, result, nothing, nothing);
}

void FuncOp::print(OpAsmPrinter &printer) {
  auto nothing = [] {};
  printKernel(*this, printer, nothing, nothing, {});
}

/// The type of a scalar argument; null for an unknown name.
static Type scalarType(MLIRContext *context, StringRef name) {
  if (name == "scale" || name == "softcap")
    return Float32Type::get(context);
  if (name == "window_left" || name == "window_right")
    return IntegerType::get(context, 64);
  return {};
}

LogicalResult FuncOp::verify() {
  if (getBody().empty())
    return emitOpError() << "has no body";
  if (getNumResults() != 0)
    return emitOpError() << "returns nothing; results are stored";
  if (getGrid().getRows() != getSchedule().getRows())
    return emitOpError() << "grid has tiles of " << getGrid().getRows()
                         << " rows, its schedule of "
                         << getSchedule().getRows();
  llvm::StringSet<> names;
  bool sawScalar = false;
  for (auto [index, type] : llvm::enumerate(getArgumentTypes())) {
    auto name = getArgAttrOfType<StringAttr>(index, plan::kNameAttr);
    if (!name)
      return emitOpError() << "argument " << index << " has no '"
                           << plan::kNameAttr << "'";
    if (!names.insert(name.getValue()).second)
      return emitOpError() << "two arguments are named " << name;
    if (isa<BufferType>(type)) {
      if (sawScalar)
        return emitOpError() << "buffer " << name << " comes after a scalar";
      continue;
    }
    sawScalar = true;
    Type expected = scalarType(getContext(), name.getValue());
    if (!expected)
      return emitOpError() << "argument " << name << " of " << type
                           << " is neither a buffer nor one of scale, softcap, "
                              "window_left, window_right";
    if (type != expected)
      return emitOpError() << "argument " << name << " is " << expected
                           << ", not " << type;
  }
  if (getBody().front().empty() || !isa<ReturnOp>(getBody().front().back()))
    return emitOpError() << "ends in no tile.return";
  return success();
}

void FuncOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    if (auto name = getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                 plan::kNameAttr))
      setName(argument, name.getValue());
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void TicketOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getSequence(), "sequence");
  setName(getTile(), "tile");
  setName(getHead(), "head");
}

LogicalResult weft::tile::verifyTickets(Operation *op, BufferType counter) {
  if (counter.isCounter() && counter.getRowSpace() == plan::RowSpace::none)
    return success();
  return op->emitOpError() << "takes tickets of one counter, "
                              "!tile.buffer<i32, none, one, 1, packed>, not of "
                           << counter;
}

LogicalResult TicketOp::verify() {
  return verifyTickets(*this, getCounter().getType());
}

void PointOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getSequence(), "sequence");
  setName(getTile(), "tile");
  setName(getHead(), "head");
}

LogicalResult LengthOp::verify() {
  if (getRowSpace() == plan::RowSpace::none)
    return emitOpError() << "is of q or kv";
  return success();
}

void LengthOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getRowSpace() == plan::RowSpace::q ? "n_q" : "n_k");
}

LogicalResult RowsOp::verify() {
  auto func = (*this)->getParentOfType<FuncOp>();
  if (func && func.getGrid().getKind() == GridKind::held)
    return emitOpError() << "needs a sequence, and a point of a 'held' grid "
                            "belongs to none";
  return success();
}

void RowsOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  bool isQuery = getResult().getType().getRowSpace() == plan::RowSpace::q;
  setName(getResult(), isQuery ? "rows_q" : "rows_k");
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

LogicalResult weft::tile::verifyRowSpace(Operation *op, BufferType buffer,
                                         RowsType rows) {
  if (buffer.getRowSpace() == rows.getRowSpace())
    return success();
  return op->emitOpError() << "takes rows of '"
                           << plan::stringifyRowSpace(rows.getRowSpace())
                           << "' in a buffer of '"
                           << plan::stringifyRowSpace(buffer.getRowSpace())
                           << "'";
}

LogicalResult weft::tile::verifyAccess(Operation *op, BufferType buffer,
                                       RowsType rows, Type value) {
  auto tensor = cast<RankedTensorType>(value);
  if (failed(verifyRowSpace(op, buffer, rows)))
    return failure();
  if (buffer.isCounter())
    return op->emitOpError() << "accesses counters, at which points only take "
                                "turns: "
                             << buffer;
  if (tensor.getElementType() != buffer.getElementType())
    return op->emitOpError() << "tile of " << tensor.getElementType()
                             << " and buffer of " << buffer.getElementType();
  if (tensor.getRank() < 1 || tensor.getRank() > 2 ||
      tensor.getDimSize(0) != rows.getCount())
    return op->emitOpError() << "tile " << tensor << " does not have "
                             << rows.getCount() << " rows";
  if (tensor.getRank() == 1 ? buffer.getColumns() != 1
                            : tensor.getDimSize(1) < buffer.getColumns())
    return op->emitOpError()
           << "tile " << tensor << " does not hold the buffer's "
           << buffer.getColumns() << " columns";
  return success();
}

FloatAttr tile::splatOf(Value tile) {
  SplatElementsAttr constant;
  if (!matchPattern(tile, m_Constant(&constant)))
    return {};
  return dyn_cast<FloatAttr>(constant.getSplatValue<Attribute>());
}

LogicalResult weft::tile::verifyWritable(Operation *op, BufferType buffer) {
  if (buffer.getLayout() == BufferLayout::uniform)
    return op->emitOpError()
           << "writes to a uniform buffer, whose elements are all one";
  return success();
}

LogicalResult weft::tile::verifyRowAccess(Operation *op) {
  auto access = cast<RowAccess>(op);
  BufferType buffer = access.getBuffer().getType();
  if (buffer.getLayout() != BufferLayout::fragments || !access.getRows() ||
      access.getRows().getType().getCount() % buffer.getRounded() == 0)
    return success();
  return op->emitOpError() << "reaches whole tiles of a buffer in fragments: a "
                              "multiple of "
                           << buffer.getRounded() << " rows, not "
                           << access.getRows().getType().getCount();
}

LogicalResult weft::tile::verifyUnclippedLoad(Operation *op, BufferType buffer,
                                              bool unclipped) {
  if (!unclipped || buffer.isRounded())
    return success();
  return op->emitOpError() << "is unclipped, and rows past a sequence's end "
                              "are another's; only of a rounded buffer are "
                              "they its own";
}

LogicalResult weft::tile::verifyNotRounded(Operation *op, BufferType buffer) {
  if (buffer.isCounter())
    return op->emitOpError() << "fills counters; use plan.memset";
  if (!buffer.isRounded())
    return success();
  return op->emitOpError() << "is over the rows held, and " << buffer
                           << " rounds its rows up; use plan.memset";
}

LogicalResult LoadOp::verify() {
  if (failed(verifyUnclippedLoad(*this, getBuffer().getType(), getUnclipped())))
    return failure();
  return verifyAccess(*this, getBuffer().getType(), getRows().getType(),
                      getResult().getType());
}

void LoadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  auto argument = dyn_cast<BlockArgument>(getBuffer());
  if (!argument)
    return;
  auto func = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!func || argument.getOwner() != &func.getFunctionBody().front())
    return;
  if (auto name = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    plan::kNameAttr))
    setName(getResult(), (name.getValue() + "_tile").str());
}

LogicalResult StoreOp::verify() {
  if (failed(verifyWritable(*this, getBuffer().getType())))
    return failure();
  return verifyAccess(*this, getBuffer().getType(), getRows().getType(),
                      getValue().getType());
}
LogicalResult AddOp::verify() {
  if (!getBuffer().getType().getElementType().isF32())
    return emitOpError() << "adds f32 only, not "
                         << getBuffer().getType().getElementType();
  if (failed(verifyWritable(*this, getBuffer().getType())))
    return failure();
  return verifyAccess(*this, getBuffer().getType(), getRows().getType(),
                      getValue().getType());
}

LogicalResult weft::tile::verifyTurn(TurnOp op) {
  BufferType counter = op.getCounter().getType();
  RowsType rows = op.getRows().getType();
  if (failed(verifyRowSpace(op, counter, rows)))
    return failure();
  if (!counter.isCounter() || counter.getRounded() != rows.getCount())
    return op->emitOpError() << "takes turns at a counter of a tile of "
                             << rows.getCount() << " rows, not of " << counter;
  return success();
}

LogicalResult weft::tile::verifyOrderedAdd(TurnOp op, BufferType buffer) {
  if (!buffer.getElementType().isF32())
    return op->emitOpError()
           << "adds f32 only, not " << buffer.getElementType();
  if (failed(verifyTurn(op)))
    return failure();
  BufferType counter = op.getCounter().getType();
  if (buffer.getRounded() != counter.getRounded() ||
      buffer.getHeadSpace() != counter.getHeadSpace())
    return op->emitOpError() << "adds to tiles of " << buffer
                             << " by counters of others, " << counter;
  return success();
}

LogicalResult OrderedAddOp::verify() {
  if (failed(verifyAccess(*this, getBuffer().getType(), getRows().getType(),
                          getValue().getType())))
    return failure();
  return verifyOrderedAdd(*this, getBuffer().getType());
}

LogicalResult LastArrivalOp::verify() { return verifyTurn(*this); }

LogicalResult FillOp::verify() {
  auto func = (*this)->getParentOfType<FuncOp>();
  if (func && func.getGrid().getKind() != GridKind::held)
    return emitOpError() << "is over the rows held: the grid has to be 'held'";
  if (failed(verifyNotRounded(*this, getBuffer().getType())))
    return failure();
  return verifyWritable(*this, getBuffer().getType());
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
  int64_t m = a.getDimSize(getATransposed() ? 1 : 0);
  int64_t k = b.getDimSize(getTransposed() ? 1 : 0);
  int64_t n = b.getDimSize(getTransposed() ? 0 : 1);
  if (a.getDimSize(getATransposed() ? 0 : 1) != k || acc.getDimSize(0) != m ||
      acc.getDimSize(1) != n)
    return emitOpError() << "shapes do not fit: "
                         << (getATransposed() ? "transposed " : "") << a
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

LogicalResult AnyOp::verify() {
  if (!cast<RankedTensorType>(getValue().getType())
           .getElementType()
           .isInteger(1))
    return emitOpError() << "asks a tile of i1, not " << getValue().getType();
  return success();
}

LogicalResult ExpandOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (getDim() != 0 && getDim() != 1)
    return emitOpError() << "dim is 0 or 1, not " << int64_t(getDim());
  if (value.getRank() != 1 || result.getRank() != 2 ||
      result.getDimSize(1 - getDim()) != value.getDimSize(0) ||
      result.getElementType() != value.getElementType())
    return emitOpError() << "of " << value << " along dim " << getDim()
                         << " does not give " << result;
  return success();
}

OpFoldResult ExpandOp::fold(FoldAdaptor adaptor) {
  // A vector of one value is a tile of that value.
  auto splat = dyn_cast_or_null<SplatElementsAttr>(adaptor.getValue());
  return splat ? splat.resizeSplat(cast<ShapedType>(getType()))
               : OpFoldResult();
}

void CoordinatesOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getDim() == 0 ? "row" : "column");
}

LogicalResult CoordinatesOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  if (result.getRank() != 2 || !result.getElementType().isInteger(64))
    return emitOpError() << "gives an i64 tile of two dimensions, not "
                         << result;
  if (getDim() != 0 && getDim() != 1)
    return emitOpError() << "dim is 0 or 1, not " << int64_t(getDim());
  return success();
}

void SoftmaxStepOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getP(), "p");
  setName(getNewMax(), "max");
  setName(getNewSum(), "sum");
  setName(getRescale(), "rescale");
}

LogicalResult SoftmaxStepOp::verify() {
  auto scores = cast<RankedTensorType>(getScores().getType());
  auto rows = cast<RankedTensorType>(getMax().getType());
  if (scores.getRank() != 2 || rows.getRank() != 1 ||
      rows.getDimSize(0) != scores.getDimSize(0) ||
      !scores.getElementType().isF32() || !rows.getElementType().isF32())
    return emitOpError() << "takes f32 scores of two dimensions and one f32 "
                            "per row, not "
                         << scores << " and " << rows;
  return success();
}
