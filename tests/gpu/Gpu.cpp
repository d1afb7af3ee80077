//===- Gpu.cpp - What the GPU tests share ---------------------------------===//

#include "tests/gpu/Gpu.h"

#include <dlfcn.h>

using namespace weft;

void weft::require(llvm::Error error) {
  if (error)
    ADD_FAILURE() << llvm::toString(std::move(error));
}

void *weft::driverSymbol(const char *symbol) {
  void *function = dlsym(dlopen("libcuda.so.1", RTLD_NOW), symbol);
  EXPECT_TRUE(function) << symbol;
  return function;
}

void Gpu::SetUp() {
  auto opened = CudaDriver::get();
  if (!opened)
    GTEST_SKIP() << llvm::toString(opened.takeError());
  auto count = cudaDeviceCount(**opened);
  if (!count || *count == 0)
    GTEST_SKIP() << (count ? std::string("no CUDA device")
                           : llvm::toString(count.takeError()));
  driver = *opened;
  info = llvm::cantFail(cudaDeviceInfo(*driver, 0));
  CUcontext primary = nullptr;
  check(driver->cuDevicePrimaryCtxRetain(&primary, 0));
  stream = newStream();
}

void Gpu::TearDown() {
  if (!driver)
    return;
  CUcontext current = nullptr;
  check(driver->cuCtxGetCurrent(&current));
  EXPECT_EQ(current, nullptr) << "a context was left current";
  {
    auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
    for (CUstream each : streams)
      check(driver->cuStreamDestroy(each));
  }
  check(driver->cuDevicePrimaryCtxRelease(0));
}

CUstream Gpu::newStream() {
  auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
  CUstream made = nullptr;
  check(driver->cuStreamCreate(&made, CU_STREAM_NON_BLOCKING));
  streams.push_back(made);
  return made;
}

void Gpu::wait(CUstream stream) {
  auto scope = llvm::cantFail(CudaContextScope::forDevice(*driver, 0));
  check(driver->cuStreamSynchronize(stream));
}

std::unique_ptr<CudaExecutor> Gpu::executorOf(const program::Builder &builder) {
  return llvm::cantFail(CudaExecutor::create(
      llvm::cantFail(program::serialize(builder.program)), *driver));
}

std::string Gpu::run(const program::Builder &builder, const Problem &problem,
                     const CudaRunOptions &options) {
  std::unique_ptr<CudaExecutor> executor = executorOf(builder);
  std::string message = program::messageOf(executor->run(problem, options));
  wait(static_cast<CUstream>(problem.stream));
  return message;
}

Problem Gpu::problemOf(int64_t rows, int64_t keys) {
  Problem problem;
  problem.batch = 1;
  problem.q = {.heads = 1, .seqlen = rows, .rows = rows};
  problem.kv = {.heads = 1, .seqlen = keys, .rows = keys};
  auto view = [](int64_t rows) {
    return TensorView{nullptr, rows * 8, 8, 8, 1};
  };
  problem.query = problem.out = view(rows);
  problem.key = problem.value = view(keys);
  problem.lse = {nullptr, rows, 1, rows, 1};
  problem.scale = 0.125;
  problem.stream = stream;
  return problem;
}

GpuMemory::GpuMemory(const CudaDriver &driver, int64_t bytes, uint8_t fill)
    : driver(driver), bytes(bytes) {
  auto scope = llvm::cantFail(CudaContextScope::forDevice(driver, 0));
  require(driver.check(driver.cuMemAlloc(&address, bytes), "cuMemAlloc"));
  std::vector<uint8_t> content(bytes, fill);
  writeBytes(content.data(), bytes);
}

GpuMemory::~GpuMemory() {
  auto scope = llvm::cantFail(CudaContextScope::forDevice(driver, 0));
  require(driver.check(driver.cuMemFree(address), "cuMemFree"));
}

void GpuMemory::readBytes(void *to) const {
  auto scope = llvm::cantFail(CudaContextScope::forDevice(driver, 0));
  require(driver.check(driver.cuMemcpyAsync(reinterpret_cast<CUdeviceptr>(to),
                                            address, bytes, nullptr),
                       "reading"));
  require(driver.check(driver.cuStreamSynchronize(nullptr), "reading"));
}

void GpuMemory::writeBytes(const void *from, int64_t count) {
  EXPECT_LE(count, bytes);
  auto scope = llvm::cantFail(CudaContextScope::forDevice(driver, 0));
  require(driver.check(driver.cuMemcpyAsync(address,
                                            reinterpret_cast<CUdeviceptr>(from),
                                            count, nullptr),
                       "writing"));
  require(driver.check(driver.cuStreamSynchronize(nullptr), "writing"));
}
