//===- CacheCommand.cpp - weftc's command about the cache -----------------===//

#include "tools/weftc/CacheCommand.h"

#include "runtime/cache/BuildId.h"
#include "runtime/cache/CacheEntry.h"
#include "runtime/cache/ProgramCache.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Chrono.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

using namespace llvm;

namespace weft {

static std::string sizeText(uint64_t bytes) {
  if (bytes < 10 * 1024)
    return formatv("{0} B", bytes).str();
  if (bytes < 10 * 1024 * 1024)
    return formatv("{0} KB", bytes / 1024).str();
  return formatv("{0} MB", bytes / (1024 * 1024)).str();
}

static std::string countText(uint64_t count, StringRef one, StringRef many) {
  return (Twine(count) + " " + (count == 1 ? one : many)).str();
}

static std::string entriesText(uint64_t count) {
  return countText(count, "entry", "entries");
}

// Reads an entry, which must be whole and bear the name of its key.
static Expected<CacheKey> keyOf(const CacheDirectory::Entry &entry) {
  // Volatile: another process may replace it.
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(entry.path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false,
                            /*IsVolatile=*/true);
  if (!file)
    return createStringError("cannot be read: " + file.getError().message());
  Expected<CacheEntry> parsed =
      parseEntry(arrayRefFromStringRef((*file)->getBuffer()));
  if (!parsed)
    return parsed.takeError();
  if (parsed->key.hash() != sys::path::stem(entry.path))
    return createStringError("is the entry of another key: " +
                             parsed->key.hash());
  return std::move(parsed->key);
}

static void list(ArrayRef<CacheDirectory::Entry> entries, raw_ostream &os) {
  if (!entries.empty())
    os << "    size  last used         build  target   spec\n";
  for (const CacheDirectory::Entry &entry : entries) {
    os << formatv("{0,8}  {1:%Y-%m-%d %H:%M}  ", sizeText(entry.bytes),
                  sys::TimePoint<>(entry.used));
    Expected<CacheKey> key = keyOf(entry);
    if (key)
      os << formatv("{0,-5}  {1,-7}  {2}\n",
                    key->build == buildId() ? "this" : "other", key->target,
                    key->spec);
    else
      os << formatv("{0}: {1}\n", sys::path::filename(entry.path),
                    toString(key.takeError()));
  }
}

static bool verify(ArrayRef<CacheDirectory::Entry> entries, raw_ostream &os) {
  uint64_t damaged = 0;
  for (const CacheDirectory::Entry &entry : entries) {
    Expected<CacheKey> key = keyOf(entry);
    if (key)
      continue;
    ++damaged;
    os << entry.path << ": " << toString(key.takeError()) << "\n";
  }
  if (damaged)
    os << damaged << " of " << entriesText(entries.size())
       << " damaged: they are compiled anew when asked for; 'weftc cache "
          "prune' removes them\n";
  else
    os << entriesText(entries.size()) << ", all whole\n";
  return damaged == 0;
}

static void tell(const CacheDirectory::Removed &removed, raw_ostream &os) {
  os << "removed " << entriesText(removed.entries) << " ("
     << sizeText(removed.bytes) << ") and "
     << countText(removed.leftovers, "leftover", "leftovers") << "\n";
  if (removed.kept)
    os << "kept " << entriesText(removed.kept)
       << " that a live process reads, or that may not be removed\n";
}

Expected<bool> runCacheCommand(CacheAction action, std::string path,
                               const CacheLimits &limits, raw_ostream &os) {
  if (path.empty())
    path = ProgramCache::defaultDirectory();
  if (path.empty() && sys::Process::GetEnv("WEFT_CACHE_DIR"))
    return createStringError("there is no cache folder, as WEFT_CACHE_DIR is "
                             "empty: kernels are kept in memory alone; name "
                             "one with --dir");
  if (path.empty())
    return createStringError("there is no cache folder, as neither "
                             "WEFT_CACHE_DIR nor XDG_CACHE_HOME nor HOME "
                             "is set; name one with "
                             "--dir");
  SmallString<128> absolute(path);
  if (std::error_code error = sys::fs::make_absolute(absolute))
    return createStringError("cannot find '" + path + "': " + error.message());
  CacheDirectory directory(absolute.str().str());
  Expected<std::vector<CacheDirectory::Entry>> entries = directory.entries();
  if (!entries)
    return entries.takeError();

  uint64_t bytes = 0;
  for (const CacheDirectory::Entry &entry : *entries)
    bytes += entry.bytes;
  os << directory.path() << ": " << entriesText(entries->size()) << ", "
     << sizeText(bytes) << "\n";
  switch (action) {
  case CacheAction::List:
    list(*entries, os);
    return true;
  case CacheAction::Verify:
    return verify(*entries, os);
  case CacheAction::Prune: {
    CacheDirectory::Removed damaged;
    for (const CacheDirectory::Entry &entry : *entries) {
      Expected<CacheKey> key = keyOf(entry);
      if (key)
        continue;
      consumeError(key.takeError());
      if (!directory.removeEntry(entry.path)) {
        ++damaged.kept;
        continue;
      }
      ++damaged.entries;
      damaged.bytes += entry.bytes;
    }
    CacheDirectory::Removed removed = directory.prune(limits);
    removed.entries += damaged.entries;
    removed.bytes += damaged.bytes;
    removed.kept += damaged.kept;
    tell(removed, os);
    return true;
  }
  case CacheAction::Clear:
    tell(directory.prune({0, 0}), os);
    return true;
  }
  llvm_unreachable("no such action");
}

} // namespace weft
