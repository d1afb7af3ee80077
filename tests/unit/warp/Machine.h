//===- Machine.h - A model of copies, groups and barriers -------*- C++ -*-===//
//
// Runs the control flow of a warp.func on scalars alone and keeps, for every
// slot of shared memory, what is in it and who may see it. It stands for all
// threads at once: what one thread did before a barrier another may still be
// doing, so a slot that was read may be filled again only behind a barrier, and
// a copy may be read only behind a wait for its group and a barrier after it.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_UNIT_WARP_MACHINE_H
#define WEFT_TESTS_UNIT_WARP_MACHINE_H

#include "dialects/warp/Warp.h"

#include <string>
#include <vector>

namespace weft::test {

struct Run {
  /// What each product read, in order: "buffer[first row, head]" of a, then b.
  std::vector<std::string> products;
  /// The first thing that no hardware promises, or empty.
  std::string error;
};

/// Runs `function`, before or after `warp-pipeline`. Its i64 arguments are
/// `scalars`, in order; the point is sequence 0, tile 2, head 1.
Run run(warp::FuncOp function, llvm::ArrayRef<int64_t> scalars);

} // namespace weft::test

#endif // WEFT_TESTS_UNIT_WARP_MACHINE_H
