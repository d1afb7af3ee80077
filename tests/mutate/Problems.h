//===- Problems.h - A problem that reaches every domain ---------*- C++ -*-===//

#ifndef WEFT_TESTS_MUTATE_PROBLEMS_H
#define WEFT_TESTS_MUTATE_PROBLEMS_H

#include "runtime/cases/CaseFile.h"

#include <vector>

namespace weft::mutate {

/// Small problems of `spec`. In the first every domain that the layouts allow
/// has rows: gaps (before the first sequence too) and tails, sequences without
/// queries, without keys, of a part of a tile and of several. In a batch layout
/// without used lengths all sequences have the same rows; then there is one
/// problem more, in which that side has none. Rows of inputs that belong to no
/// sequence are NaN; O and LSE of a backward are drawn.
std::vector<cases::CaseFile> problemsOf(const AttentionSpec &spec,
                                        uint64_t seed);

} // namespace weft::mutate

#endif // WEFT_TESTS_MUTATE_PROBLEMS_H
