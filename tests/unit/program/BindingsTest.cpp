//===- BindingsTest.cpp - Roles meet values -------------------------------===//

#include "runtime/program/Bindings.h"
#include "tests/unit/program/Builder.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace weft;
using namespace weft::program;

namespace {

class Bindings : public testing::Test {
protected:
  Bindings() : b("forward bf16 head_dim=64 head_ratio=1 layout=batch") {
    rows = b.size(SizeKind::rows_q);
    int32_t kernel = b.kernel("k", "image", 32);
    b.variant(b.constant(1024));
    b.buffer("first", b.constant(0), b.constant(256));
    b.buffer("second", b.constant(256), b.constant(768));
    launch = &b.launch(kernel, rows);
  }

  /// The parameters of the launch for `problem`.
  llvm::Expected<std::vector<Parameter>> parameters() {
    bytes = llvm::cantFail(serialize(b.program));
    const Program &program = *llvm::cantFail(load(bytes));
    FormulaValues values(program, SizeValues::fromProblem(problem, 132));
    const Variant *variant = llvm::cantFail(selectVariant(program, values));
    Arena arena = llvm::cantFail(layOutArena(*variant, values));
    CallValues call{program,
                    problem,
                    values,
                    arena,
                    0x10000,
                    [](const TensorMapRecipe &recipe, uint8_t *map) {
                      map[127] = recipe.box_rows();
                      return llvm::Error::success();
                    }};
    std::vector<Parameter> parameters;
    if (llvm::Error e = addLaunchParameters(
            *variant->steps()->Get(0)->action_as_Launch(), call, parameters))
      return e;
    return parameters;
  }

  template <typename T> static T as(const Parameter &parameter) {
    EXPECT_EQ(parameter.size, sizeof(T));
    T value;
    std::memcpy(&value, parameter.bytes.data(), sizeof(T));
    return value;
  }

  Builder b;
  LaunchT *launch;
  int32_t rows;
  Problem problem;
  std::vector<uint8_t> bytes;
};

TEST_F(Bindings, EveryTensorByItsRole) {
  float memory[9];
  TensorView *views[] = {&problem.query,  &problem.key,  &problem.value,
                         &problem.out,    &problem.lse,  &problem.dOut,
                         &problem.dQuery, &problem.dKey, &problem.dValue};
  for (int i = 0; i < 9; ++i) {
    views[i]->data = &memory[i];
    Builder::tensor(*launch, TensorRole(i));
  }
  auto values = llvm::cantFail(parameters());
  for (int i = 0; i < 9; ++i)
    EXPECT_EQ(as<void *>(values[i]), &memory[i]) << i;
}

TEST_F(Bindings, StridesKeep64Bits) {
  problem.key = {nullptr, int64_t(1) << 40, int64_t(1) << 33, 7, 1};
  Builder::stride(*launch, TensorRole::key, StrideKind::batch);
  Builder::stride(*launch, TensorRole::key, StrideKind::row);
  Builder::stride(*launch, TensorRole::key, StrideKind::head, ArgType::i32);
  Builder::stride(*launch, TensorRole::key, StrideKind::column);
  auto values = llvm::cantFail(parameters());
  EXPECT_EQ(as<int64_t>(values[0]), int64_t(1) << 40);
  EXPECT_EQ(as<int64_t>(values[1]), int64_t(1) << 33);
  EXPECT_EQ(as<int32_t>(values[2]), 7);
  EXPECT_EQ(as<int64_t>(values[3]), 1);
}

TEST_F(Bindings, ValueThatDoesNotFit) {
  problem.key.rowStride = int64_t(1) << 31;
  Builder::stride(*launch, TensorRole::key, StrideKind::row, ArgType::i32);
  EXPECT_EQ(messageOf(parameters()),
            "row stride of key is 2147483648, which this kernel takes as a "
            "32-bit integer");
}

TEST_F(Bindings, WorkspaceOffsetsSizesScalars) {
  int32_t cu[2] = {0, 5}, lengths[1] = {5};
  problem.batch = 1;
  problem.q.rows = 5;
  problem.q.cuSeqlens = cu;
  problem.kv.seqlens = lengths;
  problem.scale = 0.125;
  problem.softcap = 30;
  problem.windowLeft = int64_t(1) << 35;
  problem.windowRight = 3;
  Builder::workspace(*launch, 1);
  Builder::offsets(*launch, OffsetsRole::cu_seqlens_q);
  Builder::offsets(*launch, OffsetsRole::seqlens_kv);
  Builder::offsets(*launch, OffsetsRole::cu_seqlens_kv_padded);
  Builder::sizeArg(*launch, rows, ArgType::i32);
  Builder::sizeArg(*launch, rows, ArgType::i64);
  Builder::scalar(*launch, ScalarRole::scale, ArgType::f32);
  Builder::scalar(*launch, ScalarRole::softcap, ArgType::f32);
  Builder::scalar(*launch, ScalarRole::window_left, ArgType::i64);
  Builder::scalar(*launch, ScalarRole::window_right, ArgType::i32);
  auto values = llvm::cantFail(parameters());
  EXPECT_EQ(as<uint64_t>(values[0]), 0x10000u + 256);
  EXPECT_EQ(as<const int32_t *>(values[1]), cu);
  EXPECT_EQ(as<const int32_t *>(values[2]), lengths);
  EXPECT_EQ(as<const int32_t *>(values[3]), nullptr);
  EXPECT_EQ(as<int32_t>(values[4]), 5);
  EXPECT_EQ(as<int64_t>(values[5]), 5);
  EXPECT_EQ(as<float>(values[6]), 0.125f);
  EXPECT_EQ(as<float>(values[7]), 30.0f);
  // Beyond every key: brought to the largest distance that kernels see.
  EXPECT_EQ(as<int64_t>(values[8]), kFarthestDistance);
  EXPECT_EQ(as<int32_t>(values[9]), 3);
}

TEST_F(Bindings, ScaleTooLargeForF32) {
  problem.scale = 1e300;
  Builder::scalar(*launch, ScalarRole::scale, ArgType::f32);
  EXPECT_NE(messageOf(parameters()).find("not finite as a 32-bit float"),
            std::string::npos);
}

TEST_F(Bindings, TensorMap) {
  auto map = std::make_unique<TensorMapRecipeT>();
  map->element_bytes = 2;
  map->box_rows = 64;
  map->box_columns = 64;
  map->columns = 64;
  b.program.tensor_maps.push_back(std::move(map));
  Builder::arg(*launch, ArgKind::tensor_map, ArgType::tensor_map).tensor_map =
      0;
  // Of lists of any length: where one lies is chance.
  for (int count = 1; count <= 9; ++count) {
    auto values = llvm::cantFail(parameters());
    ASSERT_EQ(values.size(), size_t(count));
    EXPECT_EQ(values[0].size, 128);
    EXPECT_EQ(values[0].bytes[127], 64);
    for (const Parameter &value : values)
      EXPECT_EQ(reinterpret_cast<uintptr_t>(value.bytes.data()) % 64, 0u);
    Builder::sizeArg(*launch, rows, ArgType::i64);
  }
}

} // namespace
