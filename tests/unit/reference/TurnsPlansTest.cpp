//===- TurnsPlansTest.cpp - The plans that GPUs run to take turns ---------===//
//
// The plans of tests/gpu/turns with fewer rows, against the same sums. What a
// GPU is tested with must notice another order.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"
#include "tests/gpu/Turns.h"

#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

using namespace weft;
using namespace weft::reference;
using namespace weft::turns;

static std::string readPlan(const std::string &name) {
  auto file = llvm::MemoryBuffer::getFile(std::string(WEFT_TURNS_DIR) + "/" +
                                          name + ".mlir");
  EXPECT_TRUE(bool(file)) << name;
  return file ? (*file)->getBuffer().str() : std::string();
}

static void replace(std::string &text, const std::string &from,
                    const std::string &to) {
  size_t at = text.find(from);
  ASSERT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
}

/// The result, or nothing and a failed test.
static std::vector<float> run(const std::string &plan, const Call &call,
                              const std::vector<float> &input, size_t count,
                              bool backward, uint64_t seed = 0,
                              int64_t resident = 7) {
  auto executor = ReferenceExecutor::createFromText(plan);
  if (!executor) {
    ADD_FAILURE() << llvm::toString(executor.takeError());
    return {};
  }
  std::vector<float> given = input, result(count), spare(2 * call.elements());
  given.resize(call.elements());
  ReferenceOptions options;
  options.seed = seed;
  options.residentCtas = resident;
  options.poison = 0xff;
  std::string message = messageOf((*executor)->run(
      call.problem(given.data(), result.data(), spare.data(), backward),
      options));
  EXPECT_EQ(message, "");
  return result;
}

static const Call orderedCall{
    .batch = 2, .headsQ = 2, .headsKv = 2, .rowsQ = 70, .rowsKv = 400};

TEST(TurnsPlans, AddsGoInTheirOrder) {
  std::vector<float> key = farApart(orderedCall.keyElements());
  std::vector<float> expected = orderedSums(orderedCall, key);
  for (int64_t resident : {1, 7, 0})
    EXPECT_EQ(run(readPlan("ordered"), orderedCall, key, expected.size(),
                  /*backward=*/false, /*seed=*/resident, resident),
              expected);
}

TEST(TurnsPlans, AnotherOrderGivesOtherSums) {
  std::vector<float> key = farApart(orderedCall.keyElements());
  std::vector<float> expected = orderedSums(orderedCall, key);
  auto share = [&](const std::vector<float> &sums) {
    size_t others = 0;
    for (size_t i = 0; i < sums.size(); ++i)
      others += sums[i] != expected[i];
    return double(others) / sums.size();
  };
  EXPECT_GT(share(orderedSums(orderedCall, key, /*reversed=*/true)), 0.5);
  // The plan without its order.
  std::string plan = readPlan("ordered");
  replace(plan, "\"sum\", ordered", "\"sum\", acc");
  replace(plan, "tile.ordered_add", "tile.add");
  replace(plan, " turn %tile of %tiles_k by %turns", "");
  replace(plan, "!tile.rows<q, 64>, !turns_tiles", "!tile.rows<q, 64>");
  replace(plan, "weft.deterministic, ", "");
  EXPECT_GT(share(run(plan, orderedCall, key, expected.size(),
                      /*backward=*/false)),
            0.1);
}

TEST(TurnsPlans, TheLastToArriveSeesAll) {
  Call call{
      .batch = 1, .headsQ = 64, .headsKv = 2, .rowsQ = 100, .rowsKv = 100};
  std::vector<float> query = farApart(call.queryElements());
  std::vector<float> expected = groupSums(call, query);
  for (int64_t resident : {1, 7, 0})
    EXPECT_EQ(run(readPlan("last"), call, query, expected.size(),
                  /*backward=*/true, /*seed=*/resident, resident),
              expected);
}
