//===- WarpRegisters.cpp - Checks of ops on tiles in registers ------------===//

#include "dialects/warp/Warp.h"

#include "dialects/tile/Access.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace weft::warp;
using weft::tile::verifyAccess;
using weft::tile::verifyRowSpace;
using weft::tile::verifyWritable;

/// The layout of a register tile, or null.
static Attribute layoutOf(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? tensor.getEncoding() : Attribute();
}

LogicalResult ReadOp::verify() {
  SharedType tile = getTile().getType();
  auto result = cast<RankedTensorType>(getType());
  if (!tile.isVector() || !isa_and_nonnull<ColumnAttr>(result.getEncoding()) ||
      !result.getElementType().isF32() ||
      result.getDimSize(0) != tile.getRows())
    return emitOpError() << "reads a vector as #warp.column of its size, not "
                         << tile << " as " << result;
  return success();
}

LogicalResult LoadOp::verify() {
  if (!isa_and_nonnull<AccAttr, RowAttr, ColumnAttr>(layoutOf(getType())))
    return emitOpError() << "loads #warp.acc, #warp.row or #warp.column, not "
                         << getType();
  if (failed(weft::tile::verifyUnclippedLoad(*this, getBuffer().getType(),
                                             getUnclipped())))
    return failure();
  return verifyAccess(*this, getBuffer().getType(), getRows().getType(),
                      getType());
}

/// Every thread of a column vector holds it: only tiles and row vectors have
/// one owner per element.
static LogicalResult verifyWrite(Operation *op, weft::tile::BufferType buffer,
                                 weft::tile::RowsType rows, Type value) {
  if (!isa_and_nonnull<AccAttr, SliceAttr, RowAttr>(layoutOf(value)))
    return op->emitOpError()
           << "writes #warp.acc, #warp.slice or #warp.row, not " << value;
  if (failed(verifyWritable(op, buffer)))
    return failure();
  return verifyAccess(op, buffer, rows, value);
}

bool StoreOp::goesThrough(RankedTensorType value, weft::tile::BufferType buffer,
                          SharedType tile) {
  return isa_and_nonnull<AccAttr>(value.getEncoding()) &&
         value.getElementTypeBitWidth() == 16 &&
         value.getDimSize(1) == buffer.getColumns() &&
         buffer.getColumns() % 16 == 0 && tile.isSwizzled() &&
         tile.getElementType().getIntOrFloatBitWidth() == 16 &&
         tile.getRows() == value.getDimSize(0) &&
         64 * tile.getBlocks() >= buffer.getColumns();
}

LogicalResult StoreOp::verify() {
  auto value = dyn_cast<RankedTensorType>(getValue().getType());
  if (getThrough() &&
      !goesThrough(value, getBuffer().getType(), getThrough().getType()))
    return emitOpError()
           << "goes through a swizzled tile of 16 bits with the rows of the "
              "value and room for its columns, which are the buffer's and a "
              "multiple of 16; not "
           << value << " through " << getThrough().getType();
  return verifyWrite(*this, getBuffer().getType(), getRows().getType(),
                     getValue().getType());
}
LogicalResult AddOp::verify() {
  if (!getBuffer().getType().getElementType().isF32())
    return emitOpError() << "adds f32 only, not "
                         << getBuffer().getType().getElementType();
  return verifyWrite(*this, getBuffer().getType(), getRows().getType(),
                     getValue().getType());
}

LogicalResult OrderedAddOp::verify() {
  if (failed(verifyWrite(*this, getBuffer().getType(), getRows().getType(),
                         getValue().getType())))
    return failure();
  return weft::tile::verifyOrderedAdd(*this, getBuffer().getType());
}

LogicalResult TicketOp::verify() {
  return weft::tile::verifyTickets(*this, getCounter().getType());
}

LogicalResult StageOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  SharedType tile = getTile().getType();
  if (!isa_and_nonnull<AccAttr, SliceAttr>(value.getEncoding()) ||
      !value.getElementType().isF32() || !tile.isFragments() ||
      value.getShape() !=
          ArrayRef<int64_t>({tile.getRows(), tile.getColumns()}))
    return emitOpError()
           << "puts f32 fragments into a tile of their shape that "
              "lies in fragments; not "
           << value << " into " << tile;
  return success();
}
LogicalResult AddStagedOp::verify() {
  weft::tile::BufferType buffer = getBuffer().getType();
  SharedType tile = getTile().getType();
  if (failed(verifyRowSpace(*this, buffer, getRows().getType())))
    return failure();
  if (buffer.getLayout() != weft::tile::BufferLayout::fragments ||
      !tile.isFragments() || tile.getColumns() != buffer.getColumns() ||
      tile.getRows() != getRows().getType().getCount())
    return emitOpError() << "adds all columns of its rows, in fragments, to a "
                            "buffer in fragments; not "
                         << tile << " to " << buffer;
  return success();
}

