//===- AttentionSpecTest.cpp - Text, canonical form, messages -------------===//

#include "runtime/spec/AttentionSpec.h"

#include <gtest/gtest.h>

using namespace weft;

static std::string roundTrip(llvm::StringRef text) {
  llvm::Expected<AttentionSpec> spec = AttentionSpec::parse(text);
  if (!spec)
    return "error: " + llvm::toString(spec.takeError());
  return spec->str();
}

/// A valid spec plus `rest`.
static std::string with(llvm::StringRef rest) {
  return roundTrip(("forward bf16 head_dim=64 layout=batch " + rest).str());
}

TEST(AttentionSpec, CanonicalTextReadsBack) {
  for (const char *text : {
           "forward bf16 head_dim=64 head_ratio=1 layout=batch",
           "backward f16 head_dim=192 head_dim_v=128 head_ratio=8 layout=thd "
           "padded mask=causal_bottom_right score=softcap align=2 do=scalar "
           "deterministic",
           "backward bf16 head_dim=8 head_ratio=3 layout_q=thd layout_kv=batch "
           "padded_kv mask=sliding_window(left=64,right=?)",
           "forward bf16 head_dim=256 head_ratio=1 layout=batch padded_q "
           "mask=sliding_window_bottom_right(left=?)",
           "forward f16 head_dim=40 head_ratio=1 layout=batch "
           "mask=sliding_window(right=1)",
       })
    EXPECT_EQ(roundTrip(text), text);
}

TEST(AttentionSpec, AnyOrderSpacesAndAliases) {
  EXPECT_EQ(roundTrip("  deterministic layout=th3d mask=sliding_window( right "
                      "= ? , left=0 )\tbackward head_ratio=2 head_dim=8 f16 "),
            "backward f16 head_dim=8 head_ratio=2 layout=thd "
            "mask=sliding_window(left=0,right=?) deterministic");
  EXPECT_EQ(roundTrip("forward f16 head_dim=8 layout_q=t3hd layout_kv=sbhd "
                      "align=16 do=dense score=none mask=none"),
            "forward f16 head_dim=8 head_ratio=1 layout_q=thd layout_kv=batch");
}

TEST(AttentionSpec, EveryForwardIsDeterministic) {
  EXPECT_EQ(with("deterministic"), with(""));
  EXPECT_EQ(roundTrip("backward bf16 head_dim=64 layout=thd deterministic"),
            "backward bf16 head_dim=64 head_ratio=1 layout=thd deterministic");
}

TEST(AttentionSpec, EqualMasksAreEqualSpecs) {
  std::string plain = "forward bf16 head_dim=64 head_ratio=1 layout=batch";
  EXPECT_EQ(with("mask=sliding_window(left=2147483648)"), plain);
  EXPECT_EQ(with("mask=sliding_window(right=0)"), plain + " mask=causal");
  EXPECT_EQ(with("mask=sliding_window_bottom_right(right=0)"),
            plain + " mask=causal_bottom_right");
  EXPECT_EQ(with("mask=sliding_window(right=?)"),
            plain + " mask=sliding_window(right=?)");
  EXPECT_EQ(with("mask=sliding_window(left=0,right=0)"),
            plain + " mask=sliding_window(left=0,right=0)");

  // A distance that reaches every key is no bound.
  EXPECT_EQ(with("mask=sliding_window(left=2147483648,right=0)"),
            plain + " mask=causal");

  // Values that mean nothing do not tell specs apart.
  AttentionSpec a, b;
  a.headDim = b.headDim = a.headDimV = b.headDimV = 64;
  a.mask = b.mask = MaskKind::SlidingWindow;
  a.left = {WindowBound::Kind::RunTime, 7};
  b.left = {WindowBound::Kind::RunTime, 9};
  EXPECT_FALSE(a == b);
  EXPECT_TRUE(a.canonical() == b.canonical());
}

