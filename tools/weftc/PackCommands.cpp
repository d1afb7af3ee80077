//===- PackCommands.cpp - weftc's commands about packs --------------------===//

#include "tools/weftc/PackCommands.h"

#include "runtime/cache/CachedProgram.h"
#include "runtime/compile/Nvrtc.h"
#include "runtime/pack/Manifest.h"
#include "runtime/pack/PackFile.h"
#include "runtime/support/OutputFile.h"
#include "tools/weftc/Progress.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

using namespace llvm;

namespace weft {

static std::string megabytes(uint64_t bytes) {
  return formatv("{0:F1} MB", bytes / 1e6).str();
}

static std::string programsText(size_t count) {
  return std::to_string(count) + (count == 1 ? " program" : " programs");
}

//===----------------------------------------------------------------------===//
// Compile
//===----------------------------------------------------------------------===//

namespace {
/// One problem of a pack.
struct Job {
  AttentionSpec spec;
  Target target;
  std::string text;       ///< of the spec
  std::string targetName; ///< known or not
  std::string key;
  bool reused = false;
  std::vector<uint8_t> compiled;
  ArrayRef<uint8_t> program; ///< empty: failed
  std::string library, compiler;
  std::string failure;

  std::string name() const { return text + " for " + targetName; }
  bool isOpen() const { return !reused && failure.empty(); }
  PackEntry entry() const {
    return {text, targetName, library, compiler, key, program};
  }
};

class PackBuild {
public:
  explicit PackBuild(const PackCompile &request) : request(request) {}
  Expected<bool> run();

private:
  Error readJobs();
  Error takeShard();
  Error findKeys();
  void reuse(const std::shared_ptr<const Pack> &pack);
  void compileAll();
  void compileOne(Job &job);
  Expected<bool> finish();

  const PackCompile &request;
  std::vector<Job> jobs;
  std::string compiler; ///< "NVRTC 13.0"
  std::unique_ptr<PartFile> part;
  std::vector<std::shared_ptr<const Pack>> old; ///< that jobs refer to
  std::mutex mutex; ///< of what follows, the part file and the output
  Progress *progress = nullptr;
  std::string partFailure;
  double seconds = 0;
};
} // namespace

Error PackBuild::readJobs() {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(request.manifest, /*IsText=*/true);
  if (!file)
    return createStringError("cannot read '" + request.manifest +
                             "': " + file.getError().message());
  Expected<std::vector<ManifestEntry>> entries =
      parseManifest((*file)->getBuffer());
  if (!entries)
    return createStringError(request.manifest + ": " +
                             toString(entries.takeError()));
  for (const std::string &name : request.targets)
    if (Error error = targetByName(name).takeError())
      return error;
  for (const ManifestEntry &entry : *entries) {
    ArrayRef<std::string> names =
        request.targets.empty() ? entry.targets : request.targets;
    if (names.empty())
      return createStringError(request.manifest + ": '" + entry.spec.str() +
                               "' names no arch; add one to its line, or give "
                               "--arch for all");
    for (const std::string &name : names) {
      Job job;
      job.spec = entry.spec;
      job.text = entry.spec.str();
      job.targetName = name;
      if (Expected<const Target *> target = targetByName(name)) {
        job.target = **target;
        job.target.tuning = request.tuning;
      } else {
        // A GPU that an application met: it costs the others nothing.
        job.failure = request.manifest + ": " + entry.place + ": " +
                      toString(target.takeError());
      }
      jobs.push_back(std::move(job));
    }
  }
  auto place = [](const Job &job) {
    return std::tie(job.text, job.targetName);
  };
  llvm::sort(jobs,
             [&](const Job &a, const Job &b) { return place(a) < place(b); });
  jobs.erase(std::unique(jobs.begin(), jobs.end(),
                         [&](const Job &a, const Job &b) {
                           return place(a) == place(b);
                         }),
             jobs.end());
  return Error::success();
}

Error PackBuild::takeShard() {
  auto [index, count] = StringRef(request.shard).split('/');
  size_t first = 0, step = 0;
  if (index.getAsInteger(10, first) || count.getAsInteger(10, step) ||
      first >= step)
    return createStringError("--shard=" + request.shard +
                             " is not i/n with i from 0 to n - 1, as in "
                             "--shard=0/4");
  std::vector<Job> mine;
  for (size_t i = first; i < jobs.size(); i += step)
    mine.push_back(std::move(jobs[i]));
  jobs = std::move(mine);
  return Error::success();
}

Error PackBuild::findKeys() {
  Expected<NvrtcIdentity> nvrtc = findNvrtc();
  if (!nvrtc)
    return nvrtc.takeError();
  Expected<const Nvrtc *> opened = Nvrtc::open(nvrtc->path);
  if (!opened)
    return opened.takeError();
  compiler = ("NVRTC " + Twine((*opened)->versionMajor) + "." +
              Twine((*opened)->versionMinor))
                 .str();
  for (Job &job : jobs) {
    if (!job.isOpen())
      continue;
    Expected<CacheKey> key = cacheKey(job.spec, job.target, request.options);
    if (!key)
      return key.takeError();
    job.key = key->hash();
  }
  return Error::success();
}

/// Takes what `pack` holds that would come out the same.
void PackBuild::reuse(const std::shared_ptr<const Pack> &pack) {
  for (Job &job : jobs) {
    const PackEntry *entry = pack->find(job.text, job.targetName);
    if (!job.isOpen() || !entry || entry->key != job.key)
      continue;
    Expected<ArrayRef<uint8_t>> program = pack->load(*entry);
    if (!program) {
      consumeError(program.takeError());
      continue;
    }
    job.reused = true;
    job.program = *program;
    job.library = entry->library.str();
    job.compiler = entry->compiler.str();
    old.push_back(pack);
  }
}

void PackBuild::compileOne(Job &job) {
  Expected<AssembledProgram> program =
      compileProgram(job.spec, job.target, request.options);
  Expected<std::vector<uint8_t>> bytes =
      program ? program::serialize(program->program) : program.takeError();
  std::lock_guard<std::mutex> lock(mutex);
  if (bytes) {
    job.compiled = std::move(*bytes);
    job.program = job.compiled;
    job.library = WEFT_VERSION;
    job.compiler = compiler;
    if (Error error = part->append(job.entry())) {
      // Go on: the pack is written from memory.
      std::string message = toString(std::move(error));
      if (partFailure.empty())
        progress->say("weftc: warning: " + message +
                      "; an interrupted compile will begin anew");
      partFailure = message;
    }
  } else {
    job.failure = toString(bytes.takeError());
    progress->say("failed: " + job.name());
  }
  progress->step();
}

void PackBuild::compileAll() {
  std::vector<Job *> open;
  for (Job &job : jobs)
    if (job.isOpen())
      open.push_back(&job);
  Progress bar(errs(), errs().is_displayed(), jobs.size() - open.size(),
               jobs.size());
  progress = &bar;
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < open.size();)
      compileOne(*open[i]);
  };
  std::vector<std::thread> workers;
  size_t threads = hardware_concurrency(request.jobs).compute_thread_count();
  for (size_t i = 1; i < std::min(threads, open.size()); ++i)
    workers.emplace_back(work);
  work();
  for (std::thread &worker : workers)
    worker.join();
  seconds = bar.seconds();
  progress = nullptr;
}

