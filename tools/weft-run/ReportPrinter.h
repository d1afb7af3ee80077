//===- ReportPrinter.h - A case's report for people and programs *- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_RUN_REPORTPRINTER_H
#define WEFT_TOOLS_WEFT_RUN_REPORTPRINTER_H

#include "runtime/cases/RunCase.h"

#include "llvm/Support/raw_ostream.h"

namespace weft {

/// A table per call: tensor, elements, the worst distance from the reference in
/// units of what the number rule allows, and a verdict; then every failure.
void printReport(llvm::raw_ostream &os, const cases::CaseFile &file,
                 llvm::StringRef device, const cases::CaseReport &report);

/// The same as one JSON object: case, device, passed, calls[] of specs, passed,
/// seconds, error, failures[], tensors[] of name, poisoned, poison, elements,
/// failures, worst, and where. `worst` is null where an exact value is missed.
void printJson(llvm::raw_ostream &os, const cases::CaseFile &file,
               llvm::StringRef device, const cases::CaseReport &report);

} // namespace weft

#endif // WEFT_TOOLS_WEFT_RUN_REPORTPRINTER_H
