//===- Pack.cpp - Precompiled programs in one file ------------------------===//

#include "runtime/pack/Pack.h"

#include "runtime/pack/Pack_generated.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstring>

using namespace llvm;
using namespace llvm::support;

namespace weft {

static constexpr uint64_t headerBytes = 64, checksumAt = 48, slotAlignment = 64;
static_assert(slotAlignment % program::programAlignment == 0);

/// Of the header as far as its own checksum, and of the index.
static XXH128_hash_t indexChecksum(ArrayRef<uint8_t> header,
                                   ArrayRef<uint8_t> index) {
  std::vector<uint8_t> both(header.begin(), header.begin() + checksumAt);
  both.insert(both.end(), index.begin(), index.end());
  return xxh3_128bits(both);
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

std::vector<uint8_t> encodePack(ArrayRef<PackEntry> given) {
  std::vector<PackEntry> entries(given.begin(), given.end());
  llvm::sort(entries);
  std::vector<uint8_t> bytes(headerBytes);
  flatbuffers::FlatBufferBuilder builder;
  std::vector<flatbuffers::Offset<pack::Entry>> list;
  auto text = [&](StringRef string) {
    return builder.CreateString(string.data(), string.size());
  };
  for (const PackEntry &entry : entries) {
    size_t begin = bytes.size();
    bytes.insert(bytes.end(), entry.program.begin(), entry.program.end());
    bytes.resize(alignTo(bytes.size(), slotAlignment));
    XXH128_hash_t hash = xxh3_128bits(ArrayRef(bytes).drop_front(begin));
    list.push_back(pack::CreateEntry(
        builder, text(entry.spec), text(entry.target), text(entry.library),
        text(entry.compiler), text(entry.key), entry.program.size(), hash.low64,
        hash.high64));
  }
  pack::FinishIndexBuffer(
      builder, pack::CreateIndex(builder, builder.CreateVector(list)));
  ArrayRef<uint8_t> index(builder.GetBufferPointer(), builder.GetSize());

  uint64_t indexAt = bytes.size();
  // The next pack of a row of them begins where this one ends.
  uint64_t end = alignTo(indexAt + index.size(), slotAlignment);
  bytes.insert(bytes.end(), index.begin(), index.end());
  bytes.resize(end);
  llvm::copy(arrayRefFromStringRef(packMagic), bytes.begin());
  endian::write32le(&bytes[8], packVersion);
  endian::write64le(&bytes[16], end);
  endian::write64le(&bytes[24], indexAt);
  XXH128_hash_t hash =
      indexChecksum(bytes, ArrayRef(bytes).drop_front(indexAt));
  endian::write64le(&bytes[checksumAt], hash.low64);
  endian::write64le(&bytes[checksumAt + 8], hash.high64);
  return bytes;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

Error Pack::corrupt(const Twine &what) const {
  return createStringError("pack '" + Twine(packName) + "' " + what +
                           "; copy it anew, or compile it again with 'weftc "
                           "compile --manifest'");
}

uint64_t Pack::sizeOf(ArrayRef<uint8_t> bytes) {
  if (bytes.size() < headerBytes ||
      toStringRef(bytes.take_front(packMagic.size())) != packMagic ||
      endian::read32le(&bytes[8]) != packVersion)
    return 0;
  uint64_t size = endian::read64le(&bytes[16]);
  return size >= headerBytes && size <= bytes.size() ? size : 0;
}

Error Pack::read() {
  if (content.size() < headerBytes ||
      toStringRef(content.take_front(packMagic.size())) != packMagic)
    return createStringError("'" + Twine(packName) +
                             "' is not a pack; 'weftc "
                             "compile --manifest' "
                             "makes one");
  if (uint32_t version = endian::read32le(&content[8]); version != packVersion)
    return createStringError(
        "pack '" + Twine(packName) + "' is of format version " +
        Twine(version) + ", this library reads version " + Twine(packVersion) +
        "; compile it again with the weftc of this version");
  uint64_t size = endian::read64le(&content[16]);
  if (size > content.size())
    return corrupt("is truncated: " + Twine(content.size()) + " of " +
                   Twine(size) + " bytes are there");
  uint64_t indexAt = endian::read64le(&content[24]);
  if (size != content.size() || indexAt < headerBytes || indexAt > size ||
      indexAt % slotAlignment)
    return corrupt("is damaged");
  ArrayRef<uint8_t> index = content.drop_front(indexAt);
  XXH128_hash_t hash = indexChecksum(content, index);
  if (endian::read64le(&content[checksumAt]) != hash.low64 ||
      endian::read64le(&content[checksumAt + 8]) != hash.high64)
    return corrupt("is damaged");

  // The checksum says that nothing changed it by chance; nothing below trusts
  // it for more.
  flatbuffers::Verifier verifier(index.data(), index.size());
  if (!pack::VerifyIndexBuffer(verifier))
    return corrupt("has a malformed index");
  auto *list = pack::GetIndex(index.data())->entries();
  checked = std::vector<std::atomic<bool>>(list ? list->size() : 0);
  uint64_t at = headerBytes;
  for (size_t i = 0; i < checked.size(); ++i) {
    const pack::Entry &entry = *list->Get(i);
    if (entry.bytes() > indexAt - at)
      return corrupt("has a malformed index");
    uint64_t slot = alignTo(entry.bytes(), slotAlignment);
    auto text = [](const flatbuffers::String *string) {
      return StringRef(string->c_str(), string->size());
    };
    entryList.push_back({text(entry.spec()), text(entry.target()),
                         text(entry.library()), text(entry.compiler()),
                         text(entry.key()), content.slice(at, entry.bytes())});
    checksums.push_back({entry.checksum_low(), entry.checksum_high()});
    at += slot;
    if (at > indexAt || (i > 0 && !(entryList[i - 1] < entryList[i])))
      return corrupt("has a malformed index");
  }
  if (at != indexAt)
    return corrupt("has a malformed index");
  return Error::success();
}

Expected<std::shared_ptr<const Pack>>
Pack::fromMemory(ArrayRef<uint8_t> bytes, std::shared_ptr<const void> owner,
                 StringRef name) {
  if (reinterpret_cast<uintptr_t>(bytes.data()) % slotAlignment)
    return createStringError("pack '" + name +
                             "' lies at an address that is not a multiple of " +
                             Twine(slotAlignment) + "; copy it to one that is");
  std::shared_ptr<Pack> pack(new Pack(bytes, std::move(owner), name));
  if (Error error = pack->read())
    return error;
  return pack;
}

Expected<std::shared_ptr<const Pack>> Pack::open(StringRef path) {
  auto cannot = [&](std::error_code reason) {
    return createStringError("cannot read pack '" + path +
                             "': " + reason.message());
  };
  // Opening a pipe would wait for its other end.
  sys::fs::file_status kind;
  if (!sys::fs::status(path, kind) &&
      kind.type() != sys::fs::file_type::regular_file)
    return createStringError("'" + path + "' is " +
                             (kind.type() == sys::fs::file_type::directory_file
                                  ? "a folder"
                                  : "no file") +
                             ", not a pack");
  Expected<sys::fs::file_t> file = sys::fs::openNativeFileForRead(path);
  if (!file)
    return cannot(errorToErrorCode(file.takeError()));
  sys::fs::file_status status;
  std::error_code error = sys::fs::status(*file, status);
  auto mapping = std::make_shared<sys::fs::mapped_file_region>();
  // An empty file cannot be mapped; it is a pack that was cut short.
  if (!error && status.type() != sys::fs::file_type::regular_file)
    error = make_error_code(std::errc::invalid_argument);
  if (!error && status.getSize() > 0)
    *mapping = sys::fs::mapped_file_region(
        *file, sys::fs::mapped_file_region::readonly, status.getSize(),
        /*offset=*/0, error);
  sys::fs::closeFile(*file);
  if (error)
    return cannot(error);
  ArrayRef<uint8_t> bytes;
  if (*mapping)
    bytes = ArrayRef(reinterpret_cast<const uint8_t *>(mapping->const_data()),
                     mapping->size());
  return fromMemory(bytes, std::move(mapping), path);
}

const PackEntry *Pack::find(StringRef spec, StringRef target) const {
  PackEntry wanted{spec, target, "", "", "", {}};
  auto found = llvm::lower_bound(entryList, wanted);
  return found != entryList.end() && found->sameProblem(wanted) ? &*found
                                                                : nullptr;
}

Expected<ArrayRef<uint8_t>> Pack::load(const PackEntry &entry) const {
  size_t index = &entry - entryList.data();
  if (checked[index].load(std::memory_order_acquire))
    return entry.program;
  ArrayRef<uint8_t> slot(entry.program.data(),
                         alignTo(entry.program.size(), slotAlignment));
  XXH128_hash_t hash = xxh3_128bits(slot);
  if (hash.low64 != checksums[index].low ||
      hash.high64 != checksums[index].high)
    return corrupt("is damaged (" + entry.spec + " for " + entry.target + ")");
  Expected<const program::Program *> program = program::load(entry.program);
  if (!program)
    return corrupt("holds no program for " + entry.spec + " on " +
                   entry.target + ": " + toString(program.takeError()));
  // Never a relative's.
  if (StringRef((*program)->spec()->c_str()) != entry.spec ||
      StringRef((*program)->target()->c_str()) != entry.target)
    return corrupt("holds a program of " + Twine((*program)->spec()->c_str()) +
                   " for " + (*program)->target()->c_str() + " in place of " +
                   entry.spec + " for " + entry.target);
  checked[index].store(true, std::memory_order_release);
  return entry.program;
}

} // namespace weft
