//===- ProgramCache.cpp - Compiled programs, kept -------------------------===//

#include "runtime/cache/ProgramCache.h"

#include "runtime/program/Program.h"
#include "runtime/support/Log.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <condition_variable>
#include <thread>

using namespace llvm;

namespace weft {

// Waits that somebody at a terminal would wonder about are logged.
static constexpr std::chrono::seconds kNotedWait{1};

/// One compile that others may wait for.
struct ProgramCache::Flight {
  std::condition_variable landed;
  bool done = false; // guarded by the cache's mutex
  ProgramBytes program;
  std::string error; // if there is no program
};

//===----------------------------------------------------------------------===//
// Options
//===----------------------------------------------------------------------===//

// A process may change its working folder.
static ProgramCache::Options withAbsoluteFolder(ProgramCache::Options options) {
  if (!options.directory.empty()) {
    SmallString<128> path(options.directory);
    if (!sys::fs::make_absolute(path))
      options.directory = path.str().str();
  }
  return options;
}

static void warnOf(const ProgramCache::Warn &warn, const Twine &message) {
  if (warn)
    warn(message.str());
  else
    log(LogLevel::Warning, message);
}

std::string ProgramCache::defaultDirectory() {
  if (auto folder = sys::Process::GetEnv("WEFT_CACHE_DIR"))
    return *folder;
  SmallString<128> path;
  if (auto folder = sys::Process::GetEnv("XDG_CACHE_HOME");
      folder && !folder->empty())
    sys::path::append(path, *folder, "weft");
  else if (sys::path::home_directory(path) && !path.empty())
    sys::path::append(path, ".cache", "weft");
  return path.str().str();
}

std::optional<uint64_t> parseByteCount(StringRef text) {
  unsigned shift = 0;
  if (text.consume_back("K"))
    shift = 10;
  else if (text.consume_back("M"))
    shift = 20;
  else if (text.consume_back("G"))
    shift = 30;
  uint64_t number = 0;
  if (text.getAsInteger(10, number) || number > (UINT64_MAX >> shift))
    return std::nullopt;
  return number << shift;
}

CacheLimits ProgramCache::limitsOfEnvironment(const Warn &warn) {
  CacheLimits limits;
  if (auto text = sys::Process::GetEnv("WEFT_CACHE_MAX_BYTES")) {
    uint64_t bytes = parseByteCount(*text).value_or(0);
    if (bytes > 0)
      limits.bytes = bytes;
    else
      warnOf(warn, "WEFT_CACHE_MAX_BYTES is '" + Twine(*text) +
                       "'; give a number of at least 1, with K, M or G behind "
                       "it if you like. The default of 1G is used");
  }
  uint64_t entries = 0;
  if (auto text = sys::Process::GetEnv("WEFT_CACHE_MAX_ENTRIES")) {
    if (!StringRef(*text).getAsInteger(10, entries) && entries > 0)
      limits.entries = entries;
    else
      warnOf(warn, "WEFT_CACHE_MAX_ENTRIES is '" + Twine(*text) +
                       "'; give a number of at least 1. The default of 4096 "
                       "is used");
  }
  return limits;
}

ProgramCache::ProgramCache(Options given)
    : options(withAbsoluteFolder(std::move(given))),
      disk(options.directory.empty()
               ? std::nullopt
               : std::optional<CacheDirectory>(std::in_place, options.directory,
                                               options.network)),
      forkHooks([this] { mutex.lock(); }, [this] { mutex.unlock(); },
                [this] {
                  // Who compiled is not here to land them.
                  flights.clear();
                  mutex.unlock();
                }) {}

ProgramCache::ProgramCache(std::string directory, Warn warn)
    : ProgramCache([&] {
        Options options;
        options.directory = std::move(directory);
        options.limits = limitsOfEnvironment(warn);
        options.warn = std::move(warn);
        return options;
      }()) {}

std::unique_ptr<ProgramCache> ProgramCache::ofEnvironment(Warn warn) {
  auto cache =
      std::make_unique<ProgramCache>(defaultDirectory(), std::move(warn));
  cache->expectsFolder = !std::getenv("WEFT_CACHE_DIR");
  return cache;
}

//===----------------------------------------------------------------------===//
// What is told
//===----------------------------------------------------------------------===//

void ProgramCache::tell(const Twine &message) const {
  warnOf(options.warn, message);
}

void ProgramCache::warnOnce(const Twine &message) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (warned)
      return;
    warned = true;
  }
  tell(message + "; compiled kernels are kept in memory only. Name a folder "
                 "that can be written in WEFT_CACHE_DIR");
}

std::string ProgramCache::entryPath(const CacheKey &key) const {
  return disk ? disk->entryPath(key) : std::string();
}

ProgramCache::Counts ProgramCache::counts() const {
  std::lock_guard<std::mutex> lock(mutex);
  return count;
}

static std::string nameOf(const CacheKey &key) {
  return "'" + key.spec + "' for " + key.target;
}

