//===- PackFileTest.cpp - Packs while they are made -----------------------===//

#include "runtime/pack/PackFile.h"
#include "tests/unit/pack/PackFixture.h"

#include <gtest/gtest.h>

#include <sys/stat.h>

using namespace weft;
using program::messageOf;

namespace {

TEST(PackFile, WritesAtOnceOrNotAtAll) {
  Folder folder;
  std::string path = folder / "a.weftpack";
  OwnedEntry a(kForward, "sm_90a"), b(kBackward, "sm_80");
  uint64_t bytes = llvm::cantFail(writePack(path, {a, b}));
  std::shared_ptr<const Pack> pack = llvm::cantFail(Pack::open(path));
  EXPECT_EQ(pack->bytes(), bytes);
  EXPECT_TRUE(pack->find(kBackward, "sm_80"));
  // Readable by whoever may read the folder.
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0444, 0444u);
  // Over the old file, and nothing else is left.
  llvm::cantFail(writePack(path, PackEntry(a)));
  EXPECT_FALSE(llvm::cantFail(Pack::open(path))->find(kBackward, "sm_80"));
  int files = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder / ""))
    (void)entry, ++files;
  EXPECT_EQ(files, 1);
  EXPECT_NE(messageOf(writePack(folder / "none/a", PackEntry(a)))
                .find("': No such file or directory"),
            std::string::npos);
}

/// The specs in a part file.
std::vector<std::string> specsIn(const PartFile &part) {
  std::vector<std::string> specs;
  for (const std::shared_ptr<const Pack> &pack : part.packs())
    for (const PackEntry &entry : pack->entries()) {
      EXPECT_EQ(messageOf(pack->load(entry)), "");
      specs.push_back(entry.spec.str());
    }
  return specs;
}

TEST(PartFile, GoesOnWhereItWasCutShort) {
  Folder folder;
  std::string path = folder / "part";
  OwnedEntry a(kForward, "sm_90a"), b(kBackward, "sm_90a");
  {
    auto part = llvm::cantFail(PartFile::open(path));
    EXPECT_TRUE(part->packs().empty());
    llvm::cantFail(part->append(a));
    llvm::cantFail(part->append(b));
  }
  std::string whole = readFile(path);
  size_t first = Pack::sizeOf(llvm::arrayRefFromStringRef(whole));
  for (size_t length = 0; length <= whole.size(); length += 8) {
    std::filesystem::remove(path);
    writeFile(path, llvm::arrayRefFromStringRef(whole).take_front(length));
    std::vector<std::string> expected;
    if (length >= first)
      expected.push_back(kForward);
    if (length == whole.size())
      expected.push_back(kBackward);
    {
      auto part = llvm::cantFail(PartFile::open(path));
      EXPECT_EQ(specsIn(*part), expected) << length;
      llvm::cantFail(part->append(b));
    }
    expected.push_back(kBackward);
    EXPECT_EQ(specsIn(*llvm::cantFail(PartFile::open(path))), expected)
        << length;
  }
}

TEST(PartFile, OneWriterAtATime) {
  Folder folder;
  std::string path = folder / "part";
  auto part = llvm::cantFail(PartFile::open(path));
  EXPECT_EQ(messageOf(PartFile::open(path)),
            "another process is writing '" + path +
                "'; wait for it, or choose another file");
  llvm::cantFail(part->remove());
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(messageOf(PartFile::open(folder / "none/part")),
            "cannot write '" + (folder / "none/part") +
                "': No such file or directory");
}

TEST(PartFile, AFullDiskIsTold) {
  if (!std::filesystem::exists("/dev/full"))
    GTEST_SKIP() << "no /dev/full here";
  auto part = llvm::cantFail(PartFile::open("/dev/full"));
  EXPECT_EQ(messageOf(part->append(OwnedEntry(kForward, "sm_90a"))),
            "cannot write '/dev/full': No space left on device");
}

} // namespace
