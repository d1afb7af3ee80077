//===- DeviceHeaders.h - The embedded device primitives ---------*- C++ -*-===//
//
// Every templates/*.cuh, as text, made part of the library at build time.
// Emitted kernels include them as "weft/NAME.cuh".
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_COMPILE_DEVICEHEADERS_H
#define WEFT_RUNTIME_COMPILE_DEVICEHEADERS_H

#include "llvm/ADT/ArrayRef.h"

namespace weft {

struct DeviceHeader {
  const char *name; ///< as included: "weft/mma.cuh"
  const char *text;
};

/// All of them, by name.
llvm::ArrayRef<DeviceHeader> deviceHeaders();

} // namespace weft

#endif // WEFT_RUNTIME_COMPILE_DEVICEHEADERS_H
