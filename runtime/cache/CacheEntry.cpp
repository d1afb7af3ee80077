//===- CacheEntry.cpp - A cached program as a file ------------------------===//

#include "runtime/cache/CacheEntry.h"

#include "runtime/program/Program.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;
using namespace llvm::support;

namespace weft {

static constexpr StringLiteral kMagic = "WEFTCACH";
static constexpr uint32_t kVersion = 1;
static constexpr size_t kPrefixBytes = 24, kChecksumBytes = 16;

static void appendChecksum(std::vector<uint8_t> &bytes) {
  XXH128_hash_t hash = xxh3_128bits(bytes);
  size_t at = bytes.size();
  bytes.resize(at + kChecksumBytes);
  endian::write64le(&bytes[at], hash.low64);
  endian::write64le(&bytes[at + 8], hash.high64);
}

std::vector<uint8_t> encodeEntry(const CacheKey &key,
                                 ArrayRef<uint8_t> program) {
  std::string description;
  raw_string_ostream(description) << json::Value(key.toJson());

  std::vector<uint8_t> bytes(kPrefixBytes);
  copy(arrayRefFromStringRef(kMagic), bytes.begin());
  endian::write32le(&bytes[8], kVersion);
  endian::write32le(&bytes[12], description.size());
  endian::write64le(&bytes[16], program.size());
  bytes.insert(bytes.end(), description.begin(), description.end());
  bytes.insert(bytes.end(), program.begin(), program.end());
  appendChecksum(bytes);
  return bytes;
}

Expected<CacheEntry> parseEntry(ArrayRef<uint8_t> file) {
  if (file.size() < kPrefixBytes + kChecksumBytes ||
      toStringRef(file.take_front(kMagic.size())) != kMagic)
    return createStringError("not a cache entry");
  if (uint32_t version = endian::read32le(&file[8]); version != kVersion)
    return createStringError("cache entry of version " + Twine(version) +
                             "; this library reads " + Twine(kVersion));
  uint64_t descriptionBytes = endian::read32le(&file[12]);
  uint64_t programBytes = endian::read64le(&file[16]);
  uint64_t body = file.size() - kPrefixBytes - kChecksumBytes;
  if (descriptionBytes > body || programBytes != body - descriptionBytes)
    return createStringError("truncated cache entry");

  XXH128_hash_t hash = xxh3_128bits(file.drop_back(kChecksumBytes));
  const uint8_t *checksum = file.end() - kChecksumBytes;
  if (endian::read64le(checksum) != hash.low64 ||
      endian::read64le(checksum + 8) != hash.high64)
    return createStringError("damaged cache entry: its checksum differs");

  Expected<json::Value> description =
      json::parse(toStringRef(file.slice(kPrefixBytes, descriptionBytes)));
  if (!description)
    return description.takeError();
  Expected<CacheKey> key = CacheKey::fromJson(*description);
  if (!key)
    return key.takeError();

  ArrayRef<uint8_t> program =
      file.slice(kPrefixBytes + descriptionBytes, programBytes);
  // A copy: a program has an alignment, an entry's tail has none.
  CacheEntry entry{std::move(*key), {program.begin(), program.end()}};
  if (Expected<const program::Program *> loaded = program::load(entry.program);
      !loaded)
    return loaded.takeError();
  return entry;
}

Expected<std::vector<uint8_t>> decodeEntry(const CacheKey &key,
                                           ArrayRef<uint8_t> file) {
  Expected<CacheEntry> entry = parseEntry(file);
  if (!entry)
    return entry.takeError();
  if (entry->key != key)
    return createStringError("cache entry of another key");
  return std::move(entry->program);
}

} // namespace weft
