//===- BuildIdTest.cpp - Changed sources make a new build id --------------===//

#include "runtime/cache/BuildId.h"
#include "tests/unit/cache/CacheFixture.h"

#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;
using namespace weft::test;

static void write(const std::string &path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream(path, error) << text;
  ASSERT_FALSE(error) << error.message();
}

// What the build's own script writes for the files a.td and b.cuh of `root`.
static std::string idOf(const std::string &root, const std::string &extra) {
  std::string output = root + "/BuildId.inc";
  std::string define[] = {"-DOUTPUT=" + output, "-DROOT=" + root,
                          "-DFILES=a.td|b.cuh", "-DEXTRA=" + extra};
  int result = llvm::sys::ExecuteAndWait(
      CMAKE_PROGRAM, {CMAKE_PROGRAM, define[0], define[1], define[2], define[3],
                      "-P", BUILD_ID_SCRIPT});
  EXPECT_EQ(result, 0);
  auto file = llvm::MemoryBuffer::getFile(output);
  EXPECT_TRUE(static_cast<bool>(file));
  return file ? (*file)->getBuffer().str() : "";
}

TEST(BuildId, IsAHash) { EXPECT_EQ(buildId().size(), 64u); }

TEST(BuildId, FollowsEverySource) {
  TemporaryFolder folder;
  write(folder.path + "/a.td", "one");
  write(folder.path + "/b.cuh", "two");
  std::string id = idOf(folder.path, "MLIR 22");
  EXPECT_EQ(idOf(folder.path, "MLIR 22"), id);
  EXPECT_NE(idOf(folder.path, "MLIR 23"), id);
  write(folder.path + "/b.cuh", "three");
  EXPECT_NE(idOf(folder.path, "MLIR 22"), id);
  write(folder.path + "/a.td", "two");
  write(folder.path + "/b.cuh", "one");
  EXPECT_NE(idOf(folder.path, "MLIR 22"), id);
}
