//===- CachedProgramTest.cpp - Keys of real problems, and hits ------------===//

#include "runtime/cache/CachedProgram.h"

#include "compiler/Pipeline.h"
#include "compiler/attn/FromSpec.h"
#include "compiler/tuning/Tuning.h"
#include "tests/unit/cache/CacheFixture.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <cstdlib>
#include <set>

using namespace weft;
using namespace weft::test;

static AttentionSpec specOf(const char *text) {
  llvm::Expected<AttentionSpec> spec = AttentionSpec::parse(text);
  EXPECT_TRUE(static_cast<bool>(spec)) << llvm::toString(spec.takeError());
  return spec ? *spec : AttentionSpec();
}

namespace {
/// An "NVRTC" that is a file and no library: it can be told apart from others,
/// and opening it fails.
class CachedProgram : public testing::Test {
protected:
  void SetUp() override { useNvrtc("libnvrtc.so", "text"); }
  void TearDown() override { unsetenv("WEFT_NVRTC"); }

  void useNvrtc(const std::string &name, llvm::StringRef content) {
    std::string path = folder.path + "/" + name;
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << content;
    ASSERT_FALSE(error) << error.message();
    setTime(path, 1000);
    setenv("WEFT_NVRTC", path.c_str(), 1);
  }

  void setTime(const std::string &path, int seconds) {
    int descriptor;
    ASSERT_FALSE(llvm::sys::fs::openFileForWrite(
        path, descriptor, llvm::sys::fs::CD_OpenExisting));
    llvm::sys::TimePoint<> time{std::chrono::seconds(seconds)};
    EXPECT_FALSE(
        llvm::sys::fs::setLastAccessAndModificationTime(descriptor, time));
    llvm::sys::Process::SafelyCloseFileDescriptor(descriptor);
  }

  std::string keyOf(const AttentionSpec &spec, const char *target = "sm_90a",
                    const CompileOptions &options = {}) {
    llvm::Expected<CacheKey> key =
        cacheKey(spec, **targetByName(target), options);
    EXPECT_TRUE(static_cast<bool>(key)) << llvm::toString(key.takeError());
    return key ? key->hash() : "";
  }

  TemporaryFolder folder;
  AttentionSpec spec = specOf("forward bf16 head_dim=64 layout=thd");
};
} // namespace

TEST_F(CachedProgram, EveryIngredientAloneMakesANewKey) {
  std::set<std::string> keys = {keyOf(spec)};
  auto expectNew = [&](const std::string &key, const char *what) {
    EXPECT_TRUE(keys.insert(key).second) << what;
  };
  expectNew(keyOf(specOf("forward bf16 head_dim=72 layout=thd")), "head dim");
  expectNew(keyOf(specOf("forward f16 head_dim=64 layout=thd")), "dtype");
  expectNew(keyOf(specOf("forward bf16 head_dim=64 layout=thd align=2")),
            "alignment");
  expectNew(keyOf(spec, "sm_80"), "target");
  CompileOptions options;
  options.lineInfo = true;
  expectNew(keyOf(spec, "sm_90a", options), "line info");
  options.extra = {"--maxrregcount=128"};
  expectNew(keyOf(spec, "sm_90a", options), "another option");
  useNvrtc("libnvrtc.so", "a longer text");
  expectNew(keyOf(spec), "the size of NVRTC");
  setTime(folder.path + "/libnvrtc.so", 2000);
  expectNew(keyOf(spec), "the time of NVRTC");
  useNvrtc("another.so", "text");
  expectNew(keyOf(spec), "the path of NVRTC");
  // And nothing else does: all as it was.
  useNvrtc("libnvrtc.so", "text");
  EXPECT_EQ(keys.count(keyOf(spec)), 1u);
}

