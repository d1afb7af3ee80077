//===- ForkHooks.cpp - What has to be whole when a process forks ----------===//

#include "runtime/support/ForkHooks.h"

#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <new>
#include <vector>

#include <pthread.h>

namespace weft {

static thread_local int insideThisThread = 0;

namespace {
/// How many threads are inside, and the forks that wait for them.
class Gate {
public:
  void enter() {
    std::unique_lock<std::mutex> lock(mutex);
    // Forks first, or threads that take turns would keep them out for ever. Who
    // is inside already is being waited for.
    if (!insideThisThread)
      changed.wait(lock, [this] { return forks == 0; });
    ++inside;
    ++insideThisThread;
  }
  void leave() {
    std::lock_guard<std::mutex> lock(mutex);
    --inside;
    --insideThisThread;
    changed.notify_all();
  }

  /// Returns with the mutex held: nobody enters until the fork is done.
  void beforeFork() {
    std::unique_lock<std::mutex> lock(mutex);
    ++forks;
    changed.wait_for(lock, std::chrono::minutes(1),
                     [this] { return inside == insideThisThread; });
    lock.release();
  }
  void inParent() {
    --forks;
    changed.notify_all();
    mutex.unlock();
  }
  void inChild() {
    // The other threads are not here.
    inside = insideThisThread;
    forks = 0;
    new (&changed) std::condition_variable;
    mutex.unlock();
  }

private:
  std::mutex mutex;
  std::condition_variable changed;
  int inside = 0, forks = 0;
};
} // namespace

/// All hooks of this process; never destroyed, a fork may come at any time.
struct ForkHookList {
  Gate gate;
  std::mutex mutex; ///< held from before a fork until after it
  std::vector<ForkHooks *> hooks;

  static ForkHookList &get() {
    static ForkHookList &list = *[] {
      auto *made = new ForkHookList;
      pthread_atfork(before, inParent, inChild);
      return made;
    }();
    return list;
  }

private:
  // First the gate, which may take a while: nothing is locked meanwhile.
  static void before() {
    get().gate.beforeFork();
    get().mutex.lock();
    for (ForkHooks *hooks : get().hooks)
      hooks->before();
  }
  static void inParent() {
    for (ForkHooks *hooks : llvm::reverse(get().hooks))
      hooks->inParent();
    get().mutex.unlock();
    get().gate.inParent();
  }
  static void inChild() {
    for (ForkHooks *hooks : llvm::reverse(get().hooks))
      hooks->inChild();
    get().mutex.unlock();
    get().gate.inChild();
  }
};

ForkHooks::ForkHooks(Function before, Function inParent, Function inChild)
    : before(std::move(before)), inParent(std::move(inParent)),
      inChild(std::move(inChild)) {
  ForkHookList &list = ForkHookList::get();
  std::lock_guard<std::mutex> lock(list.mutex);
  list.hooks.push_back(this);
}

ForkHooks::~ForkHooks() {
  ForkHookList &list = ForkHookList::get();
  std::lock_guard<std::mutex> lock(list.mutex);
  llvm::erase(list.hooks, this);
}

ForksWait::ForksWait() { ForkHookList::get().gate.enter(); }
ForksWait::~ForksWait() { ForkHookList::get().gate.leave(); }

} // namespace weft
