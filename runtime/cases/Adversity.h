//===- Adversity.h - What a run must not depend on --------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CASES_ADVERSITY_H
#define WEFT_RUNTIME_CASES_ADVERSITY_H

#include "runtime/cases/CaseFile.h"

#include <array>

namespace weft::cases {

/// What workspace and results held before a pass, or what runs beside it.
enum class Adversity {
  NaN,          ///< bytes of 0xFF: every number is a NaN, every integer -1
  Large,        ///< bytes of 0x7B: f16 61280, in the other types beyond 1e36
  OldResults,   ///< what the same pass left with other inputs
  OtherProblem, ///< what a smaller problem of the spec left in the same memory
  SecondStream, ///< kernels of another plan, in memory of their own, on another
                ///< stream
};
inline constexpr std::array<llvm::StringLiteral, 5> adversityNames = {
    "nan", "large", "old", "other", "streams"};

/// What the programs' --poison takes.
inline constexpr llvm::StringLiteral adversityHelp =
    "Run every pass again under these (default nan): results and workspace "
    "that hold NaN (nan), large numbers (large), what the pass left with other "
    "inputs (old), what a smaller problem left (other); with another plan on a "
    "second stream (streams); all";

/// As reports say it: "under NaN", "after another problem".
llvm::StringRef describe(Adversity adversity);

/// Reads a list like "nan,old", or "all"; an error names what is allowed.
llvm::Expected<std::vector<Adversity>> parseAdversities(llvm::StringRef text);

/// The byte that fills memory for `NaN` and `Large`.
std::optional<uint8_t> patternOf(Adversity adversity);

/// `file` with call `n` alone, its sequences half as long: another problem of
/// the same spec that fits its memory, with a smaller workspace.
CaseFile smallerProblem(const CaseFile &file, size_t n);

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_ADVERSITY_H
