//===- PlanStore.cpp - The programs of a context --------------------------===//

#include "runtime/api/PlanStore.h"

#include "runtime/api/Status.h"
#include "runtime/cuda/Kernels.h"
#include "runtime/pack/NotPrecompiled.h"
#include "runtime/support/Log.h"

using namespace llvm;

namespace weft {

//===----------------------------------------------------------------------===//
// One program
//===----------------------------------------------------------------------===//

Expected<const CudaExecutor *> PlanProgram::makeExecutor() {
  Expected<const CudaDriver *> driver = CudaDriver::get();
  if (!driver)
    return statusError(WEFT_UNAVAILABLE, driver.takeError());
  Expected<std::unique_ptr<CudaExecutor>> made =
      CudaExecutor::create(program.bytes, **driver, program.owner);
  if (!made)
    return made.takeError();
  executors.push_back(std::move(*made));
  current.store(executors.back().get(), std::memory_order_release);
  return executors.back().get();
}

Expected<const CudaExecutor *> PlanProgram::executor() {
  if (const CudaExecutor *made = current.load(std::memory_order_acquire))
    return made;
  std::lock_guard<std::mutex> lock(mutex);
  if (const CudaExecutor *made = current.load(std::memory_order_relaxed))
    return made;
  return makeExecutor();
}

Error PlanProgram::replace(const CudaExecutor *rejected, Error why) {
  std::lock_guard<std::mutex> lock(mutex);
  if (current.load(std::memory_order_relaxed) != rejected) {
    // Another thread has just done it.
    consumeError(std::move(why));
    return Error::success();
  }
  std::string message = toString(std::move(why));
  Expected<const CudaDriver *> driver = CudaDriver::get();
  if (!driver)
    return driver.takeError();
  std::string both = "the kernels are made by " + program.maker() +
                     ", the driver supports CUDA " + (*driver)->versionText();
  if (!store.compiles)
    return statusError(WEFT_LAUNCH_FAILED,
                       message + "; " + both +
                           ": update the driver, or compile the pack again "
                           "with an NVRTC that is not newer than it");
  if (compiledAgain)
    return statusError(WEFT_LAUNCH_FAILED,
                       message +
                           "; they were compiled again and refused "
                           "again: " +
                           both +
                           ": update the driver, or name an NVRTC that is not "
                           "newer than it in WEFT_NVRTC");
  store.warn("the kernels of '" + spec.str() + "' for " + target +
             " are compiled again: " + message);
  Expected<SharedProgram> again =
      store.compiler->compileAgain(spec, target, program);
  if (!again)
    return statusError(WEFT_COMPILE_FAILED,
                       message + "; compiling it again failed: " +
                           toString(again.takeError()));
  compiledAgain = true;
  program = std::move(*again);
  store.remember(program.bytes, shared_from_this());
  return makeExecutor().takeError();
}

Error PlanProgram::run(const Problem &problem, const CudaRunOptions &options) {
  while (true) {
    Expected<const CudaExecutor *> made = executor();
    if (!made)
      return made.takeError();
    Error error = (*made)->run(problem, options);
    if (!error.isA<RejectedKernels>())
      return error;
    if (Error final = replace(*made, std::move(error)))
      return final;
  }
}

Expected<int64_t> PlanProgram::workspaceBytes(const Problem &problem) {
  Expected<const CudaExecutor *> made = executor();
  if (!made)
    return made.takeError();
  return (*made)->workspaceBytes(problem);
}

//===----------------------------------------------------------------------===//
// All of a context's
//===----------------------------------------------------------------------===//

void PlanStore::warn(const Twine &message) const {
  if (warnings)
    warnings(message.str());
  else
    log(LogLevel::Warning, message);
}

Error PlanStore::loadPack(StringRef path) {
  Expected<std::shared_ptr<const Pack>> pack = Pack::open(path);
  if (!pack)
    return statusError(WEFT_BAD_PACK, pack.takeError());
  std::lock_guard<std::mutex> lock(mutex);
  packs.push_back(std::move(*pack));
  return Error::success();
}

Expected<SharedProgram> PlanStore::find(const AttentionSpec &spec,
                                        StringRef target) {
  std::vector<std::shared_ptr<const Pack>> loaded;
  if (usesPacks) {
    std::lock_guard<std::mutex> lock(mutex);
    loaded = packs;
  }
  std::string text = spec.str();
  for (const std::shared_ptr<const Pack> &pack : reverse(loaded)) {
    const PackEntry *entry = pack->find(text, target);
    if (!entry)
      continue;
    Expected<ArrayRef<uint8_t>> program = pack->load(*entry);
    if (program)
      return SharedProgram{
          pack, *program,
          [maker =
               ("weft " + entry->library + " with " + entry->compiler).str()] {
            return maker;
          }};
    if (!compiles)
      return statusError(WEFT_BAD_PACK, program.takeError());
    warn(toString(program.takeError()));
  }
  if (!compiles)
    return make_error<NotPrecompiled>(text, target, loaded);
  return compiler->program(spec, target);
}

static bool isUnsupported(const Error &error) {
  bool found = false;
  visitErrors(error, [&](const ErrorInfoBase &info) {
    found |= info.isA<StatusError>() &&
             static_cast<const StatusError &>(info).status == WEFT_UNSUPPORTED;
  });
  return found;
}

Expected<PlanProgram *> PlanStore::get(const AttentionSpec &spec,
                                       StringRef target) {
  Expected<SharedProgram> program = find(spec, target);
  Error failure = program.takeError();
  // What this weft cannot have is nothing for a manifest.
  if (recorder && !isUnsupported(failure))
    if (Error error = recorder->note(spec.str(), target))
      warn(toString(std::move(error)));
  if (failure)
    return failure;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<PlanProgram> &slot = programs[program->bytes.data()];
  if (!slot)
    slot = std::make_shared<PlanProgram>(*this, spec, target.str(),
                                         std::move(*program));
  return slot.get();
}

void PlanStore::remember(ArrayRef<uint8_t> bytes,
                         std::shared_ptr<PlanProgram> program) {
  std::lock_guard<std::mutex> lock(mutex);
  programs[bytes.data()] = std::move(program);
}

Expected<std::string> PlanStore::explain(const PlanProgram &program) {
  if (!compiler)
    return statusError(WEFT_UNSUPPORTED,
                       "libweft-runtime has no compiler, which explains plans; "
                       "use libweft, or 'weftc compile \"" +
                           program.spec.str() + "\" --arch=" + program.target +
                           " --explain'");
  return compiler->explain(program.spec, program.target);
}

} // namespace weft
