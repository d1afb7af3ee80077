//===- RunCaseTest.cpp - Sound kernels pass, each fault is found ----------===//

#include "runtime/cases/RunCase.h"
#include "TestDevice.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

#include <set>

using namespace weft;
using namespace weft::cases;

static CaseFile caseNamed(llvm::StringRef name) {
  return cantFail(CaseFile::load((WEFT_CASES_DIR "/" + name + ".json").str()));
}

static CaseReport run(const CaseFile &file, Fault fault, bool poison = false) {
  TestDevice device(fault);
  CaseOptions options;
  if (poison)
    options.poison = {Adversity::NaN};
  return cantFail(runCase(file, device, options));
}

static void expectFailure(const CaseFile &file, Fault fault,
                          llvm::StringRef part, bool poison = false) {
  CaseReport report = run(file, fault, poison);
  EXPECT_FALSE(report.passed());
  EXPECT_NE(report.failures().find(part), std::string::npos)
      << report.failures();
}

class SoundKernel : public testing::TestWithParam<std::string> {};

TEST_P(SoundKernel, Passes) {
  CaseFile file = caseNamed(GetParam());
  CaseReport report = run(file, Fault::None, /*poison=*/true);
  EXPECT_TRUE(report.passed()) << report.failures();
  for (const CallReport &call : report.calls)
    for (const TensorCheck &check : call.tensors)
      EXPECT_LT(check.worst, 0.75) << check.str(); // 2.2 of 3
}

static std::vector<std::string> caseNames() {
  std::vector<std::string> names;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(WEFT_CASES_DIR, code), end;
       it != end && !code; it.increment(code)) {
    llvm::StringRef name = llvm::StringRef(it->path()).rsplit('/').second;
    if (name.consume_back(".json"))
      names.push_back(name.str());
  }
  llvm::sort(names);
  return names;
}

INSTANTIATE_TEST_SUITE_P(Cases, SoundKernel, testing::ValuesIn(caseNames()),
                         [](const auto &info) { return info.param; });

TEST(RunCase, NothingRunsAfterAnError) {
  for (const char *name : {"bad_head_dim", "bad_head_ratio"}) {
    CaseFile file = caseNamed(name);
    TestDevice device;
    CaseReport report = cantFail(runCase(file, device));
    EXPECT_TRUE(report.passed()) << report.failures();
    EXPECT_EQ(device.runs, 0);
    // The message must hold what the case says.
    file.expect[0].error = "something else";
    report = cantFail(runCase(file, device));
    EXPECT_FALSE(report.passed());
    file.expect.clear();
    report = cantFail(runCase(file, device));
    EXPECT_NE(report.failures().find("error: head"), std::string::npos);
  }
  CaseFile file = caseNamed("thd_mha_zero_query");
  file.expect[0] = {};
  file.expect[0].error = "head_dim";
  expectFailure(file, Fault::None, "is expected, but the call ran");
}

TEST(RunCase, OverlapIsRefused) {
  CaseFile file = caseNamed("bs3hd_interleaved");
  file.offsets[TensorId::DK] = 8;
  CaseReport report = run(file, Fault::None);
  EXPECT_NE(report.failures().find("dq and dk overlap"), std::string::npos)
      << report.failures();
}

TEST(RunCase, OneDroppedKeyOf1024ExceedsEveryTensor) {
  CaseFile file = cantFail(CaseFile::parse(
      R"({"name": "n", "pass": "backward", "dtype": "bf16", "heads_q": 1,
          "heads_kv": 1, "head_dim": 64, "layout": "bshd",
          "calls": [{"batch": 1, "seqlen_q": 64, "seqlen_kv": 1024}]})"));
  EXPECT_TRUE(run(file, Fault::None).passed());
  CaseReport report = run(file, Fault::DropKey);
  ASSERT_EQ(report.calls[0].tensors.size(), 5u);
  for (const TensorCheck &check : report.calls[0].tensors)
    EXPECT_FALSE(check.passed()) << nameOf(check.id).str();
}

