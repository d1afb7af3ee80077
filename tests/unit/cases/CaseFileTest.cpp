//===- CaseFileTest.cpp - The format, its errors, malformed input ---------===//

#include "runtime/cases/CaseFile.h"
#include "runtime/cases/Call.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

#include <random>

using namespace weft;
using namespace weft::cases;

static std::string parseError(llvm::StringRef text) {
  auto file = CaseFile::parse(text);
  return file ? "" : llvm::toString(file.takeError());
}

static std::vector<std::string> caseFiles() {
  std::vector<std::string> paths;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(WEFT_CASES_DIR, code), end;
       it != end && !code; it.increment(code))
    if (llvm::StringRef(it->path()).ends_with(".json"))
      paths.push_back(it->path());
  return paths;
}

TEST(CaseFile, EveryCaseReadsAndWritesBack) {
  std::vector<std::string> paths = caseFiles();
  ASSERT_GE(paths.size(), 18u);
  for (const std::string &path : paths) {
    auto file = CaseFile::load(path);
    ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
    auto again = CaseFile::parse(file->toJson());
    ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
    EXPECT_EQ(again->toJson(), file->toJson());
  }
}

TEST(CaseFile, EveryKeyReadsAndWritesBack) {
  const char *text = R"({
    "name": "n", "about": "a", "pass": "backward", "dtype": "f16",
    "heads_q": 4, "heads_kv": 2, "head_dim": 16, "head_dim_v": 8,
    "layout_q": "thd", "layout_kv": "bshd",
    "mask": {"kind": "sliding_window", "left": 3, "constant": true},
    "scale": -0.5, "softcap": 20.5, "deterministic": true,
    "calls": [
      {"cu_seqlens_q": [0, 2], "cu_seqlens_q_padded": [1, 4], "total_q": 9,
       "max_seqlen_q": 2, "batch": 1, "seqlen_kv": 5, "seqlens_kv": [3],
       "max_seqlen_kv": 4},
      {"cu_seqlens_q": [0, 2], "seqlen_kv": 5, "seqlens_kv": [3]}],
    "inputs": {"seed": 9, "std": 0.25, "gap_fill": "nan", "o_lse": "random",
               "dout": "ones_expanded"},
    "strides": {"q": {"row": 64, "head": 16}, "k": {"batch": 1000}},
    "offset": {"q": 1, "dv": 8},
    "workspace": "ones",
    "expect": [{"zero_rows": {"dk": [[3, 5]]}}, {"same_as_call": 0}]})";
  auto file = CaseFile::parse(text);
  ASSERT_TRUE(bool(file)) << llvm::toString(file.takeError());
  EXPECT_EQ(file->layoutKv, Layout::BSHD);
  EXPECT_EQ(file->left, 3);
  EXPECT_FALSE(file->right.has_value());
  EXPECT_EQ(file->calls[0].q.total, 9);
  EXPECT_TRUE(file->inputs.randomOLse && file->inputs.onesDOut);
  EXPECT_EQ(file->strides.at(TensorId::K).batch, 1000);
  EXPECT_EQ(file->offsets.at(TensorId::DV), 8);
  EXPECT_EQ(file->workspace, Fill::Ones);
  EXPECT_EQ(file->expect[1].sameAsCall, 0);
  auto again = CaseFile::parse(file->toJson());
  ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
  EXPECT_EQ(again->toJson(), file->toJson());
  EXPECT_EQ(again->expect[0].zeroRows, file->expect[0].zeroRows);

  auto call = resolveCall(*file, 0);
  ASSERT_TRUE(bool(call)) << llvm::toString(call.takeError());
  EXPECT_EQ(call->spec.str(),
            "backward f16 head_dim=16 head_dim_v=8 head_ratio=2 layout_q=thd "
            "layout_kv=batch padded mask=sliding_window(left=3) score=softcap "
            "deterministic");
  EXPECT_EQ(call->q.rows, 9);
  EXPECT_EQ(call->kv.maxSeqlen, 4);
  EXPECT_EQ(call->sequencesQ[0].start, 1);
}

