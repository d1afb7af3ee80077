//===- ForkHooks.h - What has to be whole when a process forks --*- C++ -*-===//
//
// Host processes fork. The child has one thread and a copy of all memory, as it
// was at that moment: a mutex that another thread held stays locked for ever,
// and what it guards is half changed. Whoever has such state says what to do
// about it here.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_SUPPORT_FORKHOOKS_H
#define WEFT_RUNTIME_SUPPORT_FORKHOOKS_H

#include <condition_variable>
#include <functional>
#include <mutex>

namespace weft {

/// Functions that run around every fork for as long as this lives. `before`
/// usually locks what `inParent` and `inChild` unlock. They run in the order of
/// registration, the latter two in reverse.
class ForkHooks {
public:
  using Function = std::function<void()>;
  ForkHooks(Function before, Function inParent, Function inChild);
  ForkHooks(const ForkHooks &) = delete;
  ForkHooks &operator=(const ForkHooks &) = delete;
  ~ForkHooks();

private:
  friend struct ForkHookList;
  Function before, inParent, inChild;
};

/// While a thread holds one, no other thread's fork goes through: for code that
/// takes locks which are not ours (NVRTC's, LLVM's). A fork waits up to a
/// minute. No callback of a user may run inside: it may wait for the forking
/// thread.
class ForksWait {
public:
  ForksWait();
  ForksWait(const ForksWait &) = delete;
  ForksWait &operator=(const ForksWait &) = delete;
  ~ForksWait();
};

} // namespace weft

#endif // WEFT_RUNTIME_SUPPORT_FORKHOOKS_H
