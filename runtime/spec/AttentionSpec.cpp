//===- AttentionSpec.cpp - What a kernel is compiled for ------------------===//
//
// Validation, canonical form and the one-line text of a spec.
//
//===----------------------------------------------------------------------===//

#include "runtime/spec/AttentionSpec.h"

#include "runtime/spec/Hint.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static constexpr int64_t maxHeadDim = 256;
/// Head counts are int32 in the kernels.
static constexpr int64_t maxHeadRatio = INT32_MAX;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

//===----------------------------------------------------------------------===//
// Validation
//===----------------------------------------------------------------------===//

/// `operands` are the tensors that have this many columns.
static Error validateHeadDim(StringRef name, int64_t value,
                             StringRef operands) {
  if (value < 1)
    return error(name + " " + Twine(value) +
                 " is not a size; it is a multiple of 8 from 8 to " +
                 Twine(maxHeadDim));
  if (value > maxHeadDim)
    return error(name + " " + Twine(value) + " is above " + Twine(maxHeadDim) +
                 "; it is a multiple of 8 from 8 to " + Twine(maxHeadDim));
  if (value % 8 != 0)
    return error(name + " " + Twine(value) + " is not a multiple of 8; pad " +
                 operands + " to " + Twine((value + 7) / 8 * 8));
  return Error::success();
}

static Error validateBound(StringRef name, const WindowBound &bound,
                           bool hasWindow) {
  if (bound.kind == WindowBound::Kind::Unlimited)
    return Error::success();
  if (!hasWindow)
    return error("a window bound (" + name +
                 ") is given for a mask without a window; use "
                 "mask=sliding_window(..) or sliding_window_bottom_right(..)");
  if (bound.kind == WindowBound::Kind::Constant && bound.value < 0)
    return error("window bound " + name + "=" + Twine(bound.value) +
                 " is negative; it is a distance of at least 0, left out for "
                 "unlimited");
  return Error::success();
}

