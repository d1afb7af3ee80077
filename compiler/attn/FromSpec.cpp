//===- FromSpec.cpp - A spec as an attn module ----------------------------===//

#include "compiler/attn/FromSpec.h"

#include "dialects/attn/Attn.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"

#include <algorithm>

using namespace mlir;
using namespace weft;

/// Distances from here on exceed every sequence (lengths are int32). Bounds are
/// cut to it, so that i - left and i + right stay inside 64 bits.
static constexpr int64_t unlimitedDistance = int64_t(1) << 40;

namespace {
/// Writes the regions of one problem.
class RegionBuilder {
public:
  RegionBuilder(MLIRContext &context, const AttentionSpec &spec)
      : builder(&context), loc(builder.getUnknownLoc()), spec(spec) {
    if (spec.left.kind == WindowBound::Kind::RunTime)
      parameters.push_back("window_left");
    if (spec.right.kind == WindowBound::Kind::RunTime)
      parameters.push_back("window_right");
    if (spec.score == ScoreKind::Softcap)
      parameters.push_back("softcap");
  }

  ArrayAttr getParameters() { return builder.getStrArrayAttr(parameters); }

  /// May query i see key j.
  void buildMask(Region &region) {
    if (spec.mask == MaskKind::None)
      return;
    begin(region, /*takesScore=*/false);
    Value i = argument(2), j = argument(3);
    // Bottom right: the last query is level with the last key.
    if (spec.mask == MaskKind::CausalBottomRight ||
        spec.mask == MaskKind::SlidingWindowBottomRight) {
      Value shift =
          arith::SubIOp::create(builder, loc, argument(5), argument(4));
      i = arith::AddIOp::create(builder, loc, i, shift);
    }
    Value keep;
    auto require = [&](arith::CmpIPredicate predicate, Value bound) {
      Value holds = arith::CmpIOp::create(builder, loc, predicate, j, bound);
      keep = keep ? arith::AndIOp::create(builder, loc, keep, holds).getResult()
                  : holds;
    };
    if (!spec.hasWindow()) {
      require(arith::CmpIPredicate::sle, i);
    } else {
      if (Value left = distance(spec.left, "window_left"))
        require(arith::CmpIPredicate::sge,
                arith::SubIOp::create(builder, loc, i, left));
      if (Value right = distance(spec.right, "window_right"))
        require(arith::CmpIPredicate::sle,
                arith::AddIOp::create(builder, loc, i, right));
    }
    attn::YieldOp::create(builder, loc, keep);
  }

  void buildScore(Region &region) {
    if (spec.score == ScoreKind::None)
      return;
    begin(region, /*takesScore=*/true);
    Value cap = parameter("softcap");
    // One division a row of tiles instead of one an element.
    Value one =
        arith::ConstantOp::create(builder, loc, builder.getF32FloatAttr(1));
    Value inverse = arith::DivFOp::create(builder, loc, one, cap);
    Value x = arith::MulFOp::create(builder, loc, argument(0), inverse);
    Value t = math::TanhOp::create(builder, loc, x);
    Value capped = arith::MulFOp::create(builder, loc, cap, t);
    attn::YieldOp::create(builder, loc, capped);
  }

private:
  void begin(Region &region, bool takesScore) {
    SmallVector<Type> types;
    if (takesScore)
      types.push_back(builder.getF32Type());
    types.append(6, builder.getI64Type());
    for (StringRef name : parameters)
      types.push_back(name == "softcap" ? Type(builder.getF32Type())
                                        : builder.getI64Type());
    block = builder.createBlock(&region, region.end(), types,
                                SmallVector<Location>(types.size(), loc));
  }

  Value argument(unsigned index) { return block->getArgument(index); }

  Value parameter(StringRef name) {
    size_t index = llvm::find(parameters, name) - parameters.begin();
    return argument(block->getNumArguments() - parameters.size() + index);
  }

