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

Expected<CacheKey> CacheKey::fromJson(const json::Value &json) {
  CacheKey key;
  json::Path::Root root("key");
  json::ObjectMapper mapper(json, root);
  if (!mapper || !mapper.map("spec", key.spec) ||
      !mapper.map("target", key.target) ||
      !mapper.map("schedule", key.schedule) ||
      !mapper.map("options", key.options) || !mapper.map("nvrtc", key.nvrtc) ||
      !mapper.map("build", key.build))
    return root.getError();
  if (json != json::Value(key.toJson()))
    return createStringError("a key with an ingredient this library lacks");
  return key;
}

std::string CacheKey::text() const {
  // JSON escapes and names each part, so no two keys have one text.
  std::string text;
  raw_string_ostream(text) << json::Value(toJson());
  return text;
}

std::string CacheKey::hash() const {
  std::string all = text();
  XXH128_hash_t hash = xxh3_128bits(arrayRefFromStringRef(all));
  return formatv("{0:x-16}{1:x-16}", hash.high64, hash.low64).str();
}

} // namespace weft
