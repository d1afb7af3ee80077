//===- NotPrecompiled.h - A problem that is in no pack ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PACK_NOTPRECOMPILED_H
#define WEFT_RUNTIME_PACK_NOTPRECOMPILED_H

#include "runtime/pack/Pack.h"

namespace weft {

/// The line of a manifest (Manifest.h) that asks for `spec` (canonical) on
/// `target`.
std::string manifestLine(llvm::StringRef spec, llvm::StringRef target);

/// There is no compiler here, and no pack holds the problem. Names both, what
/// was looked through, and the line to add to the manifest.
class NotPrecompiled : public llvm::ErrorInfo<NotPrecompiled> {
public:
  static char ID;
  NotPrecompiled(llvm::StringRef spec, llvm::StringRef target,
                 llvm::ArrayRef<std::shared_ptr<const Pack>> packs);

  void log(llvm::raw_ostream &os) const override { os << text; }
  std::error_code convertToErrorCode() const override {
    return llvm::inconvertibleErrorCode();
  }

private:
  std::string text;
};

} // namespace weft

#endif // WEFT_RUNTIME_PACK_NOTPRECOMPILED_H
