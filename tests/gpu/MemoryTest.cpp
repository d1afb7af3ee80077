//===- MemoryTest.cpp - Poison, offsets and mirrored cases ----------------===//

#include "runtime/cuda/CaseDevice.h"
#include "tests/gpu/Gpu.h"

using namespace weft;
using namespace weft::program;

namespace {

/// A program that launches nothing and has a workspace of 256 bytes.
struct Nothing : Builder {
  explicit Nothing(std::string spec = sampleSpec) : Builder(std::move(spec)) {
    variant(constant(256));
    buffer("words", constant(0), constant(256));
  }
};

class Memory : public Gpu {};

TEST_F(Memory, PoisonTouchesOwnElementsOnly) {
  // 2 batches of 3 rows of 2 heads of 8 columns, with gaps of each kind.
  GpuMemory inputs(*driver, 1 << 16, 0), out(*driver, 4096, 0x11),
      lse(*driver, 4096, 0x22), workspace(*driver, 512, 0x33);
  Problem p = problemOf(3, 3);
  p.batch = 2;
  p.q = p.kv = {.heads = 2, .seqlen = 3, .rows = 6};
  char *base = static_cast<char *>(inputs.data());
  auto packed = [&](int64_t offset) {
    return TensorView{base + offset, 48, 16, 8, 1};
  };
  p.query = packed(0);
  p.key = packed(0x1000);
  p.value = packed(0x2000);
  p.out = {static_cast<char *>(out.data()) + 64, 400, 96, 24, 1};
  p.lse = {static_cast<char *>(lse.data()) + 16, 30, 2, 9, 1};
  p.workspace = workspace.data();
  p.workspaceBytes = 512;
  EXPECT_EQ(run(Nothing(), p, {.poison = 0xff}), "");

  std::vector<uint16_t> expectedOut(2048, 0x1111);
  std::vector<uint32_t> expectedLse(1024, 0x22222222);
  for (int b = 0; b < 2; ++b)
    for (int r = 0; r < 3; ++r)
      for (int h = 0; h < 2; ++h) {
        for (int c = 0; c < 8; ++c)
          expectedOut[32 + b * 400 + r * 96 + h * 24 + c] = 0xffff;
        expectedLse[4 + b * 30 + r * 2 + h * 9] = 0xffffffff;
      }
  EXPECT_EQ(out.read<uint16_t>(), expectedOut);
  EXPECT_EQ(lse.read<uint32_t>(), expectedLse);
  std::vector<uint8_t> held = workspace.read<uint8_t>();
  for (size_t i = 0; i < held.size(); ++i)
    EXPECT_EQ(held[i], i < 256 ? 0xff : 0x33) << i;
  EXPECT_EQ(inputs.read<uint8_t>(), std::vector<uint8_t>(1 << 16, 0));
}

TEST_F(Memory, PoisonOfPackedAndOfSingleRows) {
  GpuMemory memory(*driver, 1 << 16, 0);
  Problem p = problemOf(5, 1);
  char *base = static_cast<char *>(memory.data());
  p.query.data = base;
  p.key.data = base + 0x1000;
  p.value.data = base + 0x2000;
  p.out.data = base + 0x3000;
  p.lse.data = base + 0x4000;
  EXPECT_EQ(run(Nothing(), p, {.poison = 0x5a}), "");
  std::vector<uint8_t> expected(1 << 16, 0);
  std::fill_n(expected.begin() + 0x3000, 5 * 8 * 2, 0x5a);
  std::fill_n(expected.begin() + 0x4000, 5 * 4, 0x5a);
  EXPECT_EQ(memory.read<uint8_t>(), expected);
}

TEST_F(Memory, PoisonOfNothing) {
  EXPECT_EQ(run(Nothing(), problemOf(0, 0), {.poison = 0xff}), "");
}

TEST_F(Memory, CheckOffsets) {
  GpuMemory memory(*driver, 1 << 16, 0);
  char *base = static_cast<char *>(memory.data());
  Problem p = problemOf(8, 8);
  p.batch = 2;
  p.q.seqlen = p.kv.seqlen = 0;
  p.query.data = base;
  p.key.data = base + 0x1000;
  p.value.data = base + 0x2000;
  p.out.data = base + 0x3000;
  p.lse.data = base + 0x4000;
  p.q.cuSeqlens = reinterpret_cast<int32_t *>(base + 0x5000);
  p.kv.cuSeqlens = reinterpret_cast<int32_t *>(base + 0x5000 + 12);
  std::vector<int32_t> words(0x5000 / 4);
  words.insert(words.end(), {0, 3, 8, 0, 8, 8});
  memory.write(words);
  Nothing program("forward bf16 head_dim=8 head_ratio=1 layout=thd");
  EXPECT_EQ(run(program, p, {.checkOffsets = true}), "");
  words.back() = 7;
  memory.write(words);
  EXPECT_EQ(run(program, p, {.checkOffsets = true}),
            "cu_seqlens_kv[2] = 7 is below cu_seqlens_kv[1] = 8; offsets never "
            "decrease");
  EXPECT_EQ(run(program, p), "");
}

TEST_F(Memory, CaseOnTheGpu) {
  Builder b(sampleSpec);
  int32_t kernel = b.kernel("add", ptx::add, 1);
  b.variant(b.constant(0));
  LaunchT &l = b.launch(kernel, b.constant(4));
  Builder::tensor(l, TensorRole::out);
  Builder::tensor(l, TensorRole::query);
  Builder::sizeArg(l, b.constant(1), ArgType::i32);
  std::vector<uint8_t> bytes = llvm::cantFail(serialize(b.program));
  std::unique_ptr<cases::Device> device = llvm::cantFail(makeCudaCaseDevice(
      *driver, 0,
      {[&](const AttentionSpec &, const CudaDeviceInfo &) { return bytes; },
       "sm_80"}));

  alignas(16) static uint32_t inputs[1024], results[1024];
  for (uint32_t i = 0; i < 1024; ++i) {
    inputs[i] = i;
    results[i] = 1000;
  }
  Problem p = problemOf(4, 4);
  p.query.data = inputs;
  p.key.data = inputs + 64;
  p.value.data = inputs + 128;
  p.out.data = results + 4;
  p.lse.data = results + 64;
  AttentionSpec spec = llvm::cantFail(AttentionSpec::parse(sampleSpec));
  const cases::Allocation memory[] = {{"inputs", inputs, sizeof(inputs)},
                                      {"results", results, sizeof(results)}};
  for (int round = 0; round < 2; ++round) {
    inputs[0] = round;
    EXPECT_EQ(messageOf(device->run(spec, p, memory, {})), "");
    EXPECT_EQ(results[3], 1000u);
    for (uint32_t i = 0; i < 4; ++i)
      EXPECT_EQ(results[4 + i], inputs[i] + 1);
    EXPECT_EQ(results[8], 1000u);
  }
  // Poison is seen where the program does not write.
  cases::RunOptions poison;
  poison.poison = 0xff;
  EXPECT_EQ(messageOf(device->run(spec, p, memory, poison)), "");
  EXPECT_EQ(results[4], inputs[0] + 1);
  EXPECT_EQ(results[8], 0xffffffffu);
  EXPECT_EQ(results[4 + 16], 1000u);
}

} // namespace
