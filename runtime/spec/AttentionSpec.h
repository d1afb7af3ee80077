//===- AttentionSpec.h - What a kernel is compiled for ----------*- C++ -*-===//
//
// The compile-time description of one attention problem. Everything a kernel is
// specialised on is here and nothing else is: sizes, strides, offsets, scale
// and (unless constant) window bounds stay run-time values. A leaf: no MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_SPEC_ATTENTIONSPEC_H
#define WEFT_RUNTIME_SPEC_ATTENTIONSPEC_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace weft {

enum class PassKind { Forward, Backward };
enum class DType { F16, BF16 };

/// How one side (queries, or keys and values) lays its rows out. Strides are
/// run-time values, so bshd, sbhd, bhsd and the interleaved forms of a batch
/// layout are one class, and thd, t3hd, th3d are the other.
enum class LayoutClass { Batch, Thd };

/// The layout facts of one side that a kernel is specialised on.
struct SideLayout {
  LayoutClass layout = LayoutClass::Batch;
  /// Batch: used lengths per sequence are given (rows past them are padding).
  /// Thd: sequences start at padded offsets of their own (gaps between them).
  bool padded = false;
  bool operator==(const SideLayout &) const = default;
};

enum class MaskKind {
  None,
  Causal,                   ///< j <= i
  CausalBottomRight,        ///< j <= i + n_k - n_q
  SlidingWindow,            ///< i - left <= j <= i + right
  SlidingWindowBottomRight, ///< the same with i + n_k - n_q
};

/// One bound of a sliding window: an inclusive distance of at least 0.
struct WindowBound {
  enum class Kind { Unlimited, RunTime, Constant } kind = Kind::Unlimited;
  int64_t value = 0; ///< for Constant
  bool operator==(const WindowBound &) const = default;
};

/// Distances from here on reach every key: sequences have fewer rows. Kernels
/// get no larger one, so that a mask's i64 sums cannot overflow.
inline constexpr int64_t kFarthestDistance = int64_t(1) << 31;

enum class ScoreKind {
  None,
  Softcap, ///< s -> cap * tanh(s / cap); cap is a run-time value
};

/// Canonical text (`print`), keys in this order, defaults left out except dims:
///   forward|backward f16|bf16 head_dim=128 [head_dim_v=64] head_ratio=4
///   layout=batch|thd (or layout_q=.. layout_kv=..) [padded | padded_q |
///   padded_kv] [mask=causal|causal_bottom_right|
///   sliding_window(left=64,right=?)|sliding_window_bottom_right(..)]
///   [score=softcap] [align=2] [do=scalar] [deterministic]
/// `?` is a run-time bound; a bound left out is unlimited.
struct AttentionSpec {
  PassKind pass = PassKind::Forward;
  DType dtype = DType::BF16;
  int64_t headDim = 0;   ///< of Q and K; a multiple of 8 in [8, 256]
  int64_t headDimV = 0;  ///< of V and O; a multiple of 8 in [8, 256]
  int64_t headRatio = 1; ///< query heads per key head, at least 1
  SideLayout q, kv;
  MaskKind mask = MaskKind::None;
  WindowBound left, right;
  ScoreKind score = ScoreKind::None;
  /// Bytes to which every row of every tensor of the problem is aligned: 16
  /// (bases and strides), else 2 (a slower path).
  int64_t align = 16;
  /// Backward: dO is one element seen through strides that are all zero.
  bool scalarDOut = false;
  bool deterministic = false;

  bool operator==(const AttentionSpec &) const = default;

  bool isBackward() const { return pass == PassKind::Backward; }
  bool hasWindow() const {
    return mask == MaskKind::SlidingWindow ||
           mask == MaskKind::SlidingWindowBottomRight;
  }

  /// Checks every field; the message says what was given, what is allowed and
  /// what to do.
  llvm::Error validate() const;

  /// Brings equal problems to equal specs: a window without bounds is `none`,
  /// one with only right = 0 constant is causal, and so on. Assumes validity.
  AttentionSpec canonical() const;

  /// The canonical one-line text, which `parse` reads back.
  std::string str() const;

  /// Reads the one-line syntax, in any key order, with the layout names of the
  /// case files (bshd, sbhd, bhsd, bs3hd, ..) as aliases of their class.
  /// Validated and canonical on success.
  static llvm::Expected<AttentionSpec> parse(llvm::StringRef text);
};

} // namespace weft

#endif // WEFT_RUNTIME_SPEC_ATTENTIONSPEC_H
