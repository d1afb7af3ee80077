//===- AssembleProgram.cpp - CUDA text to a launch program ----------------===//

#include "runtime/compile/AssembleProgram.h"

#include "runtime/support/Parallel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>
#include <optional>

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

  for (auto [source, kernel] :
       zip_equal(text.kernels, assembled.program.kernels))
    if (source.name != kernel->name)
      return createStringError("the compiler wrote source '" + source.name +
                               "' for kernel '" + kernel->name + "'");

  // NVRTC compiles in as many threads as call it.
  auto start = std::chrono::steady_clock::now();
  std::vector<std::optional<Expected<CompiledKernel>>> compiled(
      text.kernels.size());
  forEachInParallel(compiled.size(), [&](size_t i) {
    compiled[i].emplace(compileKernel(text.kernels[i].name,
                                      text.kernels[i].text, target, options));
  });
  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;

  std::vector<std::string> failures; // each said once
  for (auto [result, kernel] : zip_equal(compiled, assembled.program.kernels)) {
    if (!*result) {
      std::string failure = toString(result->takeError());
      if (!is_contained(failures, failure))
        failures.push_back(std::move(failure));
      continue;
    }
    kernel->cubin.assign((*result)->cubin.begin(), (*result)->cubin.end());
    assembled.kernels.push_back(std::move(**result));
  }
  if (!failures.empty())
    return createStringError(join(failures, "\n"));
  assembled.stageMilliseconds.emplace_back("nvrtc", elapsed.count());
  return assembled;
}

} // namespace weft