LogicalResult FillOp::verify() {
  if (failed(weft::tile::verifyNotRounded(*this, getBuffer().getType())))
    return failure();
  return verifyWritable(*this, getBuffer().getType());
}

LogicalResult ReduceOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  bool inParts = isa_and_nonnull<PartialAttr>(result.getEncoding()) &&
                 getKind() == weft::tile::ReduceKind::sum;
  if (!isa_and_nonnull<AccAttr>(value.getEncoding()) ||
      (!inParts && !isa_and_nonnull<RowAttr>(result.getEncoding())) ||
      result.getDimSize(0) != value.getDimSize(0) ||
      result.getElementType() != value.getElementType())
    return emitOpError()
           << "turns #warp.acc into one #warp.row value per row (or a sum into "
              "#warp.partial), not "
           << value << " into " << result;
  return success();
}

LogicalResult ExpandOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  bool row = isa_and_nonnull<RowAttr>(value.getEncoding());
  if (row && isa_and_nonnull<PartialAttr>(result.getEncoding()) &&
      result.getShape() == value.getShape() &&
      result.getElementType() == value.getElementType())
    return success();
  if ((!row && !isa_and_nonnull<ColumnAttr>(value.getEncoding())) ||
      !isa_and_nonnull<AccAttr>(result.getEncoding()) ||
      value.getDimSize(0) != result.getDimSize(row ? 0 : 1) ||
      result.getElementType() != value.getElementType())
    return emitOpError()
           << "turns #warp.row or #warp.column into #warp.acc (or a row into "
              "#warp.partial), not "
           << value << " into " << result;
  return success();
}

LogicalResult CoordinatesOp::verify() {
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!isa_and_nonnull<AccAttr>(result.getEncoding()) ||
      !result.getElementType().isInteger(64))
    return emitOpError() << "gives an i64 #warp.acc, not " << result;
  if (getDim() != 0 && getDim() != 1)
    return emitOpError() << "dim is 0 or 1, not " << getDim();
  return success();
}

/// Checks the shapes and types of a product that adds to `acc`.
static LogicalResult verifyProduct(Operation *op, Type a, SharedType b,
                                   bool transposed, RankedTensorType acc) {
  if (!isa_and_nonnull<AccAttr, SliceAttr>(acc.getEncoding()) ||
      !acc.getElementType().isF32())
    return op->emitOpError()
           << "accumulates in f32 #warp.acc or #warp.slice, not " << acc;
  int64_t m, k;
  Type elementType;
  if (auto shared = dyn_cast<SharedType>(a)) {
    m = shared.getRows();
    k = shared.getColumns();
    elementType = shared.getElementType();
  } else if (isa_and_nonnull<OperandLayoutAttr>(layoutOf(a))) {
    auto tensor = cast<RankedTensorType>(a);
    m = tensor.getDimSize(0);
    k = tensor.getDimSize(1);
    elementType = tensor.getElementType();
  } else {
    return op->emitOpError()
           << "takes a as #warp.operand or !warp.shared, not " << a;
  }
  int64_t bk = transposed ? b.getColumns() : b.getRows();
  int64_t bn = transposed ? b.getRows() : b.getColumns();
  if (m != acc.getDimSize(0) || bn != acc.getDimSize(1) || k != bk)
    return op->emitOpError()
           << "shapes do not fit: " << a
           << (transposed ? ", transposed " : ", ") << b << " into " << acc;
  if (elementType != b.getElementType())
    return op->emitOpError() << "multiplies equal types, not " << elementType
                             << " and " << b.getElementType();
  return success();
}

LogicalResult MmaOp::verify() {
  return verifyProduct(*this, getA().getType(), getB().getType(),
                       getTransposed(),
                       cast<RankedTensorType>(getAcc().getType()));
}

