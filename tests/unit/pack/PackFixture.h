//===- PackFixture.h - Small packs for tests --------------------*- C++ -*-===//

#ifndef WEFT_TESTS_UNIT_PACK_PACKFIXTURE_H
#define WEFT_TESTS_UNIT_PACK_PACKFIXTURE_H

#include "runtime/pack/Pack.h"
#include "tests/unit/program/Builder.h"

#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

namespace weft {

/// A program that launches nothing.
inline std::vector<uint8_t> someProgram(llvm::StringRef spec,
                                        llvm::StringRef target) {
  program::Builder builder(spec.str());
  builder.program.target = target.str();
  builder.kernel("k", ".version 7.0\n", 32);
  builder.variant(builder.constant(0));
  return llvm::cantFail(program::serialize(builder.program));
}

/// An entry with its program.
struct OwnedEntry {
  OwnedEntry(std::string spec, std::string target, std::string key = "key")
      : spec(std::move(spec)), target(std::move(target)), key(std::move(key)),
        program(someProgram(this->spec, this->target)) {}
  operator PackEntry() const {
    return {spec, target, "0.1.0", "NVRTC 13.0", key, program};
  }
  std::string spec, target, key;
  std::vector<uint8_t> program;
};

inline const std::string kForward =
    "forward bf16 head_dim=64 head_ratio=1 layout=thd";
inline const std::string kBackward =
    "backward bf16 head_dim=64 head_ratio=1 layout=thd";

/// Three programs: two of one spec, one of another.
inline std::vector<uint8_t> somePack() {
  OwnedEntry a(kForward, "sm_90a"), b(kBackward, "sm_90a"),
      c(kForward, "sm_80");
  return encodePack({a, b, c});
}

/// `bytes` as a pack, in memory as aligned as a mapping is.
inline llvm::Expected<std::shared_ptr<const Pack>>
inMemory(llvm::ArrayRef<uint8_t> bytes) {
  std::shared_ptr<void> memory(
      std::aligned_alloc(64, (bytes.size() + 64) / 64 * 64), std::free);
  llvm::copy(bytes, static_cast<uint8_t *>(memory.get()));
  return Pack::fromMemory(
      llvm::ArrayRef(static_cast<const uint8_t *>(memory.get()), bytes.size()),
      memory, "p");
}

/// A folder that goes with the test.
class Folder {
public:
  Folder() {
    char name[] = "/tmp/weft-pack-test-XXXXXX";
    path = mkdtemp(name);
  }
  ~Folder() {
    std::error_code error;
    std::filesystem::remove_all(path, error);
  }
  std::string operator/(const char *name) const { return path + "/" + name; }

private:
  std::string path;
};

inline void writeFile(const std::string &path, llvm::ArrayRef<uint8_t> bytes) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
}
inline std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace weft

#endif // WEFT_TESTS_UNIT_PACK_PACKFIXTURE_H
