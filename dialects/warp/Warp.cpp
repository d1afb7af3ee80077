//===- Warp.cpp - The warp dialect ----------------------------------------===//

#include "dialects/warp/Warp.h"

#include "dialects/tile/Access.h"
#include "dialects/tile/KernelSyntax.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::warp;
using weft::tile::verifyAccess;
using weft::tile::verifyRowSpace;
using weft::tile::verifyWritable;

#include "dialects/warp/WarpDialect.cpp.inc"
#include "dialects/warp/WarpEnums.cpp.inc"

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
// Layouts and types
//===----------------------------------------------------------------------===//

/// Checks the shape of a register tile against its layout: what `sizes` says
/// each dimension is a multiple of.
static LogicalResult verifyShape(StringRef layout, ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> multiples,
                                 function_ref<InFlightDiagnostic()> emitError) {
  if (shape.size() != multiples.size())
    return emitError() << layout << " is a layout of rank " << multiples.size()
                       << ", not of rank " << shape.size();
  for (auto [size, multiple] : llvm::zip(shape, multiples))
    if (ShapedType::isDynamic(size) || size <= 0 || size % multiple != 0)
      return emitError() << layout
                         << " needs static sizes that are multiples of ("
                         << multiples << "), not (" << shape << ")";
  return success();
}

LogicalResult
AccAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                        function_ref<InFlightDiagnostic()> emitError) const {
  return verifyShape("#warp.acc", shape, {16, 8}, emitError);
}
LogicalResult OperandLayoutAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyShape("#warp.operand", shape, {16, 16}, emitError);
}
LogicalResult
RowAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                        function_ref<InFlightDiagnostic()> emitError) const {
  return verifyShape("#warp.row", shape, {16}, emitError);
}
LogicalResult
ColumnAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  return verifyShape("#warp.column", shape, {8}, emitError);
}

LogicalResult
SliceAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                          function_ref<InFlightDiagnostic()> emitError) const {
  return verifyShape("#warp.slice", shape, {64, 16}, emitError);
}

LogicalResult PartialAttr::verifyEncoding(
    ArrayRef<int64_t> shape, Type,
    function_ref<InFlightDiagnostic()> emitError) const {
  return verifyShape("#warp.partial", shape, {16}, emitError);
}

LogicalResult SharedType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t rows, int64_t columns,
                                 Type elementType, SharedLayout layout) {
  if (layout == SharedLayout::fragments) {
    if (!elementType.isF32() || rows <= 0 || rows % 16 || columns <= 0 ||
        columns % 64)
      return emitError()
             << "fragments are f32, of a multiple of 16 rows and of "
                "64 columns, not "
             << rows << " x " << columns << " of " << elementType;
    return success();
  }
  if (elementType.isF32()) {
    if (rows <= 0 || rows % 32 || columns != 1 ||
        layout != SharedLayout::padded)
      return emitError() << "a vector of f32 in shared memory has a multiple "
                            "of 32 rows, one column and no swizzle, not "
                         << rows << " x " << columns;
    return success();
  }
  if (!isa<Float16Type, BFloat16Type>(elementType))
    return emitError()
           << "shared memory holds tiles of f16 or bf16, or vectors "
              "of f32, not "
           << elementType;
  if (rows <= 0 || columns <= 0 || rows % 16 != 0 || columns % 16 != 0)
    return emitError()
           << "a tile in shared memory has multiples of 16 rows and "
              "columns, not "
           << rows << " x " << columns;
  return success();
}

LogicalResult RingType::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t stages, SharedType) {
  if (stages < 1)
    return emitError() << "a ring has at least one slot, not " << stages;
  return success();
}

LogicalResult PendingType::verify(function_ref<InFlightDiagnostic()> emitError,
                                  RankedTensorType tile) {
  if (!isa_and_nonnull<AccAttr, SliceAttr>(tile.getEncoding()) ||
      !tile.getElementType().isF32())
    return emitError()
           << "products add to f32 #warp.acc or #warp.slice, not to " << tile;
  return success();
}

//===----------------------------------------------------------------------===//
// warp.func
//===----------------------------------------------------------------------===//

LogicalResult FuncOp::verify() {
  if (getBody().empty())
    return emitOpError("needs a body");
  if (!getResultTypes().empty())
    return emitOpError("has no results; a kernel stores what it computes");
  if (getAlign() != 2 && getAlign() != 16)
    return emitOpError() << "align is 16 or 2 bytes, not " << getAlign();
  return success();
}

ParseResult FuncOp::parse(OpAsmParser &parser, OperationState &result) {
  auto order = [&]() -> ParseResult {
    for (auto [keyword, name] :
         {std::pair("descending", getDescendingAttrName(result.name)),
          std::pair("uneven", getUnevenAttrName(result.name))})
      if (succeeded(parser.parseOptionalKeyword(keyword)))
        result.addAttribute(name, parser.getBuilder().getUnitAttr());
    return success();
  };
  auto align = [&]() -> ParseResult {
    IntegerAttr bytes;
    return failure(parser.parseKeyword("align") || parser.parseEqual() ||
                   parser.parseAttribute(
                       bytes, parser.getBuilder().getI64Type(),
                       getAlignAttrName(result.name), result.attributes));
  };
  return weft::tile::parseKernel<FuncOp>(parser, result, order, align);
}

