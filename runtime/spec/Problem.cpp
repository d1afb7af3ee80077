//===- Problem.cpp - The run-time values of one call ----------------------===//
//
// Derived facts, and the checks of one call that need no device memory.
//
//===----------------------------------------------------------------------===//

#include "runtime/spec/Problem.h"

#include "runtime/spec/Overlap.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>

using namespace weft;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

static constexpr int64_t maxInt32 = std::numeric_limits<int32_t>::max();

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

namespace {
/// One tensor of a call with what the spec says about it.
struct Tensor {
  StringRef name;
  const TensorView *view;
  const SideSizes *side;
  LayoutClass layout;
  int64_t columns;      ///< 1 for LSE
  int64_t elementBytes; ///< 4 for LSE, else 2
  bool result;

  bool isLse() const { return elementBytes == 4; }
  bool batched() const { return layout == LayoutClass::Batch; }
  int64_t batches(int64_t batch) const { return batched() ? batch : 1; }
  int64_t rows() const { return batched() ? side->seqlen : side->rows; }
  bool empty(int64_t batch) const {
    return batches(batch) == 0 || rows() == 0 || side->heads == 0;
  }
};
} // namespace

using Tensors = llvm::SmallVector<Tensor, 9>;

/// The tensors of the pass, inputs first.
static Tensors tensorsOf(const Problem &problem, const AttentionSpec &spec) {
  Tensors tensors;
  auto add = [&](StringRef name, const TensorView &view, bool isQuery,
                 int64_t columns, bool result, int64_t bytes = 2) {
    tensors.push_back({name, &view, isQuery ? &problem.q : &problem.kv,
                       isQuery ? spec.q.layout : spec.kv.layout, columns, bytes,
                       result});
  };
  bool backward = spec.isBackward();
  add("q", problem.query, true, spec.headDim, false);
  add("k", problem.key, false, spec.headDim, false);
  add("v", problem.value, false, spec.headDimV, false);
  add("o", problem.out, true, spec.headDimV, !backward);
  add("lse", problem.lse, true, 1, !backward, 4);
  if (backward) {
    add("do", problem.dOut, true, spec.headDimV, false);
    add("dq", problem.dQuery, true, spec.headDim, true);
    add("dk", problem.dKey, false, spec.headDim, true);
    add("dv", problem.dValue, false, spec.headDimV, true);
  }
  return tensors;
}

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

/// Whether every row of the tensor starts at a multiple of 16 bytes. A stride
/// counts only if the tensor has more than one step of it.
static bool rowsAligned16(const Tensor &tensor, int64_t batch) {
  if (tensor.empty(batch))
    return true;
  const TensorView &view = *tensor.view;
  auto aligned = [&](int64_t stride, int64_t extent) {
    return extent < 2 || stride % (16 / tensor.elementBytes) == 0;
  };
  return reinterpret_cast<uintptr_t>(view.data) % 16 == 0 &&
         aligned(view.batchStride, tensor.batches(batch)) &&
         aligned(view.rowStride, tensor.rows()) &&
         aligned(view.headStride, tensor.side->heads);
}

/// The bytes to which all rows of all tensors are aligned: 16 or 2.
static int64_t alignmentOf(const Tensors &tensors, int64_t batch,
                           bool scalarDOut) {
  for (const Tensor &tensor : tensors) {
    // LSE has no columns, and a scalar dO is one element: neither is ever read
    // in pieces of 16 bytes.
    if (tensor.isLse() || (scalarDOut && tensor.name == "do"))
      continue;
    if (!rowsAligned16(tensor, batch))
      return 2;
  }
  return 16;
}

void weft::deriveFacts(const Problem &problem, AttentionSpec &spec) {
  spec.scalarDOut = spec.isBackward() && problem.dOut.columnStride == 0;
  spec.align =
      alignmentOf(tensorsOf(problem, spec), problem.batch, spec.scalarDOut);
}

//===----------------------------------------------------------------------===//
// Counts and lists
//===----------------------------------------------------------------------===//

