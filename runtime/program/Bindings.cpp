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

template <typename T> static void put(T value, Parameter &parameter) {
  parameter.size = sizeof(T);
  std::memcpy(parameter.bytes.data(), &value, sizeof(T));
}

/// `what` names the value where it does not fit.
template <typename What>
static Error putInteger(int64_t value, ArgType type, What what,
                        Parameter &parameter) {
  if (type == ArgType::i64) {
    put(value, parameter);
    return Error::success();
  }
  if (!llvm::isInt<32>(value))
    return error(Twine(what()) + " is " + Twine(value) +
                 ", which this kernel takes as a 32-bit integer");
  put(int32_t(value), parameter);
  return Error::success();
}

static Error putReal(double value, const Twine &what, Parameter &parameter) {
  float narrow = float(value);
  if (!std::isfinite(narrow))
    return error(what + " " + Twine(std::to_string(value)) +
                 " is not finite as a 32-bit float");
  put(narrow, parameter);
  return Error::success();
}

static Error putScalar(const Arg &arg, const Problem &problem,
                       Parameter &parameter) {
  switch (arg.scalar()) {
  case ScalarRole::scale:
    return putReal(problem.scale, "scale", parameter);
  case ScalarRole::softcap:
    return putReal(problem.softcap, "softcap", parameter);
  case ScalarRole::window_left:
    return putInteger(
        kernelDistance(problem.windowLeft), arg.type(),
        [] { return std::string("window bound left"); }, parameter);
  case ScalarRole::window_right:
    return putInteger(
        kernelDistance(problem.windowRight), arg.type(),
        [] { return std::string("window bound right"); }, parameter);
  }
  llvm_unreachable("checked when the program was loaded");
}

static Error putArgument(const Arg &arg, const CallValues &call,
                         Parameter &parameter) {
  switch (arg.kind()) {
  case ArgKind::tensor:
    put(reinterpret_cast<uint64_t>(tensorOf(call.problem, arg.tensor()).data),
        parameter);
    return Error::success();
  case ArgKind::stride:
    return putInteger(
        strideOf(tensorOf(call.problem, arg.tensor()), arg.stride()),
        arg.type(),
        [&] {
          return std::string(EnumNameStrideKind(arg.stride())) + " stride of " +
                 EnumNameTensorRole(arg.tensor());
        },
        parameter);
  case ArgKind::workspace:
    put(call.workspace + call.arena.buffers[arg.buffer()].offset, parameter);
    return Error::success();
  case ArgKind::offsets:
    put(reinterpret_cast<uint64_t>(offsetsOf(call.problem, arg.offsets())),
        parameter);
    return Error::success();
  case ArgKind::size: {
    Expected<int64_t> value = call.formulas[arg.expr()];
    if (!value)
      return value.takeError();
    return putInteger(
        *value, arg.type(),
        [&] { return "formula " + std::to_string(arg.expr()); }, parameter);
  }
  case ArgKind::scalar:
    return putScalar(arg, call.problem, parameter);
  case ArgKind::tensor_map:
    parameter.size = parameter.bytes.size();
    return call.encodeTensorMap(
        *call.program.tensor_maps()->Get(arg.tensor_map()),
        parameter.bytes.data());
  }
  llvm_unreachable("checked when the program was loaded");
}

Error weft::program::addLaunchParameters(const Launch &launch,
                                         const CallValues &call,
                                         std::vector<Parameter> &parameters) {
  if (!launch.args())
    return Error::success();
  for (const Arg *arg : *launch.args())
    if (Error e = putArgument(*arg, call, parameters.emplace_back()))
      return e;
  return Error::success();
}
