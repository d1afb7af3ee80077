//===- WithoutCompiler.cpp - libweft-runtime has packs alone --------------===//

#include "runtime/api/PlanCompiler.h"
#include "runtime/api/Status.h"

using namespace llvm;

namespace weft {

Expected<std::unique_ptr<PlanCompiler>>
makePlanCompiler(const PlanCompilerOptions &options) {
  if (options.tuning && *options.tuning)
    return statusError(WEFT_UNSUPPORTED,
                       "weft_context_options.tuning is given, but "
                       "libweft-runtime compiles nothing: schedules are "
                       "chosen when a pack is compiled; leave it NULL");
  return std::unique_ptr<PlanCompiler>();
}

} // namespace weft
