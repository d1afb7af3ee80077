//===- Attn.cpp - The attn dialect ----------------------------------------===//

#include "dialects/attn/Attn.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace weft::attn;

#include "dialects/attn/AttnDialect.cpp.inc"
#include "dialects/attn/AttnEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/attn/AttnAttrs.cpp.inc"

#define GET_OP_CLASSES
#include "dialects/attn/AttnOps.cpp.inc"

void AttnDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/attn/AttnAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/attn/AttnOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// #attn.side
//===----------------------------------------------------------------------===//

Attribute SideAttr::parse(AsmParser &parser, Type) {
  StringRef layoutName;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parser.parseKeyword(&layoutName))
    return {};
  std::optional<RowLayout> layout = symbolizeRowLayout(layoutName);
  if (!layout) {
    parser.emitError(loc) << "unknown row layout '" << layoutName
                          << "'; allowed: batch, thd";
    return {};
  }
  bool padded = succeeded(parser.parseOptionalComma());
  if (padded && parser.parseKeyword("padded"))
    return {};
  if (parser.parseGreater())
    return {};
  return SideAttr::get(parser.getContext(), *layout, padded);
}

void SideAttr::print(AsmPrinter &printer) const {
  printer << '<' << stringifyRowLayout(getLayout());
  if (getPadded())
    printer << ", padded";
  printer << '>';
}

//===----------------------------------------------------------------------===//
// attn.forward, attn.backward
//===----------------------------------------------------------------------===//

namespace {
/// Checks a region's arguments and what it yields. An empty region is absent.
LogicalResult verifyRegion(Operation *op, Region &region, StringRef name,
                           bool takesScore, Type yielded,
                           ArrayAttr parameters) {
  if (region.empty())
    return success();
  if (!region.hasOneBlock())
    return op->emitOpError() << name << " region must be one block";
  MLIRContext *context = op->getContext();
  Type i64 = IntegerType::get(context, 64), f32 = Float32Type::get(context);
  SmallVector<Type> expected;
  if (takesScore)
    expected.push_back(f32);
  expected.append(6, i64);
  for (Attribute parameter : parameters)
    expected.push_back(
        cast<StringAttr>(parameter).getValue() == "softcap" ? f32 : i64);
  if (region.getArgumentTypes() != ArrayRef<Type>(expected))
    return op->emitOpError()
           << name << " region must take (" << (takesScore ? "s: f32, " : "")
           << "b, h, i, j, n_q, n_k: i64"
           << (parameters.empty() ? "" : ", parameters") << ") of types ("
           << expected << "), not (" << region.getArgumentTypes() << ")";
  auto yield = dyn_cast_or_null<YieldOp>(
      region.front().empty() ? nullptr : &region.front().back());
  if (!yield || yield.getValue().getType() != yielded)
    return op->emitOpError()
           << name << " region must end in an attn.yield of " << yielded;
  for (Operation &inner : region.front().without_terminator())
    if (!isPure(&inner) || inner.getNumRegions() != 0)
      return op->emitOpError() << name << " region must be pure and straight; '"
                               << inner.getName() << "' is not";
  return success();
}

template <typename Problem> LogicalResult verifyProblem(Problem op) {
  auto dim = [&](StringRef name, int64_t value) -> LogicalResult {
    if (value >= 8 && value <= 256 && value % 8 == 0)
      return success();
    return op.emitOpError()
           << name << " " << value << " is not a multiple of 8 from 8 to 256";
  };
  if (!isa<Float16Type, BFloat16Type>(op.getDtype()))
    return op.emitOpError()
           << "dtype must be f16 or bf16, not " << op.getDtype();
  if (failed(dim("head_dim", op.getHeadDim())) ||
      failed(dim("head_dim_v", op.getHeadDimV())))
    return failure();
  if (op.getHeadRatio() < 1)
    return op.emitOpError()
           << "head_ratio must be at least 1, not " << op.getHeadRatio();
  if (op.getAlign() != 16 && op.getAlign() != 2)
    return op.emitOpError() << "align must be 16 or 2, not " << op.getAlign();
  static constexpr StringRef allowed[] = {"window_left", "window_right",
                                          "softcap"};
  const StringRef *next = std::begin(allowed);
  for (StringRef parameter :
       op.getParameters().template getAsValueRange<StringAttr>()) {
    const StringRef *found = std::find(next, std::end(allowed), parameter);
    if (found == std::end(allowed))
      return op.emitOpError()
             << "parameters are some of window_left, window_right, softcap, in "
                "this order; '"
             << parameter << "' is not, or is out of order";
    next = found + 1;
  }
  Type i1 = IntegerType::get(op.getContext(), 1);
  Type f32 = Float32Type::get(op.getContext());
  if (failed(verifyRegion(op, op.getMask(), "mask", false, i1,
                          op.getParameters())))
    return failure();
  return verifyRegion(op, op.getScore(), "score", true, f32,
                      op.getParameters());
}
} // namespace

static void nameArguments(Region &region, bool takesScore, ArrayAttr parameters,
                          OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  SmallVector<StringRef> names;
  if (takesScore)
    names.push_back("s");
  llvm::append_values(names, "b", "h", "i", "j", "n_q", "n_k");
  llvm::append_range(names, parameters.getAsValueRange<StringAttr>());
  for (auto [argument, name] : llvm::zip(region.getArguments(), names))
    setName(argument, name);
}
void ForwardOp::getAsmBlockArgumentNames(Region &region,
                                         OpAsmSetValueNameFn setName) {
  nameArguments(region, &region != &getMask(), getParameters(), setName);
}
void BackwardOp::getAsmBlockArgumentNames(Region &region,
                                          OpAsmSetValueNameFn setName) {
  nameArguments(region, &region != &getMask(), getParameters(), setName);
}

LogicalResult ForwardOp::verifyRegions() { return verifyProblem(*this); }

LogicalResult BackwardOp::verifyRegions() {
  if (failed(verifyProblem(*this)))
    return failure();
  if (getScore().empty() && !getDerivative().empty())
    return emitOpError() << "has a derivative region, but no score region that "
                            "it could be the derivative of";
  return verifyRegion(*this, getDerivative(), "derivative", true,
                      Float32Type::get(getContext()), getParameters());
}