namespace {
/// A valid case with one key replaced, or with `extra` members added.
std::string edited(llvm::StringRef key, llvm::StringRef value) {
  std::pair<const char *, const char *> base[] = {
      {"name", "\"n\""},
      {"pass", "\"backward\""},
      {"dtype", "\"f16\""},
      {"heads_q", "4"},
      {"heads_kv", "2"},
      {"head_dim", "16"},
      {"layout", "\"bshd\""},
      {"calls", R"([{"batch": 1, "seqlen_q": 4, "seqlen_kv": 4}])"}};
  std::string text(1, '{');
  bool found = false;
  for (auto [name, old] : base) {
    found |= key == name;
    if (key == name && value.empty())
      continue;
    text += text.size() > 1 ? ", \"" : "\"";
    text += name;
    text += "\": ";
    text += key == name ? value.str() : old;
  }
  if (!found)
    text += (", \"" + key + "\": " + value).str();
  return text + "}";
}

void expectError(llvm::StringRef key, llvm::StringRef value,
                 llvm::StringRef part) {
  std::string error = parseError(edited(key, value));
  EXPECT_NE(error.find(part), std::string::npos)
      << key.str() << " = " << value.str() << " gave: " << error;
}
} // namespace

TEST(CaseFile, Messages) {
  ASSERT_EQ(parseError(edited("about", "\"x\"")), "");
  EXPECT_EQ(parseError("[]"), "the case: is a list, not an object");
  expectError("inputs", R"({"std": 1e300})",
              "inputs.std: is above 10000; inputs would be infinite in f16");
  expectError("name", "", "name: is missing");
  expectError("name", "\"\"", "name: is empty");
  expectError("pass", "", "pass: is missing");
  expectError("pass", "\"both\"", "'both' is not one of forward and backward");
  expectError("dtype", "\"f32\"", "'f32' is not one of f16 and bf16");
  expectError("heads_q", "0", "heads_q: 0 is not an integer from 1");
  expectError("heads_q", "1.5", "heads_q: is not an integer");
  expectError("heads_q", "\"4\"", "heads_q: is a string, not an integer");
  expectError("heads_q", "99999999999", "heads_q: 99999999999 is not");
  expectError("head_dim", "-8", "head_dim: -8 is not");
  expectError("layout", "", "layout: is missing");
  expectError("layout", "\"bsdh\"", "'bsdh' is not one of bshd, sbhd");
  expectError("layout", "\"bs3hd\"", "heads_kv: 2 differs from heads_q 4");
  expectError("layout_q", "\"thd\"", "layout: is given with layout_q");
  expectError("mask", "\"causal\"", "mask: is a string, not an object");
  expectError("mask", "{}", "mask.kind: is missing");
  expectError("mask", R"({"kind": "causal", "left": 1})",
              "mask.left: is given for a mask without a window");
  expectError("mask", R"({"kind": "sliding_window", "left": -1})",
              "mask.left: -1 is not");
  expectError("mask", R"({"kind": "none", "up": 1})", "mask.up: unknown key");
  expectError("scale", "\"big\"", "scale: is a string, not a number");
  expectError("scale", "1e999", "");
  expectError("softcap", "0", "softcap: is not above 0");
  expectError("deterministic", "1", "not true or false");
  expectError("colour", "1", "colour: unknown key; the keys here are name,");
  // More than that `layout` is missing: how it was misspelt.
  std::string misspelt = edited("layout", "");
  misspelt.insert(misspelt.size() - 1, ", \"layot\": \"bshd\"");
  EXPECT_NE(parseError(misspelt).find("layot: unknown key; the keys here are"),
            std::string::npos)
      << parseError(misspelt);
  EXPECT_NE(parseError(misspelt).find("; did you mean 'layout'?"),
            std::string::npos)
      << parseError(misspelt);
  expectError("dtype", "\"fp16\"",
              "'fp16' is not one of f16 and bf16; did you mean 'f16'?");
  expectError("mask", R"({"kind": "sliding_window"})",
              "mask.kind: 'sliding_window' has no bound and so masks nothing");
  expectError("calls", "[]", "calls: is empty");
  expectError("calls", "{}", "calls: is an object, not a list");
  expectError("calls", "[3]", "calls[0]: is a number, not an object");
  expectError("workspace", "\"random\"", "'random' is not one of zero");
  expectError("inputs", R"({"seed": -1})", "inputs.seed: -1 is not");
  expectError("inputs", R"({"std": -1})", "inputs.std: is negative");
  expectError("inputs", R"({"gap_fill": 0})", "inputs.gap_fill: is a number");
  expectError("strides", R"({"p": {"row": 1}})", "strides.p: unknown key");
  expectError("strides", R"({"q": {"column": 1}})",
              "strides.q.column: unknown");
  expectError("strides", R"({"q": {"row": -1}})", "strides.q.row: -1 is not");
  expectError("offset", R"({"q": "1"})", "offset.q: is a string");
  expectError("expect", "[]", "expect: has 0 entries for 1 calls");
  expectError("expect", R"([{"zero_rows": {"q": [[0, 1]]}}])",
              "expect[0].zero_rows.q: unknown key; the keys here are o, dq");
  expectError("expect", R"([{"zero_rows": {"dk": [[1, 1]]}}])", "holds no row");
  expectError("expect", R"([{"zero_rows": {"dk": [1, 2]}}])",
              "zero_rows.dk[0]: is not a pair");
  expectError("expect", R"([{"same_as_call": 0}])", "not an earlier call");
  expectError("expect", R"([{"error": ""}])", "error: is empty");

  EXPECT_NE(parseError("{"), "");
  EXPECT_NE(parseError(""), "");
  EXPECT_NE(parseError("{\"name\": \"\xff\"}"), "");
}