LogicalResult IssueOp::verify() {
  RankedTensorType tile = getType().getTile();
  for (Type operand : {getA().getType(), Type(getB().getType())})
    if (auto shared = dyn_cast<SharedType>(operand);
        shared && !shared.isSwizzled())
      return emitOpError() << "reads swizzled tiles, not " << shared;
  if (getAcc() && getAcc().getType() != tile &&
      getAcc().getType() != Type(getType()))
    return emitOpError() << "adds to " << tile << ", pending or not, not to "
                         << getAcc().getType();
  return verifyProduct(*this, getA().getType(), getB().getType(),
                       getTransposed(), tile);
}
LogicalResult AwaitOp::verify() {
  if (int64_t younger = getYoungerAttr().getInt(); younger < 0 || younger > 7)
    return emitOpError() << "waits until 0 to 7 groups are under way, not "
                         << younger;
  return success();
}
LogicalResult AnyOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  if (!isa_and_nonnull<AccAttr, RowAttr, ColumnAttr, PartialAttr>(
          value.getEncoding()) ||
      !value.getElementType().isInteger(1))
    return emitOpError() << "takes i1 in registers, not " << value;
  return success();
}
LogicalResult CombineOp::verify() {
  auto value = cast<RankedTensorType>(getValue().getType());
  auto result = cast<RankedTensorType>(getResult().getType());
  if (!isa_and_nonnull<PartialAttr>(value.getEncoding()) ||
      !isa_and_nonnull<RowAttr>(result.getEncoding()) ||
      value.getShape() != result.getShape() ||
      value.getElementType() != result.getElementType() ||
      !value.getElementType().isF32())
    return emitOpError() << "turns f32 #warp.partial into #warp.row, not "
                         << value << " into " << result;
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
  // A tile among results or inputs makes the domain a tile.
  auto domain = cast<RankedTensorType>(getResults().front().getType());
  for (Type type :
       llvm::concat<const Type>(getResultTypes(), getInputs().getTypes()))
    if (auto tensor = cast<RankedTensorType>(type);
        tensor.getRank() == 2 && domain.getRank() != 2)
      domain = tensor;
  auto accLayout = AccAttr::get(getContext());
  bool acc = domain.getRank() == 2;
  if (acc)
    domain = domain.cloneWithEncoding(accLayout);
  else if (!isa_and_nonnull<RowAttr, ColumnAttr, PartialAttr>(
               domain.getEncoding()))
    return emitOpError() << "works on #warp.acc, #warp.row, #warp.column or "
                            "#warp.partial, not "
                         << domain;
  for (Type type : getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    bool same = tensor.getShape() == domain.getShape() &&
                tensor.getEncoding() == domain.getEncoding();
    bool packed = acc && isa_and_nonnull<OperandLayoutAttr>(layoutOf(tensor)) &&
                  tensor.getShape() == domain.getShape() &&
                  isa<Float16Type, BFloat16Type>(tensor.getElementType());
    bool summed = acc && isa_and_nonnull<PartialAttr>(layoutOf(tensor)) &&
                  tensor.getDimSize(0) == domain.getDimSize(0) &&
                  tensor.getElementType().isF32();
    if (!same && !packed && !summed)
      return emitOpError() << "result " << tensor << " does not fit the domain "
                           << domain;
  }
  SmallVector<Type> expected;
  for (Type type : getInputs().getTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    bool same = tensor.getShape() == domain.getShape() &&
                tensor.getEncoding() == domain.getEncoding();
    bool row = (acc || isa<PartialAttr>(domain.getEncoding())) &&
               isa_and_nonnull<RowAttr>(tensor.getEncoding()) &&
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
  Block &body = getBody().front();
  auto yield = dyn_cast_or_null<YieldOp>(body.empty() ? nullptr : &body.back());
  if (!yield)
    return emitOpError("region must end in warp.yield");
  for (Operation &op : body.without_terminator())
    if (!isPure(&op))
      return emitOpError() << "region must be pure; '" << op.getName()
                           << "' is not";
  SmallVector<Type> yielded;
  for (Type type : getResultTypes())
    yielded.push_back(cast<RankedTensorType>(type).getElementType());
  if (yield.getOperandTypes() != TypeRange(yielded))
    return emitOpError() << "region must yield (" << yielded << "), not ("
                         << yield.getOperandTypes() << ")";
  return success();
}
