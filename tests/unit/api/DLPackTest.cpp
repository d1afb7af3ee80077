//===- DLPackTest.cpp - Tensors of other libraries ------------------------===//

#include "runtime/api/weft.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

/// DLTensor as dlpack.h has it.
struct DLTensor {
  void *data;
  struct {
    int32_t device_type, device_id;
  } device;
  int32_t ndim;
  struct {
    uint8_t code, bits;
    uint16_t lanes;
  } dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
};

/// A tensor on the GPU that owns its shape.
struct Tensor : DLTensor {
  Tensor(std::vector<int64_t> sizes, std::vector<int64_t> steps = {},
         int code = 4, int bits = 16)
      : sizes(sizes), steps(steps) {
    data = reinterpret_cast<void *>(0x10000);
    device = {2, 0};
    ndim = int32_t(sizes.size());
    dtype = {uint8_t(code), uint8_t(bits), 1};
    shape = this->sizes.data();
    strides = steps.empty() ? nullptr : this->steps.data();
    byte_offset = 0;
  }
  Tensor(const Tensor &) = delete;
  std::vector<int64_t> sizes, steps;
};

const char *batch = "backward bf16 head_dim=64 head_dim_v=32 layout=bshd";
const char *packed = "forward f16 head_dim=64 layout=thd";

std::string set(weft::Problem &problem, const char *spec, int32_t operand,
                const Tensor &tensor, const char *dims) {
  return problem.set(spec, operand, &tensor, dims).message;
}

TEST(DLPack, PackedStridesAndSizes) {
  weft::Problem problem;
  Tensor query({2, 5, 4, 64});
  query.byte_offset = 32;
  EXPECT_EQ(set(problem, batch, WEFT_QUERY, query, "bshd"), "");
  EXPECT_EQ(problem.query.data, reinterpret_cast<void *>(0x10020));
  EXPECT_EQ(problem.query.batch_stride, 5 * 4 * 64);
  EXPECT_EQ(problem.query.row_stride, 4 * 64);
  EXPECT_EQ(problem.query.head_stride, 64);
  EXPECT_EQ(problem.query.column_stride, 1);
  EXPECT_EQ(problem.batch, 2);
  EXPECT_EQ(problem.q.seqlen, 5);
  EXPECT_EQ(problem.q.heads, 4);
  EXPECT_EQ(problem.kv.heads, 0);
}

TEST(DLPack, AnyOrderAndStrides) {
  weft::Problem problem;
  EXPECT_EQ(set(problem, batch, WEFT_VALUE,
                Tensor({2, 3, 7, 32}, {9000, 96, 300, 1}), "bhsd"),
            "");
  EXPECT_EQ(problem.value.batch_stride, 9000);
  EXPECT_EQ(problem.value.row_stride, 300);
  EXPECT_EQ(problem.value.head_stride, 96);
  EXPECT_EQ(problem.kv.seqlen, 7);
  EXPECT_EQ(problem.kv.heads, 3);
  // The gradient of a sum: one element seen everywhere.
  EXPECT_EQ(set(problem, batch, WEFT_D_OUT, Tensor({2, 5, 3, 32}, {0, 0, 0, 0}),
                "bshd"),
            "");
  EXPECT_EQ(problem.d_out.column_stride, 0);
  EXPECT_EQ(set(problem, batch, WEFT_LSE, Tensor({2, 3, 5}, {15, 5, 1}, 2, 32),
                "bhs"),
            "");
  EXPECT_EQ(problem.lse.row_stride, 1);
  EXPECT_EQ(problem.lse.head_stride, 5);
  EXPECT_EQ(problem.lse.batch_stride, 15);
}