static Error checkCount(const Twine &name, int64_t value, int64_t least = 0) {
  if (value < least || value > maxInt32)
    return error(name + " " + Twine(value) + " is outside [" + Twine(least) +
                 ", " + Twine(maxInt32) + "]");
  return Error::success();
}

/// A list that the spec calls for is given, and no other.
static Error checkList(const Twine &name, const int32_t *list, bool wanted,
                       bool mayBeNull, const Twine &entries,
                       const Twine &whenUnwanted) {
  if (!wanted && list)
    return error(name + " is given, but " + whenUnwanted);
  if (wanted && !list && !mayBeNull)
    return error(name + " is null; give " + entries + " int32 values");
  if (reinterpret_cast<uintptr_t>(list) % 4 != 0)
    return error(name + " is not aligned to 4 bytes; int32 lists are");
  return Error::success();
}

static Error checkSide(const SideSizes &side, SideLayout layout, int64_t batch,
                       StringRef suffix) {
  if (Error e = checkCount("heads_" + suffix, side.heads, 1))
    return e;
  if (Error e = checkCount("max_seqlen_" + suffix, side.maxSeqlen))
    return e;
  bool thd = layout.layout == LayoutClass::Thd;
  if (thd) {
    if (Error e = checkCount("total_" + suffix, side.rows))
      return e;
  } else {
    if (Error e = checkCount("seqlen_" + suffix, side.seqlen))
      return e;
    if (side.rows != batch * side.seqlen)
      return error("the rows held on the " + suffix + " side are " +
                   Twine(side.rows) + "; a batch layout holds batch * seqlen_" +
                   suffix + " = " + Twine(batch * side.seqlen));
  }
  bool noEntries = batch == 0 && side.rows == 0;
  if (Error e = checkList("cu_seqlens_" + suffix, side.cuSeqlens, thd,
                          noEntries, "batch + 1 = " + Twine(batch + 1),
                          "the " + suffix + " side has a batch layout"))
    return e;
  if (Error e = checkList(
          "cu_seqlens_" + suffix + "_padded", side.cuSeqlensPadded,
          thd && layout.padded, noEntries, "batch + 1 = " + Twine(batch + 1),
          "the spec has no padded offsets on the " + suffix +
              " side; use padded_" + suffix + " with a thd layout"))
    return e;
  return checkList("seqlens_" + suffix, side.seqlens, !thd && layout.padded,
                   batch == 0, "batch = " + Twine(batch),
                   "the spec has no used lengths on the " + suffix +
                       " side; use padded_" + suffix + " with a batch layout");
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

static Error checkScalarDOut(const Tensor &tensor, int64_t batch) {
  const TensorView &view = *tensor.view;
  if ((tensor.batches(batch) > 1 && view.batchStride != 0) ||
      (tensor.rows() > 1 && view.rowStride != 0) ||
      (tensor.side->heads > 1 && view.headStride != 0))
    return error("do has a column stride of 0 and others that are not; either "
                 "all strides of dO are 0, or its head dim is contiguous "
                 "(column stride 1): copy it to a dense tensor");
  return Error::success();
}

static ByteSet bytesOf(const Tensor &tensor, int64_t batch) {
  const TensorView &view = *tensor.view;
  ByteSet set;
  set.base = reinterpret_cast<uintptr_t>(view.data);
  set.run = tensor.elementBytes * (view.columnStride == 0 ? 1 : tensor.columns);
  auto add = [&](int64_t extent, int64_t stride) {
    if (extent != 1)
      set.dims.push_back({extent, stride * tensor.elementBytes});
  };
  add(tensor.batches(batch), view.batchStride);
  add(tensor.rows(), view.rowStride);
  add(tensor.side->heads, view.headStride);
  return set;
}

static Error checkTensor(const Tensor &tensor, const Problem &problem,
                         const AttentionSpec &spec) {
  const TensorView &view = *tensor.view;
  StringRef name = tensor.name;
  // An empty tensor is never addressed: its pointer and strides are free.
  if (tensor.empty(problem.batch))
    return Error::success();
  if (!view.data)
    return error(name + " is null and has " +
                 Twine(tensor.batches(problem.batch)) + " x " +
                 Twine(tensor.rows()) + " rows; give its address");
  uintptr_t address = reinterpret_cast<uintptr_t>(view.data);
  if (address % tensor.elementBytes != 0)
    return error(name + " starts at an address that is not a multiple of its " +
                 Twine(tensor.elementBytes) + "-byte elements");
  for (auto [what, stride] :
       {std::pair("batch", view.batchStride), std::pair("row", view.rowStride),
        std::pair("head", view.headStride)})
    if (stride < 0 || stride > std::numeric_limits<int64_t>::max() / 8)
      return error(name + " has " + what + " stride " + Twine(stride) +
                   "; strides count elements, at least 0 and below 2^60");
  bool scalar = name == "do" && spec.scalarDOut;
  if (scalar) {
    if (Error e = checkScalarDOut(tensor, problem.batch))
      return e;
  } else if (!tensor.isLse() && view.columnStride != 1) {
    return error(name + " has column stride " + Twine(view.columnStride) +
                 "; the head dim is contiguous (stride 1): copy " + name +
                 " to such a tensor");
  }
  std::optional<int64_t> span = bytesOf(tensor, problem.batch).span();
  if (!span || uint64_t(*span) > std::numeric_limits<uint64_t>::max() - address)
    return error(name + " reaches past the end of the address space; check its "
                        "strides and sizes");
  return Error::success();
}

static Error checkDOutKind(const Problem &problem, const AttentionSpec &spec) {
  bool scalar = spec.isBackward() && problem.dOut.columnStride == 0;
  if (scalar == spec.scalarDOut)
    return Error::success();
  if (scalar)
    return error("dO has a column stride of 0; compile the spec with "
                 "do=scalar, or copy dO to a dense tensor");
  return error("the spec says do=scalar, but dO has column stride " +
               Twine(problem.dOut.columnStride) +
               "; use do=dense, or give dO with all strides 0");
}

/// Claiming less alignment than there is is legal.
static Error checkAlignment(const Tensors &tensors, int64_t batch,
                            const AttentionSpec &spec) {
  if (alignmentOf(tensors, batch, spec.scalarDOut) >= spec.align)
    return Error::success();
  return error("the spec says align=16, but a tensor has an address or a "
               "stride that is not a multiple of 16 bytes; compile the spec "
               "with align=2, or align the tensors");
}

//===----------------------------------------------------------------------===//
// Overlap
//===----------------------------------------------------------------------===//

namespace {
/// Memory that a call reads or writes.
struct Region {
  Region(StringRef name, ByteSet given, bool written)
      : name(name), bytes(std::move(given)), begin(bytes.base),
        end(begin + uint64_t(*bytes.span())), written(written) {}

  bool empty() const { return begin == end; }

  StringRef name;
  ByteSet bytes;
  uint64_t begin, end; ///< of the first byte, and behind the last
  bool written;
};
} // namespace

static ByteSet contiguous(const void *data, int64_t bytes) {
  ByteSet set;
  set.base = reinterpret_cast<uintptr_t>(data);
  set.run = data ? bytes : 0;
  return set;
}

static Error checkOverlap(const Tensors &tensors, const Problem &problem) {
  llvm::SmallVector<Region, 16> regions;
  for (const Tensor &tensor : tensors)
    regions.emplace_back(tensor.name, bytesOf(tensor, problem.batch),
                         tensor.result);
  auto addList = [&](StringRef name, const int32_t *data, int64_t count) {
    if (data)
      regions.emplace_back(name, contiguous(data, count * sizeof(int32_t)),
                           false);
  };
  int64_t batch = problem.batch;
  addList("cu_seqlens_q", problem.q.cuSeqlens, batch + 1);
  addList("cu_seqlens_q_padded", problem.q.cuSeqlensPadded, batch + 1);
  addList("seqlens_q", problem.q.seqlens, batch);
  addList("cu_seqlens_kv", problem.kv.cuSeqlens, batch + 1);
  addList("cu_seqlens_kv_padded", problem.kv.cuSeqlensPadded, batch + 1);
  addList("seqlens_kv", problem.kv.seqlens, batch);
  // Nobody has as much as the most that can be asked about.
  regions.emplace_back(
      "the workspace",
      contiguous(problem.workspace,
                 std::min(problem.workspaceBytes, int64_t(1) << 61)),
      true);

  for (size_t i = 0; i < regions.size(); ++i) {
    const Region &a = regions[i];
    if (a.empty())
      continue;
    if (a.written)
      switch (overlapsItself(a.bytes)) {
      case Overlap::No:
        break;
      case Overlap::Yes:
        return error(a.name + " overlaps itself: two of its elements share an "
                              "address; give results strides without overlap");
      case Overlap::Unknown:
        return error("the strides of " + a.name +
                     " are too irregular to tell whether its elements share "
                     "an address; give it strides that nest");
      }
    for (const Region &b : llvm::ArrayRef(regions).drop_front(i + 1)) {
      if (!(a.written || b.written) || b.empty() || a.end <= b.begin ||
          b.end <= a.begin)
        continue;
      switch (overlap(a.bytes, b.bytes)) {
      case Overlap::No:
        break;
      case Overlap::Yes:
        return error(a.name + " and " + b.name +
                     " overlap: an element of one shares an address with one "
                     "of the other; give " +
                     (b.written ? b.name : a.name) + " memory of its own");
      case Overlap::Unknown:
        return error("the strides of " + a.name + " and " + b.name +
                     " are too irregular to tell whether they overlap; give " +
                     (b.written ? b.name : a.name) + " memory of its own");
      }
    }
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The whole call
//===----------------------------------------------------------------------===//

static std::string text(double value) {
  std::string result;
  llvm::raw_string_ostream(result) << llvm::format("%g", value);
  return result;
}

static Error checkNumbers(const Problem &problem, const AttentionSpec &spec) {
  if (!std::isfinite(problem.scale))
    return error("scale " + text(problem.scale) +
                 " is not a finite number; any finite scale is allowed, zero "
                 "and negative included");
  if (!std::isfinite(float(problem.scale)))
    return error("scale " + text(problem.scale) +
                 " is beyond the range of f32, in which scores are computed");
  if (spec.score == ScoreKind::Softcap &&
      !(problem.softcap > 0 && std::isfinite(float(problem.softcap)) &&
        float(problem.softcap) > 0))
    return error("softcap " + text(problem.softcap) +
                 " is not a positive f32 number");
  for (auto [name, bound, value] :
       {std::tuple("window_left", &spec.left, problem.windowLeft),
        std::tuple("window_right", &spec.right, problem.windowRight)})
    if (bound->kind == WindowBound::Kind::RunTime && value < 0)
      return error(Twine(name) + " " + Twine(value) +
                   " is negative; it is a distance of at least 0, left out of "
                   "the spec for unlimited");
  return Error::success();
}

Error weft::checkProblem(const Problem &problem, const AttentionSpec &spec) {
  if (Error e = checkCount("batch", problem.batch))
    return e;
  if (Error e = checkSide(problem.q, spec.q, problem.batch, "q"))
    return e;
  if (Error e = checkSide(problem.kv, spec.kv, problem.batch, "kv"))
    return e;
  if (problem.q.heads % spec.headRatio != 0 ||
      problem.q.heads / spec.headRatio != problem.kv.heads)
    return error("heads_q " + Twine(problem.q.heads) + " and heads_kv " +
                 Twine(problem.kv.heads) +
                 " do not fit the spec's head_ratio " + Twine(spec.headRatio) +
                 "; heads_q is heads_kv * head_ratio");
  if (Error e = checkNumbers(problem, spec))
    return e;
  if (Error e = checkDOutKind(problem, spec))
    return e;
  Tensors tensors = tensorsOf(problem, spec);
  for (const Tensor &tensor : tensors)
    if (Error e = checkTensor(tensor, problem, spec))
      return e;
  if (Error e = checkAlignment(tensors, problem.batch, spec))
    return e;
  if (problem.workspaceBytes < 0)
    return error("the workspace has " + Twine(problem.workspaceBytes) +
                 " bytes; give 0 or more");
  return checkOverlap(tensors, problem);
}
