//===- AssembleProgramTest.cpp - Cubins into a launch program -------------===//

#include "runtime/compile/AssembleProgram.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

using namespace weft;

static CompiledText textOf(const std::vector<std::string> &names) {
  CompiledText text;
  text.program.spec = "forward bf16 head_dim=64 head_ratio=1 layout=batch";
  text.program.target = "sm_90a";
  text.stageMilliseconds.emplace_back("attn", 1.5);
  for (const std::string &name : names) {
    text.kernels.push_back({name, "extern \"C\" __global__ void " + name +
                                      "(int *p) { *p = 1; }"});
    auto kernel = std::make_unique<program::KernelT>();
    kernel->name = name;
    kernel->threads = 32;
    text.program.kernels.push_back(std::move(kernel));
  }
  return text;
}

static std::string failure(CompiledText text) {
  llvm::Expected<AssembledProgram> program =
      assembleProgram(std::move(text), **targetByName("sm_90a"));
  EXPECT_FALSE(static_cast<bool>(program));
  return program ? "" : llvm::toString(program.takeError());
}

TEST(AssembleProgram, EveryKernelGetsItsOwnCubin) {
  llvm::Expected<AssembledProgram> program =
      assembleProgram(textOf({"first", "second"}), **targetByName("sm_90a"));
  ASSERT_TRUE(static_cast<bool>(program))
      << llvm::toString(program.takeError());
  ASSERT_EQ(program->kernels.size(), 2u);
  for (auto [report, kernel] :
       llvm::zip_equal(program->kernels, program->program.kernels)) {
    EXPECT_EQ(report.name, kernel->name);
    std::string cubin(kernel->cubin.begin(), kernel->cubin.end());
    EXPECT_EQ(cubin.substr(0, 4), "\177ELF");
    EXPECT_NE(cubin.find(".text." + kernel->name), std::string::npos);
  }
  EXPECT_EQ(program->program.library, WEFT_VERSION);
  ASSERT_EQ(program->stageMilliseconds.size(), 2u);
  EXPECT_EQ(program->stageMilliseconds[0].first, "attn");
  EXPECT_EQ(program->stageMilliseconds[1].first, "nvrtc");
  EXPECT_GT(program->stageMilliseconds[1].second, 0);
}

TEST(AssembleProgram, SourcesAndKernelsMustMatch) {
  CompiledText fewer = textOf({"first", "second"});
  fewer.kernels.pop_back();
  EXPECT_NE(failure(std::move(fewer)).find("1 sources for 2 kernels"),
            std::string::npos);
  CompiledText swapped = textOf({"first", "second"});
  std::swap(swapped.kernels[0], swapped.kernels[1]);
  EXPECT_NE(failure(std::move(swapped)).find("source 'second' for kernel"),
            std::string::npos);
}

TEST(AssembleProgram, EveryKernelThatFailsIsNamed) {
  CompiledText text = textOf({"first", "second", "third"});
  text.kernels[0].text = text.kernels[2].text = "no CUDA";
  std::string why = failure(std::move(text));
  EXPECT_NE(why.find("'first'"), std::string::npos) << why;
  EXPECT_EQ(why.find("'second'"), std::string::npos) << why;
  EXPECT_NE(why.find("'third'"), std::string::npos) << why;
}

TEST(AssembleProgram, WhatFailsForAllKernelsIsSaidOnce) {
  llvm::Expected<AssembledProgram> program =
      assembleProgram(textOf({"first", "second"}), Target{.name = "sm_1"});
  ASSERT_FALSE(static_cast<bool>(program));
  std::string why = llvm::toString(program.takeError());
  EXPECT_NE(why.find("does not compile for sm_1"), std::string::npos) << why;
  EXPECT_EQ(why.find('\n'), std::string::npos) << why;
}
