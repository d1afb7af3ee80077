//===- Kernels.cpp - A program's kernels on the devices -------------------===//

#include "runtime/cuda/Kernels.h"

#include "runtime/cuda/Device.h"
#include "runtime/spec/TargetName.h"

#include "llvm/BinaryFormat/ELF.h"

#include <cstring>

using namespace weft;
using llvm::ArrayRef;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

static Error rejected(const Twine &message) {
  return llvm::make_error<RejectedKernels>(message.str());
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

/// Whether [offset, offset + count * size) lies within `total`.
static bool within(uint64_t offset, uint64_t count, uint64_t size,
                   uint64_t total) {
  return offset <= total && (size == 0 || count <= (total - offset) / size);
}

static bool isWholeElf(ArrayRef<uint8_t> image) {
  llvm::ELF::Elf64_Ehdr header;
  if (image.size() < sizeof(header))
    return false;
  std::memcpy(&header, image.data(), sizeof(header));
  if (!within(header.e_shoff, header.e_shnum, sizeof(llvm::ELF::Elf64_Shdr),
              image.size()) ||
      !within(header.e_phoff, header.e_phnum, sizeof(llvm::ELF::Elf64_Phdr),
              image.size()))
    return false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    llvm::ELF::Elf64_Shdr section;
    std::memcpy(&section, image.data() + header.e_shoff + i * sizeof(section),
                sizeof(section));
    if (section.sh_type != llvm::ELF::SHT_NOBITS &&
        !within(section.sh_offset, section.sh_size, 1, image.size()))
      return false;
  }
  return header.e_shnum > 0;
}

Error weft::checkKernelImage(ArrayRef<uint8_t> image, StringRef kernelName) {
  std::string kernel = ("kernel \"" + kernelName + "\"").str();
  if (image.empty())
    return error(kernel + " has no cubin: the program was compiled to text "
                          "only, compile it to cubins");
  StringRef bytes(reinterpret_cast<const char *>(image.data()), image.size());
  if (bytes.starts_with(llvm::ELF::ElfMagic)) {
    if (isWholeElf(image))
      return Error::success();
    return rejected("the cubin of " + kernel +
                    " is truncated or corrupt; compile it again");
  }
  if (bytes.back() == 0 && bytes.drop_back().find('\0') == StringRef::npos &&
      bytes.contains(".version"))
    return Error::success();
  return rejected("the image of " + kernel +
                  " is neither a cubin nor PTX text; compile it again");
}

//===----------------------------------------------------------------------===//
// Loading
//===----------------------------------------------------------------------===//

namespace {
/// Lets this thread load modules while one of its streams is being captured.
class RelaxedCapture {
public:
  explicit RelaxedCapture(const CudaDriver &driver) : driver(driver) {
    active = driver.cuThreadExchangeStreamCaptureMode(&mode) == CUDA_SUCCESS;
  }
  ~RelaxedCapture() {
    if (active)
      (void)driver.cuThreadExchangeStreamCaptureMode(&mode);
  }

private:
  const CudaDriver &driver;
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  bool active = false;
};
} // namespace

CudaKernels::~CudaKernels() {
  // At the end of the process the driver may be gone: nothing to unload then.
  for (CUlibrary library : libraries)
    (void)driver.cuLibraryUnload(library);
  for (const InContext *context = contexts; context;)
    delete std::exchange(context, context->next);
}

const CudaKernels::InContext *CudaKernels::find(unsigned long long id) const {
  const InContext *context = contexts.load(std::memory_order_acquire);
  while (context && context->id != id)
    context = context->next;
  return context;
}

Error CudaKernels::loadLibraries() {
  if (!program.kernels())
    return Error::success();
  for (size_t i = libraries.size(); i < program.kernels()->size(); ++i) {
    const program::Kernel &kernel = *program.kernels()->Get(i);
    ArrayRef<uint8_t> image;
    if (kernel.cubin())
      image = ArrayRef(kernel.cubin()->data(), kernel.cubin()->size());
    std::string name = kernel.name()->str();
    if (Error e = checkKernelImage(image, name))
      return e;
    CUlibrary library = nullptr;
    if (Error e = driver.check(
            driver.cuLibraryLoadData(&library, image.data(), nullptr, nullptr,
                                     0, nullptr, nullptr, 0),
            "loading kernel \"" + Twine(name) + "\", compiled for " +
                program.target()->c_str() + ","))
      return e;
    libraries.push_back(library);
  }
  return Error::success();
}

/// Bytes of a parameter of this type.
static size_t bytesOf(program::ArgType type) {
  switch (type) {
  case program::ArgType::i32:
  case program::ArgType::f32:
    return 4;
  case program::ArgType::pointer:
  case program::ArgType::i64:
    return 8;
  case program::ArgType::tensor_map:
    return sizeof(CUtensorMap);
  }
  return 0;
}

