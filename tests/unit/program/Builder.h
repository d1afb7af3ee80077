//===- Builder.h - Small launch programs for tests --------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_PROGRAM_BUILDER_H
#define WEFT_TESTS_UNIT_PROGRAM_BUILDER_H

#include "runtime/program/Program.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>
#include <utility>

namespace weft::program {

/// Writes a program node by node. Formulas and kernels are named by the index
/// their function returns; buffers and steps go to the last variant.
class Builder {
public:
  explicit Builder(std::string spec) {
    program.spec = std::move(spec);
    program.target = "sm_90a";
    program.library = "test";
  }

  int32_t constant(int64_t value) {
    return node(ExprOp::constant, 0, 0, value, SizeKind::batch);
  }
  int32_t size(SizeKind kind) { return node(ExprOp::size, 0, 0, 0, kind); }
  int32_t binary(ExprOp op, int32_t lhs, int32_t rhs) {
    return node(op, lhs, rhs, 0, SizeKind::batch);
  }

  int32_t kernel(std::string name, llvm::StringRef image, int32_t threads,
                 int32_t sharedBytes = 0, int32_t cluster = 1) {
    auto kernel = std::make_unique<KernelT>();
    kernel->name = std::move(name);
    kernel->cubin.assign(image.bytes_begin(), image.bytes_end());
    // PTX is text that ends in a zero byte.
    if (image.contains(".version"))
      kernel->cubin.push_back(0);
    kernel->threads = threads;
    kernel->shared_bytes = sharedBytes;
    kernel->cluster = cluster;
    program.kernels.push_back(std::move(kernel));
    return program.kernels.size() - 1;
  }

  void variant(int32_t arenaBytes, int32_t guard = -1) {
    auto variant = std::make_unique<VariantT>();
    variant->arena_bytes = arenaBytes;
    variant->guard = guard;
    program.variants.push_back(std::move(variant));
  }

  int32_t buffer(std::string name, int32_t offset, int32_t bytes) {
    auto buffer = std::make_unique<BufferT>();
    buffer->name = std::move(name);
    buffer->offset = offset;
    buffer->bytes = bytes;
    last().buffers.push_back(std::move(buffer));
    return last().buffers.size() - 1;
  }

  void memset(int32_t buffer, uint32_t value) {
    MemsetT memset;
    memset.buffer = buffer;
    memset.value = value;
    auto step = std::make_unique<StepT>();
    step->action.Set(std::move(memset));
    last().steps.push_back(std::move(step));
  }

  LaunchT &launch(int32_t kernel, int32_t grid, bool early = false) {
    LaunchT launch;
    launch.kernel = kernel;
    launch.grid = grid;
    launch.early = early;
    auto step = std::make_unique<StepT>();
    step->action.Set(std::move(launch));
    last().steps.push_back(std::move(step));
    return *last().steps.back()->action.AsLaunch();
  }

  static ArgT &arg(LaunchT &launch, ArgKind kind, ArgType type) {
    auto arg = std::make_unique<ArgT>();
    arg->kind = kind;
    arg->type = type;
    launch.args.push_back(std::move(arg));
    return *launch.args.back();
  }
  static void tensor(LaunchT &launch, TensorRole role) {
    arg(launch, ArgKind::tensor, ArgType::pointer).tensor = role;
  }
  static void stride(LaunchT &launch, TensorRole role, StrideKind kind,
                     ArgType type = ArgType::i64) {
    ArgT &added = arg(launch, ArgKind::stride, type);
    added.tensor = role;
    added.stride = kind;
  }
  static void workspace(LaunchT &launch, int32_t buffer) {
    arg(launch, ArgKind::workspace, ArgType::pointer).buffer = buffer;
  }
  static void offsets(LaunchT &launch, OffsetsRole role) {
    arg(launch, ArgKind::offsets, ArgType::pointer).offsets = role;
  }
  static void sizeArg(LaunchT &launch, int32_t formula, ArgType type) {
    arg(launch, ArgKind::size, type).expr = formula;
  }
  static void scalar(LaunchT &launch, ScalarRole role, ArgType type) {
    arg(launch, ArgKind::scalar, type).scalar = role;
  }

  VariantT &last() { return *program.variants.back(); }

  ProgramT program;

private:
  int32_t node(ExprOp op, int32_t lhs, int32_t rhs, int64_t value,
               SizeKind kind) {
    program.exprs.emplace_back(op, kind, lhs, rhs, value);
    return program.exprs.size() - 1;
  }
};

/// The text of an error, "" for success.
template <typename T> std::string messageOf(llvm::Expected<T> value) {
  return value ? std::string() : llvm::toString(value.takeError());
}
inline std::string messageOf(llvm::Error error) {
  return error ? llvm::toString(std::move(error)) : std::string();
}

} // namespace weft::program

#endif // WEFT_TESTS_UNIT_PROGRAM_BUILDER_H
