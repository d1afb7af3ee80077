//===- ProgramCache.cpp - Compiled programs, kept -------------------------===//

#include "runtime/cache/ProgramCache.h"

#include "runtime/cache/CacheEntry.h"
#include "runtime/program/Program.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <condition_variable>
#include <optional>

using namespace llvm;

namespace weft {

/// One compile that others may wait for.
struct ProgramCache::Flight {
  std::condition_variable landed;
  bool done = false; // guarded by the cache's mutex
  ProgramBytes program;
  std::string error; // if there is no program
};

ProgramCache::ProgramCache(std::string directory, Warn warn)
    : directory(std::move(directory)), warn(std::move(warn)) {}

std::string ProgramCache::defaultDirectory() {
  if (auto folder = sys::Process::GetEnv("WEFT_CACHE_DIR"))
    return *folder;
  SmallString<128> path;
  if (auto folder = sys::Process::GetEnv("XDG_CACHE_HOME");
      folder && !folder->empty())
    sys::path::append(path, *folder, "weft");
  else if (sys::path::home_directory(path))
    sys::path::append(path, ".cache", "weft");
  return path.str().str();
}

std::string ProgramCache::entryPath(const CacheKey &key) const {
  return directory.empty() ? std::string()
                           : directory + "/" + key.hash() + ".weft";
}

ProgramCache::Counts ProgramCache::counts() const {
  std::lock_guard<std::mutex> lock(mutex);
  return count;
}

void ProgramCache::warnOnce(const Twine &message) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (warned)
      return;
    warned = true;
  }
  std::string text =
      (message + "; compiled kernels are kept in memory only. Name a folder "
                 "that can be written in WEFT_CACHE_DIR")
          .str();
  if (warn)
    warn(text);
  else
    errs() << "weft: warning: " << text << "\n";
}

ProgramBytes ProgramCache::readEntry(const CacheKey &key) {
  if (directory.empty())
    return nullptr;
  // Volatile: read, not mapped, so that a file cut short meanwhile is an error
  // and not a signal.
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(entryPath(key), /*IsText=*/false,
                            /*RequiresNullTerminator=*/false,
                            /*IsVolatile=*/true);
  if (!file)
    return nullptr;
  Expected<std::vector<uint8_t>> program =
      decodeEntry(key, arrayRefFromStringRef((*file)->getBuffer()));
  if (!program) {
    // Compiled anew and replaced.
    consumeError(program.takeError());
    return nullptr;
  }
  return std::make_shared<const std::vector<uint8_t>>(std::move(*program));
}

// LLVM's TempFile would set signal handlers in the host process.
static std::error_code publish(StringRef directory, StringRef path,
                               ArrayRef<uint8_t> bytes) {
  if (std::error_code error = sys::fs::create_directories(directory))
    return error;
  int descriptor;
  SmallString<256> temporary;
  if (std::error_code error = sys::fs::createUniqueFile(
          directory + "/tmp-%%%%%%%%%%%%", descriptor, temporary))
    return error;
  raw_fd_ostream stream(descriptor, /*shouldClose=*/true);
  stream << toStringRef(bytes);
  stream.close();
  std::error_code error = stream.error();
  // A stream with an error aborts when it is destroyed.
  stream.clear_error();
  if (!error)
    error = sys::fs::rename(temporary, path);
  if (error)
    sys::fs::remove(temporary);
  return error;
}

void ProgramCache::writeEntry(const CacheKey &key,
                              const std::vector<uint8_t> &program) {
  if (directory.empty())
    return;
  if (std::error_code error =
          publish(directory, entryPath(key), encodeEntry(key, program)))
    warnOnce("cannot write to the cache folder '" + directory +
             "': " + error.message());
}

Expected<ProgramBytes> ProgramCache::getOrCompile(
    const CacheKey &key,
    function_ref<Expected<std::vector<uint8_t>>()> compile) {
  std::string hash = key.hash();
  std::shared_ptr<Flight> flight;
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (auto found = memory.find(hash); found != memory.end()) {
      ++count.memoryHits;
      return found->second;
    }
    std::shared_ptr<Flight> &slot = flights[hash];
    if (slot) {
      flight = slot;
      ++count.waits;
      flight->landed.wait(lock, [&] { return flight->done; });
      if (!flight->program)
        return createStringError(flight->error);
      return flight->program;
    }
    flight = slot = std::make_shared<Flight>();
  }

  ProgramBytes program = readEntry(key);
  bool fromDisk = program != nullptr;
  std::string error;
  if (!fromDisk) {
    Expected<std::vector<uint8_t>> compiled = compile();
    // What `compile` gives is checked like what a file holds.
    Expected<const program::Program *> loaded =
        compiled ? program::load(*compiled) : compiled.takeError();
    if (loaded)
      program =
          std::make_shared<const std::vector<uint8_t>>(std::move(*compiled));
    else
      error = toString(loaded.takeError());
    if (program)
      writeEntry(key, *program);
  }

  std::lock_guard<std::mutex> lock(mutex);
  ++(fromDisk ? count.diskHits : count.compiles);
  if (program)
    memory[hash] = program;
  flights.erase(hash);
  flight->program = program;
  flight->error = error;
  flight->done = true;
  flight->landed.notify_all();
  if (!program)
    return createStringError(error);
  return program;
}

} // namespace weft
