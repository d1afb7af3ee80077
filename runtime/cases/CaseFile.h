//===- CaseFile.h - One problem as a JSON file ------------------*- C++ -*-===//
//
// A case is one problem with its calls and what is expected of them, most of
// them reduced from a public bug report.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CASES_CASEFILE_H
#define WEFT_RUNTIME_CASES_CASEFILE_H

#include "runtime/spec/AttentionSpec.h"

#include <array>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace weft::cases {

/// The keys of a case file, for people.
inline constexpr char caseFileHelp[] =
    R"(The keys of a case file, with defaults in brackets:

  name, about [""]        identity, and what it guards
  pass                    forward | backward (forward first, then backward
                          with its O and LSE)
  dtype                   f16 | bf16
  heads_q, heads_kv, head_dim, head_dim_v [head_dim]
  layout                  bshd sbhd bhsd thd, or with Q, K and V interleaved
                          in one buffer (gradients too) bs3hd bsh3d sb3hd
                          sbh3d t3hd th3d; or layout_q and layout_kv apart
  mask [none]             {"kind", "left", "right", "constant" [false]}; a
                          bound left out is unlimited; `constant` bounds are
                          compiled into the kernel
  scale [1/sqrt(head_dim)], softcap [none], deterministic [false]
  calls                   run one after the other with one workspace and one
                          set of result buffers, never cleared in between
    batch, seqlen_q, seqlen_kv             batch layouts
    seqlens_q, seqlens_kv                  used lengths below them
    cu_seqlens_q, cu_seqlens_kv            thd: prefix sums of used lengths
    cu_seqlens_q_padded, .._kv_padded      thd: where sequences start
    total_q, total_kv [last padded offset] thd: rows held
    max_seqlen_q, max_seqlen_kv            hints for speed
  inputs                  {"seed" [0], "std" [1], "gap_fill" normal | nan,
                          "o_lse" forward | random,
                          "dout" normal | ones_expanded (all strides 0)}
  strides                 {"q": {"row", "head", "batch"}, ..} in elements;
                          one left out follows from those inside it
  offset                  {"q": n, ..}: elements between the allocation's
                          start and the tensor's
  workspace [nan]         zero | nan | ones: what it and the results hold
                          before the first call
  expect                  one entry per call: {"zero_rows": {"dk": [[from,
                          to], ..]}, "same_as_call": n, "error": text}
)";

enum class Layout {
  BSHD,
  SBHD,
  BHSD,
  THD,
  BS3HD,
  BSH3D,
  SB3HD,
  SBH3D,
  T3HD,
  TH3D
};
inline constexpr std::array<llvm::StringLiteral, 10> layoutNames = {
    "bshd",  "sbhd",  "bhsd",  "thd",  "bs3hd",
    "bsh3d", "sb3hd", "sbh3d", "t3hd", "th3d"};

LayoutClass classOf(Layout layout);
bool isInterleaved(Layout layout);

enum class TensorId { Q, K, V, O, Lse, DO, DQ, DK, DV };
inline constexpr std::array<llvm::StringLiteral, 9> tensorNames = {
    "q", "k", "v", "o", "lse", "do", "dq", "dk", "dv"};
inline constexpr size_t numTensors = tensorNames.size();

inline llvm::StringRef nameOf(TensorId id) { return tensorNames[size_t(id)]; }
/// Whether a tensor has the rows and heads of the query side.
inline bool isQuerySide(TensorId id) {
  return id != TensorId::K && id != TensorId::V && id != TensorId::DK &&
         id != TensorId::DV;
}

/// What one side of a call says. Lists are int32, as on the device.
struct CallSide {
  std::optional<int64_t> seqlen, total, maxSeqlen;
  std::optional<std::vector<int32_t>> seqlens, cuSeqlens, cuSeqlensPadded;
};

struct CaseCall {
  std::optional<int64_t> batch;
  CallSide q, kv;
};

struct TensorStrides {
  std::optional<int64_t> row, head, batch;
};

enum class Fill { Zero, NaN, Ones };
inline constexpr std::array<llvm::StringLiteral, 3> fillNames = {"zero", "nan",
                                                                 "ones"};

struct CaseInputs {
  int64_t seed = 0;
  double std = 1;
  bool nanGaps = false;    ///< gap_fill nan: gap and tail rows of inputs
  bool randomOLse = false; ///< o_lse random: no forward is run
  bool onesDOut = false;   ///< dout ones_expanded
};

/// What one call must show besides results within the number rule.
struct Expectation {
  using RowRange = std::pair<int64_t, int64_t>; ///< [from, to)
  std::map<TensorId, std::vector<RowRange>> zeroRows;
  std::optional<int64_t> sameAsCall;
  std::optional<std::string> error;
};

struct CaseFile {
  std::string name, about;
  PassKind pass = PassKind::Forward;
  DType dtype = DType::BF16;
  int64_t headsQ = 0, headsKv = 0, headDim = 0, headDimV = 0;
  Layout layoutQ = Layout::BSHD, layoutKv = Layout::BSHD;
  MaskKind mask = MaskKind::None;
  std::optional<int64_t> left, right;
  bool constantBounds = false;
  std::optional<double> scale, softcap;
  bool deterministic = false;
  std::vector<CaseCall> calls;
  CaseInputs inputs;
  std::map<TensorId, TensorStrides> strides;
  std::map<TensorId, int64_t> offsets;
  Fill workspace = Fill::NaN;
  std::vector<Expectation> expect; ///< empty, or one per call

  bool isBackward() const { return pass == PassKind::Backward; }
  /// Whether a forward is run (alone, or before the backward).
  bool runsForward() const { return !isBackward() || !inputs.randomOLse; }
  bool isResult(TensorId id) const;
  /// Equal problems give equal bits: a forward, or a deterministic backward.
  bool isReproducible() const { return !isBackward() || deterministic; }
  double scaleValue() const;

  /// Reads and validates the format: unknown keys, wrong types, missing or
  /// contradicting keys and values that no problem can have are errors that
  /// name the key. What a call of the library itself would refuse (head_dim
  /// 100, offsets that decrease) parses: a case may expect that error.
  static llvm::Expected<CaseFile> parse(llvm::StringRef text);
  static llvm::Expected<CaseFile> load(llvm::StringRef path);

  /// The text that `parse` reads back, defaults left out.
  std::string toJson() const;
};

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_CASEFILE_H
