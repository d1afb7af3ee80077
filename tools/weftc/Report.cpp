//===- Report.cpp - What a compile made, as JSON --------------------------===//

#include "tools/weftc/Report.h"

#include "runtime/compile/Nvrtc.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>

using namespace llvm;

namespace weft {

// Whole numbers: JSON would print all digits of a double.
static int64_t microseconds(double milliseconds) {
  return std::llround(milliseconds * 1000);
}

json::Object reportOf(const AssembledProgram &program, const Target &target) {
  json::Array kernels;
  for (auto [compiled, kernel] :
       zip_equal(program.kernels, program.program.kernels)) {
    json::Object entry = toJson(compiled.report);
    entry["name"] = kernel->name;
    entry["threads"] = kernel->threads;
    // The assembler knows of static shared memory alone.
    entry["shared_bytes"] = compiled.report.sharedBytes + kernel->shared_bytes;
    entry["cubin_bytes"] = int64_t(compiled.cubin.size());
    entry["microseconds"] = microseconds(compiled.milliseconds);
    kernels.push_back(std::move(entry));
  }
  json::Object times;
  double total = 0;
  for (const auto &[stage, time] : program.stageMilliseconds) {
    times[stage] = microseconds(time);
    total += time;
  }
  times["total"] = microseconds(total);
  json::Object report{{"weft", WEFT_VERSION},
                      {"spec", program.program.spec},
                      {"target", target.name},
                      {"microseconds", std::move(times)},
                      {"kernels", std::move(kernels)}};
  if (Expected<NvrtcIdentity> nvrtc = findNvrtc())
    report["nvrtc"] = nvrtc->path;
  else
    consumeError(nvrtc.takeError());
  return report;
}

} // namespace weft
