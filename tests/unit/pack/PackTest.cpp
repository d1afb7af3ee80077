//===- PackTest.cpp - Packs, whole and damaged ----------------------------===//

#include "runtime/pack/Pack.h"
#include "runtime/pack/NotPrecompiled.h"
#include "tests/unit/pack/PackFixture.h"

#include <gtest/gtest.h>

using namespace weft;
using program::messageOf;

namespace {

/// What a user of a pack would see: the message of opening it or of loading one
/// of its programs, "" if all is right.
std::string problemOf(llvm::ArrayRef<uint8_t> bytes) {
  llvm::Expected<std::shared_ptr<const Pack>> pack = inMemory(bytes);
  if (!pack)
    return llvm::toString(pack.takeError());
  for (const PackEntry &entry : (*pack)->entries())
    if (std::string message = messageOf((*pack)->load(entry)); !message.empty())
      return message;
  return "";
}

TEST(Pack, GivesBackWhatItWasMadeOf) {
  std::shared_ptr<const Pack> pack = llvm::cantFail(inMemory(somePack()));
  ASSERT_EQ(pack->entries().size(), 3u);
  const PackEntry *entry = pack->find(kForward, "sm_80");
  ASSERT_TRUE(entry);
  EXPECT_EQ(entry->spec, kForward);
  EXPECT_EQ(entry->target, "sm_80");
  EXPECT_EQ(entry->library, "0.1.0");
  EXPECT_EQ(entry->compiler, "NVRTC 13.0");
  EXPECT_EQ(entry->key, "key");
  for (int again = 0; again < 2; ++again) {
    llvm::ArrayRef<uint8_t> program = llvm::cantFail(pack->load(*entry));
    EXPECT_EQ(program.vec(), someProgram(kForward, "sm_80"));
  }
  // Sorted, so that equal entries make equal packs.
  EXPECT_EQ(pack->entries()[0].spec, kBackward);
  EXPECT_EQ(pack->entries()[1].target, "sm_80");
}

TEST(Pack, NeverARelative) {
  std::shared_ptr<const Pack> pack = llvm::cantFail(inMemory(somePack()));
  EXPECT_FALSE(pack->find(kForward, "sm_86"));
  EXPECT_FALSE(pack->find(kForward, "sm_90"));
  EXPECT_FALSE(pack->find(kBackward, "sm_80"));
  EXPECT_FALSE(pack->find(kForward + " mask=causal", "sm_90a"));
}

TEST(Pack, OfNothing) {
  std::shared_ptr<const Pack> pack =
      llvm::cantFail(inMemory(encodePack(std::vector<PackEntry>{})));
  EXPECT_TRUE(pack->entries().empty());
  EXPECT_FALSE(pack->find(kForward, "sm_90a"));
}

TEST(Pack, EveryBitFlipIsNoticed) {
  std::vector<uint8_t> bytes = somePack();
  ASSERT_EQ(problemOf(bytes), "");
  for (size_t at = 0; at < bytes.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      bytes[at] ^= 1 << bit;
      EXPECT_NE(problemOf(bytes), "") << "byte " << at << ", bit " << bit;
      bytes[at] ^= 1 << bit;
    }
}

TEST(Pack, EveryTruncationIsNoticed) {
  std::vector<uint8_t> bytes = somePack();
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_NE(problemOf(llvm::ArrayRef(bytes).take_front(length)), "")
        << length;
  bytes.push_back(0);
  EXPECT_NE(problemOf(bytes), "");
}

TEST(Pack, DamageElsewhereDoesNotReachAnEntry) {
  std::vector<uint8_t> bytes = somePack();
  bytes[64] ^= 1; // of the first program, the backward's
  std::shared_ptr<const Pack> pack = llvm::cantFail(inMemory(bytes));
  EXPECT_EQ(messageOf(pack->load(pack->entries()[0])),
            "pack 'p' is damaged (" + kBackward +
                " for sm_90a); copy it anew, or compile it again with 'weftc "
                "compile --manifest'");
  EXPECT_EQ(messageOf(pack->load(pack->entries()[1])), "");
  EXPECT_EQ(messageOf(pack->load(pack->entries()[2])), "");
}

TEST(Pack, Messages) {
  std::vector<uint8_t> bytes = somePack();
  EXPECT_EQ(problemOf(llvm::ArrayRef(bytes).drop_back()),
            ("pack 'p' is truncated: " + llvm::Twine(bytes.size() - 1) +
             " of " + llvm::Twine(bytes.size()) +
             " bytes are there; copy it anew, or compile it again with 'weftc "
             "compile --manifest'")
                .str());
  EXPECT_EQ(problemOf({}),
            "'p' is not a pack; 'weftc compile --manifest' makes one");
  bytes[8] = 2;
  EXPECT_EQ(problemOf(bytes),
            "pack 'p' is of format version 2, this library reads version 1; "
            "compile it again with the weftc of this version");
}

TEST(Pack, AProgramOfAnotherSpecOrTargetIsRefused) {
  OwnedEntry lies(kForward, "sm_90a");
  lies.program = someProgram(kForward, "sm_80");
  EXPECT_NE(problemOf(encodePack(PackEntry(lies)))
                .find("holds a program of " + kForward +
                      " for sm_80 in place of " + kForward + " for sm_90a"),
            std::string::npos);
  lies.program = someProgram(kBackward, "sm_90a");
  EXPECT_NE(problemOf(encodePack(PackEntry(lies))), "");
  lies.program = {1, 2, 3};
  EXPECT_NE(problemOf(encodePack(PackEntry(lies))).find("holds no program"),
            std::string::npos);
}

TEST(Pack, EntriesTwiceOrOutOfOrderAreRefused) {
  OwnedEntry entry(kForward, "sm_90a");
  EXPECT_NE(problemOf(encodePack({entry, entry})).find("malformed index"),
            std::string::npos);
}

TEST(Pack, WhatIsNoFile) {
  EXPECT_EQ(messageOf(Pack::open("/")), "'/' is a folder, not a pack");
  Folder folder;
  std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(messageOf(Pack::open(pipe)),
            "'" + pipe + "' is no file, not a pack");
}

TEST(Pack, Files) {
  Folder folder;
  std::string path = folder / "a.weftpack";
  writeFile(path, somePack());
  std::shared_ptr<const Pack> pack = llvm::cantFail(Pack::open(path));
  EXPECT_EQ(pack->name(), path);
  EXPECT_EQ(pack->bytes(), somePack().size());
  // Replaced by a rename: what was mapped stays.
  writeFile(folder / "b", {});
  std::filesystem::rename(folder / "b", path);
  for (const PackEntry &entry : pack->entries())
    EXPECT_EQ(messageOf(pack->load(entry)), "");

  EXPECT_EQ(messageOf(Pack::open(path)),
            "'" + path +
                "' is not a pack; 'weftc compile --manifest' makes one");
  EXPECT_EQ(messageOf(Pack::open(folder / "none")),
            "cannot read pack '" + (folder / "none") +
                "': No such file or directory");
  EXPECT_NE(messageOf(Pack::open("/tmp")), "");
}

TEST(NotPrecompiled, NamesWhatIsMissingAndTheLineToAdd) {
  auto message = [](llvm::StringRef spec, llvm::StringRef target,
                    llvm::ArrayRef<std::shared_ptr<const Pack>> packs) {
    return llvm::toString(
        llvm::make_error<NotPrecompiled>(spec, target, packs));
  };
  std::shared_ptr<const Pack> pack = llvm::cantFail(inMemory(somePack()));
  std::string line = "; add this line to the manifest and compile the pack "
                     "again: {\"spec\": \"" +
                     kForward + "\", \"arch\": \"sm_86\"}";
  EXPECT_EQ(message(kForward, "sm_86", {}), "'" + kForward +
                                                "' is not precompiled for "
                                                "sm_86; no pack is loaded" +
                                                line);
  EXPECT_EQ(message(kForward, "sm_86", pack),
            "'" + kForward +
                "' is not precompiled for sm_86 (p has it for sm_80, sm_90a)" +
                line);
  EXPECT_NE(message("forward f16 head_dim=8 layout=thd", "sm_86", pack)
                .find("for sm_86 (looked in p); add"),
            std::string::npos);
}

} // namespace
