//===- OutputFileTest.cpp - Files that a user names for output ------------===//

#include "runtime/support/OutputFile.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

using namespace weft;
namespace fs = std::filesystem;

namespace {
class OutputFile : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/weft-output-test-XXXXXX";
    folder = mkdtemp(name);
    std::ofstream(at("file")) << "old";
  }
  void TearDown() override {
    std::error_code error;
    fs::remove_all(folder, error);
  }

  std::string at(const std::string &name) const { return folder + "/" + name; }
  /// Where a link of this text leads, or the message.
  std::string replacedBy(const std::string &link) {
    fs::create_symlink(link, at("link"));
    std::string found = replaced(at("link"));
    fs::remove(at("link"));
    return found;
  }
  static std::string replaced(const std::string &path) {
    llvm::Expected<std::string> file = fileToReplace(path);
    return file ? *file : llvm::toString(file.takeError());
  }

  std::string folder;
};
} // namespace

TEST_F(OutputFile, ReplacesFilesAndMakesNewOnes) {
  EXPECT_EQ(replaced(at("file")), at("file"));
  EXPECT_EQ(replaced(at("new")), at("new"));
  EXPECT_EQ(replaced("new"), "new");
}

TEST_F(OutputFile, GoesWhereLinksLead) {
  EXPECT_EQ(replacedBy("file"), at("file"));
  EXPECT_EQ(replacedBy("new"), at("new"));
  EXPECT_EQ(replacedBy(at("file")), at("file"));
  fs::create_symlink("file", at("second"));
  EXPECT_EQ(replacedBy("second"), at("file"));
  EXPECT_EQ(replacedBy("link"),
            "cannot write '" + at("link") + "': too many links");
}

TEST_F(OutputFile, ReplacesNothingElse) {
  const std::string more = "; name a regular file, or a new one";
  EXPECT_EQ(replaced("/dev/null"),
            "cannot write '/dev/null': it is a device" + more);
  EXPECT_EQ(replaced(folder),
            "cannot write '" + folder + "': it is a folder" + more);
  ASSERT_EQ(mkfifo(at("pipe").c_str(), 0600), 0);
  EXPECT_EQ(replaced(at("pipe")),
            "cannot write '" + at("pipe") + "': it is a pipe" + more);
  EXPECT_EQ(replacedBy("/dev/null"),
            "cannot write '" + at("link") +
                "': it leads to '/dev/null', which is a device" + more);
  EXPECT_EQ(replaced(""), "cannot write '': No such file or directory");
  EXPECT_EQ(replaced(at("none/new")),
            "cannot write '" + at("none/new") + "': No such file or directory");
  EXPECT_EQ(replaced(at("file/new")),
            "cannot write '" + at("file/new") + "': Not a directory");
}

TEST_F(OutputFile, TellsEarlyWhatCannotBeWritten) {
  auto message = [&](const std::string &path) {
    return llvm::toString(checkWritable(path));
  };
  for (const std::string &path :
       {at("file"), at("new"), std::string("new"), std::string("/dev/null")})
    EXPECT_EQ(message(path), "") << path;
  EXPECT_EQ(message(""), "cannot write '': No such file or directory");
  EXPECT_EQ(message(folder), "cannot write '" + folder + "': Is a directory");
  EXPECT_EQ(message(at("none/new")),
            "cannot write '" + at("none/new") + "': No such file or directory");
  // It only asks.
  EXPECT_EQ(fs::file_size(at("file")), 3u);
  EXPECT_FALSE(fs::exists(at("new")));
}

TEST_F(OutputFile, Writes) {
  EXPECT_EQ(llvm::toString(writeFile(at("file"), "a")), "");
  EXPECT_EQ(fs::file_size(at("file")), 1u);
  EXPECT_EQ(llvm::toString(writeFile("/dev/null", "a")), "");
  EXPECT_EQ(llvm::toString(writeFile(folder, "a")),
            "cannot write '" + folder + "': Is a directory");
  if (fs::exists("/dev/full")) {
    EXPECT_EQ(llvm::toString(writeFile("/dev/full", "a")),
              "cannot write '/dev/full': No space left on device");
  }
}
