//===- BuildId.cpp - Which sources this library was built from ------------===//

#include "runtime/cache/BuildId.h"

// Generated: #define WEFT_BUILD_ID "..."
#include "runtime/cache/BuildId.inc"

llvm::StringRef weft::buildId() { return WEFT_BUILD_ID; }
