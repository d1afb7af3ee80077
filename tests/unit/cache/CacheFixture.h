//===- CacheFixture.h - Keys and programs for cache tests -------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_CACHE_CACHEFIXTURE_H
#define WEFT_TESTS_UNIT_CACHE_CACHEFIXTURE_H

#include "runtime/cache/CacheKey.h"
#include "runtime/program/Program.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"

#include <gtest/gtest.h>

namespace weft::test {

inline CacheKey someKey() {
  return {.spec = "forward bf16 head_dim=128 head_ratio=4 layout=thd",
          .target = "sm_90a",
          .schedule = "q=64 k=128",
          .options = "--std=c++17",
          .nvrtc = "/usr/lib/libnvrtc.so.13 100 200",
          .build = "0123"};
}

/// A program that loads: one kernel, of `cubinBytes` bytes, launched once.
inline std::vector<uint8_t> someProgram(size_t cubinBytes = 100) {
  program::ProgramT program;
  program.spec = someKey().spec;
  program.target = someKey().target;
  program.exprs.emplace_back(program::ExprOp::constant,
                             program::SizeKind::batch, 0, 0, 1);
  auto kernel = std::make_unique<program::KernelT>();
  kernel->name = "kernel";
  kernel->threads = 128;
  kernel->cubin.assign(cubinBytes, 7);
  program.kernels.push_back(std::move(kernel));
  auto launch = std::make_unique<program::LaunchT>();
  launch->grid = 0;
  auto step = std::make_unique<program::StepT>();
  step->action.Set(std::move(*launch));
  auto variant = std::make_unique<program::VariantT>();
  variant->arena_bytes = 0;
  variant->steps.push_back(std::move(step));
  program.variants.push_back(std::move(variant));
  llvm::Expected<std::vector<uint8_t>> bytes = program::serialize(program);
  if (!bytes) {
    ADD_FAILURE() << llvm::toString(bytes.takeError());
    return {};
  }
  return *bytes;
}

/// A folder that goes with its test.
class TemporaryFolder {
public:
  TemporaryFolder() {
    llvm::SmallString<128> made;
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("weft-cache-test", made));
    path = made.str().str();
  }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }
  std::string path;
};

} // namespace weft::test

#endif // WEFT_TESTS_UNIT_CACHE_CACHEFIXTURE_H
