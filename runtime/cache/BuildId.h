//===- BuildId.h - Which sources this library was built from ----*- C++ -*-===//

#ifndef WEFT_RUNTIME_CACHE_BUILDID_H
#define WEFT_RUNTIME_CACHE_BUILDID_H

#include "llvm/ADT/StringRef.h"

namespace weft {

/// A hash of everything that shapes a cubin and is not in its spec: the sources
/// of the dialects, the compiler and its tuning tables, the device primitives,
/// the program format and the compile service, and the versions of weft and
/// MLIR. Computed at build time.
llvm::StringRef buildId();

} // namespace weft

#endif // WEFT_RUNTIME_CACHE_BUILDID_H
