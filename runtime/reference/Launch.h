//===- Launch.h - One launch of a compiled body -----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_REFERENCE_LAUNCH_H
#define WEFT_RUNTIME_REFERENCE_LAUNCH_H

#include "runtime/reference/Code.h"
#include "runtime/reference/Scheduler.h"

namespace weft::reference {

/// The points of a grid, in order of sequence, tile, head. The points of a
/// malformed side are those its clamped lengths give.
/// Of a grid with tickets in the order of their numbers: head, sequence, tile.
llvm::Expected<std::vector<Point>> pointsOf(const Grid &grid, const Side &q,
                                            const Side &kv);

/// Runs `code` for every point of its grid and checks the contract of every
/// operand. Errors name the op, the point and what is wrong.
llvm::Error runLaunch(const Code &code, LaunchState &state,
                      llvm::ArrayRef<Point> points, int64_t residentCtas,
                      Random &random);

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_LAUNCH_H