TEST(RunCase, WrongLse) {
  expectFailure(caseNamed("bshd_causal_gqa4"), Fault::LseBase2, "lse: ");
}

TEST(RunCase, UnwrittenRows) {
  // Rows without queries keep the first call's values.
  expectFailure(caseNamed("thd_gqa_zero_query"), Fault::SkipEmpty,
                "call 1: dk: ");
  expectFailure(caseNamed("thd_gqa_zero_query"), Fault::SkipEmpty,
                "row 0 of dk is not zero");
  expectFailure(caseNamed("bshd_padding"), Fault::SkipGaps, "dq: ");
  // A buffer that happens to hold zeros hides it; poison does not.
  CaseFile file = caseNamed("bshd_padding");
  file.workspace = Fill::Zero;
  file.pass = PassKind::Backward;
  file.inputs.randomOLse = true;
  EXPECT_TRUE(run(file, Fault::SkipGaps).passed());
  expectFailure(file, Fault::SkipGaps, "under poison", /*poison=*/true);
}

TEST(RunCase, LeftoversReachAResult) {
  CaseFile file = caseNamed("thd_gqa_hd256");
  expectFailure(file, Fault::ReadWorkspace, "call 0: dk: ");
  file.workspace = Fill::Zero;
  CaseReport report = run(file, Fault::ReadWorkspace);
  EXPECT_TRUE(report.calls[0].passed()) << report.failures();
  EXPECT_FALSE(report.calls[1].passed());
  EXPECT_NE(report.failures().find("dk differs from that of call 0"),
            std::string::npos)
      << report.failures();
  file.workspace = Fill::NaN;
  report = run(file, Fault::ReadResult);
  EXPECT_TRUE(report.calls[0].passed()) << report.failures();
  EXPECT_NE(report.failures().find("dq differs from that of call 0"),
            std::string::npos);
  // Under poison the first call tells it too.
  file.workspace = Fill::Ones;
  file.calls.resize(1);
  file.expect.clear();
  expectFailure(file, Fault::ReadResult, "dq has other bits under poison, 0xFF",
                /*poison=*/true);
}

// The fault hides from NaN, which is why there are others.
TEST(RunCase, OtherAdversitiesFindWhatHidesFromNaN) {
  CaseFile file = caseNamed("thd_gqa_hd256");
  file.workspace = Fill::Zero;
  file.calls.resize(1);
  file.expect.clear();
  for (size_t i = 0; i < adversityNames.size(); ++i) {
    CaseOptions options;
    options.poison = {Adversity(i)};
    TestDevice sound;
    CaseReport report = cantFail(runCase(file, sound, options));
    EXPECT_TRUE(report.passed())
        << adversityNames[i].str() << report.failures();
    TestDevice faulty(Fault::ReadResult);
    report = cantFail(runCase(file, faulty, options));
    std::string found = "dq has other bits " + describe(Adversity(i)).str();
    EXPECT_EQ(report.failures().find(found) == std::string::npos,
              Adversity(i) == Adversity::NaN)
        << adversityNames[i].str() << report.failures();
  }
}

TEST(RunCase, SpecsAreThoseThatADeviceIsAskedFor) {
  class Asked : public TestDevice {
  public:
    llvm::Expected<int64_t> workspaceBytes(const AttentionSpec &spec,
                                           const Problem &problem,
                                           const RunOptions &options) override {
      specs.insert(spec.str());
      return TestDevice::workspaceBytes(spec, problem, options);
    }
    std::set<std::string> specs;
  };
  for (const char *name : {"thd_gqa_hd256", "bshd_padding", "bad_head_ratio",
                           "base_moved_one_element"}) {
    CaseOptions options;
    options.poison = {Adversity::OldResults, Adversity::OtherProblem};
    Asked device;
    cantFail(runCase(caseNamed(name), device, options));
    std::set<std::string> specs;
    for (const AttentionSpec &spec :
         cantFail(specsOf(caseNamed(name), options.poison)))
      EXPECT_TRUE(specs.insert(spec.str()).second) << name << spec.str();
    EXPECT_EQ(specs, device.specs) << name;
    EXPECT_EQ(specs.empty(), name == llvm::StringRef("bad_head_ratio"));
  }
}

