//===- RecorderTest.cpp - Which plans an application used -----------------===//

#include "runtime/pack/Recorder.h"
#include "runtime/pack/NotPrecompiled.h"
#include "tests/unit/pack/PackFixture.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace weft;
using program::messageOf;

namespace {

TEST(Recorder, EachProblemOnce) {
  Folder folder;
  std::string path = folder / "used.json";
  {
    Recorder recorder(path);
    for (const char *target : {"sm_90a", "sm_80", "sm_90a"})
      EXPECT_EQ(messageOf(recorder.note(kForward, target)), "");
  }
  std::string lines = manifestLine(kForward, "sm_90a") + "\n" +
                      manifestLine(kForward, "sm_80") + "\n";
  EXPECT_EQ(readFile(path), lines);
  // The next run of the application.
  Recorder again(path);
  EXPECT_EQ(messageOf(again.note(kForward, "sm_80")), "");
  EXPECT_EQ(messageOf(again.note(kBackward, "sm_80")), "");
  EXPECT_EQ(readFile(path), lines + manifestLine(kBackward, "sm_80") + "\n");
}

TEST(Recorder, BeginsALineOfItsOwn) {
  Folder folder;
  std::string path = folder / "used.json";
  // As a process that died, or an editor, left it.
  writeFile(path, llvm::arrayRefFromStringRef(manifestLine(kForward, "sm_80")));
  Recorder recorder(path);
  for (const char *target : {"sm_80", "sm_90a", "sm_86"})
    EXPECT_EQ(messageOf(recorder.note(kForward, target)), "");
  EXPECT_EQ(readFile(path), manifestLine(kForward, "sm_80") + "\n" +
                                manifestLine(kForward, "sm_90a") + "\n" +
                                manifestLine(kForward, "sm_86") + "\n");
}

TEST(Recorder, DoesNotWaitAtAPipe) {
  Folder folder;
  std::string path = folder / "pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(messageOf(Recorder(path).note(kForward, "sm_90a")),
            "WEFT_RECORD: cannot write '" + path + "': it is no regular file");
}

TEST(Recorder, AFileThatCannotBeWritten) {
  Recorder recorder("/nowhere/used.json");
  EXPECT_EQ(messageOf(recorder.note(kForward, "sm_90a")),
            "WEFT_RECORD: cannot write '/nowhere/used.json': No such file or "
            "directory");
}

TEST(Recorder, LinesOfProcessesAndThreadsDoNotMix) {
  Folder folder;
  std::string path = folder / "used.json";
  constexpr int processes = 8, problems = 50;
  std::vector<pid_t> children;
  for (int p = 0; p < processes; ++p) {
    children.push_back(fork());
    if (children.back() != 0)
      continue;
    Recorder recorder(path);
    std::vector<std::thread> threads;
    for (int t = 0; t < 2; ++t)
      threads.emplace_back([&] {
        for (int i = 0; i < problems; ++i)
          llvm::cantFail(recorder.note(kForward, "sm_" + std::to_string(i)));
      });
    for (std::thread &thread : threads)
      thread.join();
    _exit(0);
  }
  for (pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  std::ifstream file(path);
  std::map<std::string, int> counts;
  for (std::string line; std::getline(file, line);)
    ++counts[line];
  EXPECT_EQ(counts.size(), size_t(problems));
  for (int i = 0; i < problems; ++i) {
    int count = counts[manifestLine(kForward, "sm_" + std::to_string(i))];
    EXPECT_TRUE(count >= 1 && count <= processes) << i << ": " << count;
  }
}

// The child has a copy of the lock as it was, and nobody to open it.
TEST(Recorder, ForksWhileAThreadNotes) {
  Folder folder;
  Recorder recorder(folder / "used.json");
  std::atomic<bool> stop = false;
  std::thread thread([&] {
    for (int i = 0; !stop; ++i)
      llvm::cantFail(recorder.note(kForward, "sm_" + std::to_string(i)));
  });
  for (int i = 0; i < 100; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(10);
      llvm::cantFail(recorder.note(kBackward, "sm_" + std::to_string(i)));
      _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "fork " << i;
    if (status)
      break;
  }
  stop = true;
  thread.join();
}

} // namespace
