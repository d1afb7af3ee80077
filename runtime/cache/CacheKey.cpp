//===- CacheKey.cpp - What shapes a cubin ---------------------------------===//

#include "runtime/cache/CacheKey.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace weft {

json::Object CacheKey::toJson() const {
  return json::Object{{"spec", spec},         {"target", target},
                      {"schedule", schedule}, {"options", options},
                      {"nvrtc", nvrtc},       {"build", build}};
}

std::string CacheKey::hash() const {
  // JSON escapes and names each part, so no two keys have one text.
  std::string text;
  raw_string_ostream(text) << json::Value(toJson());
  XXH128_hash_t hash = xxh3_128bits(arrayRefFromStringRef(text));
  return formatv("{0:x-16}{1:x-16}", hash.high64, hash.low64).str();
}

} // namespace weft