Expected<bool> PackBuild::finish() {
  std::vector<PackEntry> entries;
  size_t reused = 0, failed = 0;
  for (const Job &job : jobs) {
    reused += job.reused;
    if (job.program.empty())
      ++failed;
    else
      entries.push_back(job.entry());
  }
  std::string counts = (Twine(entries.size() - reused) + " compiled, " +
                        Twine(reused) + " reused, " + Twine(failed) + " failed")
                           .str();
  if (entries.empty() && failed > 0) {
    outs() << "no pack is written: " << counts << "\n";
  } else {
    Expected<uint64_t> bytes = writePack(request.output, entries);
    if (!bytes)
      return bytes.takeError();
    outs() << request.output << ": " << programsText(entries.size()) << ", "
           << megabytes(*bytes) << " (" << counts << ") in "
           << durationText(seconds) << "\n";
  }
  // All that succeeded is in the pack.
  if (Error error = part->remove())
    return error;
  for (const Job &job : jobs)
    if (job.program.empty())
      outs() << "failed: " << job.name() << "\n  "
             << StringRef(job.failure).rtrim() << "\n";
  return failed == 0;
}

Expected<bool> PackBuild::run() {
  // Before the work whose result goes there.
  Expected<std::string> file = fileToReplace(request.output);
  if (!file)
    return file.takeError();
  for (auto step :
       {&PackBuild::readJobs, &PackBuild::takeShard, &PackBuild::findKeys})
    if (Error error = (this->*step)())
      return error;
  Expected<std::unique_ptr<PartFile>> opened = PartFile::open(*file + ".part");
  if (!opened)
    return opened.takeError();
  part = std::move(*opened);
  for (const std::shared_ptr<const Pack> &pack : part->packs())
    reuse(pack);
  // One that is damaged, or none, is written anew.
  if (Expected<std::shared_ptr<const Pack>> pack = Pack::open(request.output))
    reuse(*pack);
  else
    consumeError(pack.takeError());
  compileAll();
  return finish();
}

Expected<bool> compilePack(const PackCompile &request) {
  return PackBuild(request).run();
}

