//===- FakeDriver.h - A CUDA driver that writes down its calls --*- C++ -*-===//
//
// What the executor asks of the driver, in which order and in which context,
// can be tested without a GPU: these functions note the call and succeed, or
// fail where a test says so.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TESTS_UNIT_CUDA_FAKEDRIVER_H
#define WEFT_TESTS_UNIT_CUDA_FAKEDRIVER_H

#include "runtime/cuda/Driver.h"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weft {

struct FakeDriver {
  /// The work enqueued, one line a call; work is enqueued in the current
  /// context, "ctx" and its number.
  std::vector<std::string> work;
  /// Parameter values of each launch, 8 bytes each, upper bytes 0.
  std::vector<std::vector<uint64_t>> parameters;
  /// Names of functions that fail, and how.
  std::map<std::string, CUresult> failures;
  int failuresLeft = -1; ///< calls that fail so, then none; -1: all
  /// The contexts of the thread, current last: 1 and 2 are the primary contexts
  /// of devices 0 and 1, 3 is one that a user made on device 1.
  std::vector<uintptr_t> contexts;
  /// Bytes of the parameters of every kernel.
  std::vector<size_t> parameterBytes;
  int major = 9;
  int retained = 0;    ///< primary contexts held
  int libraries = 0;   ///< loaded
  int64_t taken = 0;   ///< pool allocations not given back
  int allocations = 0; ///< of cuMemAlloc, real memory here
  bool capturing = false;
  /// Run at each launch with its parameters, if given.
  std::function<void(const std::vector<uint64_t> &)> kernel;

  /// The fake starts anew; addresses from 0x1000000000 on are on device 1.
  static FakeDriver &reset();
  static const CudaDriver &driver();

  static constexpr uint64_t poolAddress = 0x7000000000;
  static CUstream stream(uintptr_t context) {
    return reinterpret_cast<CUstream>(0x100 + context);
  }
};

} // namespace weft

#endif // WEFT_TESTS_UNIT_CUDA_FAKEDRIVER_H
