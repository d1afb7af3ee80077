//===- CachedProgram.cpp - From a spec to a program that runs -------------===//

#include "runtime/cache/CachedProgram.h"

#include "runtime/cache/BuildId.h"
#include "runtime/compile/Nvrtc.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

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
/// write is kept: a dump that was asked for and is missing is an error.
class Dump {
public:
  Dump(StringRef root, const AttentionSpec &spec, const Target &target) {
    folder = root.str() + "/";
    for (char c : spec.str() + " " + target.name.str())
      folder += isAlnum(c) || c == '_' || c == '=' ? c : '-';
    note(sys::fs::create_directories(folder), folder);
  }

  void write(const Twine &name, StringRef bytes) {
    std::string path = folder + "/" + name.str();
    std::error_code error;
    raw_fd_ostream stream(path, error);
    if (!error) {
      stream << bytes;
      stream.close();
      error = stream.error();
      stream.clear_error();
    }
    note(error, path);
  }

  Error takeError() const {
    return failure.empty() ? Error::success()
                           : createStringError("WEFT_DUMP: " + failure);
  }

private:
  void note(std::error_code error, StringRef path) {
    if (error && failure.empty())
      failure = "cannot write '" + path.str() + "': " + error.message();
  }
  std::string folder, failure;
};
} // namespace

Expected<AssembledProgram> compileProgram(const AttentionSpec &spec,
                                          const Target &target,
                                          const CompileOptions &options,
                                          const StageCallback &onStage) {
  std::optional<Dump> dump;
  if (auto folder = dumpFolder())
    dump.emplace(*folder, spec, target);
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
  Expected<AssembledProgram> program =
      assembleProgram(std::move(*text), target, options);
  if (!program || !dump)
    return program;
  for (const CompiledKernel &kernel : program->kernels) {
    dump->write(kernel.name + ".ptx", kernel.ptx);
    dump->write(kernel.name + ".cubin", kernel.cubin);
    dump->write(kernel.name + ".log", kernel.log);
  }
  if (Error error = dump->takeError())
    return error;
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
    return program::serialize(program->program);
  };
  if (dumpFolder()) {
    Expected<std::vector<uint8_t>> program = compile();
    if (!program)
      return program.takeError();
    return std::make_shared<const std::vector<uint8_t>>(std::move(*program));
  }
  Expected<CacheKey> key = cacheKey(spec, target, options);
  if (!key)
    return key.takeError();
  return cache.getOrCompile(*key, compile);
}

} // namespace weft
