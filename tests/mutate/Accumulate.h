//===- Accumulate.h - A second plan for the split backward ------*- C++ -*-===//
//
// The split backward gives each query head of a group partial key gradients of
// its own and sums them afterwards. This rewrites such a plan to one that adds
// them into one buffer per key head, which a memset starts with zeros: the form
// with memsets and unordered adds, in which the fault this project began with
// was found. It is legal where the problem is not deterministic.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_MUTATE_ACCUMULATE_H
#define WEFT_TESTS_MUTATE_ACCUMULATE_H

#include "tests/mutate/EditablePlan.h"

namespace weft::mutate {

/// `ratio`: query heads per key head. False if the plan has no partial sums.
/// Offsets of the arena are dropped;
/// `plan-pack-arena` writes new ones.
bool accumulatePartials(EditablePlan &plan, int64_t ratio);

/// Whether a kernel of the plan makes all gradients, and so adds to dQ.
bool addsQueryGradients(mlir::ModuleOp module);

/// Lets the adds of such a plan go in turn: each query head of a group waits
/// for the one before it at a counter of the tile. That is legal where the
/// problem is deterministic too.
void orderAdds(EditablePlan &plan, int64_t ratio);

} // namespace weft::mutate

#endif // WEFT_TESTS_MUTATE_ACCUMULATE_H