TEST_F(CachedProgram, WhatNvrtcReadsOfItselfMakesANewKey) {
  std::set<std::string> keys = {keyOf(spec)};
  auto put = [&](llvm::StringRef name, llvm::StringRef content) {
    std::error_code error;
    llvm::raw_fd_ostream(folder.path + "/" + name.str(), error) << content;
    ASSERT_FALSE(error) << error.message();
    setTime(folder.path + "/" + name.str(), 1000);
  };
  put("libnvrtc-builtins.so.13.0", "builtins");
  EXPECT_TRUE(keys.insert(keyOf(spec)).second) << "builtins";
  put("libnvrtc-builtins.so.13.0", "longer builtins");
  EXPECT_TRUE(keys.insert(keyOf(spec)).second) << "the size of builtins";
  setTime(folder.path + "/libnvrtc-builtins.so.13.0", 2000);
  EXPECT_TRUE(keys.insert(keyOf(spec)).second) << "the time of builtins";
  setenv("NVRTC_APPEND_FLAGS", "--maxrregcount=32", 1);
  EXPECT_TRUE(keys.insert(keyOf(spec)).second) << "flags that NVRTC appends";
  unsetenv("NVRTC_APPEND_FLAGS");
  EXPECT_FALSE(keys.insert(keyOf(spec)).second);

  // Of several, the one that the library's own version names.
  useNvrtc("libnvrtc.so.12.4.99", "text");
  put("libnvrtc-builtins.so.12.4", "its own");
  std::string before = keyOf(spec);
  put("libnvrtc-builtins.so.13.0", "of another");
  EXPECT_EQ(keyOf(spec), before);
  put("libnvrtc-builtins.so.12.4", "its own, new");
  EXPECT_NE(keyOf(spec), before);
}

// The plan of `spec`, as text.
static std::string planOf(const AttentionSpec &spec, const Target &target) {
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::OwningOpRef<mlir::ModuleOp> module =
      buildAttnModule(context, spec, target);
  mlir::PassManager manager(&context);
  buildStep(manager, Stage::Plan);
  EXPECT_TRUE(mlir::succeeded(manager.run(*module))) << spec.str();
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream);
  return text;
}

// The schedules of the plans are all in the key: what chooses them has no
// ingredient that the key lacks.
TEST_F(CachedProgram, TheKeyHoldsTheSchedulesOfThePlan) {
  for (const char *pass : {"forward", "backward"})
    for (const char *dims : {"head_dim=64", "head_dim=128", "head_dim=256"})
      for (const char *rest :
           {"layout=thd", "layout=batch", "layout=batch padded_kv",
            "layout=batch mask=causal", "layout=batch align=2",
            "layout=batch do=scalar", "layout=batch score=softcap"}) {
        std::string text = std::string(pass) + " bf16 " + dims + " " + rest;
        if (pass[0] == 'f' && text.find("do=") != std::string::npos)
          continue;
        AttentionSpec spec = specOf(text.c_str());
        const Target &target = **targetByName("sm_90a");
        std::string key = scheduleKey(spec, target),
                    plan = planOf(spec, target);
        llvm::StringRef left = plan;
        int schedules = 0;
        const llvm::StringRef before = " schedule <";
        for (size_t at; (at = left.find(before)) != left.npos; ++schedules) {
          // Fills are alike for all problems and tables.
          bool fill = left.take_front(at).ends_with(" fill of @attention");
          left = left.drop_front(at + before.size());
          if (fill)
            continue;
          llvm::Expected<Schedule> schedule =
              parseSchedule(left.take_until([](char c) { return c == '>'; }));
          ASSERT_TRUE(static_cast<bool>(schedule))
              << llvm::toString(schedule.takeError());
          EXPECT_NE(key.find(schedule->str()), std::string::npos)
              << text << ": " << schedule->str() << " is not in\n"
              << key;
        }
        EXPECT_GT(schedules, 0) << text;
      }
}

TEST_F(CachedProgram, AHitOpensNoLibrary) {
  const Target &target = **targetByName("sm_90a");
  std::vector<uint8_t> bytes = someProgram();
  {
    ProgramCache cache(folder.path);
    llvm::Expected<CacheKey> key = cacheKey(spec, target);
    ASSERT_TRUE(static_cast<bool>(key));
    llvm::Expected<ProgramBytes> put = cache.getOrCompile(
        *key, [&]() -> llvm::Expected<std::vector<uint8_t>> { return bytes; });
    ASSERT_TRUE(static_cast<bool>(put));
  }
  ProgramCache cache(folder.path);
  llvm::Expected<ProgramBytes> hit = cachedProgram(cache, spec, target);
  ASSERT_TRUE(static_cast<bool>(hit)) << llvm::toString(hit.takeError());
  EXPECT_EQ(**hit, bytes);

  // A miss needs the library, which is none.
  llvm::Expected<ProgramBytes> miss = cachedProgram(
      cache, specOf("forward bf16 head_dim=72 layout=thd"), target);
  ASSERT_FALSE(static_cast<bool>(miss));
  EXPECT_NE(llvm::toString(miss.takeError()).find("cannot open NVRTC"),
            std::string::npos);
}
