//===- FakeGpu.h - A whole library over the fake driver ---------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_API_FAKEGPU_H
#define WEFT_TESTS_UNIT_API_FAKEGPU_H

#include "tests/unit/cuda/FakeDriver.h"
#include "tests/unit/program/Builder.h"

#include "runtime/api/weft.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>

namespace weft {

/// The fake that the library under test opens as its driver: two GPUs of
/// compute capability 9.0. Named before the library asks for a driver.
inline FakeDriver &fakeGpu() {
  static FakeDriver *fake = [] {
    setenv("WEFT_LIBCUDA", WEFT_FAKE_DRIVER, 1);
    void *library = dlopen(WEFT_FAKE_DRIVER, RTLD_NOW);
    EXPECT_TRUE(library) << dlerror();
    return reinterpret_cast<FakeDriver *(*)()>(
        dlsym(library, "weft_fake_driver"))();
  }();
  return *fake;
}

/// A program of one launch over `heads_q` CTAs, with 256 bytes of workspace.
inline std::vector<uint8_t> launchingProgram(const std::string &spec,
                                             const std::string &target) {
  program::Builder b(spec);
  b.program.target = target;
  int32_t kernel = b.kernel("k", ".version 7.0\n", 128);
  b.variant(b.constant(256));
  b.buffer("words", b.constant(0), b.constant(256));
  b.memset(0, 7);
  program::Builder::tensor(b.launch(kernel, b.size(program::SizeKind::heads_q)),
                           program::TensorRole::out);
  return llvm::cantFail(program::serialize(b.program));
}

inline const std::string kSpec =
    "forward bf16 head_dim=64 head_ratio=1 layout=batch";

/// One sequence of 4 rows, 2 heads of 64, on GPU 1 of the fake.
inline weft_problem someProblem() {
  weft_problem problem;
  weft_problem_init(&problem, sizeof problem);
  problem.batch = 1;
  problem.q.heads = problem.kv.heads = 2;
  problem.q.seqlen = problem.kv.seqlen = 4;
  uint64_t address = 0x1000000000;
  for (weft_tensor *tensor :
       {&problem.query, &problem.key, &problem.value, &problem.out}) {
    *tensor = {reinterpret_cast<void *>(address), 512, 128, 64, 1};
    address += 0x100000;
  }
  problem.lse = {reinterpret_cast<void *>(address), 8, 1, 4, 1};
  problem.scale = 0.125;
  problem.stream = FakeDriver::stream(2);
  return problem;
}

} // namespace weft

#endif // WEFT_TESTS_UNIT_API_FAKEGPU_H
