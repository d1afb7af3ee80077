//===- TensorMapTest.cpp - Bulk copies through a described tensor ---------===//

#include "tests/gpu/Gpu.h"

using namespace weft;
using namespace weft::program;

namespace {

class TensorMap : public Gpu {
protected:
  /// The box of 4 rows from `row` of `query`, as 32 numbers.
  std::vector<uint16_t> box(Problem problem, const char *spec, int64_t row,
                            int64_t head, int64_t batch) {
    Builder b(spec);
    auto recipe = std::make_unique<TensorMapRecipeT>();
    recipe->tensor = TensorRole::query;
    recipe->element_bytes = 2;
    recipe->box_rows = 4;
    recipe->box_columns = recipe->columns = 8;
    b.program.tensor_maps.push_back(std::move(recipe));
    int32_t kernel = b.kernel("box", ptx::box, 1);
    b.variant(b.constant(0));
    LaunchT &l = b.launch(kernel, b.constant(1));
    Builder::tensor(l, TensorRole::out);
    Builder::arg(l, ArgKind::tensor_map, ArgType::tensor_map).tensor_map = 0;
    for (int64_t at : {row, head, batch})
      Builder::sizeArg(l, b.constant(at), ArgType::i32);

    GpuMemory memory(*driver, 1 << 16, 0xcc), query(*driver, 1 << 16, 0);
    char *base = static_cast<char *>(memory.data());
    problem.out.data = base;
    problem.lse.data = base + 0x2000;
    problem.key.data = base + 0x4000;
    problem.value.data = base + 0x6000;
    problem.query.data = query.data();
    std::vector<uint16_t> numbers(1 << 15);
    for (size_t i = 0; i < numbers.size(); ++i)
      numbers[i] = i;
    query.write(numbers);
    EXPECT_EQ(run(b, problem), "");
    std::vector<uint16_t> result = memory.read<uint16_t>();
    result.resize(32);
    return result;
  }

  /// What the box holds: rows from element `first` on, `valid` of them.
  static std::vector<uint16_t> rows(int64_t first, int64_t stride, int valid) {
    std::vector<uint16_t> expected(32, 0);
    for (int r = 0; r < valid; ++r)
      for (int c = 0; c < 8; ++c)
        expected[r * 8 + c] = first + r * stride + c;
    return expected;
  }
};

TEST_F(TensorMap, BatchLayoutEndsWithItsSequence) {
  if (!hasComputeCapability(9))
    GTEST_SKIP() << "needs compute capability 9.0";
  Problem p = problemOf(6, 1);
  p.batch = 2;
  p.q = {.heads = 2, .seqlen = 6, .rows = 12};
  p.kv = {.heads = 2, .seqlen = 1, .rows = 2};
  p.query = {nullptr, 512, 64, 24, 1};
  p.out = {nullptr, 96, 16, 8, 1};
  p.lse = {nullptr, 12, 1, 6, 1};
  p.key = p.value = {nullptr, 16, 8, 8, 1};
  EXPECT_EQ(box(p, sampleSpec, 0, 0, 0), rows(0, 64, 4));
  EXPECT_EQ(box(p, sampleSpec, 1, 1, 1), rows(512 + 64 + 24, 64, 4));
  // Rows past the sequence are zero, not the next sequence's.
  EXPECT_EQ(box(p, sampleSpec, 4, 1, 0), rows(4 * 64 + 24, 64, 2));
}

TEST_F(TensorMap, ThdEndsWithTheTensor) {
  if (!hasComputeCapability(9))
    GTEST_SKIP() << "needs compute capability 9.0";
  GpuMemory offsets(*driver, 64, 0);
  Problem p = problemOf(10, 10);
  p.batch = 1;
  p.q.seqlen = p.kv.seqlen = 0;
  p.q.cuSeqlens = p.kv.cuSeqlens = static_cast<int32_t *>(offsets.data());
  p.query.rowStride = 16;
  const char *spec = "forward bf16 head_dim=8 head_ratio=1 layout=thd";
  EXPECT_EQ(box(p, spec, 3, 0, 0), rows(48, 16, 4));
  EXPECT_EQ(box(p, spec, 8, 0, 0), rows(128, 16, 2));
}

} // namespace