Error AttentionSpec::validate() const {
  bool same = headDim == headDimV;
  if (Error e =
          validateHeadDim("head_dim", headDim, same ? "Q, K and V" : "Q and K"))
    return e;
  if (Error e = validateHeadDim("head_dim_v", headDimV, "V"))
    return e;
  if (headRatio < 1 || headRatio > maxHeadRatio)
    return error("head_ratio " + Twine(headRatio) +
                 " is not a count of query heads per key head; it is heads_q / "
                 "heads_kv, from 1 to " +
                 Twine(maxHeadRatio));
  if (Error e = validateBound("left", left, hasWindow()))
    return e;
  if (Error e = validateBound("right", right, hasWindow()))
    return e;
  if (align != 16 && align != 2)
    return error("align " + Twine(align) +
                 " is not supported; it is 16 if every row of every tensor is "
                 "aligned to 16 bytes, else 2");
  if (scalarDOut && !isBackward())
    return error("do=scalar is given for a forward pass, which has no dO; "
                 "leave it out");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Canonical form
//===----------------------------------------------------------------------===//

AttentionSpec AttentionSpec::canonical() const {
  using Kind = WindowBound::Kind;
  AttentionSpec spec = *this;
  // A forward adds nothing up in memory: it is, whatever is asked for.
  if (!spec.isBackward())
    spec.deterministic = false;
  for (WindowBound *bound : {&spec.left, &spec.right}) {
    if (bound->kind == Kind::Constant && bound->value >= kFarthestDistance)
      bound->kind = Kind::Unlimited;
    if (bound->kind != Kind::Constant)
      bound->value = 0;
  }
  if (!spec.hasWindow()) {
    spec.left = spec.right = WindowBound();
    return spec;
  }
  if (spec.left.kind != Kind::Unlimited)
    return spec;
  if (spec.right.kind == Kind::Unlimited) {
    spec.mask = MaskKind::None;
  } else if (spec.right == WindowBound{Kind::Constant, 0}) {
    spec.mask = spec.mask == MaskKind::SlidingWindow
                    ? MaskKind::Causal
                    : MaskKind::CausalBottomRight;
    spec.right = WindowBound();
  }
  return spec;
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static StringRef maskName(MaskKind kind) {
  switch (kind) {
  case MaskKind::None:
    return "none";
  case MaskKind::Causal:
    return "causal";
  case MaskKind::CausalBottomRight:
    return "causal_bottom_right";
  case MaskKind::SlidingWindow:
    return "sliding_window";
  case MaskKind::SlidingWindowBottomRight:
    return "sliding_window_bottom_right";
  }
  return "none";
}

static StringRef layoutName(LayoutClass layout) {
  return layout == LayoutClass::Thd ? "thd" : "batch";
}

std::string AttentionSpec::str() const {
  AttentionSpec spec = canonical();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (spec.isBackward() ? "backward" : "forward")
     << (spec.dtype == DType::F16 ? " f16" : " bf16")
     << " head_dim=" << spec.headDim;
  if (spec.headDimV != spec.headDim)
    os << " head_dim_v=" << spec.headDimV;
  os << " head_ratio=" << spec.headRatio;
  if (spec.q.layout == spec.kv.layout)
    os << " layout=" << layoutName(spec.q.layout);
  else
    os << " layout_q=" << layoutName(spec.q.layout)
       << " layout_kv=" << layoutName(spec.kv.layout);
  if (spec.q.padded && spec.kv.padded)
    os << " padded";
  else if (spec.q.padded)
    os << " padded_q";
  else if (spec.kv.padded)
    os << " padded_kv";
  if (spec.mask != MaskKind::None)
    os << " mask=" << maskName(spec.mask);
  if (spec.hasWindow()) {
    llvm::ListSeparator comma(",");
    os << '(';
    auto print = [&](StringRef name, const WindowBound &bound) {
      if (bound.kind == WindowBound::Kind::Unlimited)
        return;
      os << comma << name << '=';
      if (bound.kind == WindowBound::Kind::RunTime)
        os << '?';
      else
        os << bound.value;
    };
    print("left", spec.left);
    print("right", spec.right);
    os << ')';
  }
  if (spec.score == ScoreKind::Softcap)
    os << " score=softcap";
  if (spec.align != 16)
    os << " align=" << spec.align;
  if (spec.scalarDOut)
    os << " do=scalar";
  if (spec.deterministic)
    os << " deterministic";
  return text;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
/// Reads one spec. Each `parse*` takes the text after `key=`.
class SpecParser {
public:
  Expected<AttentionSpec> run(StringRef text);

private:
  Error parseWord(StringRef word);
  Error parseFlag(StringRef word);
  Error parseKey(StringRef key, StringRef value);
  Error parseMask(StringRef value);
  Error parseBounds(StringRef list);
  Error claim(StringRef what);

  AttentionSpec spec;
  llvm::StringSet<> seen;
};
} // namespace

static Error badValue(StringRef key, StringRef given, StringRef allowed,
                      llvm::ArrayRef<StringRef> words = {}) {
  return error(Twine("spec: ") + key + "=" + given + " is not understood; " +
               key + " is " + allowed + hint(given, words));
}

/// Words of other libraries, and values without their key, as a spec says them.
static StringRef otherName(StringRef word) {
  return llvm::StringSwitch<StringRef>(word)
      .CasesLower({"fp16", "float16", "half"}, "f16")
      .CasesLower({"bfloat16", "b16"}, "bf16")
      .CasesLower({"fwd", "fprop"}, "forward")
      .CasesLower({"bwd", "bprop"}, "backward")
      .Cases({"causal", "causal_bottom_right"}, "mask=causal")
      .StartsWith("sliding_window", "mask=sliding_window(left=n,right=n)")
      .Case("softcap", "score=softcap")
      .Cases({"thd", "t3hd", "th3d"}, "layout=thd")
      .Cases({"batch", "bshd", "sbhd", "bhsd"}, "layout=batch")
      .Case("head_dim", "head_dim=128")
      .Case("head_dim_v", "head_dim_v=64")
      .Case("head_ratio", "head_ratio=4")
      .Case("layout", "layout=thd")
      .Case("layout_q", "layout_q=thd")
      .Case("layout_kv", "layout_kv=thd")
      .Case("mask", "mask=causal")
      .Default("");
}

static Error parseInteger(StringRef key, StringRef value, int64_t &result) {
  if (value.getAsInteger(10, result))
    return badValue(key, value, "a decimal integer that fits 64 bits");
  return Error::success();
}

static Error parseLayout(StringRef key, StringRef value, LayoutClass &layout) {
  int kind = llvm::StringSwitch<int>(value)
                 .Cases({"batch", "bshd", "sbhd", "bhsd"}, 0)
                 .Cases({"bs3hd", "bsh3d", "sb3hd", "sbh3d"}, 0)
                 .Cases({"thd", "t3hd", "th3d"}, 1)
                 .Default(-1);
  if (kind < 0)
    return badValue(key, value,
                    "batch (or bshd, sbhd, bhsd, bs3hd, bsh3d, sb3hd, sbh3d) "
                    "or thd (or t3hd, th3d)",
                    {"batch", "bshd", "sbhd", "bhsd", "bs3hd", "bsh3d", "sb3hd",
                     "sbh3d", "thd", "t3hd", "th3d"});
  layout = kind == 1 ? LayoutClass::Thd : LayoutClass::Batch;
  return Error::success();
}

/// Two words that say the same thing (`padded` and `padded_q`, `layout` and
/// `layout_kv`) are an error, even if they agree.
Error SpecParser::claim(StringRef what) {
  if (seen.insert(what).second)
    return Error::success();
  return error(Twine("spec: ") + what + " is given twice; give it once");
}

Error SpecParser::parseBounds(StringRef list) {
  while (!list.empty()) {
    auto [item, rest] = list.split(',');
    list = rest;
    auto [name, value] = item.split('=');
    name = name.trim();
    value = value.trim();
    if (name != "left" && name != "right")
      return error("spec: window bound '" + item.trim() +
                   "' is not understood; bounds are left=n and right=n, ? for "
                   "a run-time value, left out for unlimited");
    if (Error e = claim(name))
      return e;
    WindowBound &bound = name == "left" ? spec.left : spec.right;
    if (value == "?") {
      bound.kind = WindowBound::Kind::RunTime;
      continue;
    }
    bound.kind = WindowBound::Kind::Constant;
    if (Error e = parseInteger(name, value, bound.value))
      return e;
  }
  return Error::success();
}

Error SpecParser::parseMask(StringRef value) {
  StringRef name = value.take_until([](char c) { return c == '('; });
  StringRef bounds = value.drop_front(name.size());
  int kind = llvm::StringSwitch<int>(name)
                 .Case("none", int(MaskKind::None))
                 .Case("causal", int(MaskKind::Causal))
                 .Case("causal_bottom_right", int(MaskKind::CausalBottomRight))
                 .Case("sliding_window", int(MaskKind::SlidingWindow))
                 .Case("sliding_window_bottom_right",
                       int(MaskKind::SlidingWindowBottomRight))
                 .Default(-1);
  if (kind < 0)
    return badValue("mask", value,
                    "none, causal, causal_bottom_right, "
                    "sliding_window(left=n,right=n) or "
                    "sliding_window_bottom_right(left=n,right=n)",
                    {"none", "causal", "causal_bottom_right", "sliding_window",
                     "sliding_window_bottom_right"});
  spec.mask = MaskKind(kind);
  if (!bounds.empty()) {
    if (!bounds.consume_front("(") || !bounds.consume_back(")"))
      return badValue("mask", value, "closed by one ) at its end");
    if (Error e = parseBounds(bounds))
      return e;
  }
  // Legal as fields, where a bound may come to be unlimited; in a line that
  // somebody wrote it is a mistake.
  if (spec.hasWindow() && !seen.contains("left") && !seen.contains("right"))
    return error(
        "spec: mask=" + value +
        " has no bound and so masks nothing; give one or both, as in " + name +
        "(left=64,right=0), or mask=none");
  return Error::success();
}

Error SpecParser::parseKey(StringRef key, StringRef value) {
  if (key == "layout") {
    for (StringRef side : {"layout_q", "layout_kv"})
      if (Error e = claim(side))
        return e;
    if (Error e = parseLayout(key, value, spec.q.layout))
      return e;
    spec.kv.layout = spec.q.layout;
    return Error::success();
  }
  if (Error e = claim(key))
    return e;
  if (key == "head_dim")
    return parseInteger(key, value, spec.headDim);
  if (key == "head_dim_v")
    return parseInteger(key, value, spec.headDimV);
  if (key == "head_ratio")
    return parseInteger(key, value, spec.headRatio);
  if (key == "layout_q")
    return parseLayout(key, value, spec.q.layout);
  if (key == "layout_kv")
    return parseLayout(key, value, spec.kv.layout);
  if (key == "mask")
    return parseMask(value);
  if (key == "align")
    return parseInteger(key, value, spec.align);
  if (key == "score") {
    if (value != "none" && value != "softcap")
      return badValue(key, value, "none or softcap");
    spec.score = value == "softcap" ? ScoreKind::Softcap : ScoreKind::None;
    return Error::success();
  }
  if (key == "do") {
    if (value != "dense" && value != "scalar")
      return badValue(key, value, "dense or scalar");
    spec.scalarDOut = value == "scalar";
    return Error::success();
  }
  return error(
      Twine("spec: unknown key '") + key +
      "'; keys are head_dim, head_dim_v, head_ratio, layout, "
      "layout_q, layout_kv, mask, score, align and do" +
      hint(key, {"head_dim", "head_dim_v", "head_ratio", "layout", "layout_q",
                 "layout_kv", "mask", "score", "align", "do"}));
}

Error SpecParser::parseFlag(StringRef word) {
  if (word == "forward" || word == "backward") {
    spec.pass = word == "forward" ? PassKind::Forward : PassKind::Backward;
    return claim("the pass");
  }
  if (word == "f16" || word == "bf16") {
    spec.dtype = word == "f16" ? DType::F16 : DType::BF16;
    return claim("the dtype");
  }
  if (word == "deterministic") {
    spec.deterministic = true;
    return claim(word);
  }
  if (word == "padded") {
    spec.q.padded = spec.kv.padded = true;
    if (Error e = claim("padded_q"))
      return e;
    return claim("padded_kv");
  }
  if (word == "padded_q") {
    spec.q.padded = true;
    return claim(word);
  }
  if (word == "padded_kv") {
    spec.kv.padded = true;
    return claim(word);
  }
  std::string meant =
      hint(word, {"forward", "backward", "f16", "bf16", "padded", "padded_q",
                  "padded_kv", "deterministic"});
  if (StringRef other = otherName(word); !other.empty())
    meant = ("; did you mean '" + other + "'?").str();
  return error(Twine("spec: unknown word '") + word +
               "'; words are forward or backward, f16 or bf16, padded, "
               "padded_q, padded_kv and deterministic" +
               meant);
}

Error SpecParser::parseWord(StringRef word) {
  size_t equals = word.find_first_of("=(");
  if (equals == StringRef::npos || word[equals] == '(')
    return parseFlag(word);
  return parseKey(word.take_front(equals), word.drop_front(equals + 1));
}

Expected<AttentionSpec> SpecParser::run(StringRef text) {
  // A word ends at white space outside parentheses.
  size_t begin = 0;
  bool inside = false;
  for (size_t i = 0; i <= text.size(); ++i) {
    char c = i < text.size() ? text[i] : ' ';
    if (c == '(')
      inside = true;
    if (c == ')')
      inside = false;
    if (i < text.size() && (inside || !llvm::isSpace(c)))
      continue;
    StringRef word = text.slice(begin, i);
    begin = i + 1;
    if (word.empty())
      continue;
    if (Error e = parseWord(word))
      return e;
  }
  bool noLayout = !seen.contains("layout_q") && !seen.contains("layout_kv");
  for (StringRef needed :
       {"the pass", "the dtype", "head_dim", "layout_q", "layout_kv"})
    if (!seen.contains(needed))
      return error(
          "spec: " + (noLayout && needed == "layout_q" ? "layout" : needed) +
          Twine(" is missing; the least a spec says is, as an "
                "example, 'forward bf16 head_dim=128 layout=batch'"));
  if (!seen.contains("head_dim_v"))
    spec.headDimV = spec.headDim;
  if (Error e = spec.validate())
    return e;
  return spec.canonical();
}

Expected<AttentionSpec> AttentionSpec::parse(StringRef text) {
  return SpecParser().run(text);
}