TEST(CaseFile, CallMessages) {
  auto call = [](llvm::StringRef text, llvm::StringRef part) {
    expectError("calls", ("[" + text + "]").str(), part);
  };
  call(R"({"seqlen_q": 4, "seqlen_kv": 4})", "calls[0].batch: is missing");
  call(R"({"batch": 1, "seqlen_q": 4})", "calls[0].seqlen_kv: is missing");
  call(R"({"batch": 1, "seqlen_q": 4, "seqlen_kv": 4, "cu_seqlens_q": [0, 1]})",
       "cu_seqlens_q: is given for layout 'bshd'");
  call(R"({"batch": 1, "seqlen_q": 4, "seqlen_kv": 4, "seqlens_q": [1, 2]})",
       "seqlens_q: is for 2 sequences, but batch says 1");
  call(R"({"batch": 1, "seqlen_q": 4, "seqlen_kv": 4, "seqlens_q": [1.5]})",
       "calls[0].seqlens_q[0]: is not an integer");
  call(R"({"batch": 99999999, "seqlen_q": 4, "seqlen_kv": 4})",
       "batch: 99999999 is not");

  std::string thd = edited("layout", "\"thd\"");
  auto replace = [&](llvm::StringRef calls) {
    size_t begin = thd.find("[{"), end = thd.find("}]") + 2;
    return thd.substr(0, begin).append("[").append(calls).append("]").append(
        thd, end);
  };
  for (auto [calls, part] : {
           std::pair(R"({"cu_seqlens_q": [], "cu_seqlens_kv": [0]})",
                     "cu_seqlens_q: is empty"),
           std::pair(R"({"cu_seqlens_q": [0, 1], "cu_seqlens_kv": [0]})",
                     "cu_seqlens_kv: is for 0 sequences"),
           std::pair(R"({"cu_seqlens_q": [0], "cu_seqlens_kv": [0],
                         "seqlen_q": 1})",
                     "seqlen_q: is given for layout 'thd'"),
           std::pair(R"({"cu_seqlens_q": [0], "cu_seqlens_kv": [0],
                         "cu_seqlens_q_padded": [0, 1]})",
                     "cu_seqlens_q_padded: has 2 entries"),
           std::pair(R"({"cu_seqlens_q": [0], "cu_seqlens_kv": [9999999999]})",
                     "cu_seqlens_kv[0]: 9999999999 is not"),
       })
    EXPECT_NE(parseError(replace(calls)).find(part), std::string::npos)
        << calls << " gave: " << parseError(replace(calls));
}