namespace {
/// Time since it was made, for people: "812 ms".
class Stopwatch {
public:
  std::chrono::steady_clock::duration elapsed() const {
    return std::chrono::steady_clock::now() - start;
  }
  std::string text() const {
    double ms = std::chrono::duration<double, std::milli>(elapsed()).count();
    return formatv(ms < 10 ? "{0:F1} ms" : "{0:F0} ms", ms).str();
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

//===----------------------------------------------------------------------===//
// Disk
//===----------------------------------------------------------------------===//

// Takes the lock of `key`, or gives the program that its holder publishes.
// Neither: the wait was too long, or there are no locks here.
ProgramBytes ProgramCache::waitForOthers(const CacheKey &key,
                                         FileLock &lock) const {
  Stopwatch watch;
  bool noted = false;
  for (std::chrono::milliseconds pause{1};;
       pause = std::min<std::chrono::milliseconds>(
           2 * pause, std::chrono::milliseconds(50))) {
    std::error_code error = disk->tryLock(key, lock);
    // Its holder may have published between our look and our lock.
    if (!error)
      return disk->read(key);
    if (error != std::errc::operation_would_block) {
      log(LogLevel::Debug, "no lock for " + Twine(nameOf(key)) + " in '" +
                               options.directory + "': " + error.message());
      return nullptr;
    }
    auto left = options.wait - watch.elapsed();
    if (left <= left.zero()) {
      tell("waited " + Twine(watch.text()) + " for " + disk->holderOf(key) +
           ", which compiles " + nameOf(key) +
           "; compiling it here as well. If that process hangs, end it");
      return nullptr;
    }
    if (!noted && watch.elapsed() > kNotedWait) {
      noted = true;
      log(LogLevel::Info, "waiting for " + Twine(disk->holderOf(key)) +
                              ", which compiles " + nameOf(key));
    }
    std::this_thread::sleep_for(
        std::min<std::chrono::steady_clock::duration>(pause, left));
    if (ProgramBytes program = disk->read(key))
      return program;
  }
}

std::string ProgramCache::keep(const CacheKey &key,
                               const ProgramBytes &program) {
  if (!disk) {
    if (expectsFolder)
      warnOnce("there is no cache folder, as neither WEFT_CACHE_DIR nor "
               "XDG_CACHE_HOME nor HOME is set");
    return "no cache folder";
  }
  if (std::error_code error = disk->publish(key, *program)) {
    warnOnce("cannot write to the cache folder '" + options.directory +
             "': " + error.message());
    return error.message();
  }
  CacheDirectory::Removed removed = disk->prune(options.limits, &key);
  if (removed.entries || removed.leftovers)
    log(LogLevel::Debug, "removed " + Twine(removed.entries) + " entries and " +
                             Twine(removed.leftovers) + " leftovers from '" +
                             options.directory + "'");
  return "";
}

ProgramCache::Found
ProgramCache::find(const CacheKey &key,
                   function_ref<Expected<std::vector<uint8_t>>()> compile) {
  Stopwatch watch;
  Found found;
  FileLock lock;
  if (disk) {
    found.program = disk->read(key);
    if (!found.program)
      found.program = waitForOthers(key, lock);
    if (found.program) {
      found.fromDisk = true;
      log(LogLevel::Info, nameOf(key) + ": read from '" + entryPath(key) +
                              "' in " + watch.text());
      return found;
    }
  }
  Stopwatch compileWatch;
  Expected<std::vector<uint8_t>> compiled = compile();
  // What `compile` gives is checked like what a file holds.
  Expected<const program::Program *> loaded =
      compiled ? program::load(*compiled) : compiled.takeError();
  if (!loaded) {
    found.error = toString(loaded.takeError());
    log(LogLevel::Info, nameOf(key) + ": failed after " + compileWatch.text() +
                            ": " + StringRef(found.error).split('\n').first);
    return found;
  }
  found.program =
      std::make_shared<const std::vector<uint8_t>>(std::move(*compiled));
  std::string took = compileWatch.text();
  std::string reason = keep(key, found.program);
  log(LogLevel::Info,
      nameOf(key) + ": compiled in " + took +
          (reason.empty() ? ", kept in '" + entryPath(key) + "'"
                          : ", kept in memory only (" + reason + ")"));
  return found;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Expected<ProgramBytes> ProgramCache::getOrCompile(
    const CacheKey &key,
    function_ref<Expected<std::vector<uint8_t>>()> compile) {
  std::string text = key.text();
  std::shared_ptr<Flight> flight;
  {
    std::unique_lock<std::mutex> lock(mutex);
    if (auto found = memory.find(text); found != memory.end()) {
      ++count.memoryHits;
      log(LogLevel::Debug, nameOf(key) + ": in memory");
      return found->second;
    }
    std::shared_ptr<Flight> &slot = flights[text];
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

  Found found = find(key, compile);

  std::lock_guard<std::mutex> lock(mutex);
  ++(found.fromDisk ? count.diskHits : count.compiles);
  if (found.program)
    memory[text] = found.program;
  flights.erase(text);
  flight->program = found.program;
  flight->error = found.error;
  flight->done = true;
  flight->landed.notify_all();
  if (!found.program)
    return createStringError(found.error);
  return found.program;
}

void ProgramCache::drop(const CacheKey &key, const ProgramBytes &rejected) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    auto found = memory.find(key.text());
    if (found != memory.end() && *found->second == *rejected)
      memory.erase(found);
  }
  if (!disk)
    return;
  // Another process may have put a better one there.
  ProgramBytes kept = disk->read(key);
  if (kept && *kept == *rejected)
    disk->remove(key);
}

} // namespace weft
