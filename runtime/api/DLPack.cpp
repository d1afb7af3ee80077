//===- DLPack.cpp - Tensors of other libraries ----------------------------===//
//
// The structs of DLPack (dlpack.h, version 0.2 on), whose layout never changes,
// as far as a tensor is described by them.
//
//===----------------------------------------------------------------------===//

#include "runtime/api/Convert.h"

#include <optional>

using namespace llvm;

namespace weft {

namespace {
struct DLTensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t ndim;
  uint8_t code, bits;
  uint16_t lanes;
  const int64_t *shape;
  const int64_t *strides; ///< in elements; null: packed
  uint64_t byteOffset;
};
static_assert(sizeof(DLTensor) == 48);

enum DLDeviceType : int32_t {
  kDLCUDA = 2,
  kDLCUDAHost = 3,
  kDLCUDAManaged = 13
};
enum DLTypeCode : uint8_t { kDLInt = 0, kDLFloat = 2, kDLBfloat = 4 };

/// What weft.h calls an operand, and where it goes.
struct Operand {
  const char *name;
  weft_tensor weft_problem::*tensor;
  bool isQuerySide;
  const int32_t *weft_side::*vector;
};
} // namespace

static constexpr Operand operands[] = {
    {"query", &weft_problem::query, true, nullptr},
    {"key", &weft_problem::key, false, nullptr},
    {"value", &weft_problem::value, false, nullptr},
    {"out", &weft_problem::out, true, nullptr},
    {"lse", &weft_problem::lse, true, nullptr},
    {"d_out", &weft_problem::d_out, true, nullptr},
    {"d_query", &weft_problem::d_query, true, nullptr},
    {"d_key", &weft_problem::d_key, false, nullptr},
    {"d_value", &weft_problem::d_value, false, nullptr},
    {"cu_seqlens_q", nullptr, true, &weft_side::cu_seqlens},
    {"cu_seqlens_kv", nullptr, false, &weft_side::cu_seqlens},
    {"cu_seqlens_q_padded", nullptr, true, &weft_side::cu_seqlens_padded},
    {"cu_seqlens_kv_padded", nullptr, false, &weft_side::cu_seqlens_padded},
    {"seqlens_q", nullptr, true, &weft_side::seqlens},
    {"seqlens_kv", nullptr, false, &weft_side::seqlens},
};

namespace {
/// Reads one tensor.
class Reader {
public:
  Reader(weft_problem &fields, const AttentionSpec &spec, int32_t index,
         const DLTensor &tensor)
      : fields(fields), spec(spec), index(index), operand(operands[index]),
        tensor(tensor), side(operand.isQuerySide ? fields.q : fields.kv) {}

  Error read(StringRef dims);

private:
  Error fail(const Twine &message) const {
    return createStringError(Twine(operand.name) + " " + message);
  }
  Error checkKind() const;
  Error readVector();
  Error readTensor(StringRef dims);
  /// Sets a size of the problem, which another tensor may have told already.
  Error agree(int64_t &size, int64_t given, const Twine &what) const;
  int64_t stride(int axis) const;

  weft_problem &fields;
  const AttentionSpec &spec;
  const int32_t index;
  const Operand &operand;
  const DLTensor &tensor;
  weft_side &side;
};
} // namespace

Error Reader::checkKind() const {
  if (tensor.deviceType != kDLCUDA && tensor.deviceType != kDLCUDAManaged &&
      tensor.deviceType != kDLCUDAHost)
    return fail("is not in a GPU's memory (DLPack device type " +
                Twine(tensor.deviceType) + "); move it there");
  bool isVector = operand.vector, isLse = index == WEFT_LSE;
  DLTypeCode code = isVector                   ? kDLInt
                    : isLse                    ? kDLFloat
                    : spec.dtype == DType::F16 ? kDLFloat
                                               : kDLBfloat;
  int bits = isVector || isLse ? 32 : 16;
  if (tensor.code != code || tensor.bits != bits || tensor.lanes != 1)
    return fail("has DLPack type (code " + Twine(int(tensor.code)) + ", " +
                Twine(int(tensor.bits)) + " bits, " + Twine(tensor.lanes) +
                " lanes); it is " +
                (isVector                   ? "int32"
                 : isLse                    ? "float32"
                 : spec.dtype == DType::F16 ? "f16"
                                            : "bf16") +
                " (code " + Twine(int(code)) + ", " + Twine(bits) +
                " bits, 1 lane)");
  if (tensor.ndim < 0 || (tensor.ndim > 0 && !tensor.shape))
    return fail("has no shape");
  for (int i = 0; i < tensor.ndim; ++i)
    if (tensor.shape[i] < 0)
      return fail("has dimension " + Twine(i) + " of size " +
                  Twine(tensor.shape[i]));
  return Error::success();
}