TEST(RunCase, ThePlanBesideIsCheckedToo) {
  CaseFile file = caseNamed("bshd_padding");
  CaseFile beside = caseNamed("thd_gqa_hd256");
  CaseOptions options;
  options.poison = {Adversity::SecondStream};
  options.partner = &beside;
  TestDevice faulty(Fault::ReadResult);
  CaseReport report = cantFail(runCase(file, faulty, options));
  EXPECT_NE(report.failures().find("the plan beside it: dq"), std::string::npos)
      << report.failures();
}

TEST(Adversity, ListsAreRead) {
  EXPECT_EQ(cantFail(parseAdversities("old,nan")),
            (std::vector{Adversity::OldResults, Adversity::NaN}));
  EXPECT_EQ(cantFail(parseAdversities("all")).size(), adversityNames.size());
  llvm::Expected<std::vector<Adversity>> bad = parseAdversities("nan,zeros");
  ASSERT_FALSE(bool(bad));
  EXPECT_EQ(llvm::toString(bad.takeError()),
            "there is no 'zeros' to poison with; allowed: nan, large, old, "
            "other, streams, all");
}

TEST(Adversity, SmallerProblemsKeepTheSpec) {
  for (const std::string &name : caseNames()) {
    CaseFile file = caseNamed(name);
    for (size_t n = 0; n < file.calls.size(); ++n) {
      llvm::Expected<ResolvedCall> call = resolveCall(file, n);
      if (!call) {
        llvm::consumeError(call.takeError());
        continue;
      }
      CaseFile smaller = smallerProblem(file, n);
      ResolvedCall other = cantFail(resolveCall(smaller, 0));
      EXPECT_EQ(other.spec, call->spec) << name;
      for (auto [now, before] :
           {std::pair(&other.q, &call->q), std::pair(&other.kv, &call->kv)})
        EXPECT_TRUE(now->rows < before->rows || before->rows < 2) << name;
      for (auto [now, before] :
           llvm::zip_equal(other.sequencesQ, call->sequencesQ))
        EXPECT_EQ(now.used, before.used / 2) << name;
    }
  }
}

TEST(RunCase, WritesOutsideTheResults) {
  expectFailure(caseNamed("base_moved_one_element"), Fault::WriteInput,
                "byte 0 of allocation 'k' changed");
  CaseFile file = caseNamed("bshd_causal_gqa4");
  file.calls[0] = {1, {}, {}};
  file.calls[0].q.seqlen = file.calls[0].kv.seqlen = 5;
  file.strides[TensorId::DQ] = {2048, 256, std::nullopt};
  EXPECT_TRUE(run(file, Fault::None).passed());
  expectFailure(file, Fault::WriteNeighbour,
                "backward: byte 256 of allocation 'dq' changed");
  // Past the end of a packed tensor of one row and head too.
  file = caseNamed("base_moved_one_element");
  file.headsQ = file.headsKv = 1;
  file.calls[0].q.seqlen = 1;
  expectFailure(file, Fault::WriteNeighbour,
                "byte 128 of allocation 'dq' changed");
}

TEST(RunCase, NothingIsWrittenBeforeAnError) {
  CaseFile file = caseNamed("thd_mha_zero_query");
  file.calls.resize(1);
  file.expect.resize(1);
  file.expect[0] = {};
  expectFailure(file, Fault::FailAfterWrite, "error: the device gave up");
  file.expect[0].error = "gave up";
  expectFailure(file, Fault::FailAfterWrite, "allocation 'dq' changed");
}
