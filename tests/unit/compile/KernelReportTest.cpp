//===- KernelReportTest.cpp - The assembler's log as numbers --------------===//

#include "runtime/compile/KernelReport.h"

#include <gtest/gtest.h>

using namespace weft;

// As NVRTC 13.0 prints it for two kernels in one program.
static const char kLog[] =
    R"(k.cu(2): warning #177-D: variable "unused" was declared but never referenced

Remark: The warnings can be suppressed with "-diag-suppress <warning-number>"

ptxas info    : 0 bytes gmem
ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient register resources for the wgmma pipeline in function 'first'
ptxas warning : setmaxnreg ignored to maintain minimum register requirement
ptxas info    : Compiling entry function 'second' for 'sm_90a'
ptxas info    : Function properties for second
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
ptxas info    : Compile time = 3.484 ms
ptxas info    : Compiling entry function 'first' for 'sm_90a'
ptxas info    : Function properties for first
ptxas         .     800 bytes stack frame, 12 bytes spill stores, 16 bytes spill loads
ptxas info    : Used 40 registers, used 2 barriers, 800 bytes cumulative stack size, 256 bytes smem
ptxas info    : Compile time = 75.702 ms
)";

TEST(KernelReport, ReadsTheKernelAskedFor) {
  KernelReport report = parseReport(kLog, "first");
  EXPECT_TRUE(report.found);
  EXPECT_EQ(report.registers, 40);
  EXPECT_EQ(report.stackBytes, 800);
  EXPECT_EQ(report.spillStoreBytes, 12);
  EXPECT_EQ(report.spillLoadBytes, 16);
  EXPECT_EQ(report.sharedBytes, 256);
  EXPECT_EQ(report.barriers, 2);
  EXPECT_TRUE(report.spills());

  KernelReport other = parseReport(kLog, "second");
  EXPECT_TRUE(other.found);
  EXPECT_EQ(other.registers, 8);
  EXPECT_EQ(other.stackBytes, 0);
  EXPECT_EQ(other.sharedBytes, 0);
  EXPECT_FALSE(other.spills());
}

TEST(KernelReport, KeepsWarningsThatCostSpeed) {
  KernelReport report = parseReport(kLog, "first");
  ASSERT_EQ(report.warnings.size(), 3u);
  EXPECT_NE(report.warnings[0].find("#177-D"), std::string::npos);
  EXPECT_NE(report.warnings[1].find("C7510"), std::string::npos);
  EXPECT_NE(report.warnings[2].find("setmaxnreg"), std::string::npos);
}

TEST(KernelReport, SaysWhenAKernelIsMissing) {
  EXPECT_FALSE(parseReport(kLog, "third").found);
  EXPECT_FALSE(parseReport("", "first").found);
}

TEST(KernelReport, JsonHasEveryNumber) {
  llvm::json::Object json = toJson(parseReport(kLog, "first"));
  EXPECT_EQ(json.getInteger("registers"), 40);
  EXPECT_EQ(json.getInteger("spill_store_bytes"), 12);
  EXPECT_EQ(json.getInteger("spill_load_bytes"), 16);
  EXPECT_EQ(json.getInteger("stack_bytes"), 800);
  EXPECT_EQ(json.getInteger("shared_bytes"), 256);
  EXPECT_EQ(json.getArray("warnings")->size(), 3u);
}
