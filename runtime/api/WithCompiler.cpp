//===- WithCompiler.cpp - libweft compiles what it is asked for -----------===//

#include "compiler/explain/Explain.h"
#include "compiler/tuning/Tuning.h"
#include "runtime/api/PlanCompiler.h"
#include "runtime/api/Status.h"
#include "runtime/cache/CachedProgram.h"
#include "runtime/compile/Nvrtc.h"
#include "runtime/support/ForkHooks.h"

using namespace llvm;

namespace weft {

namespace {
class CachedCompiler : public PlanCompiler {
public:
  CachedCompiler(std::unique_ptr<ProgramCache> cache, std::string tuning)
      : cache(std::move(cache)), tuning(std::move(tuning)) {}

  Expected<SharedProgram> program(const AttentionSpec &spec,
                                  StringRef name) override {
    Expected<Target> target = find(name);
    if (!target)
      return target.takeError();
    Expected<NvrtcIdentity> nvrtc = findNvrtc();
    if (!nvrtc)
      return statusError(WEFT_UNAVAILABLE, nvrtc.takeError());
    Expected<ProgramBytes> program = cachedProgram(*cache, spec, *target);
    if (!program)
      return statusError(WEFT_COMPILE_FAILED, program.takeError());
    return SharedProgram{*program, **program,
                         [identity = *nvrtc] { return describe(identity); }};
  }

  Expected<SharedProgram> compileAgain(const AttentionSpec &spec,
                                       StringRef name,
                                       const SharedProgram &rejected) override {
    Expected<Target> target = find(name);
    if (!target)
      return target.takeError();
    Expected<CacheKey> key = cacheKey(spec, *target);
    if (!key)
      return statusError(WEFT_UNAVAILABLE, key.takeError());
    cache->drop(*key, std::make_shared<const std::vector<uint8_t>>(
                          rejected.bytes.begin(), rejected.bytes.end()));
    return program(spec, name);
  }

  Expected<std::string> explain(const AttentionSpec &spec,
                                StringRef name) override {
    Expected<Target> target = find(name);
    if (!target)
      return target.takeError();
    ForksWait forksWait;
    Expected<std::string> text = weft::explain(spec, *target);
    if (!text)
      return statusError(WEFT_COMPILE_FAILED, text.takeError());
    return text;
  }

private:
  Expected<Target> find(StringRef name) const {
    Expected<const Target *> named = targetByName(name);
    if (!named)
      return statusError(WEFT_UNSUPPORTED, toString(named.takeError()) +
                                               ", or a device such as cuda:0");
    Target target = **named;
    target.tuning = tuning;
    return target;
  }

  static std::string describe(const NvrtcIdentity &identity) {
    Expected<const Nvrtc *> nvrtc = Nvrtc::open(identity.path);
    if (!nvrtc) {
      // The program was in the cache: nobody needed it so far.
      consumeError(nvrtc.takeError());
      return "NVRTC (" + identity.path + ")";
    }
    return ("NVRTC " + Twine((*nvrtc)->versionMajor) + "." +
            Twine((*nvrtc)->versionMinor) + " (" + identity.path + ")")
        .str();
  }

  const std::unique_ptr<ProgramCache> cache;
  const std::string tuning; ///< in place of the targets' own, if not empty
};
} // namespace

Expected<std::unique_ptr<PlanCompiler>>
makePlanCompiler(const PlanCompilerOptions &options) {
  std::string tuning = options.tuning ? options.tuning : "";
  if (!tuning.empty())
    if (Error error = parseTuning(tuning).takeError())
      return statusError(WEFT_INVALID_ARGUMENT,
                         "weft_context_options.tuning: " +
                             toString(std::move(error)));
  return std::make_unique<CachedCompiler>(
      options.cacheDirectory
          ? std::make_unique<ProgramCache>(options.cacheDirectory, options.warn)
          : ProgramCache::ofEnvironment(options.warn),
      std::move(tuning));
}

} // namespace weft