Error Reader::agree(int64_t &size, int64_t given, const Twine &what) const {
  if (size != 0 && size != given)
    return fail("has " + what + " " + Twine(given) + ", but the problem has " +
                Twine(size) +
                " by what was set before; weft_problem_init starts anew");
  size = given;
  return Error::success();
}

int64_t Reader::stride(int axis) const {
  if (tensor.strides)
    return tensor.strides[axis];
  int64_t stride = 1;
  for (int i = tensor.ndim - 1; i > axis; --i)
    stride *= tensor.shape[i];
  return stride;
}

Error Reader::readVector() {
  if (tensor.ndim != 1 || (tensor.shape[0] > 1 && stride(0) != 1))
    return fail("has " + Twine(tensor.ndim) +
                " dimensions or steps; it is one packed dimension");
  bool offsets = index < WEFT_SEQLENS_Q;
  LayoutClass layout = operand.isQuerySide ? spec.q.layout : spec.kv.layout;
  if (offsets != (layout == LayoutClass::Thd))
    return fail(offsets ? "is given for a batch layout; lengths there are "
                          "seqlens"
                        : "is given for a thd layout; lengths there are "
                          "cu_seqlens");
  int64_t count = tensor.shape[0] - (offsets ? 1 : 0);
  if (count < 0)
    return fail("is empty; offsets have batch + 1 entries");
  if (Error error = agree(fields.batch, count, "lengths for a batch of"))
    return error;
  side.*operand.vector = reinterpret_cast<const int32_t *>(
      static_cast<const char *>(tensor.data) + tensor.byteOffset);
  return Error::success();
}

Error Reader::readTensor(StringRef dims) {
  if (index >= WEFT_D_OUT && !spec.isBackward())
    return fail("is given for a forward");
  bool isLse = index == WEFT_LSE;
  LayoutClass layout = operand.isQuerySide ? spec.q.layout : spec.kv.layout;
  std::string needed = layout == LayoutClass::Thd ? "th" : "bsh";
  if (!isLse)
    needed += "d";
  std::string given = dims.str(), sorted = needed;
  llvm::sort(given);
  llvm::sort(sorted);
  if (given != sorted)
    return fail("has dims \"" + dims +
                "\"; for this spec it has the letters "
                "of \"" +
                needed + "\" in the order of its dimensions");
  if (tensor.ndim != int(dims.size()))
    return fail("has " + Twine(tensor.ndim) + " dimensions, dims \"" + dims +
                "\" has " + Twine(dims.size()));
  weft_tensor result = {};
  result.data = tensor.data
                    ? static_cast<char *>(tensor.data) + tensor.byteOffset
                    : nullptr;
  result.column_stride = 1;
  for (int axis = 0; axis < tensor.ndim; ++axis) {
    int64_t size = tensor.shape[axis], step = stride(axis);
    Error error = Error::success();
    switch (dims[axis]) {
    case 'b':
      result.batch_stride = step;
      error = agree(fields.batch, size, "a batch of");
      break;
    case 's':
      result.row_stride = step;
      error = agree(side.seqlen, size, "sequences of");
      break;
    case 't':
      result.row_stride = step;
      error = agree(side.rows, size, "packed rows");
      break;
    case 'h':
      result.head_stride = step;
      error = agree(side.heads, size, "heads");
      break;
    case 'd': {
      result.column_stride = step;
      bool ofValues = index == WEFT_VALUE || index == WEFT_OUT ||
                      index == WEFT_D_OUT || index == WEFT_D_VALUE;
      int64_t columns = ofValues ? spec.headDimV : spec.headDim;
      if (size != columns)
        error = fail("has " + Twine(size) + " columns, the spec says " +
                     Twine(columns));
      break;
    }
    }
    if (error)
      return error;
  }
  fields.*operand.tensor = result;
  return Error::success();
}

Error Reader::read(StringRef dims) {
  if (Error error = checkKind())
    return error;
  return operand.vector ? readVector() : readTensor(dims);
}

Error setFromDLPack(weft_problem &fields, const AttentionSpec &spec,
                    int32_t operand, const void *tensor, const char *dims) {
  if (operand < 0 || operand >= int32_t(std::size(operands)))
    return createStringError("operand " + Twine(operand) +
                             " is none of WEFT_QUERY (0) to WEFT_SEQLENS_KV "
                             "(14)");
  if (!tensor)
    return createStringError(Twine(operands[operand].name) +
                             ": the DLPack tensor is NULL");
  return Reader(fields, spec, operand, *static_cast<const DLTensor *>(tensor))
      .read(dims ? dims : "");
}

} // namespace weft
