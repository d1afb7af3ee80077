//===- SchedulerTest.cpp - Resident CTAs ----------------------------------===//

#include "runtime/reference/Scheduler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

using namespace weft::reference;

namespace {
struct Log {
  std::vector<int64_t> dispatched;
  std::set<int64_t> done;
  int64_t resident = 0, mostResident = 0;
};

/// Takes three turns, or waits until another task is done.
class LoggedTask : public Task {
public:
  LoggedTask(Log &log, int64_t index, int64_t waitsFor)
      : log(log), index(index), waitsFor(waitsFor) {
    log.dispatched.push_back(index);
    log.mostResident = std::max(log.mostResident, ++log.resident);
  }
  ~LoggedTask() override { --log.resident; }
  llvm::Expected<Progress> step() override {
    if (waitsFor >= 0 && !log.done.count(waitsFor))
      return Progress::Waiting;
    if (++turns < 3)
      return Progress::Ran;
    log.done.insert(index);
    return Progress::Done;
  }
  std::string describe() const override {
    return "task " + std::to_string(index);
  }

private:
  Log &log;
  int64_t index, waitsFor;
  int turns = 0;
};
} // namespace

/// Runs `count` tasks, each of which waits for `waitsFor(index)`.
static llvm::Error runLogged(Log &log, int64_t count, int64_t resident,
                             uint64_t seed,
                             llvm::function_ref<int64_t(int64_t)> waitsFor) {
  Random random(seed);
  return runTasks(count, resident, random, [&](int64_t index) {
    return std::make_unique<LoggedTask>(log, index, waitsFor(index));
  });
}

TEST(Scheduler, RunsEachTaskOnceWithSoManyResident) {
  for (int64_t resident : {0, 1, 2, 7, 1000}) {
    Log log;
    llvm::Error error =
        runLogged(log, 30, resident, 3, [](int64_t) { return -1; });
    ASSERT_FALSE(bool(error));
    EXPECT_EQ(log.done.size(), 30u);
    EXPECT_EQ(log.dispatched.size(), 30u);
    EXPECT_EQ(log.mostResident, resident == 0 || resident > 30 ? 30 : resident);
  }
}

TEST(Scheduler, OrderIsRandomAndOfTheSeed) {
  auto orderOf = [](uint64_t seed) {
    Log log;
    EXPECT_FALSE(bool(runLogged(log, 20, 2, seed, [](int64_t) { return -1; })));
    return log.dispatched;
  };
  EXPECT_EQ(orderOf(1), orderOf(1));
  EXPECT_NE(orderOf(1), orderOf(2));
  EXPECT_FALSE(std::is_sorted(orderOf(1).begin(), orderOf(1).end()));
}

TEST(Scheduler, AWaitThatSomebodyEndsIsFine) {
  Log log;
  // All resident: whoever task 0 waits for is there too.
  ASSERT_FALSE(bool(
      runLogged(log, 8, 0, 9, [](int64_t i) { return i == 7 ? -1 : i + 1; })));
  EXPECT_EQ(log.done.size(), 8u);
}

TEST(Scheduler, AWaitThatNobodyCanEndIsAnError) {
  Log log;
  // One place: whichever of the two that wait for each other comes first keeps
  // it.
  std::string message =
      llvm::toString(runLogged(log, 2, 1, 4, [](int64_t i) { return 1 - i; }));
  EXPECT_NE(message.find("a wait that nobody can end: all 1 resident CTAs "
                         "wait, and 1 are not dispatched"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("task "), std::string::npos) << message;
  // Even where all are resident.
  Log all;
  EXPECT_NE(
      llvm::toString(runLogged(all, 2, 0, 4, [](int64_t i) { return 1 - i; }))
          .find("all 2 resident CTAs wait, and 0 are"),
      std::string::npos);
}

TEST(Scheduler, NoTasks) {
  Log log;
  EXPECT_FALSE(bool(runLogged(log, 0, 3, 1, [](int64_t) { return -1; })));
}
