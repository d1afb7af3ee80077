//===- Sweep.h - Random cases over the whole space of problems --*- C++ -*-===//
//
// Case `index` of the sweep under `seed` is always the same. Head dims and head
// ratios take turns (every pair within 45 cases); everything else is drawn:
// pass, dtype, mask with its bounds, layouts of both sides, lengths around tile
// edges, gaps and tails with NaN, strides, unaligned starts, scale, softcap,
// scalar dO, given O and LSE, and sequences of calls.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CASES_SWEEP_H
#define WEFT_RUNTIME_CASES_SWEEP_H

#include "runtime/cases/CaseFile.h"

namespace weft::cases {

/// The most floating-point operations that all calls of a sweep case need.
inline constexpr double maxSweepFlops = 0.3e9;

CaseFile sweepCase(uint64_t seed, uint64_t index);

/// The multiprocessors under which case `index` runs: in every second block of
/// 45 cases one, so that the small problems of a sweep fill the device and the
/// plans for that are run too; else the device's.
std::optional<int64_t> sweepSmCount(uint64_t index);

/// Operations of the dense products of call `n`, mask ignored.
double flopsOf(const CaseFile &file, size_t n);

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_SWEEP_H