Error CudaKernels::checkParameters(int32_t kernel, CUfunction function) {
  std::string name = program.kernels()->Get(kernel)->name()->str();
  for (const program::Variant *variant : *program.variants()) {
    if (!variant->steps())
      continue;
    for (const program::Step *step : *variant->steps()) {
      const program::Launch *launch = step->action_as_Launch();
      if (!launch || launch->kernel() != kernel)
        continue;
      size_t count = launch->args() ? launch->args()->size() : 0;
      for (size_t i = 0; i <= count; ++i) {
        size_t offset = 0, size = 0;
        bool exists = driver.cuFuncGetParamInfo(function, i, &offset, &size) ==
                      CUDA_SUCCESS;
        if (exists != (i < count))
          return rejected("kernel \"" + Twine(name) + "\" takes " +
                          (exists ? "more" : "fewer") + " than the " +
                          Twine(count) +
                          " parameters the program passes; compile it again");
        if (exists && size != bytesOf(launch->args()->Get(i)->type()))
          return rejected(
              "parameter " + Twine(i) + " of kernel \"" + name + "\" has " +
              Twine(size) + " bytes, the program passes " +
              program::EnumNameArgType(launch->args()->Get(i)->type()) +
              "; compile it again");
      }
    }
  }
  return Error::success();
}

Expected<CUfunction> CudaKernels::prepare(int32_t index, CUdevice device) {
  const program::Kernel &kernel = *program.kernels()->Get(index);
  std::string name = kernel.name()->str();
  CUkernel handle = nullptr;
  CUresult found =
      driver.cuLibraryGetKernel(&handle, libraries[index], name.c_str());
  // The driver loads lazily: an image it refuses may come to light only here.
  std::string what = "finding kernel \"" + name + "\" in its cubin";
  if (found != CUDA_ERROR_NOT_FOUND)
    what = "loading kernel \"" + name + "\", compiled for " +
           program.target()->str() + ",";
  if (Error e = driver.check(found, what))
    return e;
  CUfunction function = nullptr;
  CUresult status = driver.cuKernelGetFunction(&function, handle);
  if (status == CUDA_ERROR_NO_BINARY_FOR_GPU ||
      status == CUDA_ERROR_INVALID_IMAGE) {
    Expected<CudaDeviceInfo> info = cudaDeviceInfo(driver, device);
    if (!info)
      return info.takeError();
    if (targetNameFor(info->major, info->minor) != program.target()->str())
      return error("kernel \"" + Twine(name) + "\" was compiled for " +
                   program.target()->c_str() + ", which " + info->name +
                   " of compute capability " + Twine(info->major) + "." +
                   Twine(info->minor) +
                   " cannot run; compile the plan for this device");
  }
  if (Error e = driver.check(status, "loading kernel \"" + Twine(name) + "\""))
    return e;
  if (kernel.shared_bytes() > 0)
    if (Error e = driver.check(
            driver.cuKernelSetAttribute(
                CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                kernel.shared_bytes(), handle, device),
            "giving kernel \"" + Twine(name) + "\" " +
                Twine(kernel.shared_bytes()) + " bytes of shared memory"))
      return e;
  // Clusters of more than 8 CTAs have to be asked for.
  if (kernel.cluster() > 8)
    if (Error e = driver.check(
            driver.cuKernelSetAttribute(
                CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1, handle,
                device),
            "giving kernel \"" + Twine(name) + "\" clusters of " +
                Twine(kernel.cluster()) + " CTAs"))
      return e;
  if (Error e = checkParameters(index, function))
    return e;
  return function;
}

/// Whether the driver's `status` is about an image, not about the machine.
static bool isAboutTheImage(CUresult status) {
  switch (status) {
  case CUDA_ERROR_INVALID_IMAGE:
  case CUDA_ERROR_NO_BINARY_FOR_GPU:
  case CUDA_ERROR_INVALID_PTX:
  case CUDA_ERROR_UNSUPPORTED_PTX_VERSION:
  case CUDA_ERROR_INVALID_SOURCE:
  case CUDA_ERROR_NOT_FOUND:
    return true;
  default:
    return false;
  }
}

char RejectedKernels::ID = 0;

Expected<ArrayRef<CUfunction>>
CudaKernels::load(const CudaContextScope &scope) {
  size_t count = program.kernels() ? program.kernels()->size() : 0;
  if (const InContext *loaded = find(scope.id()))
    return ArrayRef(loaded->functions.get(), count);
  std::lock_guard<std::mutex> lock(mutex);
  // Another thread may have been faster.
  if (const InContext *loaded = find(scope.id()))
    return ArrayRef(loaded->functions.get(), count);
  Expected<ArrayRef<CUfunction>> loaded = loadInto(scope, count);
  if (loaded)
    return loaded;
  return llvm::handleErrors(loaded.takeError(),
                            [](std::unique_ptr<CudaError> e) -> Error {
                              if (isAboutTheImage(e->status))
                                return rejected(e->message());
                              return Error(std::move(e));
                            });
}

Expected<ArrayRef<CUfunction>>
CudaKernels::loadInto(const CudaContextScope &scope, size_t count) {
  RelaxedCapture relaxed(driver);
  if (Error e = loadLibraries())
    return e;
  auto loaded = std::make_unique<CUfunction[]>(count);
  for (size_t i = 0; i < count; ++i) {
    Expected<CUfunction> function = prepare(i, scope.device());
    if (!function)
      return function.takeError();
    loaded[i] = *function;
  }
  CUfunction *array = loaded.get();
  contexts.store(new InContext{scope.id(), std::move(loaded), contexts.load()},
                 std::memory_order_release);
  return ArrayRef(array, count);
}
