//===- CachedProgram.cpp - From a spec to a program that runs -------------===//

#include "runtime/cache/CachedProgram.h"

#include "runtime/cache/BuildId.h"
#include "runtime/compile/Nvrtc.h"
#include "runtime/support/ForkHooks.h"
#include "runtime/support/Log.h"
#include "runtime/support/OutputFile.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <optional>

using namespace llvm;

namespace weft {

StringRef stageName(Stage stage) {
  switch (stage) {
  case Stage::Attn:
    return "attn";
  case Stage::Plan:
    return "plan";
  case Stage::Tile:
    return "tile";
  case Stage::Warp:
    return "warp";
  case Stage::EmitC:
    return "emitc";
  case Stage::Cuda:
    return "cuda";
  }
  llvm_unreachable("no such stage");
}

Expected<CacheKey> cacheKey(const AttentionSpec &spec, const Target &target,
                            const CompileOptions &options) {
  Expected<NvrtcIdentity> nvrtc = findNvrtc();
  if (!nvrtc)
    return nvrtc.takeError();
  CacheKey key;
  key.spec = spec.str();
  key.target = target.name.str();
  key.schedule = scheduleKey(spec, target);
  key.options = options.str();
  // NVRTC reads it by itself.
  if (auto flags = sys::Process::GetEnv("NVRTC_APPEND_FLAGS"))
    key.options += " NVRTC_APPEND_FLAGS=" + *flags;
  key.nvrtc = nvrtc->str();
  key.build = buildId().str();
  return key;
}

static std::optional<std::string> dumpFolder() {
  std::optional<std::string> folder = sys::Process::GetEnv("WEFT_DUMP");
  return folder && !folder->empty() ? folder : std::nullopt;
}

namespace {
/// Files of one compile in its folder under WEFT_DUMP. The first failure to
/// write is told, once a process: the compile is what was asked for.
class Dump {
public:
  Dump(StringRef root, const CacheKey &key) {
    folder = root.str() + "/";
    for (char c : key.spec + " " + key.target)
      folder += isAlnum(c) || c == '_' || c == '=' ? c : '-';
    // Tells apart what differs in its schedule, options, NVRTC or build.
    folder += "-" + key.hash().substr(0, 8);
    if (std::error_code error = sys::fs::create_directories(folder))
      fail("cannot make '" + folder + "': " + error.message());
  }

  void write(const Twine &name, StringRef bytes) {
    std::string path = folder + "/" + name.str();
    if (failed)
      return;
    if (Error error = writeFile(path, bytes))
      fail(toString(std::move(error)));
  }

private:
  void fail(const Twine &message) {
    failed = true;
    static std::atomic<bool> told = false;
    if (!told.exchange(true))
      log(LogLevel::Warning,
          "WEFT_DUMP: " + message + "; compiles go on without it");
  }
  std::string folder;
  bool failed = false;
};
} // namespace

static Expected<AssembledProgram>
compileInto(Dump *dump, const AttentionSpec &spec, const Target &target,
            const CompileOptions &options, const StageCallback &onStage) {
  Expected<CompiledText> text =
      compileToText(spec, target, [&](Stage stage, const std::string &shown) {
        if (dump)
          dump->write(Twine(int(stage) + 1) + "-" + stageName(stage) +
                          (stage == Stage::Cuda ? ".cu" : ".mlir"),
                      shown);
        if (onStage)
          onStage(stage, shown);
      });
  if (!text)
    return text.takeError();
  return assembleProgram(std::move(*text), target, options);
}

Expected<AssembledProgram> compileProgram(const AttentionSpec &spec,
                                          const Target &target,
                                          const CompileOptions &options,
                                          const StageCallback &onStage) {
  std::optional<Dump> dump;
  if (auto folder = dumpFolder()) {
    Expected<CacheKey> key = cacheKey(spec, target, options);
    if (!key)
      return key.takeError();
    dump.emplace(*folder, *key);
  }
  ForksWait forksWait;
  Expected<AssembledProgram> program =
      compileInto(dump ? &*dump : nullptr, spec, target, options, onStage);
  if (!dump)
    return program;
  if (!program) {
    std::string message = toString(program.takeError());
    dump->write("error.log", message);
    return createStringError(message);
  }
  for (const CompiledKernel &kernel : program->kernels) {
    dump->write(kernel.name + ".ptx", kernel.ptx);
    dump->write(kernel.name + ".cubin", kernel.cubin);
    dump->write(kernel.name + ".log", kernel.log);
  }
  return program;
}

Expected<ProgramBytes> cachedProgram(ProgramCache &cache,
                                     const AttentionSpec &spec,
                                     const Target &target,
                                     const CompileOptions &options) {
  auto compile = [&]() -> Expected<std::vector<uint8_t>> {
    Expected<AssembledProgram> program = compileProgram(spec, target, options);
    if (!program)
      return program.takeError();
    if (logs(LogLevel::Debug)) {
      std::string times;
      for (auto &[step, milliseconds] : program->stageMilliseconds)
        times += formatv(" {0} {1:F1} ms", step, milliseconds).str();
      log(LogLevel::Debug,
          "'" + spec.str() + "' for " + target.name + ":" + times);
    }
    return program::serialize(program->program);
  };
  Expected<CacheKey> key = cacheKey(spec, target, options);
  if (!key)
    return key.takeError();
  // A compile is what was asked for: past the cache.
  if (dumpFolder())
    return ProgramCache(ProgramCache::Options()).getOrCompile(*key, compile);
  return cache.getOrCompile(*key, compile);
}

} // namespace weft
