//===- Tuning.h - Schedules that were measured, as data ---------*- C++ -*-===//
//
// A tuning table lists, for a kind of kernel, a class of head dims and a class
// of masks, the schedules to try, best first. Tables are JSON files in
// compiler/tuning/tables, part of the library: `<target>.json` for one target,
// `default.json` behind it for all. `weft-bench tune` writes them.
//
//   {"chip": "NVIDIA H200", "measured": "2026-11-30", "rows": [
//     {"kernel": "forward", "head_dim": 128, "head_dim_v": 128, "mask": "any",
//      "schedules": ["rows = 128, columns = 128, warps = 8, stages = 2, .."]}]}
//
// With `"length": 128` a row is for packed queries of at most 128 a sequence in
// the mean: plans get a kernel more, for these. Such a row stands in front of
// those for any length.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_TUNING_TUNING_H
#define WEFT_COMPILER_TUNING_TUNING_H

#include "compiler/schedule/Schedule.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace weft {

/// One row: problems up to these head dims, in elements.
struct TuningRow {
  plan::KernelKind kernel;
  int64_t headDim, headDimV;
  std::optional<bool> masked;      ///< none: any mask
  int64_t length = 0;              ///< of the mean sequence; 0: any
  std::vector<Schedule> schedules; ///< best first, at least one

  bool holds(plan::KernelKind kind, const ScheduleProblem &problem) const {
    return kernel == kind && problem.headDim <= headDim &&
           problem.headDimV <= headDimV &&
           (!masked || *masked == problem.masked) &&
           (!length || (problem.length && problem.length <= length));
  }
};

/// Rows in order of precedence, and what they were measured on.
struct TuningTable {
  std::string chip, measured; ///< empty: not measured
  std::vector<TuningRow> rows;
};

/// Reads a table. An error names the row and what is wrong with it.
llvm::Expected<TuningTable> parseTuning(llvm::StringRef json);

/// Reads a schedule as `Schedule::str` writes it; what is left out has its
/// default.
llvm::Expected<Schedule> parseSchedule(llvm::StringRef text);

/// The built-in table of that name ("sm_90a", "default"); null: there is none.
const TuningTable *builtInTuning(llvm::StringRef name);

/// The text of a built-in table.
struct TuningText {
  const char *name;
  const char *json;
};
/// All of them; written by the build.
llvm::ArrayRef<TuningText> tuningTexts();

} // namespace weft

#endif // WEFT_COMPILER_TUNING_TUNING_H
