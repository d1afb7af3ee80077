//===- Device.h - Something to run plans on ---------------------*- C++ -*-===//

#ifndef WEFT_TESTS_BENCHMARKS_DEVICE_H
#define WEFT_TESTS_BENCHMARKS_DEVICE_H

#include "weft.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace weft::bench {

/// The machine's GPU, or the null driver where there is none (or where
/// WEFT_LIBCUDA names it). Chosen before weft opens a driver. Any thread may
/// call: each call makes the device's context current there.
class Device {
public:
  /// The one of this process; ends it if not even the null driver is there.
  static const Device &get();

  bool isNull() const { return null; }
  /// Device memory of `bytes`, never given back.
  void *memory(size_t bytes) const;
  /// Device memory that holds `values`, never given back.
  void *upload(const std::vector<int32_t> &values) const;
  void *makeStream() const;
  void wait(void *stream) const;

private:
  Device();
  void enter() const;
  void *library = nullptr, *context = nullptr;
  bool null = false;
};

/// A spec and a problem for it: 8 sequences of 512 rows, 16 query heads, 4 key
/// heads, in device memory of which only the offsets were written.
struct Sample {
  std::string spec;
  Problem problem;

  /// `pass`: "forward" or "backward"; `packed`: thd, else bshd; `interleaved`:
  /// Q, K and V are parts of one tensor.
  Sample(const std::string &pass, bool packed, bool interleaved = false);
};

/// A folder for a cache, removed when the process ends.
const std::string &cacheFolder();

} // namespace weft::bench

#endif // WEFT_TESTS_BENCHMARKS_DEVICE_H
