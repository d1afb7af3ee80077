//===- DriverTest.cpp - A missing, wrong or old driver --------------------===//

#include "runtime/cuda/Driver.h"
#include "runtime/cuda/Device.h"
#include "tests/unit/cuda/FakeDriver.h"

#include <gtest/gtest.h>

using namespace weft;

namespace {

std::string openMessage(const char *path) {
  auto driver = CudaDriver::open(path);
  return driver ? "" : llvm::toString(driver.takeError());
}

TEST(Driver, Missing) {
  std::string message = openMessage("/nowhere/libcuda.so.1");
  EXPECT_EQ(message.find("no CUDA driver: /nowhere/libcuda.so.1: "), 0u)
      << message;
  EXPECT_NE(message.find("; install the NVIDIA driver (550 or newer), or use "
                         "the reference executor"),
            std::string::npos)
      << message;
}

TEST(Driver, NotADriver) {
  EXPECT_EQ(openMessage("libm.so.6"),
            "libm.so.6 is not a CUDA driver: it has no function cuInit");
}

TEST(Driver, TooOld) {
  EXPECT_EQ(openMessage(WEFT_OLD_DRIVER),
            "the CUDA driver is too old: it supports CUDA 11.4; weft needs "
            "CUDA 12.4 or newer, update the NVIDIA driver to 550 or newer");
}

TEST(Driver, AStub) {
  setenv("WEFT_TEST_STUB", "1", 1);
  std::string message = openMessage(WEFT_OLD_DRIVER);
  unsetenv("WEFT_TEST_STUB");
  EXPECT_EQ(message,
            "no CUDA driver: " WEFT_OLD_DRIVER
            " is the CUDA Toolkit's stub, for linking only; take its folder "
            "out of LD_LIBRARY_PATH, or name the NVIDIA driver's libcuda.so.1 "
            "in WEFT_LIBCUDA");
}

TEST(Driver, StatusMessages) {
  const CudaDriver &driver = FakeDriver::driver();
  EXPECT_FALSE(bool(driver.check(CUDA_SUCCESS, "nothing")));
  EXPECT_EQ(driver.versionText(), "12.9");
  EXPECT_EQ(llvm::toString(driver.check(CUDA_ERROR_OUT_OF_MEMORY, "taking")),
            "taking failed: CUDA_ERROR_OUT_OF_MEMORY (text)");
  EXPECT_EQ(llvm::toString(driver.check(CUDA_ERROR_ILLEGAL_ADDRESS, "it")),
            "it failed: CUDA_ERROR_ILLEGAL_ADDRESS (text); work launched "
            "earlier in this CUDA context failed, and the context is lost: "
            "find that fault (compute-sanitizer), restart the process");
}

TEST(Driver, DeviceInfo) {
  FakeDriver::reset();
  CudaDeviceInfo info = llvm::cantFail(cudaDeviceInfo(FakeDriver::driver(), 1));
  EXPECT_EQ(info.name, "Fake GPU");
  EXPECT_EQ(info.smCount, 101);
  EXPECT_EQ(info.major, 9);
  auto missing = cudaDeviceInfo(FakeDriver::driver(), 2);
  ASSERT_FALSE(bool(missing));
  EXPECT_EQ(llvm::toString(missing.takeError()),
            "no CUDA device 2; this machine shows 2, counted from 0");
}

} // namespace
