//===- RoleMachine.h - A model of roles, rings and products -----*- C++ -*-===//
//
// Runs both roles of a warp.func on scalars alone. Votes (warp.any) are taken
// from a seeded sequence: a kernel is right whatever they say. Checked are the
// rings (what was sent is received, in order; nothing waits for ever; nothing
// is left), that no tile goes back while a product may read it, and that no
// accumulator is read while products add to it.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_UNIT_WARP_ROLEMACHINE_H
#define WEFT_TESTS_UNIT_WARP_ROLEMACHINE_H

#include "tests/unit/warp/Machine.h"

namespace weft::test {

/// Runs `function`, behind `warp-specialize`, for two points: tiles 2 and 0 of
/// sequence 0, head 1. Its i64 arguments are `scalars`, in order. Products are
/// written as `run` of Machine.h writes them, in the order of their issue.
Run runRoles(warp::FuncOp function, llvm::ArrayRef<int64_t> scalars,
             unsigned seed);

} // namespace weft::test

#endif // WEFT_TESTS_UNIT_WARP_ROLEMACHINE_H
