//===- CachedProgramTest.cpp - Keys of real problems, and hits ------------===//

#include "runtime/cache/CachedProgram.h"
#include "tests/unit/cache/CacheFixture.h"

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
