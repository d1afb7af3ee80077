//===- Pack.h - Precompiled programs in one file ----------------*- C++ -*-===//
//
// A pack holds the launch programs of many specs and targets, cubins included,
// for machines without a compiler. One file, mapped into memory, little endian:
//
//    0   8 bytes   "WEFTPACK"
//    8   u32       version of this layout
//   12   u32       0
//   16   u64       bytes of the file
//   24   u64       where the index begins, a multiple of 64
//   32   16 bytes  0
//   48   16 bytes  xxh3-128 of the 48 bytes above and of the index
//   64   ...       the programs (Program.fbs), each in a slot of its own,
//                  filled up with zeros to a multiple of 64 bytes
//    .   ...       the index (Pack.fbs), to the end of the file
//
// Every byte is under one of the checksums. Packs are replaced by a rename,
// never written in place: what is mapped stays as it was.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_PACK_PACK_H
#define WEFT_RUNTIME_PACK_PACK_H

#include "runtime/program/Program.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace weft {

/// The version of the layout that this library reads and writes.
inline constexpr uint32_t packVersion = 1;

/// What a pack begins with.
inline constexpr llvm::StringLiteral packMagic = "WEFTPACK";

/// One program of a pack, or for one. What it refers to belongs to the pack, or
/// to whoever writes it.
struct PackEntry {
  llvm::StringRef spec;     ///< canonical
  llvm::StringRef target;   ///< "sm_90a"
  llvm::StringRef library;  ///< version of weft that compiled it
  llvm::StringRef compiler; ///< what made the cubins: "NVRTC 13.0"
  llvm::StringRef key;      ///< everything that shaped it, hashed
  llvm::ArrayRef<uint8_t> program;

  /// Of entries of equal places: spec, then target.
  bool operator<(const PackEntry &other) const {
    return spec != other.spec ? spec < other.spec : target < other.target;
  }
  bool sameProblem(const PackEntry &other) const {
    return spec == other.spec && target == other.target;
  }
};

/// An opened pack. Thread-safe.
class Pack {
public:
  /// Maps the file at `path` and checks all of it but the programs. An error if
  /// it cannot be read, is no pack, is damaged, or of another version.
  static llvm::Expected<std::shared_ptr<const Pack>> open(llvm::StringRef path);

  /// The pack in `bytes`, which `owner` holds and which begin at a multiple of
  /// 64. `name` is what messages call it.
  static llvm::Expected<std::shared_ptr<const Pack>>
  fromMemory(llvm::ArrayRef<uint8_t> bytes, std::shared_ptr<const void> owner,
             llvm::StringRef name);

  /// Bytes of the pack that `bytes` begin with, more of which may follow; 0 if
  /// they begin with none.
  static uint64_t sizeOf(llvm::ArrayRef<uint8_t> bytes);

  /// Sorted by spec, then target. Their programs are not checked: `load` does.
  llvm::ArrayRef<PackEntry> entries() const { return entryList; }

  /// The entry of `spec` (canonical) for `target`, or null.
  const PackEntry *find(llvm::StringRef spec, llvm::StringRef target) const;

  /// Checks the program of one of `entries`, once, and gives it as long as this
  /// lives. An error if it is damaged or not what the entry says.
  llvm::Expected<llvm::ArrayRef<uint8_t>> load(const PackEntry &entry) const;

  llvm::StringRef name() const { return packName; }
  uint64_t bytes() const { return content.size(); }

private:
  Pack(llvm::ArrayRef<uint8_t> bytes, std::shared_ptr<const void> owner,
       llvm::StringRef name)
      : content(bytes), owner(std::move(owner)), packName(name) {}
  llvm::Error read();
  llvm::Error corrupt(const llvm::Twine &what) const;

  struct Checksum {
    uint64_t low, high;
  };
  llvm::ArrayRef<uint8_t> content;
  std::shared_ptr<const void> owner;
  std::string packName;
  std::vector<PackEntry> entryList;
  std::vector<Checksum> checksums; ///< one per entry
  /// Whether an entry's program was found to be right.
  mutable std::vector<std::atomic<bool>> checked;
};

/// The bytes of a pack of `entries`, in any order, no two of which are for the
/// same problem.
std::vector<uint8_t> encodePack(llvm::ArrayRef<PackEntry> entries);

} // namespace weft

#endif // WEFT_RUNTIME_PACK_PACK_H
