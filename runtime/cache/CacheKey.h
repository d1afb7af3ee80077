//===- CacheKey.h - What shapes a cubin -------------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CACHE_CACHEKEY_H
#define WEFT_RUNTIME_CACHE_CACHEKEY_H

#include "llvm/Support/JSON.h"

#include <string>

namespace weft {

/// Everything that shapes a program's cubins, all of it known before any text
/// is made. Two keys that differ anywhere name two entries.
struct CacheKey {
  std::string spec;     ///< canonical
  std::string target;   ///< with its suffix: "sm_90a"
  std::string schedule; ///< the tuning row (scheduleKey)
  std::string options;  ///< CompileOptions::str
  std::string nvrtc;    ///< NvrtcIdentity::str
  std::string build;    ///< buildId

  bool operator==(const CacheKey &) const = default;

  /// {"spec": .., "target": .., ..}: what an entry says of itself.
  llvm::json::Object toJson() const;

  /// The key that `toJson` wrote, all of it and nothing more.
  static llvm::Expected<CacheKey> fromJson(const llvm::json::Value &json);

  /// `toJson` on one line; differs wherever two keys differ.
  std::string text() const;

  /// 32 hexadecimal digits: an entry's name. Equal names do not make equal
  /// keys; an entry's own key is compared when it is read.
  std::string hash() const;
};

} // namespace weft

#endif // WEFT_RUNTIME_CACHE_CACHEKEY_H
