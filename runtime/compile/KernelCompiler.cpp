//===- KernelCompiler.cpp - CUDA text to cubin ----------------------------===//

#include "runtime/compile/KernelCompiler.h"

#include "runtime/compile/DeviceHeaders.h"
#include "runtime/compile/Nvrtc.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <chrono>

using namespace llvm;

namespace weft {

// The options every kernel is compiled with.
static constexpr const char *kFixedOptions[] = {
    "--std=c++17",
    "--device-as-default-execution-space",
    "--ptxas-options=-v",
};

std::string CompileOptions::str() const {
  std::string text = join(ArrayRef(kFixedOptions), " ");
  if (lineInfo)
    text += " --generate-line-info";
  for (const std::string &option : extra)
    text += " " + option;
  return text;
}

static std::string programLog(const Nvrtc &nvrtc, nvrtcProgram program) {
  size_t size = 0;
  if (nvrtc.logSize(program, &size) != NVRTC_SUCCESS || size <= 1)
    return {};
  std::string text(size, '\0');
  if (nvrtc.log(program, text.data()) != NVRTC_SUCCESS)
    return {};
  return StringRef(text.c_str()).rtrim().str();
}

// `size` and `get` are one of NVRTC's pairs for a result's bytes.
template <typename SizeFn, typename GetFn>
static Expected<std::string> programBytes(const Nvrtc &nvrtc,
                                          nvrtcProgram program, SizeFn size,
                                          GetFn get, const Twine &what) {
  size_t count = 0;
  nvrtcResult result = size(program, &count);
  std::string bytes(count, '\0');
  if (result == NVRTC_SUCCESS && count)
    result = get(program, bytes.data());
  if (result != NVRTC_SUCCESS || !count)
    return createStringError("NVRTC gave no " + what + ": " +
                             nvrtc.errorString(result));
  return bytes;
}

Expected<CompiledKernel> compileKernel(StringRef name, StringRef text,
                                       const Target &target,
                                       const CompileOptions &options) {
  Expected<NvrtcIdentity> identity = findNvrtc();
  if (!identity)
    return identity.takeError();
  Expected<const Nvrtc *> opened = Nvrtc::open(identity->path);
  if (!opened)
    return opened.takeError();
  const Nvrtc &nvrtc = **opened;
  if (!nvrtc.supports(target.name))
    return createStringError(
        "NVRTC " + Twine(nvrtc.versionMajor) + "." + Twine(nvrtc.versionMinor) +
        " (" + identity->path + ") does not compile for " + target.name +
        "; name a newer one in WEFT_NVRTC, or choose another target");

  SmallVector<const char *> headerNames, headerTexts;
  for (const DeviceHeader &header : deviceHeaders()) {
    headerNames.push_back(header.name);
    headerTexts.push_back(header.text);
  }
  std::string source = text.str(), file = (name + ".cu").str();
  nvrtcProgram program = nullptr;
  nvrtcResult result = nvrtc.createProgram(
      &program, source.c_str(), file.c_str(), headerNames.size(),
      headerTexts.data(), headerNames.data());
  if (result != NVRTC_SUCCESS)
    return createStringError("NVRTC does not take kernel '" + name +
                             "': " + nvrtc.errorString(result));
  scope_exit destroy([&] { nvrtc.destroyProgram(&program); });

  std::string architecture = ("--gpu-architecture=" + target.name).str();
  SmallVector<const char *> arguments = {architecture.c_str()};
  append_range(arguments, kFixedOptions);
  // weft has a cache of its own, with a key that says more; without NVRTC's a
  // measured compile time is one. Older ones do not know the option.
  if (nvrtc.versionMajor >= 13)
    arguments.push_back("--no-cache");
  if (options.lineInfo)
    arguments.push_back("--generate-line-info");
  for (const std::string &option : options.extra)
    arguments.push_back(option.c_str());

  auto start = std::chrono::steady_clock::now();
  result = nvrtc.compileProgram(program, arguments.size(), arguments.data());
  std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;

  CompiledKernel kernel;
  kernel.name = name.str();
  kernel.milliseconds = elapsed.count();
  kernel.log = programLog(nvrtc, program);
  if (result == NVRTC_ERROR_BUILTIN_OPERATION_FAILURE)
    return createStringError(
        "NVRTC " + Twine(nvrtc.versionMajor) + "." + Twine(nvrtc.versionMinor) +
        " (" + identity->path + ") lacks its builtins; put " +
        "libnvrtc-builtins.so." + Twine(nvrtc.versionMajor) + "." +
        Twine(nvrtc.versionMinor) +
        " of the same release beside it, or name another NVRTC in "
        "WEFT_NVRTC\n" +
        kernel.log);
  if (result != NVRTC_SUCCESS)
    return createStringError("kernel '" + name + "' does not compile for " +
                             target.name + ": " + nvrtc.errorString(result) +
                             "\n" + kernel.log);

  Expected<std::string> cubin =
      programBytes(nvrtc, program, nvrtc.cubinSize, nvrtc.cubin, "cubin");
  if (!cubin)
    return cubin.takeError();
  kernel.cubin = std::move(*cubin);
  Expected<std::string> ptx =
      programBytes(nvrtc, program, nvrtc.ptxSize, nvrtc.ptx, "PTX");
  if (!ptx)
    return ptx.takeError();
  // NVRTC counts the closing zero of this text.
  kernel.ptx = StringRef(ptx->c_str()).str();

  kernel.report = parseReport(kernel.log, name);
  if (!kernel.report.found)
    return createStringError(
        "kernel '" + name +
        "' is not among the entry functions the assembler names; its text "
        "needs an extern \"C\" __global__ function of that name\n" +
        kernel.log);
  return kernel;
}

} // namespace weft
