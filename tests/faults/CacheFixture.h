//===- CacheFixture.h - A cache to ill-treat --------------------*- C++ -*-===//

#ifndef WEFT_TESTS_FAULTS_CACHEFIXTURE_H
#define WEFT_TESTS_FAULTS_CACHEFIXTURE_H

#include "runtime/cache/CacheEntry.h"
#include "runtime/cache/ProgramCache.h"
#include "tests/faults/Process.h"
#include "tests/unit/cache/CacheFixture.h"

#include "llvm/Support/Path.h"

#include <atomic>

namespace weft::test {

/// A folder, and ways to ask a cache there for someKey().
class CacheFaults : public testing::Test {
protected:
  // Locks of a network's folder lie elsewhere: those of the killed go too.
  ~CacheFaults() override { CacheDirectory(directory, network).prune({}); }

  ProgramCache::Options
  options(std::chrono::milliseconds wait = std::chrono::seconds(120)) {
    ProgramCache::Options made;
    made.directory = directory;
    made.wait = wait;
    made.network = network;
    made.warn = [this](llvm::StringRef text) {
      ++warnings;
      warning = text.str();
    };
    return made;
  }

  /// Whether `cache` gives the right program for `key`. `compiling` runs in a
  /// compile, which is counted.
  bool ask(ProgramCache &cache, const CacheKey &key = someKey(),
           const std::function<void()> &compiling = {}) {
    llvm::Expected<ProgramBytes> program =
        cache.getOrCompile(key, [&]() -> llvm::Expected<std::vector<uint8_t>> {
          compiles.add();
          if (compiling)
            compiling();
          return someProgram();
        });
    if (!program) {
      llvm::consumeError(program.takeError());
      return false;
    }
    return **program == someProgram();
  }

  /// The same of a process that has just started.
  bool askAnew(const CacheKey &key = someKey(),
               const std::function<void()> &compiling = {}) {
    ProgramCache cache(options());
    return ask(cache, key, compiling);
  }

  std::string entryPath(const CacheKey &key = someKey()) const {
    return directory + "/" + key.hash() + ".weft";
  }

  /// Names in the folder that are not entries.
  std::vector<std::string> leftovers() const {
    std::vector<std::string> names;
    std::error_code error;
    for (llvm::sys::fs::directory_iterator it(directory, error), end;
         it != end && !error; it.increment(error))
      if (llvm::StringRef name = llvm::sys::path::filename(it->path());
          !name.ends_with(".weft"))
        names.push_back(name.str());
    return names;
  }

  TemporaryFolder folder;
  std::string directory = folder.path + "/cache";
  SharedCount compiles{folder.path + "/compiles"};
  std::optional<bool> network = false;
  std::atomic<int> warnings = 0;
  std::string warning;
};

} // namespace weft::test

#endif // WEFT_TESTS_FAULTS_CACHEFIXTURE_H
