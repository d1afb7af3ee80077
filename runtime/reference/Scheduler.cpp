//===- Scheduler.cpp - Resident CTAs without preemption -------------------===//

#include "runtime/reference/Scheduler.h"

#include "llvm/ADT/Twine.h"

#include <numeric>
#include <vector>

using namespace weft::reference;
using llvm::Error;
using llvm::Expected;

/// The error of a run in which every resident task waits.
static Error deadlock(const std::vector<std::unique_ptr<Task>> &resident,
                      int64_t undispatched) {
  std::string message =
      "a wait that nobody can end: all " + std::to_string(resident.size()) +
      " resident CTAs wait, and " + std::to_string(undispatched) +
      " are not dispatched, since a CTA keeps its place "
      "until it is done";
  constexpr size_t listed = 8;
  for (size_t i = 0; i < resident.size() && i < listed; ++i)
    message += (i ? "; " : ": ") + resident[i]->describe();
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

Error weft::reference::runTasks(int64_t count, int64_t resident, Random &random,
                                MakeTask make) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), 0);
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(i)]);

  size_t places = size_t(resident <= 0 || resident > count ? count : resident);
  size_t dispatched = 0;
  std::vector<std::unique_ptr<Task>> running;
  // running[0 .. waiting) wait, and nothing has happened since they were asked.
  size_t waiting = 0;
  while (true) {
    while (running.size() < places && dispatched < order.size())
      running.push_back(make(order[dispatched++]));
    if (running.empty())
      return Error::success();
    if (waiting == running.size())
      return deadlock(running, int64_t(order.size() - dispatched));
    size_t chosen = waiting + random.below(running.size() - waiting);
    Expected<Task::Progress> progress = running[chosen]->step();
    if (!progress)
      return progress.takeError();
    switch (*progress) {
    case Task::Progress::Waiting:
      std::swap(running[chosen], running[waiting]);
      ++waiting;
      break;
    case Task::Progress::Ran:
      waiting = 0;
      break;
    case Task::Progress::Done:
      waiting = 0;
      std::swap(running[chosen], running.back());
      running.pop_back();
      break;
    }
  }
}
