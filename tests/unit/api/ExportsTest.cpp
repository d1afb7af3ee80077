//===- ExportsTest.cpp - What the libraries show and need -----------------===//

#include "weft.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>

// The library this program runs with, wherever it was carried to.
static std::string library() {
  Dl_info info = {};
  dladdr(reinterpret_cast<void *>(&weft_version), &info);
  return info.dli_fname ? info.dli_fname : "";
}

// Whether a tool of binutils is there, which a machine without compilers lacks.
static bool has(const std::string &tool) {
  return std::system((tool + " --version >/dev/null 2>&1").c_str()) == 0;
}

// What a command prints.
static std::string run(const std::string &command) {
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return "";
  std::string text;
  char buffer[4096];
  while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
    text.append(buffer, count);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return text;
}

TEST(Exports, OnlyTheCInterface) {
  if (!has("nm"))
    GTEST_SKIP() << "needs nm; install binutils";
  std::istringstream lines(run("nm -D --defined-only " + library()));
  std::set<std::string> names;
  std::string address, kind, name;
  while (lines >> address >> kind >> name) {
    name = name.substr(0, name.find('@'));
    // The version itself is an absolute symbol.
    if (kind == "A" && name == "WEFT_1")
      continue;
    EXPECT_EQ(name.substr(0, 5), "weft_") << name;
    names.insert(name);
  }
  for (const char *expected : {"weft_abi_version",
                               "weft_context_create",
                               "weft_context_destroy",
                               "weft_context_load_pack",
                               "weft_problem_set_dlpack",
                               "weft_free",
                               "weft_last_error",
                               "weft_plan_create",
                               "weft_plan_destroy",
                               "weft_plan_explain",
                               "weft_plan_run",
                               "weft_plan_spec",
                               "weft_plan_target",
                               "weft_plan_workspace_bytes",
                               "weft_problem_init",
                               "weft_spec_derive",
                               "weft_spec_format",
                               "weft_spec_init",
                               "weft_spec_parse",
                               "weft_status_string",
                               "weft_version"})
    EXPECT_TRUE(names.count(expected)) << expected;
  EXPECT_EQ(names.size(), 21u);
}

TEST(Exports, NeedsNoLlvmNoDriverNoNvrtc) {
  if (!has("readelf"))
    GTEST_SKIP() << "needs readelf; install binutils";
  std::string needed = run("readelf -d " + library() + " | grep NEEDED");
  EXPECT_NE(needed.find("libc.so"), std::string::npos) << needed;
  EXPECT_NE(library().find(WEFT_LIBRARY), std::string::npos) << library();
  for (const char *unwanted :
       {"LLVM", "MLIR", "libcuda", "nvrtc", "libzstd", "libz."})
    EXPECT_EQ(needed.find(unwanted), std::string::npos) << needed;
}

#if !WEFT_HAS_COMPILER
TEST(Exports, TheRuntimeIsSmallAndHoldsNoCompiler) {
  std::ifstream file(library(), std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (WEFT_IS_RELEASE) {
    EXPECT_LT(bytes.size(), 600u << 10) << "it was 490 KB";
  }
  EXPECT_NE(bytes.find("is not precompiled for"), std::string::npos);
  for (const char *unwanted : {"mlir", "nvrtcCompileProgram", "emitc"})
    EXPECT_EQ(bytes.find(unwanted), std::string::npos) << unwanted;
}
#endif
