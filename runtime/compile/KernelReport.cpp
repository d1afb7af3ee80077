//===- KernelReport.cpp - What the assembler said of one kernel -----------===//

#include "runtime/compile/KernelReport.h"

#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace weft {

// The number right before `unit` in `line`: 40 in "Used 40 registers" for
// " registers"; nothing changes where there is none.
static void numberBefore(StringRef line, StringRef unit, int64_t &value) {
  size_t at = line.find(unit);
  if (at == StringRef::npos)
    return;
  StringRef before = line.take_front(at).rtrim();
  StringRef digits = before.take_back(
      before.size() - (before.find_last_not_of("0123456789") + 1));
  int64_t number;
  if (!digits.getAsInteger(10, number))
    value = number;
}

static bool isWarning(StringRef line) {
  return line.contains("warning") || line.contains("Potential Performance") ||
         line.contains("setmaxnreg");
}

KernelReport parseReport(StringRef log, StringRef kernel) {
  KernelReport report;
  SmallVector<StringRef> lines;
  log.split(lines, '\n', -1, /*KeepEmpty=*/false);
  // Lines between "Compiling entry function 'a'" and the next such line speak
  // of kernel a.
  bool mine = false;
  for (StringRef line : lines) {
    line = line.rtrim("\r \0");
    size_t entry = line.find("Compiling entry function '");
    if (entry != StringRef::npos) {
      StringRef name = line.substr(entry).split('\'').second.split('\'').first;
      mine = name == kernel;
      report.found |= mine;
      continue;
    }
    if (isWarning(line) && !line.contains("The warnings can be suppressed"))
      report.warnings.push_back(line.trim().str());
    if (!mine)
      continue;
    numberBefore(line, " bytes stack frame", report.stackBytes);
    numberBefore(line, " bytes spill stores", report.spillStoreBytes);
    numberBefore(line, " bytes spill loads", report.spillLoadBytes);
    numberBefore(line, " registers", report.registers);
    numberBefore(line, " barriers", report.barriers);
    numberBefore(line, " bytes smem", report.sharedBytes);
  }
  return report;
}

json::Object toJson(const KernelReport &report) {
  json::Array warnings;
  for (const std::string &warning : report.warnings)
    warnings.push_back(warning);
  return json::Object{{"registers", report.registers},
                      {"spill_store_bytes", report.spillStoreBytes},
                      {"spill_load_bytes", report.spillLoadBytes},
                      {"stack_bytes", report.stackBytes},
                      {"shared_bytes", report.sharedBytes},
                      {"barriers", report.barriers},
                      {"warnings", std::move(warnings)}};
}

} // namespace weft