void FuncOp::print(OpAsmPrinter &printer) {
  auto order = [&] {
    if (getDescending())
      printer << " descending";
    if (getUneven())
      printer << " uneven";
  };
  auto align = [&] { printer << " align = " << getAlign(); };
  weft::tile::printKernel(
      *this, printer, order, align,
      {getAlignAttrName(), getDescendingAttrName(), getUnevenAttrName()});
}

//===----------------------------------------------------------------------===//
// Shared memory and pipelines
//===----------------------------------------------------------------------===//

/// Checks a tile in shared memory against the rows that are copied into it.
static LogicalResult verifyCopy(Operation *op, weft::tile::BufferType buffer,
                                weft::tile::RowsType rows, SharedType tile) {
  if (failed(verifyRowSpace(op, buffer, rows)))
    return failure();
  if (tile.getElementType() != buffer.getElementType())
    return op->emitOpError() << "tile of " << tile.getElementType()
                             << " and buffer of " << buffer.getElementType();
  if (tile.getRows() != rows.getCount() ||
      tile.getColumns() < buffer.getColumns())
    return op->emitOpError()
           << "tile " << tile << " does not hold " << rows.getCount()
           << " rows of " << buffer.getColumns() << " columns";
  return success();
}

LogicalResult FetchOp::verify() {
  return verifyCopy(*this, getBuffer().getType(), getRows().getType(),
                    getType());
}
LogicalResult PutOp::verify() {
  return verifyCopy(*this, getBuffer().getType(), getRows().getType(),
                    getRing().getType().getTile());
}
LogicalResult WaitOp::verify() {
  if (int64_t pending = getPendingAttr().getInt(); pending < 0)
    return emitOpError() << "pending is at least 0, not " << pending;
  return success();
}
/// The result of an op that gives a tile of `ring`.
static LogicalResult verifyTileOf(Operation *op, RingType ring, Type tile) {
  if (tile != ring.getTile())
    return op->emitOpError() << "gives a tile of its ring, " << ring.getTile()
                             << ", not " << tile;
  return success();
}
LogicalResult GetOp::verify() {
  return verifyTileOf(*this, getRing().getType(), getType());
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

LogicalResult RolesOp::verify() {
  auto schedule = cast<FuncOp>((*this)->getParentOp()).getSchedule();
  if (!schedule.usesWarpgroups())
    return emitOpError("needs a schedule with mma = warpgroup");
  for (int64_t registers : {getProducerRegisters(), getConsumerRegisters()})
    if (registers < 24 || registers > 256 || registers % 8)
      return emitOpError() << "registers of a role are a multiple of 8 from 24 "
                              "to 256, not "
                           << registers;
  // More than the CTA was started with does not fail on the device: it hangs.
  int64_t threads = schedule.getThreads();
  int64_t pool = schedule.getRegistersAtLaunch() * threads;
  int64_t taken =
      128 * getProducerRegisters() + (threads - 128) * getConsumerRegisters();
  if (taken > pool)
    return emitOpError() << "takes " << taken << " registers of " << pool;
  return success();
}

LogicalResult PointsOp::verify() {
  Type i64 = IntegerType::get(getContext(), 64);
  if (getBody().getArgumentTypes() != ArrayRef<Type>({i64, i64, i64}))
    return emitOpError() << "region takes sequence, tile and head (i64), not ("
                         << getBody().getArgumentTypes() << ")";
  return success();
}

LogicalResult SendOp::verify() {
  SharedType tile = getRing().getType().getTile();
  if (!tile.isSwizzled() && !tile.isVector())
    return emitOpError() << "fills swizzled tiles and vectors, not " << tile;
  return verifyCopy(*this, getBuffer().getType(), getRows().getType(), tile);
}
LogicalResult ReceiveOp::verify() {
  return verifyTileOf(*this, getRing().getType(), getType());
}
LogicalResult HeldOp::verify() {
  return verifyTileOf(*this, getRing().getType(), getType());
}

/// Checks a rounded tile against the shared one that it becomes, turned.
static LogicalResult verifyTurned(Operation *op, Type value, SharedType tile) {
  auto tensor = cast<RankedTensorType>(value);
  if (!isa_and_nonnull<OperandLayoutAttr>(tensor.getEncoding()) ||
      !tile.isSwizzled() || tensor.getDimSize(0) != tile.getColumns() ||
      tensor.getDimSize(1) != tile.getRows() ||
      tensor.getElementType() != tile.getElementType())
    return op->emitOpError()
           << "turns #warp.operand into a swizzled tile with its columns for "
              "rows, not "
           << value << " into " << tile;
  return success();
}
LogicalResult ExchangeOp::verify() {
  return verifyTurned(*this, getValue().getType(), getType());
}
LogicalResult DepositOp::verify() {
  return verifyTurned(*this, getValue().getType(),
                      getRing().getType().getTile());
}

LogicalResult ConsumedOp::verify() {
  int64_t age = getAge(), stages = getRing().getType().getStages();
  if (age < 0 || age >= stages)
    return emitOpError() << "gives back a tile of age " << age
                         << " of a ring with " << stages
                         << " slots; the age is at least 0 and less than that";
  return success();
}
LogicalResult ClearRowsOp::verify() {
  if (!getTile().getType().isSwizzled())
    return emitOpError() << "clears swizzled tiles, not "
                         << getTile().getType();
  return success();
}
