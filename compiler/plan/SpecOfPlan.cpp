//===- SpecOfPlan.cpp - What a plan says of its spec ----------------------===//

#include "compiler/plan/SpecOfPlan.h"

#include "compiler/attn/FromSpec.h"
#include "dialects/attn/Attn.h"
#include "dialects/plan/Plan.h"

using namespace mlir;
using namespace weft;

static void readSide(ModuleOp module, llvm::StringRef name, SideLayout &side) {
  if (auto attr = module->getAttrOfType<attn::SideAttr>(name))
    side = {attr.getLayout() == attn::RowLayout::thd ? LayoutClass::Thd
                                                     : LayoutClass::Batch,
            bool(attr.getPadded())};
}

static void readNumber(ModuleOp module, llvm::StringRef name, int64_t &number) {
  if (auto attr = module->getAttrOfType<IntegerAttr>(name))
    number = attr.getInt();
}

/// `spec` with all that `module` says in place of what the spec says.
static AttentionSpec specOf(ModuleOp module, AttentionSpec spec) {
  readSide(module, "weft.q", spec.q);
  readSide(module, "weft.kv", spec.kv);
  readNumber(module, plan::kHeadRatioAttr, spec.headRatio);
  readNumber(module, "weft.align", spec.align);
  spec.deterministic = module->hasAttr("weft.deterministic");
  for (plan::FuncOp func : module.getOps<plan::FuncOp>()) {
    spec.pass = PassKind::Forward;
    for (BlockArgument argument : func.getBody().getArguments()) {
      auto type = dyn_cast<plan::BufferType>(argument.getType());
      llvm::StringRef name = plan::bufferName(argument);
      if (name == "d_query")
        spec.pass = PassKind::Backward;
      if (type && name == "value")
        spec.headDimV = type.getColumns();
      if (!type || name != "query")
        continue;
      spec.headDim = type.getColumns();
      spec.dtype =
          isa<Float16Type>(type.getElementType()) ? DType::F16 : DType::BF16;
    }
  }
  return spec;
}

llvm::Error weft::checkSpecOfPlan(ModuleOp module) {
  auto given = module->getAttrOfType<StringAttr>(kSpecAttr);
  if (!given)
    return llvm::Error::success(); // buildProgram asks for it
  llvm::Expected<AttentionSpec> spec = AttentionSpec::parse(given.getValue());
  if (!spec)
    return llvm::createStringError(kSpecAttr + ": " +
                                   llvm::toString(spec.takeError()));
  std::string made = specOf(module, *spec).str();
  if (made == given.getValue())
    return llvm::Error::success();
  return llvm::createStringError("the module's " + kSpecAttr + " is '" +
                                 given.getValue() +
                                 "', but its plans are of '" + made +
                                 "'; a program is found by its spec: change "
                                 "it, or begin with the problem");
}
