//===- ToCuda.h - The translation of kernels to CUDA text -------*- C++ -*-===//

#ifndef WEFT_COMPILER_EMITC_TOCUDA_H
#define WEFT_COMPILER_EMITC_TOCUDA_H

namespace weft {

/// Makes the translation `weft-to-cuda` known: every emitc.func of a module
/// with `weft.entry`, in order, as CUDA C++.
void registerToCudaTranslation();

} // namespace weft

#endif // WEFT_COMPILER_EMITC_TOCUDA_H
