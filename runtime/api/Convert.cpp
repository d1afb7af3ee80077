//===- Convert.cpp - The C structs as the library's own types -------------===//

#include "runtime/api/Convert.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace weft {

// The C enumerators count as the C++ ones do.
static_assert(int(PassKind::Backward) == WEFT_BACKWARD);
static_assert(int(DType::F16) == WEFT_F16 && int(DType::BF16) == WEFT_BF16);
static_assert(int(LayoutClass::Thd) == WEFT_LAYOUT_THD);
static_assert(int(MaskKind::None) == WEFT_MASK_NONE &&
              int(MaskKind::Causal) == WEFT_MASK_CAUSAL &&
              int(MaskKind::CausalBottomRight) ==
                  WEFT_MASK_CAUSAL_BOTTOM_RIGHT &&
              int(MaskKind::SlidingWindow) == WEFT_MASK_SLIDING_WINDOW &&
              int(MaskKind::SlidingWindowBottomRight) ==
                  WEFT_MASK_SLIDING_WINDOW_BOTTOM_RIGHT);
static_assert(int(WindowBound::Kind::RunTime) == WEFT_BOUND_RUN_TIME &&
              int(WindowBound::Kind::Constant) == WEFT_BOUND_CONSTANT);
static_assert(int(ScoreKind::Softcap) == WEFT_SCORE_SOFTCAP);

// `value` as an enumerator of 0 to `last`.
template <typename Enum>
static Error readEnum(int32_t value, Enum last, StringRef name, Enum &to) {
  if (value < 0 || value > int32_t(last))
    return createStringError("weft_spec." + name + " is " + Twine(value) +
                             "; it is one of the enumerators 0 to " +
                             Twine(int32_t(last)));
  to = Enum(value);
  return Error::success();
}

Expected<AttentionSpec> specFromFields(const weft_spec &fields) {
  AttentionSpec spec;
  Error error = readEnum(fields.pass, PassKind::Backward, "pass", spec.pass);
  auto read = [&](int32_t value, auto last, StringRef name, auto &to) {
    if (!error)
      error = readEnum(value, last, name, to);
  };
  read(fields.dtype, DType::BF16, "dtype", spec.dtype);
  read(fields.layout_q, LayoutClass::Thd, "layout_q", spec.q.layout);
  read(fields.layout_kv, LayoutClass::Thd, "layout_kv", spec.kv.layout);
  read(fields.mask, MaskKind::SlidingWindowBottomRight, "mask", spec.mask);
  read(fields.left_kind, WindowBound::Kind::Constant, "left_kind",
       spec.left.kind);
  read(fields.right_kind, WindowBound::Kind::Constant, "right_kind",
       spec.right.kind);
  read(fields.score, ScoreKind::Softcap, "score", spec.score);
  if (error)
    return error;

  spec.headDim = fields.head_dim;
  spec.headDimV = fields.head_dim_v ? fields.head_dim_v : fields.head_dim;
  spec.headRatio = fields.head_ratio;
  spec.q.padded = fields.padded_q;
  spec.kv.padded = fields.padded_kv;
  if (spec.left.kind == WindowBound::Kind::Constant)
    spec.left.value = fields.left;
  if (spec.right.kind == WindowBound::Kind::Constant)
    spec.right.value = fields.right;
  spec.align = fields.align ? fields.align : 16;
  spec.scalarDOut = fields.do_scalar;
  spec.deterministic = fields.deterministic;
  if (Error invalid = spec.validate())
    return invalid;
  return spec.canonical();
}

weft_spec fieldsOf(const AttentionSpec &spec) {
  weft_spec fields;
  std::memset(&fields, 0, sizeof fields);
  fields.struct_size = sizeof fields;
  fields.pass = int32_t(spec.pass);
  fields.dtype = int32_t(spec.dtype);
  fields.head_dim = spec.headDim;
  fields.head_dim_v = spec.headDimV;
  fields.head_ratio = spec.headRatio;
  fields.layout_q = int32_t(spec.q.layout);
  fields.layout_kv = int32_t(spec.kv.layout);
  fields.padded_q = spec.q.padded;
  fields.padded_kv = spec.kv.padded;
  fields.mask = int32_t(spec.mask);
  fields.left_kind = int32_t(spec.left.kind);
  fields.right_kind = int32_t(spec.right.kind);
  fields.left = spec.left.value;
  fields.right = spec.right.value;
  fields.score = int32_t(spec.score);
  fields.align = int32_t(spec.align);
  fields.do_scalar = spec.scalarDOut;
  fields.deterministic = spec.deterministic;
  return fields;
}

static TensorView viewOf(const weft_tensor &tensor) {
  return {.data = tensor.data,
          .batchStride = tensor.batch_stride,
          .rowStride = tensor.row_stride,
          .headStride = tensor.head_stride,
          .columnStride = tensor.column_stride};
}

static SideSizes sizesOf(const weft_side &side, int64_t batch,
                         LayoutClass layout) {
  SideSizes sizes{.heads = side.heads,
                  .seqlen = side.seqlen,
                  .rows = side.rows,
                  .maxSeqlen = side.max_seqlen,
                  .cuSeqlens = side.cu_seqlens,
                  .cuSeqlensPadded = side.cu_seqlens_padded,
                  .seqlens = side.seqlens};
  // A product that overflows leaves 0 rows, which checkProblem refuses.
  if (layout == LayoutClass::Batch && !side.rows &&
      MulOverflow(batch, side.seqlen, sizes.rows))
    sizes.rows = 0;
  return sizes;
}

Expected<weft_problem> readProblem(const weft_problem *given) {
  static const weft_problem defaults = [] {
    weft_problem made;
    weft_problem_init(&made, sizeof made);
    return made;
  }();
  return readStruct(given, defaults, "weft_problem");
}

Problem problemFromFields(const weft_problem &fields,
                          const AttentionSpec &spec) {
  Problem problem;
  problem.batch = fields.batch;
  problem.q = sizesOf(fields.q, fields.batch, spec.q.layout);
  problem.kv = sizesOf(fields.kv, fields.batch, spec.kv.layout);
  problem.query = viewOf(fields.query);
  problem.key = viewOf(fields.key);
  problem.value = viewOf(fields.value);
  problem.out = viewOf(fields.out);
  problem.lse = viewOf(fields.lse);
  problem.dOut = viewOf(fields.d_out);
  problem.dQuery = viewOf(fields.d_query);
  problem.dKey = viewOf(fields.d_key);
  problem.dValue = viewOf(fields.d_value);
  problem.scale = fields.scale;
  problem.windowLeft = fields.window_left;
  problem.windowRight = fields.window_right;
  problem.softcap = fields.softcap;
  problem.workspace = fields.workspace;
  problem.workspaceBytes = fields.workspace_bytes;
  problem.stream = fields.stream;
  return problem;
}

} // namespace weft
