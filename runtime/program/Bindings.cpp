//===- Bindings.cpp - The values a launch passes to a kernel --------------===//

#include "runtime/program/Bindings.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <cstring>

using namespace weft;
using namespace weft::program;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

const TensorView &weft::program::tensorOf(const Problem &problem,
                                          TensorRole role) {
  switch (role) {
  case TensorRole::query:
    return problem.query;
  case TensorRole::key:
    return problem.key;
  case TensorRole::value:
    return problem.value;
  case TensorRole::out:
    return problem.out;
  case TensorRole::lse:
    return problem.lse;
  case TensorRole::d_out:
    return problem.dOut;
  case TensorRole::d_query:
    return problem.dQuery;
  case TensorRole::d_key:
    return problem.dKey;
  case TensorRole::d_value:
    return problem.dValue;
  }
  llvm_unreachable("checked when the program was loaded");
}

int64_t weft::program::strideOf(const TensorView &view, StrideKind kind) {
  switch (kind) {
  case StrideKind::batch:
    return view.batchStride;
  case StrideKind::row:
    return view.rowStride;
  case StrideKind::head:
    return view.headStride;
  case StrideKind::column:
    return view.columnStride;
  }
  llvm_unreachable("checked when the program was loaded");
}

const int32_t *weft::program::offsetsOf(const Problem &problem,
                                        OffsetsRole role) {
  switch (role) {
  case OffsetsRole::cu_seqlens_q:
    return problem.q.cuSeqlens;
  case OffsetsRole::cu_seqlens_kv:
    return problem.kv.cuSeqlens;
  case OffsetsRole::cu_seqlens_q_padded:
    return problem.q.cuSeqlensPadded;
  case OffsetsRole::cu_seqlens_kv_padded:
    return problem.kv.cuSeqlensPadded;
  case OffsetsRole::seqlens_q:
    return problem.q.seqlens;
  case OffsetsRole::seqlens_kv:
    return problem.kv.seqlens;
  }
  llvm_unreachable("checked when the program was loaded");
}

int64_t weft::program::elementBytes(TensorRole role) {
  return role == TensorRole::lse ? 4 : 2;
}

template <typename T> static Parameter byValue(T value) {
  Parameter parameter;
  parameter.size = sizeof(T);
  std::memcpy(parameter.bytes.data(), &value, sizeof(T));
  return parameter;
}

static Expected<Parameter> integer(int64_t value, ArgType type,
                                   const Twine &what) {
  if (type == ArgType::i64)
    return byValue(value);
  if (!llvm::isInt<32>(value))
    return error(what + " is " + Twine(value) +
                 ", which this kernel takes as a 32-bit integer");
  return byValue(int32_t(value));
}

static Expected<Parameter> real(double value, const Twine &what) {
  float narrow = float(value);
  if (!std::isfinite(narrow))
    return error(what + " " + Twine(std::to_string(value)) +
                 " is not finite as a 32-bit float");
  return byValue(narrow);
}

static Expected<Parameter> scalar(const Arg &arg, const Problem &problem) {
  switch (arg.scalar()) {
  case ScalarRole::scale:
    return real(problem.scale, "scale");
  case ScalarRole::softcap:
    return real(problem.softcap, "softcap");
  case ScalarRole::window_left:
    return integer(kernelDistance(problem.windowLeft), arg.type(),
                   "window bound left");
  case ScalarRole::window_right:
    return integer(kernelDistance(problem.windowRight), arg.type(),
                   "window bound right");
  }
  llvm_unreachable("checked when the program was loaded");
}

static Expected<Parameter> parameter(const Arg &arg, const CallValues &call) {
  switch (arg.kind()) {
  case ArgKind::tensor:
    return byValue(
        reinterpret_cast<uint64_t>(tensorOf(call.problem, arg.tensor()).data));
  case ArgKind::stride:
    return integer(strideOf(tensorOf(call.problem, arg.tensor()), arg.stride()),
                   arg.type(),
                   Twine(EnumNameStrideKind(arg.stride())) + " stride of " +
                       EnumNameTensorRole(arg.tensor()));
  case ArgKind::workspace:
    return byValue(call.workspace + call.arena.buffers[arg.buffer()].offset);
  case ArgKind::offsets:
    return byValue(
        reinterpret_cast<uint64_t>(offsetsOf(call.problem, arg.offsets())));
  case ArgKind::size: {
    Expected<int64_t> value = call.formulas[arg.expr()];
    if (!value)
      return value.takeError();
    return integer(*value, arg.type(), "formula " + Twine(arg.expr()));
  }
  case ArgKind::scalar:
    return scalar(arg, call.problem);
  case ArgKind::tensor_map: {
    Parameter map;
    map.size = map.bytes.size();
    if (Error e = call.encodeTensorMap(
            *call.program.tensor_maps()->Get(arg.tensor_map()),
            map.bytes.data()))
      return e;
    return map;
  }
  }
  llvm_unreachable("checked when the program was loaded");
}

Expected<std::vector<Parameter>>
weft::program::launchParameters(const Launch &launch, const CallValues &call) {
  std::vector<Parameter> parameters;
  if (!launch.args())
    return parameters;
  parameters.reserve(launch.args()->size());
  for (const Arg *arg : *launch.args()) {
    Expected<Parameter> value = parameter(*arg, call);
    if (!value)
      return value.takeError();
    parameters.push_back(*value);
  }
  return parameters;
}