//===----------------------------------------------------------------------===//
// Inspect and merge
//===----------------------------------------------------------------------===//

/// The kernels of a checked program.
static json::Array kernelsOf(ArrayRef<uint8_t> program) {
  json::Array kernels;
  if (const auto *list = program::GetProgram(program.data())->kernels())
    for (const program::Kernel *kernel : *list)
      kernels.push_back(json::Object{
          {"name", kernel->name()->str()},
          {"threads", kernel->threads()},
          {"shared_bytes", kernel->shared_bytes()},
          {"cubin_bytes",
           int64_t(kernel->cubin() ? kernel->cubin()->size() : 0)}});
  return kernels;
}

Expected<bool> inspectPack(StringRef path, bool asJson) {
  Expected<std::shared_ptr<const Pack>> opened = Pack::open(path);
  if (!opened)
    return opened.takeError();
  const Pack &pack = **opened;
  bool whole = true;
  json::Array programs;
  std::string table;
  raw_string_ostream rows(table);
  for (const PackEntry &entry : pack.entries()) {
    json::Object object{{"spec", entry.spec},
                        {"arch", entry.target},
                        {"bytes", int64_t(entry.program.size())},
                        {"weft", entry.library},
                        {"compiler", entry.compiler},
                        {"key", entry.key}};
    std::string state;
    if (Expected<ArrayRef<uint8_t>> program = pack.load(entry)) {
      json::Array kernels = kernelsOf(*program);
      state = std::to_string(kernels.size());
      object["kernels"] = std::move(kernels);
    } else {
      whole = false;
      state = "damaged";
      object["damaged"] = toString(program.takeError());
    }
    rows << formatv("{0,-8} {1,10} {2,8}  {3,-8} {4,-12} {5}\n", entry.target,
                    entry.program.size(), state, entry.library, entry.compiler,
                    entry.spec);
    programs.push_back(std::move(object));
  }
  if (asJson) {
    outs() << formatv("{0:2}\n", json::Value(json::Object{
                                     {"pack", path},
                                     {"version", int64_t(packVersion)},
                                     {"bytes", int64_t(pack.bytes())},
                                     {"programs", std::move(programs)}}));
    return whole;
  }
  outs() << path << ": " << programsText(pack.entries().size()) << ", "
         << megabytes(pack.bytes()) << ", format version " << packVersion
         << "\n"
         << formatv("{0,-8} {1,10} {2,8}  {3,-8} {4,-12} {5}\n", "arch",
                    "bytes", "kernels", "weft", "compiler", "spec")
         << rows.str();
  outs().flush();
  return whole;
}

static std::string makerOf(const PackEntry &entry) {
  return ("weft " + entry.library + " with " + entry.compiler).str();
}

Error mergePacks(StringRef output, ArrayRef<std::string> inputs) {
  if (Error error = fileToReplace(output).takeError())
    return error;
  std::vector<std::shared_ptr<const Pack>> packs;
  std::vector<std::pair<PackEntry, const Pack *>> all;
  for (const std::string &input : inputs) {
    Expected<std::shared_ptr<const Pack>> pack = Pack::open(input);
    if (!pack)
      return pack.takeError();
    for (const PackEntry &entry : (*pack)->entries()) {
      if (Error error = (*pack)->load(entry).takeError())
        return error;
      all.push_back({entry, pack->get()});
    }
    packs.push_back(std::move(*pack));
  }
  std::stable_sort(all.begin(), all.end(), [](const auto &a, const auto &b) {
    return a.first < b.first;
  });
  std::vector<PackEntry> entries;
  const Pack *from = nullptr; // of the last entry
  for (const auto &[entry, pack] : all) {
    if (entries.empty() || !entries.back().sameProblem(entry)) {
      entries.push_back(entry);
      from = pack;
      continue;
    }
    const PackEntry &first = entries.back();
    if (first.program == entry.program)
      continue;
    std::string maker = makerOf(first), other = makerOf(entry);
    // The key has all that shapes a program, makers included.
    std::string why =
        maker == other
            ? (Twine(" and ") + pack->name() + " have it, both by " + maker +
               ", but compiled with other options (--lineinfo, --tuning) or by "
               "another build")
                  .str()
            : (" has it by " + Twine(maker) + ", " + pack->name() + " by " +
               other)
                  .str();
    return createStringError(
        "'" + entry.spec + "' for " + entry.target +
        " differs: " + from->name() + why +
        "; compile both packs with the same, or leave it out of one");
  }
  Expected<uint64_t> bytes = writePack(output, entries);
  if (!bytes)
    return bytes.takeError();
  outs() << output << ": " << programsText(entries.size()) << ", "
         << megabytes(*bytes) << "\n";
  return Error::success();
}

} // namespace weft