  /// A window bound as an i64, null if unlimited.
  Value distance(const WindowBound &bound, StringRef name) {
    switch (bound.kind) {
    case WindowBound::Kind::Unlimited:
      return {};
    case WindowBound::Kind::Constant:
      return arith::ConstantOp::create(
          builder, loc,
          builder.getI64IntegerAttr(std::min(bound.value, unlimitedDistance)));
    case WindowBound::Kind::RunTime: {
      Value limit = arith::ConstantOp::create(
          builder, loc, builder.getI64IntegerAttr(unlimitedDistance));
      return arith::MinSIOp::create(builder, loc, parameter(name), limit);
    }
    }
    llvm_unreachable("all kinds are handled");
  }

  OpBuilder builder;
  Location loc;
  const AttentionSpec &spec;
  SmallVector<StringRef> parameters;
  Block *block = nullptr;
};
} // namespace

static attn::SideAttr sideAttr(MLIRContext &context, const SideLayout &side) {
  return attn::SideAttr::get(&context,
                             side.layout == LayoutClass::Thd
                                 ? attn::RowLayout::thd
                                 : attn::RowLayout::batch,
                             side.padded);
}

/// Sets what both passes have.
template <typename ProblemOp>
static void buildProblem(ProblemOp op, MLIRContext &context,
                         const AttentionSpec &spec) {
  OpBuilder builder(&context);
  Type dtype = spec.dtype == DType::F16 ? Type(builder.getF16Type())
                                        : Type(builder.getBF16Type());
  op.setSymName(kProblemName);
  op.setDtype(dtype);
  op.setHeadDim(spec.headDim);
  op.setHeadDimV(spec.headDimV);
  op.setHeadRatio(spec.headRatio);
  op.setQAttr(sideAttr(context, spec.q));
  op.setKvAttr(sideAttr(context, spec.kv));
  op.setAlign(spec.align);
  RegionBuilder regions(context, spec);
  op.setParametersAttr(regions.getParameters());
  regions.buildMask(op.getMask());
  regions.buildScore(op.getScore());
}

OwningOpRef<ModuleOp> weft::buildAttnModule(MLIRContext &context,
                                            const AttentionSpec &spec,
                                            const Target &target) {
  context
      .loadDialect<arith::ArithDialect, attn::AttnDialect, math::MathDialect>();
  OpBuilder builder(&context);
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  (*module)->setAttr(kTargetAttr, builder.getStringAttr(target.name));
  if (!target.tuning.empty())
    (*module)->setAttr(kTuningAttr, builder.getStringAttr(target.tuning));
  (*module)->setAttr(kSpecAttr, builder.getStringAttr(spec.str()));
  builder.setInsertionPointToStart(module->getBody());
  if (spec.isBackward()) {
    OperationState state(loc, attn::BackwardOp::getOperationName());
    for (int region = 0; region < 3; ++region)
      state.addRegion();
    auto op = cast<attn::BackwardOp>(builder.create(state));
    buildProblem(op, context, spec);
    op.setScalarDout(spec.scalarDOut);
    op.setDeterministic(spec.deterministic);
  } else {
    OperationState state(loc, attn::ForwardOp::getOperationName());
    for (int region = 0; region < 2; ++region)
      state.addRegion();
    buildProblem(cast<attn::ForwardOp>(builder.create(state)), context, spec);
  }
  return module;
}

FailureOr<const Target *> weft::targetOf(ModuleOp module, StringRef pass) {
  auto name = module->getAttrOfType<StringAttr>(kTargetAttr);
  if (!name)
    return module.emitError()
           << pass << " needs a target: give the module the attribute "
           << kTargetAttr << ", as in " << kTargetAttr << " = \"sm_90a\"";
  llvm::Expected<const Target *> target = targetByName(name.getValue());
  if (!target)
    return module.emitError() << llvm::toString(target.takeError());
  return *target;
}
