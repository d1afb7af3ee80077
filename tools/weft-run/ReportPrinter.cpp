//===- ReportPrinter.cpp - A case's report for people and programs --------===//

#include "tools/weft-run/ReportPrinter.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <cmath>

using namespace weft;
using namespace weft::cases;
namespace json = llvm::json;

static void printTensor(llvm::raw_ostream &os, const TensorCheck &check) {
  std::string name = nameOf(check.id).str() + (check.poison ? " *" : "");
  os << llvm::format("  %-6s %12lld ", name.c_str(),
                     static_cast<long long>(check.elements));
  if (std::isinf(check.worst))
    os << "     wrong";
  else
    os << llvm::format("%10.3f", check.worst);
  os << (check.passed() ? "  ok" : "  WRONG") << "\n";
}

void weft::printReport(llvm::raw_ostream &os, const CaseFile &file,
                       llvm::StringRef device, const CaseReport &report) {
  os << file.name << " on " << device << "\n";
  if (!file.about.empty())
    os << file.about << "\n";
  bool poisoned = false;
  for (auto [n, call] : llvm::enumerate(report.calls)) {
    os << "\ncall " << n << "\n";
    for (const std::string &spec : call.specs)
      os << "  " << spec << "\n";
    if (!call.error.empty())
      os << "  refused: " << call.error << "\n";
    if (!call.tensors.empty()) {
      os << "  tensor     elements   of bound\n";
      for (const TensorCheck &check : call.tensors) {
        printTensor(os, check);
        poisoned |= check.poison.has_value();
      }
      os << llvm::format("  %.3f s on the device\n", call.deviceSeconds);
    }
  }
  if (poisoned)
    os << "\n* run again under poison\n";
  os << "\n" << report.failures();
  os << (report.passed() ? "PASSED " : "FAILED ") << file.name << "\n";
}

static json::Value finiteOrNull(double value) {
  return std::isfinite(value) ? json::Value(value) : json::Value(nullptr);
}

static json::Object tensorJson(const TensorCheck &check) {
  json::Object object{
      {"name", nameOf(check.id)},
      {"poisoned", check.poison.has_value()},
      {"poison", check.poison
                     ? json::Value(adversityNames[size_t(*check.poison)])
                     : json::Value(nullptr)},
      {"elements", check.elements},
      {"failures", check.failures},
      {"worst", finiteOrNull(check.worst)}};
  if (check.worst > 0)
    object["where"] = json::Object{{"row", check.row},
                                   {"head", check.head},
                                   {"column", check.column},
                                   {"value", finiteOrNull(check.value)},
                                   {"reference", finiteOrNull(check.reference)},
                                   {"bound", check.bound}};
  return object;
}

void weft::printJson(llvm::raw_ostream &os, const CaseFile &file,
                     llvm::StringRef device, const CaseReport &report) {
  json::Array calls;
  for (const CallReport &call : report.calls) {
    json::Array tensors;
    for (const TensorCheck &check : call.tensors)
      tensors.push_back(tensorJson(check));
    json::Object object{{"passed", call.passed()},
                        {"specs", json::Array(call.specs)},
                        {"seconds", call.deviceSeconds},
                        {"tensors", std::move(tensors)}};
    json::Array failures;
    for (const std::string &failure : call.failures)
      failures.push_back(json::fixUTF8(failure));
    object["failures"] = std::move(failures);
    if (!call.error.empty())
      object["error"] = json::fixUTF8(call.error);
    calls.push_back(std::move(object));
  }
  json::Value all = json::Object{{"case", file.name},
                                 {"device", device},
                                 {"passed", report.passed()},
                                 {"calls", std::move(calls)}};
  os << llvm::formatv("{0:2}", all) << "\n";
}
