//===- CompileFaultsTest.cpp - Whole compiles that go wrong ---------------===//

#include "tests/faults/Process.h"
#include "weft.h"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>
#include <thread>

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

using namespace weft::test;
using std::chrono::milliseconds;
namespace fs = std::filesystem;

static const char kSpec[] = "forward bf16 head_dim=64 layout=thd";
static const char kOther[] = "forward f16 head_dim=64 layout=thd";

namespace {
/// A folder for the cache, and an NVRTC that does nothing.
class Compile : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/weft-faults-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    cache = folder + "/cache";
    setenv("WEFT_NVRTC", WEFT_FAKE_NVRTC, 1);
    setenv("WEFT_CACHE_DIR", cache.c_str(), 1);
    setenv("FAKE_NVRTC_COUNT", (folder + "/compiles").c_str(), 1);
  }
  void TearDown() override {
    for (const char *name :
         {"WEFT_NVRTC", "WEFT_CACHE_DIR", "WEFT_LOG", "WEFT_DUMP",
          "FAKE_NVRTC_COUNT", "FAKE_NVRTC_SLEEP", "FAKE_NVRTC_NO_BUILTINS"})
      unsetenv(name);
    std::error_code error;
    fs::remove_all(folder, error);
  }

  /// One plan from a context of its own.
  static weft_status plan(const char *spec = kSpec) {
    weft_context *context = nullptr;
    weft_context_create(nullptr, &context);
    weft_status status = planOf(context, spec);
    weft_context_destroy(context);
    return status;
  }
  static weft_status planOf(weft_context *context, const char *spec = kSpec) {
    weft_plan *made = nullptr;
    weft_status status = weft_plan_create(context, spec, "sm_90a", &made);
    weft_plan_destroy(made);
    return status;
  }

  int compiles() { return SharedCount(folder + "/compiles").get(); }

  /// What plans of `specs` write to standard error.
  std::string logOf(std::initializer_list<const char *> specs) {
    std::string path = folder + "/log";
    Process process([&] {
      int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0666);
      dup2(file, STDERR_FILENO);
      for (const char *spec : specs)
        plan(spec);
      return 0;
    });
    EXPECT_EQ(process.wait(), 0);
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }

  std::string folder, cache;
};
} // namespace

//===----------------------------------------------------------------------===//
// Processes
//===----------------------------------------------------------------------===//

TEST_F(Compile, ProcessesColdOnOneSpecCompileOnce) {
  setenv("FAKE_NVRTC_SLEEP", "100", 1);
  ASSERT_EQ(plan(kOther), WEFT_OK) << weft_last_error();
  int kernels = compiles();
  ASSERT_GT(kernels, 0);
  std::vector<Process> processes;
  for (int i = 0; i < 16; ++i)
    processes.emplace_back([] { return int(plan()); });
  for (Process &process : processes)
    EXPECT_EQ(process.wait(), WEFT_OK);
  EXPECT_EQ(compiles(), 2 * kernels);
}

TEST_F(Compile, KilledAtAnyMomentTheNextOneCompiles) {
  setenv("FAKE_NVRTC_SLEEP", "5", 1);
  std::mt19937 random(2);
  for (int round = 0; round < 25; ++round) {
    Process process([] {
      for (int i = 64; i <= 256; i += 8)
        plan(("forward bf16 head_dim=" + std::to_string(i) + " layout=thd")
                 .c_str());
      return 0;
    });
    sleepFor(std::chrono::microseconds(random() % 150000));
    process.signal(SIGKILL);
    process.wait();
  }
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(plan(), WEFT_OK) << weft_last_error();
  EXPECT_EQ(plan(kOther), WEFT_OK) << weft_last_error();
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
  for (const auto &file : fs::directory_iterator(cache))
    EXPECT_EQ(file.path().extension(), ".weft") << file.path();
}

//===----------------------------------------------------------------------===//
// Forks
//===----------------------------------------------------------------------===//

TEST_F(Compile, AForkBeforeFirstUse) {
  weft_context *context = nullptr;
  ASSERT_EQ(weft_context_create(nullptr, &context), WEFT_OK);
  Process child([&] { return int(planOf(context)); });
  EXPECT_EQ(planOf(context), WEFT_OK) << weft_last_error();
  EXPECT_EQ(child.wait(), WEFT_OK);
  weft_context_destroy(context);
}

TEST_F(Compile, AForkAfterFirstUse) {
  weft_context *context = nullptr;
  ASSERT_EQ(weft_context_create(nullptr, &context), WEFT_OK);
  EXPECT_EQ(planOf(context), WEFT_OK) << weft_last_error();
  int before = compiles();
  Process child([&] {
    if (planOf(context) != WEFT_OK || compiles() != before)
      return 100;
    return int(planOf(context, kOther));
  });
  EXPECT_EQ(child.wait(), WEFT_OK);
  weft_context_destroy(context);
}

