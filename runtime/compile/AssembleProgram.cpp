//===- AssembleProgram.cpp - CUDA text to a launch program ----------------===//

#include "runtime/compile/AssembleProgram.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace weft {

Expected<AssembledProgram> assembleProgram(CompiledText text,
                                           const Target &target,
                                           const CompileOptions &options) {
  if (text.kernels.size() != text.program.kernels.size())
    return createStringError("the compiler wrote " +
                             Twine(text.kernels.size()) + " sources for " +
                             Twine(text.program.kernels.size()) + " kernels");
  AssembledProgram assembled;
  assembled.program = std::move(text.program);
  assembled.program.library = WEFT_VERSION;
  assembled.stageMilliseconds = std::move(text.stageMilliseconds);

  double milliseconds = 0;
  for (auto [source, kernel] :
       zip_equal(text.kernels, assembled.program.kernels)) {
    if (source.name != kernel->name)
      return createStringError("the compiler wrote source '" + source.name +
                               "' for kernel '" + kernel->name + "'");
    Expected<CompiledKernel> compiled =
        compileKernel(source.name, source.text, target, options);
    if (!compiled)
      return compiled.takeError();
    kernel->cubin.assign(compiled->cubin.begin(), compiled->cubin.end());
    milliseconds += compiled->milliseconds;
    assembled.kernels.push_back(std::move(*compiled));
  }
  assembled.stageMilliseconds.emplace_back("nvrtc", milliseconds);
  return assembled;
}

} // namespace weft
