//===- SweepTest.cpp - The sweep covers the space -------------------------===//

#include "runtime/cases/Sweep.h"
#include "TestDevice.h"
#include "runtime/cases/RunCase.h"

#include <gtest/gtest.h>

#include <set>

using namespace weft;
using namespace weft::cases;

TEST(Sweep, CasesAreStableValidAndBounded) {
  for (uint64_t index = 0; index < 1000; ++index) {
    CaseFile file = sweepCase(1, index);
    std::string text = file.toJson();
    EXPECT_EQ(sweepCase(1, index).toJson(), text);
    auto read = CaseFile::parse(text);
    ASSERT_TRUE(bool(read)) << llvm::toString(read.takeError()) << text;
    EXPECT_EQ(read->toJson(), text);
    double flops = 0;
    std::vector<ResolvedCall> calls;
    for (size_t n = 0; n < read->calls.size(); ++n) {
      auto call = resolveCall(*read, n);
      ASSERT_TRUE(bool(call)) << llvm::toString(call.takeError()) << text;
      calls.push_back(std::move(*call));
      flops += flopsOf(*read, n);
    }
    EXPECT_LE(flops, 1.5 * maxSweepFlops) << index;
    // Every problem is legal: views do not overlap, facts can be derived.
    std::vector<const ResolvedCall *> pointers;
    for (const ResolvedCall &call : calls)
      pointers.push_back(&call);
    CaseMemory memory = cantFail(CaseMemory::create(*read, pointers));
    for (const ResolvedCall &call : calls) {
      Problem problem = memory.problem(call, read->pass);
      AttentionSpec spec = specOfPass(call, read->pass, problem);
      ASSERT_EQ(llvm::toString(checkProblem(problem, spec)), "") << text;
    }
  }
  EXPECT_NE(sweepCase(1, 5).toJson(), sweepCase(2, 5).toJson());
}

TEST(Sweep, FiveHundredCasesCoverTheSpace) {
  std::map<std::string, std::set<std::string>> seen;
  auto note = [&](const char *what, const auto &value) {
    seen[what].insert(std::to_string(value));
  };
  for (uint64_t index = 0; index < 500; ++index) {
    CaseFile file = sweepCase(1, index);
    note("dim", file.headDim * 1000 + file.headDimV);
    note("ratio", file.headsQ / file.headsKv);
    note("dim and ratio", file.headDim * 100 + file.headsQ / file.headsKv);
    note("pass and dtype", int(file.pass) * 2 + int(file.dtype));
    note("pass, mask", int(file.pass) * 5 + int(file.mask));
    note("layouts", int(file.layoutQ) * 10 + int(file.layoutKv));
    note("left", file.left.value_or(-1) == 0);
    note("unlimited", !file.left || !file.right);
    note("constant", file.constantBounds);
    note("deterministic", file.deterministic);
    note("softcap", file.softcap.has_value());
    note("scale", file.scale.value_or(1) <= 0);
    note("gaps", file.inputs.nanGaps);
    note("o_lse", file.inputs.randomOLse);
    note("dout", file.inputs.onesDOut);
    note("calls", file.calls.size());
    note("strides", file.strides.empty());
    note("offsets", file.offsets.empty());
    for (const CaseCall &call : file.calls)
      for (const CallSide *side : {&call.q, &call.kv}) {
        note("thd padded", side->cuSeqlensPadded.has_value());
        note("batch padded", side->seqlens.has_value());
        if (side->cuSeqlens)
          for (size_t b = 0; b + 1 < side->cuSeqlens->size(); ++b)
            note("length", (*side->cuSeqlens)[b + 1] - (*side->cuSeqlens)[b]);
      }
  }
  EXPECT_EQ(seen["dim"].size(), 9u);
  EXPECT_EQ(seen["ratio"].size(), 5u);
  EXPECT_EQ(seen["dim and ratio"].size(), 45u);
  EXPECT_EQ(seen["pass and dtype"].size(), 4u);
  EXPECT_EQ(seen["pass, mask"].size(), 10u);
  EXPECT_EQ(seen["layouts"].size(), 22u); // 4 x 4 plain, 6 interleaved
  EXPECT_EQ(seen["calls"].size(), 3u);
  for (const char *length :
       {"0", "1", "15", "16", "17", "63", "64", "65", "127", "128", "129"})
    EXPECT_TRUE(seen["length"].count(length)) << length;
  for (const char *what : {"left", "unlimited", "constant", "deterministic",
                           "softcap", "scale", "gaps", "o_lse", "dout",
                           "strides", "offsets", "thd padded", "batch padded"})
    EXPECT_EQ(seen[what].size(), 2u) << what;
}

TEST(Sweep, ASoundKernelPasses) {
  for (uint64_t index = 0; index < 300; ++index) {
    CaseFile file = sweepCase(3, index);
    double flops = 0;
    for (size_t n = 0; n < file.calls.size(); ++n)
      flops += flopsOf(file, n);
    if (flops > 10e6)
      continue; // the model of a kernel is slow
    TestDevice device;
    CaseReport report = cantFail(runCase(file, device));
    EXPECT_TRUE(report.passed()) << report.failures() << file.toJson();
  }
}
