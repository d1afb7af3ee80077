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

/// What an entry file says and holds.
struct CacheEntry {
  CacheKey key;
  std::vector<uint8_t> program;
};

/// Reads an entry file, or says how it is damaged: cut short, changed in any
/// bit, of another version of this layout, or without a valid program.
llvm::Expected<CacheEntry> parseEntry(llvm::ArrayRef<uint8_t> file);

/// The program of an entry file of `key`; that of another key is an error.
llvm::Expected<std::vector<uint8_t>> decodeEntry(const CacheKey &key,
                                                 llvm::ArrayRef<uint8_t> file);

} // namespace weft

#endif // WEFT_RUNTIME_CACHE_CACHEENTRY_H
