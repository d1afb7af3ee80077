//===- CompileTest.cpp - CUDA text through NVRTC --------------------------===//

#include "runtime/compile/DeviceHeaders.h"
#include "runtime/compile/KernelCompiler.h"
#include "runtime/compile/Nvrtc.h"

#include "llvm/ADT/StringExtras.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace weft;

static const char kCopy[] = R"(
extern "C" __global__ void __launch_bounds__(64) copy(float *to,
                                                      const float *from) {
  __shared__ float tile[64];
  tile[threadIdx.x] = from[threadIdx.x];
  __syncthreads();
  to[threadIdx.x] = tile[63 - threadIdx.x];
}
)";

static std::string message(llvm::Expected<CompiledKernel> kernel) {
  EXPECT_FALSE(static_cast<bool>(kernel));
  return kernel ? "" : llvm::toString(kernel.takeError());
}

// Sets an environment variable for one test.
class ScopedEnv {
public:
  ScopedEnv(const char *name, const char *value) : name(name) {
    if (const char *now = std::getenv(name))
      before = now, had = true;
    setenv(name, value, 1);
  }
  ~ScopedEnv() {
    if (had)
      setenv(name, before.c_str(), 1);
    else
      unsetenv(name);
  }

private:
  const char *name;
  std::string before;
  bool had = false;
};

TEST(Compile, EveryTargetGetsACubin) {
  for (const Target &target : allTargets()) {
    llvm::Expected<CompiledKernel> kernel =
        compileKernel("copy", kCopy, target);
    ASSERT_TRUE(static_cast<bool>(kernel))
        << llvm::toString(kernel.takeError());
    EXPECT_EQ(kernel->cubin.substr(0, 4), "\177ELF");
    EXPECT_NE(kernel->ptx.find(".target " + target.name.str()),
              std::string::npos);
    EXPECT_GT(kernel->report.registers, 0);
    EXPECT_FALSE(kernel->report.spills());
    EXPECT_EQ(kernel->report.sharedBytes, 256) << kernel->log;
    EXPECT_GT(kernel->milliseconds, 0);
  }
}

TEST(Compile, EveryDeviceHeaderStandsAlone) {
  ASSERT_FALSE(deviceHeaders().empty());
  for (const char *target : {"sm_80", "sm_90a"})
    for (const DeviceHeader &header : deviceHeaders()) {
      std::string text =
          std::string("#include \"") + header.name + "\"\n" + kCopy;
      llvm::Expected<CompiledKernel> kernel =
          compileKernel("copy", text, **targetByName(target));
      EXPECT_TRUE(static_cast<bool>(kernel))
          << header.name << " for " << target << ": "
          << llvm::toString(kernel.takeError());
    }
}

TEST(Compile, BadTextComesBackWithTheLog) {
  std::string text = message(compileKernel(
      "copy", "extern \"C\" __global__ void copy() { undeclared(); }",
      **targetByName("sm_80")));
  EXPECT_NE(text.find("undeclared"), std::string::npos) << text;
  EXPECT_NE(text.find("kernel 'copy' does not compile"), std::string::npos);
}

TEST(Compile, AWrongEntryNameIsAnError) {
  std::string text =
      message(compileKernel("other", kCopy, **targetByName("sm_80")));
  EXPECT_NE(text.find("'other'"), std::string::npos) << text;
}

TEST(Compile, OptionsReachTheCompiler) {
  CompileOptions options;
  options.extra = {"--maxrregcount=nonsense"};
  EXPECT_NE(
      message(compileKernel("copy", kCopy, **targetByName("sm_80"), options))
          .find("kernel 'copy' does not compile"),
      std::string::npos);
  EXPECT_NE(options.str(), CompileOptions().str());
  CompileOptions lines;
  lines.lineInfo = true;
  EXPECT_NE(lines.str(), CompileOptions().str());
}

TEST(Nvrtc, AMissingFileIsNamed) {
  ScopedEnv env("WEFT_NVRTC", "/nonexistent/libnvrtc.so.13");
  std::string text =
      message(compileKernel("copy", kCopy, **targetByName("sm_80")));
  EXPECT_NE(text.find("/nonexistent/libnvrtc.so.13"), std::string::npos);
  EXPECT_NE(text.find("WEFT_NVRTC"), std::string::npos) << text;
}

TEST(Nvrtc, AFileThatIsNoLibraryIsAnError) {
  ScopedEnv env("WEFT_NVRTC", "/etc/passwd");
  std::string text =
      message(compileKernel("copy", kCopy, **targetByName("sm_80")));
  EXPECT_NE(text.find("cannot open NVRTC '/etc/passwd'"), std::string::npos)
      << text;
}

TEST(Nvrtc, AnotherLibraryIsAnError) {
  llvm::Expected<const Nvrtc *> opened = Nvrtc::open("libdl.so.2");
  ASSERT_FALSE(static_cast<bool>(opened));
  EXPECT_NE(llvm::toString(opened.takeError()).find("nvrtcVersion"),
            std::string::npos);
}

TEST(Nvrtc, IdentityIsTheFileItself) {
  llvm::Expected<NvrtcIdentity> identity = findNvrtc();
  ASSERT_TRUE(static_cast<bool>(identity))
      << llvm::toString(identity.takeError());
  EXPECT_GT(identity->bytes, 0u);
  EXPECT_NE(identity->str().find(identity->path), std::string::npos);
}

TEST(Nvrtc, OneLibraryIsOpenedOnce) {
  llvm::Expected<NvrtcIdentity> identity = findNvrtc();
  ASSERT_TRUE(static_cast<bool>(identity));
  llvm::Expected<const Nvrtc *> one = Nvrtc::open(identity->path);
  llvm::Expected<const Nvrtc *> two = Nvrtc::open(identity->path);
  ASSERT_TRUE(one && two);
  EXPECT_EQ(*one, *two);
  EXPECT_TRUE((*one)->supports("sm_90a"));
  EXPECT_FALSE((*one)->supports("sm_10a"));
  EXPECT_FALSE((*one)->supports("ninety"));
}
