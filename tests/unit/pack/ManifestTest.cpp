//===- ManifestTest.cpp - What a pack is to hold --------------------------===//

#include "runtime/pack/Manifest.h"
#include "runtime/pack/NotPrecompiled.h"
#include "tests/unit/pack/PackFixture.h"

#include <gtest/gtest.h>

using namespace weft;

namespace {

/// "spec @ target target", one an entry, or the error.
std::vector<std::string> read(llvm::StringRef text) {
  llvm::Expected<std::vector<ManifestEntry>> entries = parseManifest(text);
  if (!entries)
    return {llvm::toString(entries.takeError())};
  std::vector<std::string> lines;
  for (const ManifestEntry &entry : *entries) {
    lines.push_back(entry.spec.str() + " @");
    for (const std::string &target : entry.targets)
      lines.back() += " " + target;
  }
  return lines;
}
using Lines = std::vector<std::string>;

TEST(Manifest, Lines) {
  EXPECT_EQ(read("{\"spec\": \"forward bf16 head_dim=64 layout=t3hd\", "
                 "\"arch\": \"sm_90a\"}\n\n"
                 "  \"backward layout=thd bf16 head_dim=64\"\r\n"
                 "{\"arch\": [\"sm_80\", \"sm_90a\"], \"spec\": \"forward bf16 "
                 "head_dim=64 layout=thd\"}"),
            (Lines{kForward + " @ sm_90a", kBackward + " @",
                   kForward + " @ sm_80 sm_90a"}));
}

TEST(Manifest, KnowsWhereAProblemStands) {
  auto entries = llvm::cantFail(parseManifest("\n\"" + kForward + "\""));
  EXPECT_EQ(entries[0].place, "line 2");
  entries = llvm::cantFail(
      parseManifest("[\"" + kForward + "\", \"" + kForward + "\"]"));
  EXPECT_EQ(entries[1].place, "entry 1");
}

TEST(Manifest, OneArray) {
  EXPECT_EQ(
      read(" [\"" + kForward + "\",\n {\"spec\": \"" + kBackward + "\"}]\n"),
      (Lines{kForward + " @", kBackward + " @"}));
}

TEST(Manifest, ReadsTheLineThatAnErrorNames) {
  EXPECT_EQ(read(manifestLine(kForward, "sm_86")),
            Lines{kForward + " @ sm_86"});
}

TEST(Manifest, Messages) {
  EXPECT_EQ(read(""), Lines{"the manifest names no problem"});
  EXPECT_EQ(read("[]"), Lines{"the manifest names no problem"});
  EXPECT_EQ(read("\n3"),
            Lines{"line 2: is no problem; write {\"spec\": \"forward bf16 "
                  "head_dim=128 layout=thd\", \"arch\": \"sm_90a\"}"});
  EXPECT_EQ(read("{\"specs\": []}"),
            Lines{"line 1: unknown key 'specs'; keys are spec and arch; did "
                  "you mean 'spec'?"});
  EXPECT_EQ(read("{\"arch\": \"sm_90a\"}"),
            Lines{"line 1: spec is missing, or no string"});
  EXPECT_EQ(read("[\"" + kForward + "\", {\"spec\": \"" + kForward +
                 "\", \"arch\": 90}]"),
            Lines{"entry 1: arch is neither a target such as \"sm_90a\" nor a "
                  "list of them"});
  EXPECT_NE(read("\"forward fp16\"")[0].find("did you mean 'f16'?"),
            std::string::npos);
  EXPECT_NE(read("forward bf16")[0].find("line 1: "), std::string::npos);
  EXPECT_NE(read("forward bf16")[0].find("; a manifest has one JSON value a "
                                         "line"),
            std::string::npos);
}

} // namespace
