//===- FakeLibcuda.cpp - The driver that writes down calls, as a library --===//
//
// What WEFT_LIBCUDA names in tests of a whole library: libcuda.so.1 by its
// symbols, and a function that gives the test the fake.
//
//===----------------------------------------------------------------------===//

#include "tests/unit/cuda/FakeDriver.h"

// A symbol is the table's function, found when the symbol is looked up.
#define WEFT_EXPORT(name)                                                      \
  extern "C" decltype(::name) *weftFind_##name() {                             \
    return weft::FakeDriver::driver().name;                                    \
  }                                                                            \
  WEFT_DECLARE(name, weftFind_##name)
#define WEFT_DECLARE(name, find)                                               \
  extern "C" __attribute__((visibility("default"),                             \
                            ifunc(#find))) decltype(::name) name;
WEFT_CUDA_ENTRY_POINTS(WEFT_EXPORT)

extern "C" __attribute__((visibility("default"))) weft::FakeDriver *
weft_fake_driver() {
  static weft::FakeDriver *fake = &weft::FakeDriver::reset();
  return fake;
}
