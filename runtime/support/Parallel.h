//===- Parallel.h - Work on the cores that are free -------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_SUPPORT_PARALLEL_H
#define WEFT_RUNTIME_SUPPORT_PARALLEL_H

#include <cstddef>
#include <functional>

namespace weft {

/// Calls `work(0)` to `work(count - 1)`, each once, in this thread and in more
/// where cores are free: all calls together, whoever makes them, have no more
/// threads at work than the process may use cores, and wait for one another.
/// The threads end before it returns, since a host may fork. Where none can be
/// had this one does the work. `work` must not call it again.
void forEachInParallel(std::size_t count,
                       const std::function<void(std::size_t)> &work);

} // namespace weft

#endif // WEFT_RUNTIME_SUPPORT_PARALLEL_H