TEST(CaseFile, WhatTheLibraryRefusesParsesAndDoesNotResolve) {
  auto resolveError = [](llvm::StringRef key, llvm::StringRef value) {
    auto file = CaseFile::parse(edited(key, value));
    if (!file)
      return llvm::toString(file.takeError());
    auto call = resolveCall(*file, 0);
    return call ? "" : llvm::toString(call.takeError());
  };
  EXPECT_EQ(resolveError("head_dim", "100"),
            "head_dim 100 is not a multiple of 8; pad Q, K and V to 104");
  EXPECT_EQ(resolveError("heads_q", "3"),
            "heads_q 3 is not a multiple of heads_kv 2; every key head serves "
            "the same number of query heads");
  EXPECT_EQ(resolveError("calls", R"([{"batch": 1, "seqlen_q": 4,
                                       "seqlen_kv": 4, "seqlens_q": [5]}])"),
            "seqlens_q[0] = 5 is outside [0, seqlen_q = 4]");
  EXPECT_EQ(resolveError("calls", R"([{"batch": 1, "seqlen_q": 4,
                                       "seqlen_kv": 4, "max_seqlen_q": 3}])"),
            "max_seqlen_q 3 is below a sequence's length, 4; give at least "
            "that, or 0 for unknown");
  EXPECT_NE(resolveError("calls", R"([{"batch": 16000000, "seqlen_kv": 1,
                                       "seqlen_q": 2000000000}])"),
            "");
}

TEST(CaseFile, DeepNestingIsRefused) {
  EXPECT_NE(parseError(std::string(1000000, '[')).find("nest deeper"),
            std::string::npos);
  EXPECT_NE(parseError("{\"name\": \"[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[\"}")
                .find("is missing"),
            std::string::npos);
}

TEST(CaseFile, GarbageIsAnErrorNotACrash) {
  std::vector<std::string> texts;
  for (const std::string &path : caseFiles())
    texts.push_back((*llvm::MemoryBuffer::getFile(path))->getBuffer().str());
  std::mt19937 random(3);
  int read = 0, resolved = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text = texts[random() % texts.size()];
    for (int edits = 1 + random() % 3; edits > 0; --edits) {
      size_t at = random() % text.size();
      switch (random() % 4) {
      case 0:
        text[at] = char(random());
        break;
      case 1:
        text.erase(at, 1 + random() % 8);
        break;
      case 2:
        text.insert(at, text.substr(random() % text.size(), random() % 12));
        break;
      case 3:
        text.insert(at, 1, "0123456789-,[]{}\"e."[random() % 19]);
        break;
      }
      if (text.empty())
        text.push_back('{');
    }
    auto file = CaseFile::parse(text);
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    ++read;
    for (size_t n = 0; n < file->calls.size(); ++n) {
      auto call = resolveCall(*file, n);
      if (!call) {
        llvm::consumeError(call.takeError());
        continue;
      }
      ++resolved;
      for (size_t id = 0; id < numTensors; ++id)
        place(*file, *call, TensorId(id)).endBytes();
    }
  }
  // The rounds reached past the parser.
  EXPECT_GT(read, 100);
  EXPECT_GT(resolved, 100);
}
