//===- CudaDevice.cpp - Cases on a GPU ------------------------------------===//

#include "tools/weft-run/Devices.h"

#include "runtime/cache/CachedProgram.h"
#include "runtime/cuda/CaseDevice.h"
#include "runtime/pack/Pack.h"

using namespace weft;
using llvm::Expected;

Expected<std::unique_ptr<cases::Device>>
weft::createCudaDevice(const DeviceOptions &options) {
  Expected<const CudaDriver *> driver = CudaDriver::get();
  if (!driver)
    return driver.takeError();
  Expected<CudaDeviceInfo> info = cudaDeviceInfo(**driver, options.ordinal);
  if (!info)
    return info.takeError();
  Expected<const Target *> target = targetForDevice(info->major, info->minor);
  if (!target)
    return target.takeError();
  std::shared_ptr<const Pack> pack;
  if (!options.pack.empty()) {
    Expected<std::shared_ptr<const Pack>> opened = Pack::open(options.pack);
    if (!opened)
      return opened.takeError();
    pack = std::move(*opened);
  }
  auto cache = std::make_shared<ProgramCache>(ProgramCache::defaultDirectory());
  CaseProgramSource source;
  source.program =
      [cache, pack, target = *target](
          const AttentionSpec &spec,
          const CudaDeviceInfo &) -> Expected<std::vector<uint8_t>> {
    if (const PackEntry *entry =
            pack ? pack->find(spec.str(), target->name) : nullptr) {
      Expected<llvm::ArrayRef<uint8_t>> bytes = pack->load(*entry);
      if (!bytes)
        return bytes.takeError();
      return bytes->vec();
    }
    Expected<ProgramBytes> bytes = cachedProgram(*cache, spec, *target);
    if (!bytes)
      return bytes.takeError();
    return **bytes;
  };
  source.target = (*target)->name.str();
  return makeCudaCaseDevice(**driver, options.ordinal, std::move(source));
}

Expected<std::unique_ptr<cases::Device>>
weft::createDevice(llvm::StringRef name, const DeviceOptions &options) {
  if (name == "reference")
    return createReferenceDevice(options);
  if (name == "cuda")
    return createCudaDevice(options);
  return llvm::createStringError("there is no device '" + name +
                                 "'; devices are reference and cuda");
}
