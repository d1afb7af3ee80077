//===- ExplainSpec.cpp - The plan of a spec, told to people ---------------===//

#include "compiler/Compiler.h"
#include "compiler/explain/Explain.h"

using namespace llvm;

Expected<std::string> weft::explain(const AttentionSpec &spec,
                                    const Target &target) {
  std::string planText;
  Expected<CompiledText> text =
      compileToText(spec, target, [&](Stage stage, const std::string &shown) {
        if (stage == Stage::Plan)
          planText = shown;
      });
  if (!text)
    return text.takeError();
  Expected<std::string> plans = explainPlan(planText);
  if (!plans)
    return plans.takeError();
  return spec.str() + "\ncompiled for " + target.name.str() + "\n\n" + *plans;
}
