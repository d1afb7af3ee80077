//===- LaunchTest.cpp - Steps, arguments and grids on a GPU ---------------===//

#include "tests/gpu/Gpu.h"

using namespace weft;
using namespace weft::program;

namespace {

/// Sets a workspace buffer to 5 in every word, then out[cta] = it[cta] + heads
/// over as many CTAs as there are query rows.
struct AddToMemset : Builder {
  AddToMemset() : Builder(sampleSpec) {
    int32_t rows = size(SizeKind::rows_q);
    int32_t bytes = binary(ExprOp::mul, rows, constant(4));
    int32_t kernel = this->kernel("add", ptx::add, 1);
    variant(binary(ExprOp::add, constant(256), bytes));
    buffer("words", constant(256), bytes);
    memset(0, 5);
    LaunchT &l = launch(kernel, rows);
    tensor(l, TensorRole::out);
    workspace(l, 0);
    sizeArg(l, size(SizeKind::heads_q), ArgType::i32);
  }
};

class Launch : public Gpu {
protected:
  void SetUp() override {
    Gpu::SetUp();
    if (!driver)
      return;
    memory.emplace(*driver, 1 << 20, 0);
  }
  void TearDown() override {
    memory.reset();
    Gpu::TearDown();
  }

  /// One sequence of 64 rows whose tensors are parts of `memory`.
  Problem problem() {
    Problem p = problemOf(64, 64);
    char *base = static_cast<char *>(memory->data());
    p.out.data = base;
    p.query.data = base + 0x10000;
    p.key.data = base + 0x20000;
    p.value.data = base + 0x30000;
    p.lse.data = base + 0x40000;
    return p;
  }

  /// The first words of the result.
  std::vector<uint32_t> words(size_t count) {
    std::vector<uint32_t> all = memory->read<uint32_t>();
    all.resize(count);
    return all;
  }

