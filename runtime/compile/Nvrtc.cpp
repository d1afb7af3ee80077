//===- Nvrtc.cpp - NVRTC, found and opened at run time --------------------===//

#include "runtime/compile/Nvrtc.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <cstring>
#include <dlfcn.h>

#include <map>
#include <memory>
#include <mutex>

using namespace llvm;

namespace weft {

// Newest first. The unversioned name comes with a toolkit's development files.
static constexpr const char *kNames[] = {"libnvrtc.so.13", "libnvrtc.so.12",
                                         "libnvrtc.so"};

std::string NvrtcIdentity::str() const {
  return (Twine(path) + " " + Twine(bytes) + " " + Twine(modified) + " " +
          builtins)
      .str();
}

static std::string describe(StringRef name, const sys::fs::file_status &file) {
  return (name + " " + Twine(file.getSize()) + " " +
          Twine(file.getLastModificationTime().time_since_epoch().count()))
      .str();
}

// libnvrtc.so.13.0.88 opens the libnvrtc-builtins.so.13.0 beside it. Where the
// file's name does not tell which (libnvrtc.so.12, as pip has it), all count.
static std::string findBuiltins(StringRef nvrtc) {
  StringRef folder = sys::path::parent_path(nvrtc);
  StringRef version = sys::path::filename(nvrtc);
  if (version.consume_front("libnvrtc.so."))
    for (; version.contains('.'); version = version.rsplit('.').first) {
      std::string name = ("libnvrtc-builtins.so." + version).str();
      sys::fs::file_status status;
      if (!sys::fs::status(folder + "/" + name, status))
        return describe(name, status);
    }
  std::vector<std::string> found;
  std::error_code ec;
  for (sys::fs::directory_iterator it(folder, ec), end; it != end && !ec;
       it.increment(ec)) {
    StringRef name = sys::path::filename(it->path());
    sys::fs::file_status status;
    if (name.starts_with("libnvrtc-builtins.so") &&
        !sys::fs::status(it->path(), status))
      found.push_back(describe(name, status));
  }
  sort(found);
  return join(found, " ");
}

// The folders under `root` that pip's CUDA packages put NVRTC in, for every
// Python there.
static void addPipFolders(StringRef root, std::vector<std::string> &folders) {
  std::error_code ec;
  SmallVector<std::string> pythons;
  for (sys::fs::directory_iterator it(root, ec), end; it != end && !ec;
       it.increment(ec))
    if (sys::path::filename(it->path()).starts_with("python3"))
      pythons.push_back(it->path());
  // The order of a directory is the file system's; ours must not change.
  sort(pythons, std::greater<>());
  for (const std::string &python : pythons)
    for (const char *packages : {"site-packages", "dist-packages"})
      for (const char *folder : {"nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"})
        folders.push_back(python + "/" + packages + "/" + folder);
}

std::vector<std::string> nvrtcCandidates() {
  if (auto file = sys::Process::GetEnv("WEFT_NVRTC"))
    return {*file};

  std::vector<std::string> folders;
  if (auto paths = sys::Process::GetEnv("LD_LIBRARY_PATH")) {
    SmallVector<StringRef> parts;
    StringRef(*paths).split(parts, ':', -1, /*KeepEmpty=*/false);
    for (StringRef part : parts)
      folders.push_back(part.str());
  }
  for (const char *name : {"CUDA_HOME", "CUDA_PATH"})
    if (auto root = sys::Process::GetEnv(name)) {
      folders.push_back(*root + "/lib64");
      folders.push_back(*root + "/targets/x86_64-linux/lib");
    }
  for (const char *folder :
       {"/usr/local/cuda/lib64", "/usr/local/cuda/targets/x86_64-linux/lib",
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
        "/usr/lib"})
    folders.push_back(folder);
  for (const char *name : {"VIRTUAL_ENV", "CONDA_PREFIX"})
    if (auto root = sys::Process::GetEnv(name))
      addPipFolders(*root + "/lib", folders);
  if (auto home = sys::Process::GetEnv("HOME"))
    addPipFolders(*home + "/.local/lib", folders);
  addPipFolders("/usr/local/lib", folders);
  addPipFolders("/usr/lib", folders);

  std::vector<std::string> candidates;
  for (const std::string &folder : folders)
    for (const char *name : kNames)
      candidates.push_back(folder + "/" + name);
  return candidates;
}

Expected<NvrtcIdentity> findNvrtc() {
  std::vector<std::string> candidates = nvrtcCandidates();
  for (const std::string &candidate : candidates) {
    sys::fs::file_status status;
    if (sys::fs::status(candidate, status) ||
        status.type() != sys::fs::file_type::regular_file)
      continue;
    SmallString<256> real;
    if (sys::fs::real_path(candidate, real))
      continue;
    NvrtcIdentity identity;
    identity.path = real.str().str();
    identity.bytes = status.getSize();
    identity.modified =
        status.getLastModificationTime().time_since_epoch().count();
    identity.builtins = findBuiltins(identity.path);
    return identity;
  }
  SmallVector<std::string> folders;
  for (const std::string &candidate : candidates) {
    std::string folder = sys::path::parent_path(candidate).str();
    if (folders.empty() || folders.back() != folder)
      folders.push_back(folder);
  }
  if (sys::Process::GetEnv("WEFT_NVRTC"))
    return createStringError("WEFT_NVRTC names '" + candidates.front() +
                             "', which is not a file; name a libnvrtc.so, or "
                             "unset it to search the usual places");
  return createStringError(
      "no NVRTC found, and a kernel has to be compiled; looked for "
      "libnvrtc.so.13, libnvrtc.so.12 and libnvrtc.so in " +
      join(folders, ", ") +
      "; install the CUDA Toolkit 12.4 or newer "
      "(https://developer.nvidia.com/cuda-downloads), or 'pip install "
      "nvidia-cuda-nvrtc', or name the file in WEFT_NVRTC");
}

// Whether all that a loader maps of the library lies within the file. It would
// not notice, and a signal end the process.
static bool isWholeLibrary(const std::string &path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false);
  ELF::Elf64_Ehdr header;
  if (!file || (*file)->getBufferSize() < sizeof header)
    return false;
  StringRef bytes = (*file)->getBuffer();
  std::memcpy(&header, bytes.data(), sizeof header);
  uint64_t size = bytes.size();
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    ELF::Elf64_Phdr segment;
    uint64_t offset = header.e_phoff + i * sizeof segment;
    if (header.e_phoff > size || offset + sizeof segment > size)
      return false;
    std::memcpy(&segment, bytes.data() + offset, sizeof segment);
    if (segment.p_offset > size || segment.p_filesz > size - segment.p_offset)
      return false;
  }
  return true;
}