TEST(DLPack, PackedRowsAndOffsets) {
  weft::Problem problem;
  EXPECT_EQ(set(problem, packed, WEFT_KEY, Tensor({100, 8, 64}, {}, 2), "thd"),
            "");
  EXPECT_EQ(problem.kv.rows, 100);
  EXPECT_EQ(problem.kv.heads, 8);
  EXPECT_EQ(
      set(problem, packed, WEFT_CU_SEQLENS_KV, Tensor({4}, {}, 0, 32), nullptr),
      "");
  EXPECT_EQ(problem.batch, 3);
  EXPECT_EQ(problem.kv.cu_seqlens, reinterpret_cast<int32_t *>(0x10000));
  EXPECT_EQ(
      set(problem, packed, WEFT_CU_SEQLENS_Q, Tensor({5}, {}, 0, 32), nullptr),
      "cu_seqlens_q has lengths for a batch of 4, but the problem has 3 "
      "by what was set before; weft_problem_init starts anew");
}

TEST(DLPack, IsWhatAPlanRuns) {
  // The same problem as by hand.
  weft::Problem problem;
  const char *spec = "forward bf16 head_dim=64 layout=bshd";
  for (int32_t operand : {WEFT_QUERY, WEFT_KEY, WEFT_VALUE, WEFT_OUT})
    EXPECT_EQ(set(problem, spec, operand, Tensor({2, 5, 4, 64}), "bshd"), "");
  auto derived = weft::deriveSpec(spec, problem);
  ASSERT_TRUE(derived) << derived.status().message;
  EXPECT_EQ(*derived, "forward bf16 head_dim=64 head_ratio=1 layout=batch");
}

TEST(DLPack, Messages) {
  weft::Problem problem;
  Tensor good({2, 5, 4, 64});
  auto expect = [&](int32_t operand, const Tensor &tensor, const char *dims,
                    const char *part) {
    std::string message = set(problem, batch, operand, tensor, dims);
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  Tensor onCpu({2, 5, 4, 64});
  onCpu.device.device_type = 1;
  expect(WEFT_QUERY, onCpu, "bshd",
         "query is not in a GPU's memory (DLPack device type 1); move it "
         "there");
  expect(WEFT_KEY, Tensor({2, 5, 4, 64}, {}, 2), "bshd",
         "key has DLPack type (code 2, 16 bits, 1 lanes); it is bf16 (code 4, "
         "16 bits, 1 lane)");
  expect(WEFT_LSE, Tensor({2, 4, 5}), "bhs", "it is float32");
  expect(WEFT_QUERY, good, "thd",
         "query has dims \"thd\"; for this spec it has the letters of \"bshd\" "
         "in the order of its dimensions");
  expect(WEFT_QUERY, good, "bsh", "has dims \"bsh\"");
  expect(WEFT_QUERY, good, nullptr, "has dims \"\"");
  expect(WEFT_QUERY, Tensor({2, 5, 64}), "bshd",
         "query has 3 dimensions, dims \"bshd\" has 4");
  expect(WEFT_VALUE, good, "bshd", "value has 64 columns, the spec says 32");
  expect(WEFT_QUERY, Tensor({2, 5, -4, 64}), "bshd",
         "has dimension 2 of size -4");
  expect(WEFT_SEQLENS_Q, Tensor({2, 2}, {}, 0, 32), nullptr,
         "it is one packed dimension");
  expect(WEFT_CU_SEQLENS_Q, Tensor({3}, {}, 0, 32), nullptr,
         "is given for a batch layout");
  expect(15, good, "bshd", "operand 15 is none of");
  EXPECT_NE(problem.set(batch, WEFT_QUERY, nullptr, "bshd")
                .message.find("the DLPack tensor is NULL"),
            std::string::npos);
  EXPECT_NE(set(problem, packed, WEFT_D_OUT, Tensor({9, 4, 64}, {}, 2), "thd")
                .find("d_out is given for a forward"),
            std::string::npos);
  // Nothing of a refused tensor is kept.
  EXPECT_EQ(problem.query.data, nullptr);
  EXPECT_EQ(problem.batch, 0);
}

} // namespace
