//===- Gpu.h - What the GPU tests share -------------------------*- C++ -*-===//

#ifndef WEFT_TESTS_GPU_GPU_H
#define WEFT_TESTS_GPU_GPU_H

#include "runtime/cuda/Context.h"
#include "runtime/cuda/Device.h"
#include "runtime/cuda/Executor.h"
#include "tests/gpu/Ptx.h"
#include "tests/unit/program/Builder.h"

#include <gtest/gtest.h>

#include <cstring>
#include <optional>
#include <vector>

namespace weft {

/// Fails the test and says why where the driver does.
void require(llvm::Error error);

/// GPU 0, or a skipped test where there is none. Its primary context is held
/// but not current: tests run without a current context unless they make one.
class Gpu : public testing::Test {
protected:
  void SetUp() override;
  void TearDown() override;

  /// Skips a test of instructions that this GPU lacks.
  bool hasComputeCapability(int major) const { return info.major >= major; }

  CUstream newStream();
  void wait(CUstream stream);
  void check(CUresult status) { require(driver->check(status, "the test")); }

  /// An executor for the program of `builder`.
  std::unique_ptr<CudaExecutor> executorOf(const program::Builder &builder);
  /// The message of one run, "" for success; waits for the stream.
  std::string run(const program::Builder &builder, const Problem &problem,
                  const CudaRunOptions &options = {});

  /// A problem without data for "forward bf16 head_dim=8 layout=batch": one
  /// sequence of `rows` query rows and `keys` key rows, one head.
  Problem problemOf(int64_t rows, int64_t keys);

  const CudaDriver *driver = nullptr;
  CudaDeviceInfo info;
  CUstream stream = nullptr;
  std::vector<CUstream> streams;
};

inline constexpr const char *sampleSpec =
    "forward bf16 head_dim=8 head_ratio=1 layout=batch";

/// GPU memory, filled with one byte, in the primary context of GPU 0.
class GpuMemory {
public:
  GpuMemory(const CudaDriver &driver, int64_t bytes, uint8_t fill);
  GpuMemory(const GpuMemory &) = delete;
  ~GpuMemory();

  void *data() const { return reinterpret_cast<void *>(address); }
  template <typename T> std::vector<T> read() const {
    std::vector<T> values(bytes / sizeof(T));
    readBytes(values.data());
    return values;
  }
  template <typename T> void write(const std::vector<T> &values) {
    writeBytes(values.data(), values.size() * sizeof(T));
  }

private:
  void readBytes(void *to) const;
  void writeBytes(const void *from, int64_t count);

  const CudaDriver &driver;
  int64_t bytes;
  CUdeviceptr address = 0;
};

void *driverSymbol(const char *symbol);

/// A driver function that only tests use, by its symbol.
template <typename FunctionT> FunctionT driverFunction(const char *symbol) {
  return reinterpret_cast<FunctionT>(driverSymbol(symbol));
}

} // namespace weft

#endif // WEFT_TESTS_GPU_GPU_H