Error Nvrtc::load(const std::string &path) {
  file_magic magic;
  if (!sys::fs::is_directory(path) && !identify_magic(path, magic) &&
      magic == file_magic::elf_shared_object && !isWholeLibrary(path))
    return createStringError("NVRTC '" + path +
                             "' is cut short; install it again, or name "
                             "another file in WEFT_NVRTC");
  // RTLD_LOCAL: the host process may carry an NVRTC of its own.
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return createStringError("cannot open NVRTC '" + path +
                             "': " + (reason ? reason : "no reason given") +
                             "; name another file in WEFT_NVRTC");
  }
  std::string missing;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(
        dlsym(library, name));
    if (!function && missing.empty())
      missing = name;
  };
  find(version, "nvrtcVersion");
  find(errorString, "nvrtcGetErrorString");
  find(createProgram, "nvrtcCreateProgram");
  find(destroyProgram, "nvrtcDestroyProgram");
  find(compileProgram, "nvrtcCompileProgram");
  find(logSize, "nvrtcGetProgramLogSize");
  find(log, "nvrtcGetProgramLog");
  find(cubinSize, "nvrtcGetCUBINSize");
  find(cubin, "nvrtcGetCUBIN");
  find(ptxSize, "nvrtcGetPTXSize");
  find(ptx, "nvrtcGetPTX");
  find(architectureCount, "nvrtcGetNumSupportedArchs");
  find(architectures, "nvrtcGetSupportedArchs");
  if (!missing.empty())
    return createStringError(
        "'" + path + "' has no " + missing +
        "; weft needs the NVRTC of CUDA 12.4 or newer (name it in WEFT_NVRTC)");
  if (version(&versionMajor, &versionMinor) != NVRTC_SUCCESS)
    return createStringError("'" + path + "' does not tell its version");
  if (versionMajor < 12 || (versionMajor == 12 && versionMinor < 4))
    return createStringError("'" + path + "' is NVRTC " + Twine(versionMajor) +
                             "." + Twine(versionMinor) +
                             "; weft needs 12.4 or newer");
  // NVRTC opens its builtins by name when it first compiles, and the loader may
  // look elsewhere, or nowhere. Opened already, that name is the file beside.
  std::string builtins =
      (sys::path::parent_path(path) + "/libnvrtc-builtins.so." +
       Twine(versionMajor) + "." + Twine(versionMinor))
          .str();
  (void)dlopen(builtins.c_str(), RTLD_NOW | RTLD_LOCAL);
  return Error::success();
}

Expected<const Nvrtc *> Nvrtc::open(const std::string &path) {
  static std::mutex mutex;
  // Never destroyed: a plan may be compiled while the process exits.
  static auto &opened = *new std::map<std::string, std::unique_ptr<Nvrtc>>();
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<Nvrtc> &slot = opened[path];
  if (!slot) {
    std::unique_ptr<Nvrtc> nvrtc(new Nvrtc());
    if (Error error = nvrtc->load(path))
      return error;
    slot = std::move(nvrtc);
  }
  return slot.get();
}

bool Nvrtc::supports(StringRef architecture) const {
  int wanted = 0;
  if (!architecture.consume_front("sm_") ||
      architecture.rtrim("af").getAsInteger(10, wanted))
    return false;
  int count = 0;
  if (architectureCount(&count) != NVRTC_SUCCESS || count <= 0)
    return false;
  std::vector<int> known(count);
  return architectures(known.data()) == NVRTC_SUCCESS &&
         is_contained(known, wanted);
}

} // namespace weft
