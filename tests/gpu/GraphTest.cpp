//===- GraphTest.cpp - Capture in a CUDA graph ----------------------------===//

#include "tests/gpu/Gpu.h"

using namespace weft;
using namespace weft::program;

namespace {

class Graph : public Gpu {
protected:
  /// What `executor` enqueues for `problem`, captured in the strictest mode.
  CUgraphExec capture(const CudaExecutor &executor, const Problem &problem) {
    auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
    CUgraph graph = nullptr;
    CUgraphExec instance = nullptr;
    check(driverFunction<CUresult (*)(CUstream, CUstreamCaptureMode)>(
        "cuStreamBeginCapture_v2")(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT_EQ(messageOf(executor.run(problem)), "");
    check(driverFunction<CUresult (*)(CUstream, CUgraph *)>(
        "cuStreamEndCapture")(stream, &graph));
    check(driverFunction<CUresult (*)(CUgraphExec *, CUgraph,
                                      unsigned long long)>(
        "cuGraphInstantiateWithFlags")(&instance, graph, 0));
    check(driverFunction<CUresult (*)(CUgraph)>("cuGraphDestroy")(graph));
    return instance;
  }
  void launch(CUgraphExec instance) {
    auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
    check(driverFunction<CUresult (*)(CUgraphExec, CUstream)>("cuGraphLaunch")(
        instance, stream));
    check(driver->cuStreamSynchronize(stream));
  }
  void destroy(CUgraphExec instance) {
    auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
    check(driverFunction<CUresult (*)(CUgraphExec)>("cuGraphExecDestroy")(
        instance));
  }

  /// words = 3; count twice into them; out[0] = words[0] + seqlens_q[0], which
  /// the host never reads.
  struct Sample : Builder {
    Sample()
        : Builder("forward bf16 head_dim=8 head_ratio=1 layout=batch "
                  "padded_q") {
      int32_t one = constant(1);
      int32_t count = kernel("count", ptx::count, 1);
      int32_t add = kernel("add", ptx::add, 1);
      variant(constant(256));
      buffer("words", constant(0), constant(256));
      memset(0, 3);
      workspace(launch(count, one), 0);
      workspace(launch(count, one), 0);
      LaunchT &lengths = launch(add, one);
      tensor(lengths, TensorRole::out);
      offsets(lengths, OffsetsRole::seqlens_q);
      sizeArg(lengths, one, ArgType::i32);
      LaunchT &words = launch(add, one);
      tensor(words, TensorRole::lse);
      workspace(words, 0);
      sizeArg(words, one, ArgType::i32);
    }
  };

  Problem problemIn(const GpuMemory &memory) {
    Problem p = problemOf(64, 64);
    char *base = static_cast<char *>(memory.data());
    p.out.data = base;
    p.lse.data = base + 0x1000;
    p.query.data = base + 0x2000;
    p.key.data = base + 0x3000;
    p.value.data = base + 0x4000;
    p.q.seqlens = reinterpret_cast<int32_t *>(base + 0x5000);
    return p;
  }

  void setLength(GpuMemory &memory, uint32_t length) {
    std::vector<uint32_t> words(0x5000 / 4 + 1, 0);
    words.back() = length;
    memory.write(words);
  }

  void replays(const Problem &problem, GpuMemory &memory) {
    std::unique_ptr<CudaExecutor> executor = executorOf(Sample());
    CUgraphExec instance = capture(*executor, problem);
    for (uint32_t length : {10u, 20u, 0u}) {
      setLength(memory, length);
      launch(instance);
      std::vector<uint32_t> words = memory.read<uint32_t>();
      EXPECT_EQ(words[0], length + 1);
      EXPECT_EQ(words[0x1000 / 4], 6u);
    }
    destroy(instance);
  }
};

TEST_F(Graph, FirstRunIsCapturedAndReplaysAfterLengthsChange) {
  GpuMemory memory(*driver, 1 << 16, 0);
  replays(problemIn(memory), memory);
}

TEST_F(Graph, CallersWorkspace) {
  GpuMemory memory(*driver, 1 << 16, 0), workspace(*driver, 256, 0xff);
  Problem problem = problemIn(memory);
  problem.workspace = workspace.data();
  problem.workspaceBytes = 256;
  replays(problem, memory);
}

TEST_F(Graph, CheckOffsetsIsRefusedAndTheCaptureLives) {
  GpuMemory memory(*driver, 1 << 16, 0);
  std::unique_ptr<CudaExecutor> executor = executorOf(Sample());
  auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
  check(driverFunction<CUresult (*)(CUstream, CUstreamCaptureMode)>(
      "cuStreamBeginCapture_v2")(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  EXPECT_EQ(
      messageOf(executor->run(problemIn(memory), {.checkOffsets = true})),
      "check_offsets reads offsets on the host, which a stream under capture "
      "does not allow; turn it off for the capture");
  CUgraph graph = nullptr;
  check(driverFunction<CUresult (*)(CUstream, CUgraph *)>("cuStreamEndCapture")(
      stream, &graph));
  size_t nodes = 99;
  check(driverFunction<CUresult (*)(CUgraph, CUgraphNode *, size_t *)>(
      "cuGraphGetNodes")(graph, nullptr, &nodes));
  EXPECT_EQ(nodes, 0u);
  check(driverFunction<CUresult (*)(CUgraph)>("cuGraphDestroy")(graph));
}

} // namespace
