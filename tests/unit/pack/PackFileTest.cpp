//===- PackFileTest.cpp - Packs while they are made -----------------------===//

#include "runtime/pack/PackFile.h"
#include "tests/unit/pack/PackFixture.h"

#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

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

std::set<std::string> namesIn(const Folder &folder) {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder / ""))
    names.insert(entry.path().filename());
  return names;
}

TEST(PackFile, ReplacesRegularFilesOnly) {
  Folder folder;
  OwnedEntry entry(kForward, "sm_90a");
  std::string pipe = folder / "pipe", link = folder / "link";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(messageOf(writePack(pipe, PackEntry(entry))),
            "cannot write '" + pipe +
                "': it is a pipe; name a regular file, or a new one");
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
  // A link stays one.
  std::filesystem::create_symlink("a.weftpack", link);
  llvm::cantFail(writePack(link, PackEntry(entry)));
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  llvm::cantFail(Pack::open(folder / "a.weftpack"));
  EXPECT_EQ(namesIn(folder),
            (std::set<std::string>{"a.weftpack", "link", "pipe"}));
}

TEST(PackFile, RemovesWhatKilledProcessesLeft) {
  Folder folder;
  std::string pack = folder / "a.weftpack";
  OwnedEntry entry(kForward, "sm_90a");
  std::vector<uint8_t> bytes = somePack();
  // Cut short at once, and later.
  writeFile(pack + ".tmp-00000000", {});
  writeFile(pack + ".tmp-0123abcd", llvm::ArrayRef(bytes).take_front(100));
  // Not ours: by what it holds, by its name, by whose it is.
  for (const char *name : {".tmp-00000001", ".tmp-backup", ".tmp-000000012"})
    writeFile(pack + name, llvm::arrayRefFromStringRef("notes"));
  writeFile(folder / "b.weftpack.tmp-00000000", {});
  std::filesystem::create_symlink("a.weftpack", pack + ".tmp-00000002");
  // Being written.
  writeFile(pack + ".tmp-00000003", {});
  int writer = open((pack + ".tmp-00000003").c_str(), O_RDONLY);
  ASSERT_EQ(flock(writer, LOCK_EX | LOCK_NB), 0);
  llvm::cantFail(writePack(pack, PackEntry(entry)));
  close(writer);
  EXPECT_EQ(
      namesIn(folder),
      (std::set<std::string>{
          "a.weftpack", "a.weftpack.tmp-00000001", "a.weftpack.tmp-00000002",
          "a.weftpack.tmp-00000003", "a.weftpack.tmp-000000012",
          "a.weftpack.tmp-backup", "b.weftpack.tmp-00000000"}));
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
  size_t first =
      64 + Pack::sizeOf(llvm::arrayRefFromStringRef(whole).drop_front(64));
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

TEST(PartFile, LeavesWhatIsNotItsOwn) {
  Folder folder;
  std::string path = folder / "part";
  std::vector<uint8_t> pack = somePack();
  for (llvm::ArrayRef<uint8_t> bytes :
       {llvm::arrayRefFromStringRef("n"), llvm::arrayRefFromStringRef("notes"),
        llvm::ArrayRef(pack)}) {
    writeFile(path, bytes);
    EXPECT_EQ(messageOf(PartFile::open(path)),
              "'" + path +
                  "' is in the way: programs are kept there until all are "
                  "compiled, and it is not a file of an earlier compile; move "
                  "it, or choose another file with -o");
    EXPECT_EQ(readFile(path), llvm::toStringRef(bytes));
  }
  std::filesystem::remove(path);
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_NE(messageOf(PartFile::open(path)).find("is in the way"),
            std::string::npos);
}

TEST(PartFile, AFullDiskIsTold) {
  Folder folder;
  std::string path = folder / "part";
  auto part = llvm::cantFail(PartFile::open(path));
  rlimit before;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto *handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit none = {0, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  std::string message = messageOf(part->append(OwnedEntry(kForward, "sm_90a")));
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(message, "cannot write '" + path + "': File too large");
}

} // namespace