// With the real NVRTC, whose locks no child could have released.
TEST_F(Compile, ForksWhileThreadsCompile) {
  unsetenv("WEFT_NVRTC");
  weft_context *context = nullptr;
  ASSERT_EQ(weft_context_create(nullptr, &context), WEFT_OK);
  std::atomic<bool> stop = false;
  std::atomic<int> done = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; !stop; ++i) {
        std::string spec = "forward bf16 layout=thd head_dim=" +
                           std::to_string(8 + 8 * ((2 * i + t) % 16));
        EXPECT_EQ(planOf(context, spec.c_str()), WEFT_OK) << weft_last_error();
        ++done;
      }
    });
  for (int i = 0; i < 3; ++i) {
    int before = done;
    Process child([&, i] {
      std::string spec =
          "forward f16 layout=thd head_dim=" + std::to_string(8 + 8 * i);
      return int(planOf(context, spec.c_str()));
    });
    EXPECT_EQ(child.wait(), WEFT_OK) << "fork " << i;
    eventually([&] { return done > before; });
  }
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  weft_context_destroy(context);
}

//===----------------------------------------------------------------------===//
// NVRTC
//===----------------------------------------------------------------------===//

TEST_F(Compile, NvrtcWithoutItsBuiltins) {
  setenv("FAKE_NVRTC_NO_BUILTINS", "1", 1);
  EXPECT_EQ(plan(), WEFT_COMPILE_FAILED);
  std::string message = weft_last_error();
  for (const char *part : {WEFT_FAKE_NVRTC, "libnvrtc-builtins.so.13.0",
                           "beside it", "WEFT_NVRTC"})
    EXPECT_NE(message.find(part), std::string::npos) << message;
  // Not kept: with them it works.
  unsetenv("FAKE_NVRTC_NO_BUILTINS");
  EXPECT_EQ(plan(), WEFT_OK) << weft_last_error();
}

TEST_F(Compile, NvrtcGoneAfterFirstUse) {
  std::string library = folder + "/libnvrtc.so.13";
  fs::copy_file(WEFT_FAKE_NVRTC, library);
  setenv("WEFT_NVRTC", library.c_str(), 1);
  weft_context *context = nullptr;
  ASSERT_EQ(weft_context_create(nullptr, &context), WEFT_OK);
  EXPECT_EQ(planOf(context), WEFT_OK) << weft_last_error();
  fs::remove(library);
  EXPECT_EQ(planOf(context, kOther), WEFT_UNAVAILABLE);
  EXPECT_NE(std::string(weft_last_error()).find(library), std::string::npos);
  weft_context_destroy(context);
}

// Which takes longer than the hit.
TEST_F(Compile, AHitOpensNoNvrtc) {
  std::string library = folder + "/libnvrtc.so.13";
  fs::copy_file(WEFT_FAKE_NVRTC, library);
  setenv("WEFT_NVRTC", library.c_str(), 1);
  auto opens = [&] {
    Process process([&] {
      if (plan() != WEFT_OK)
        return 100;
      return dlopen(library.c_str(), RTLD_NOW | RTLD_NOLOAD) ? 1 : 0;
    });
    return process.wait();
  };
  EXPECT_EQ(opens(), 1);
  EXPECT_EQ(opens(), 0);
}

TEST_F(Compile, NvrtcCutShort) {
  std::string library = folder + "/libnvrtc.so.13";
  fs::copy_file(WEFT_FAKE_NVRTC, library);
  fs::resize_file(library, fs::file_size(library) / 2);
  setenv("WEFT_NVRTC", library.c_str(), 1);
  Process process([] {
    bool named = plan() == WEFT_COMPILE_FAILED &&
                 std::string(weft_last_error()).find("is cut short") !=
                     std::string::npos;
    return named ? 0 : 1;
  });
  EXPECT_EQ(process.wait(), 0);
}

//===----------------------------------------------------------------------===//
// What is told
//===----------------------------------------------------------------------===//

TEST_F(Compile, LogHasOneLineACompile) {
  std::string spec = "'forward bf16 head_dim=64 head_ratio=1 layout=thd' "
                     "for sm_90a";
  EXPECT_EQ(logOf({kSpec}), "");
  fs::remove_all(cache);
  setenv("WEFT_LOG", "info", 1);
  std::string line = logOf({kSpec});
  EXPECT_TRUE(
      std::regex_match(line, std::regex("weft: info: " + spec +
                                        ": compiled in [0-9.]+ ms, kept "
                                        "in '" +
                                        cache + "/[0-9a-f]{32}\\.weft'\n")))
      << line;
  line = logOf({kSpec});
  EXPECT_TRUE(std::regex_match(
      line, std::regex("weft: info: " + spec + ": read from '" + cache +
                       "/[0-9a-f]{32}\\.weft' in [0-9.]+ ms\n")))
      << line;

  setenv("FAKE_NVRTC_NO_BUILTINS", "1", 1);
  line = logOf({kOther});
  EXPECT_EQ(line.rfind("weft: info: 'forward f16", 0), 0u) << line;
  EXPECT_NE(line.find(": failed after "), std::string::npos) << line;
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1) << line;
}

