//===- Kernels.h - A program's kernels on the devices -----------*- C++ -*-===//
//
// Cubins are loaded when a context first runs the program, once each, and stay
// loaded as long as this lives.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CUDA_KERNELS_H
#define WEFT_RUNTIME_CUDA_KERNELS_H

#include "runtime/cuda/Context.h"
#include "runtime/program/Program.h"

#include "llvm/ADT/SmallVector.h"

#include <atomic>
#include <memory>
#include <mutex>

namespace weft {

/// Whether `image` is a whole cubin (an ELF file whose parts lie within it) or
/// PTX text that ends in a zero byte. The driver is given no size, and would
/// read past the end of a truncated one.
llvm::Error checkKernelImage(llvm::ArrayRef<uint8_t> image,
                             llvm::StringRef kernelName);

/// The driver does not take a program's kernels on the device they were
/// compiled for: they are damaged, or made by a toolkit it does not know.
class RejectedKernels : public llvm::ErrorInfo<RejectedKernels> {
public:
  static char ID;
  explicit RejectedKernels(std::string message) : text(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

class CudaKernels {
public:
  /// `program` outlives this.
  CudaKernels(const CudaDriver &driver, const program::Program &program)
      : driver(driver), program(program) {}
  CudaKernels(const CudaKernels &) = delete;
  /// Unloads: no launch may be in flight and no graph that holds one in use.
  ~CudaKernels();

  /// The functions of the program's kernels in the context of `scope`, which
  /// is current. Loads what is not loaded, sets their attributes, and checks
  /// that their parameters are those the program passes. May be called while
  /// the thread captures a stream. Thread-safe; takes a lock only where
  /// something has to be loaded. RejectedKernels if another compile may help.
  llvm::Expected<llvm::ArrayRef<CUfunction>>
  load(const CudaContextScope &scope);

private:
  /// The functions in one context. Never removed: read without the lock.
  struct InContext {
    unsigned long long id; ///< of the context
    std::unique_ptr<CUfunction[]> functions;
    const InContext *next;
  };

  const InContext *find(unsigned long long id) const;
  llvm::Expected<llvm::ArrayRef<CUfunction>>
  loadInto(const CudaContextScope &scope, size_t count);
  llvm::Error loadLibraries();
  llvm::Expected<CUfunction> prepare(int32_t kernel, CUdevice device);
  llvm::Error checkParameters(int32_t kernel, CUfunction function);

  const CudaDriver &driver;
  const program::Program &program;
  std::mutex mutex;
  llvm::SmallVector<CUlibrary, 4> libraries; ///< one per kernel
  std::atomic<const InContext *> contexts = nullptr;
};

} // namespace weft

#endif // WEFT_RUNTIME_CUDA_KERNELS_H