TEST(AttentionSpec, Messages) {
  EXPECT_EQ(
      roundTrip("forward bf16 head_dim=100 layout=batch"),
      "error: head_dim 100 is not a multiple of 8; pad Q, K and V to 104");
  EXPECT_EQ(roundTrip("forward bf16 head_dim=192 head_dim_v=9 layout=thd"),
            "error: head_dim_v 9 is not a multiple of 8; pad V to 16");
  EXPECT_EQ(
      roundTrip("forward bf16 head_dim=264 layout=thd"),
      "error: head_dim 264 is above 256; it is a multiple of 8 from 8 to 256");
  for (auto [rest, part] : {
           std::pair("head_ratio=0", "head_ratio 0 is not a count"),
           std::pair("head_ratio=x", "head_ratio=x is not understood"),
           std::pair("head_ratio=99999999999999999999", "fits 64 bits"),
           std::pair("align=4", "align 4 is not supported"),
           std::pair("do=scalar", "forward pass, which has no dO"),
           std::pair("mask=causal(left=1)", "for a mask without a window"),
           std::pair("mask=sliding_window(left=-1)", "left=-1 is negative"),
           std::pair("mask=sliding_window(left=1", "closed by one )"),
           std::pair("mask=sliding_window(up=1)", "'up=1' is not understood"),
           std::pair("mask=sliding_window(left=1,left=2)",
                     "left is given twice"),
           std::pair("mask=diagonal", "mask=diagonal is not understood"),
           std::pair("score=tanh", "none or softcap"),
           std::pair("do=sparse", "dense or scalar"),
           std::pair("layout_q=thd", "layout_q is given twice"),
           std::pair("padded padded_q", "padded_q is given twice"),
           std::pair("forward", "the pass is given twice"),
           std::pair("f16", "the dtype is given twice"),
           std::pair("heads=4", "unknown key 'heads'"),
           std::pair("fast", "unknown word 'fast'"),
           std::pair("=", "unknown key ''"),
       })
    EXPECT_NE(with(rest).find(part), std::string::npos)
        << rest << " gave: " << with(rest);
  for (auto [text, part] :
       {std::pair("", "the pass is missing"),
        std::pair("forward head_dim=8 layout=thd", "the dtype is missing"),
        std::pair("forward f16 layout=thd", "head_dim is missing"),
        std::pair("forward f16 head_dim=8", "spec: layout is missing"),
        std::pair("forward f16 head_dim=8 layout_kv=thd",
                  "layout_q is missing"),
        std::pair("forward f16 head_dim=8 layout_q=thd",
                  "layout_kv is missing"),
        std::pair("forward f16 head_dim=8 layout=hdt", "layout=hdt")})
    EXPECT_NE(roundTrip(text).find(part), std::string::npos)
        << text << " gave: " << roundTrip(text);
}

TEST(AttentionSpec, SaysWhatWasMeant) {
  auto meant = [](llvm::StringRef text) {
    std::string message = roundTrip(text);
    llvm::StringRef rest = message;
    size_t at = rest.find("; did you mean ");
    return at == llvm::StringRef::npos ? message : rest.substr(at + 15).str();
  };
  for (auto [word, other] :
       {std::pair("fp16", "'f16'?"),
        std::pair("FP16", "'f16'?"),
        std::pair("half", "'f16'?"),
        std::pair("bfloat16", "'bf16'?"),
        std::pair("bf61", "'bf16'?"),
        std::pair("fwd", "'forward'?"),
        std::pair("forwrad", "'forward'?"),
        std::pair("Forward", "'forward'?"),
        std::pair("bwd", "'backward'?"),
        std::pair("paded", "'padded'?"),
        std::pair("determinstic", "'deterministic'?"),
        std::pair("causal", "'mask=causal'?"),
        std::pair("sliding_window(left=3)",
                  "'mask=sliding_window(left=n,right=n)'?"),
        std::pair("thd", "'layout=thd'?"),
        std::pair("head_dim", "'head_dim=128'?"),
        std::pair("head_dims=64", "'head_dim'?"),
        std::pair("layot=thd", "'layout'?"),
        std::pair("heads_ratio=2", "'head_ratio'?"),
        std::pair("layout=bsdh", "'bshd'?"),
        std::pair("mask=casual", "'causal'?")})
    EXPECT_EQ(meant(word), other) << word;
  // What is near to nothing gets no guess.
  EXPECT_EQ(meant("quickly"),
            "error: spec: unknown word 'quickly'; words are forward or "
            "backward, f16 or bf16, padded, padded_q, padded_kv and "
            "deterministic");
}

TEST(AttentionSpec, AWindowHasABound) {
  for (const char *mask : {"sliding_window", "sliding_window()"})
    EXPECT_EQ(with((llvm::Twine("mask=") + mask).str()),
              (llvm::Twine("error: spec: mask=") + mask +
               " has no bound and so masks nothing; give one or both, as in "
               "sliding_window(left=64,right=0), or mask=none")
                  .str());
  EXPECT_NE(with("mask=sliding_window_bottom_right")
                .find("as in sliding_window_bottom_right(left=64,right=0)"),
            std::string::npos);
}

TEST(AttentionSpec, GarbageIsAnErrorNotACrash) {
  // Every prefix and every one-byte change of a spec parses or is refused.
  std::string text = "backward f16 head_dim=8 head_ratio=2 layout=thd padded "
                     "mask=sliding_window(left=0,right=?) deterministic";
  for (size_t i = 0; i < text.size(); ++i) {
    roundTrip(llvm::StringRef(text).take_front(i));
    for (int c = 0; c < 256; c += 3) {
      std::string changed = text;
      changed[i] = char(c);
      llvm::Expected<AttentionSpec> spec = AttentionSpec::parse(changed);
      if (!spec) {
        llvm::consumeError(spec.takeError());
        continue;
      }
      llvm::Expected<AttentionSpec> again = AttentionSpec::parse(spec->str());
      ASSERT_TRUE(bool(again)) << llvm::toString(again.takeError());
      EXPECT_TRUE(*again == *spec) << changed;
    }
  }
}