TEST_F(Compile, LogLevels) {
  std::ofstream(cache) << "not a folder";
  setenv("WEFT_LOG", "off", 1);
  EXPECT_EQ(logOf({kSpec}), "");
  setenv("WEFT_LOG", "warning", 1);
  std::string text = logOf({kSpec});
  EXPECT_EQ(text.rfind("weft: warning: cannot write to the cache folder", 0),
            0u)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  setenv("WEFT_LOG", "debug", 1);
  text = logOf({kSpec});
  EXPECT_NE(text.find("weft: debug: "), std::string::npos) << text;
  EXPECT_NE(text.find("kept in memory only"), std::string::npos) << text;
  setenv("WEFT_LOG", "loud", 1);
  text = logOf({kSpec, kOther});
  EXPECT_EQ(text.rfind("weft: warning: WEFT_LOG is 'loud'; it is one of off, "
                       "warning, info, debug\n",
                       0),
            0u)
      << text;
  EXPECT_EQ(text.find("loud", 30), std::string::npos) << text;
}

TEST_F(Compile, DumpOfAFailure) {
  setenv("FAKE_NVRTC_NO_BUILTINS", "1", 1);
  setenv("WEFT_DUMP", (folder + "/dump").c_str(), 1);
  EXPECT_EQ(plan(), WEFT_COMPILE_FAILED);
  fs::path made = fs::directory_iterator(folder + "/dump")->path();
  for (const char *name : {"1-attn.mlir", "6-cuda.cu", "error.log"})
    EXPECT_TRUE(fs::exists(made / name)) << name;
}

TEST_F(Compile, DumpThatCannotBeWritten) {
  setenv("WEFT_DUMP", "/proc/nowhere", 1);
  // Once a process, and a child has what its parent has said.
  std::string text = logOf({kSpec, kOther});
  EXPECT_EQ(
      text.rfind("weft: warning: WEFT_DUMP: cannot make '/proc/nowhere/", 0),
      0u)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
  EXPECT_EQ(plan(), WEFT_OK) << weft_last_error();
}

TEST_F(Compile, RecordsWhatAPackCanHold) {
  std::string record = folder + "/record.json";
  setenv("WEFT_RECORD", record.c_str(), 1);
  weft_context *context = nullptr;
  weft_context_create(nullptr, &context);
  weft_plan *made = nullptr;
  EXPECT_EQ(weft_plan_create(context, kSpec, "sm_75", &made), WEFT_UNSUPPORTED);
  EXPECT_EQ(planOf(context), WEFT_OK) << weft_last_error();
  weft_context_destroy(context);
  unsetenv("WEFT_RECORD");
  std::stringstream text;
  text << std::ifstream(record).rdbuf();
  EXPECT_EQ(text.str(), "{\"spec\": \"forward bf16 head_dim=64 head_ratio=1 "
                        "layout=thd\", \"arch\": \"sm_90a\"}\n");
}

//===----------------------------------------------------------------------===//
// weftc cache
//===----------------------------------------------------------------------===//

TEST_F(Compile, WeftcLooksAfterTheCache) {
  int status = 0;
  auto weftc = [&](const std::string &arguments) {
    std::string command = std::string(WEFTC) + " cache " + arguments + " 2>&1",
                text;
    FILE *pipe = popen(command.c_str(), "r");
    char buffer[4096];
    while (size_t count = fread(buffer, 1, sizeof buffer, pipe))
      text.append(buffer, count);
    status = pclose(pipe);
    return text;
  };
  ASSERT_EQ(plan(), WEFT_OK) << weft_last_error();
  ASSERT_EQ(plan(kOther), WEFT_OK) << weft_last_error();
  std::string text = weftc("list");
  for (const char *part : {"2 entries", "this   sm_90a   forward bf16",
                           "this   sm_90a   forward f16"})
    EXPECT_NE(text.find(part), std::string::npos) << text;
  text = weftc("verify");
  EXPECT_NE(text.find("2 entries, all whole"), std::string::npos) << text;
  EXPECT_EQ(status, 0);

  fs::path one = fs::directory_iterator(cache)->path();
  fs::resize_file(one, fs::file_size(one) - 1);
  text = weftc("verify");
  EXPECT_NE(text.find(one.string() + ": truncated"), std::string::npos) << text;
  EXPECT_NE(status, 0);
  text = weftc("prune");
  EXPECT_NE(text.find("removed 1 entry"), std::string::npos) << text;
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(fs::exists(one));

  ASSERT_EQ(plan(), WEFT_OK) << weft_last_error();
  ASSERT_EQ(plan(kOther), WEFT_OK) << weft_last_error();
  text = weftc("prune --max-entries=1");
  EXPECT_NE(text.find("removed 1 entry"), std::string::npos) << text;
  text = weftc("clear");
  EXPECT_NE(text.find("removed 1 entry"), std::string::npos) << text;
  EXPECT_TRUE(fs::is_empty(cache));
}