  std::optional<GpuMemory> memory;
};

TEST_F(Launch, MemsetFormulasAndPoolWorkspace) {
  EXPECT_EQ(run(AddToMemset(), problem()), "");
  std::vector<uint32_t> expected(65, 6);
  expected[64] = 0;
  EXPECT_EQ(words(65), expected);
}

TEST_F(Launch, CallersWorkspaceAndNothingElse) {
  GpuMemory workspace(*driver, 4096, 0xab);
  Problem p = problem();
  p.workspace = workspace.data();
  p.workspaceBytes = 4096;
  EXPECT_EQ(run(AddToMemset(), p), "");
  EXPECT_EQ(words(1)[0], 6u);
  std::vector<uint32_t> held = workspace.read<uint32_t>();
  for (size_t i = 0; i < held.size(); ++i)
    EXPECT_EQ(held[i], i >= 64 && i < 128 ? 5u : 0xababababu) << i;
}

TEST_F(Launch, ArgumentsByValue) {
  Builder b(sampleSpec);
  b.program.spec = "forward bf16 head_dim=8 head_ratio=1 layout=batch "
                   "mask=sliding_window(left=?)";
  int32_t kernel = b.kernel("record", ptx::record, 1);
  b.variant(b.constant(512));
  b.buffer("b", b.constant(256), b.constant(256));
  LaunchT &l = b.launch(kernel, b.constant(1));
  Builder::tensor(l, TensorRole::out);
  Builder::tensor(l, TensorRole::query);
  Builder::workspace(l, 0);
  Builder::offsets(l, OffsetsRole::cu_seqlens_q);
  Builder::stride(l, TensorRole::key, StrideKind::row);
  Builder::sizeArg(l, b.size(SizeKind::heads_q), ArgType::i32);
  Builder::scalar(l, ScalarRole::scale, ArgType::f32);
  Builder::scalar(l, ScalarRole::window_left, ArgType::i64);

  GpuMemory workspace(*driver, 512, 0);
  Problem p = problem();
  p.workspace = workspace.data();
  p.workspaceBytes = 512;
  // One key row, so that its stride is free.
  p.kv = {.heads = 1, .seqlen = 1, .rows = 1};
  p.key.rowStride = int64_t(1) << 40;
  p.windowLeft = kFarthestDistance;
  EXPECT_EQ(run(b, p), "");
  std::vector<uint64_t> values = memory->read<uint64_t>();
  values.resize(7);
  EXPECT_EQ(values, (std::vector<uint64_t>{
                        reinterpret_cast<uint64_t>(p.query.data),
                        reinterpret_cast<uint64_t>(p.workspace) + 256, 0,
                        uint64_t(1) << 40, 1, 0x3e000000,
                        uint64_t(kFarthestDistance)}));
}

TEST_F(Launch, EmptyGridIsSkipped) {
  Builder b(sampleSpec);
  int32_t zero = b.constant(0);
  int32_t kernel = b.kernel("count", ptx::count, 1);
  b.variant(zero);
  Builder::tensor(b.launch(kernel, zero), TensorRole::out);
  Builder::tensor(b.launch(kernel, b.constant(3)), TensorRole::out);
  EXPECT_EQ(run(b, problem()), "");
  EXPECT_EQ(words(1)[0], 3u);
}

TEST_F(Launch, NothingToDo) {
  // No rows, no pointers: every grid is empty.
  Problem p = problemOf(0, 0);
  EXPECT_EQ(run(AddToMemset(), p), "");
}

TEST_F(Launch, MoreCtasThan65535) {
  Builder b(sampleSpec);
  int32_t kernel = b.kernel("count", ptx::count, 32);
  b.variant(b.constant(0));
  Builder::tensor(b.launch(kernel, b.constant(200'000)), TensorRole::out);
  EXPECT_EQ(run(b, problem()), "");
  EXPECT_EQ(words(1)[0], 200'000u * 32);
}

TEST_F(Launch, MoreThan48KBOfSharedMemory) {
  Builder b(sampleSpec);
  int32_t kernel = b.kernel("shared", ptx::shared, 1, 96 * 1024);
  b.variant(b.constant(0));
  Builder::tensor(b.launch(kernel, b.constant(1)), TensorRole::out);
  EXPECT_EQ(run(b, problem()), "");
  EXPECT_EQ(words(1)[0], 77u);
}

TEST_F(Launch, EarlyLaunchesKeepTheirOrder) {
  if (!hasComputeCapability(9))
    GTEST_SKIP() << "needs compute capability 9.0";
  Builder b(sampleSpec);
  int32_t kernel = b.kernel("next", ptx::next, 1);
  int32_t one = b.constant(1);
  b.variant(b.constant(256));
  b.buffer("words", b.constant(0), b.constant(256));
  b.memset(0, 0);
  for (int i = 0; i < 100; ++i)
    Builder::workspace(b.launch(kernel, one, /*early=*/true), 0);
  int32_t add = b.kernel("add", ptx::add, 1);
  LaunchT &l = b.launch(add, one);
  Builder::tensor(l, TensorRole::out);
  Builder::workspace(l, 0);
  Builder::sizeArg(l, one, ArgType::i32);
  EXPECT_EQ(run(b, problem()), "");
  EXPECT_EQ(words(1)[0], 101u);
}

TEST_F(Launch, Clusters) {
  if (!hasComputeCapability(9))
    GTEST_SKIP() << "needs compute capability 9.0";
  for (int32_t size : {2, 16}) {
    Builder b(sampleSpec);
    int32_t kernel = b.kernel("cluster", ptx::cluster, 32, 0, size);
    b.variant(b.constant(0));
    Builder::tensor(b.launch(kernel, b.constant(32)), TensorRole::out);
    EXPECT_EQ(run(b, problem()), "");
    std::vector<uint32_t> expected;
    for (int32_t i = 0; i < 32; ++i)
      expected.push_back(100 * size + i % size);
    EXPECT_EQ(words(32), expected);
  }
}

TEST_F(Launch, VariantByTheGpusMultiprocessors) {
  Builder b(sampleSpec);
  int32_t kernel = b.kernel("count", ptx::count, 1);
  int32_t sms = b.size(SizeKind::sm_count);
  b.variant(b.constant(0),
            b.binary(ExprOp::less, sms, b.constant(info.smCount)));
  b.variant(b.constant(0),
            b.binary(ExprOp::less_equal, sms, b.constant(info.smCount)));
  Builder::tensor(b.launch(kernel, sms), TensorRole::out);
  EXPECT_EQ(run(b, problem()), "");
  EXPECT_EQ(words(1)[0], uint32_t(info.smCount));
}

} // namespace
