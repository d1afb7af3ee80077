//===- CacheEntry.h - A cached program as a file ----------------*- C++ -*-===//
//
// An entry file, little endian:
//   8 bytes   "WEFTCACH"
//   u32       version of this layout
//   u32       bytes of the description
//   u64       bytes of the program
//   ...       the description: the key as JSON
//   ...       the program (Program.fbs), cubins included
//   16 bytes  xxh3-128 of all of the above
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CACHE_CACHEENTRY_H
#define WEFT_RUNTIME_CACHE_CACHEENTRY_H

#include "runtime/cache/CacheKey.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <vector>

namespace weft {

/// The bytes of an entry file.
std::vector<uint8_t> encodeEntry(const CacheKey &key,
                                 llvm::ArrayRef<uint8_t> program);

/// The program of an entry file, or an error if the file is damaged in any way,
/// belongs to another key, or holds no valid program.
llvm::Expected<std::vector<uint8_t>> decodeEntry(const CacheKey &key,
                                                 llvm::ArrayRef<uint8_t> file);

} // namespace weft

#endif // WEFT_RUNTIME_CACHE_CACHEENTRY_H
