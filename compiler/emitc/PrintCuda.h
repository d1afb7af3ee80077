//===- PrintCuda.h - EmitC as CUDA C++ to read ------------------*- C++ -*-===//
//
// Prints the subset of EmitC that `warp-to-emitc` writes. Values take their
// names from `weft.name`; an unnamed value with one use becomes part of the
// expression that uses it. The same function gives the same bytes.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_EMITC_PRINTCUDA_H
#define WEFT_COMPILER_EMITC_PRINTCUDA_H

#include "mlir/Dialect/EmitC/IR/EmitC.h"

#include "llvm/Support/Error.h"

#include <string>

namespace weft {

/// One translation unit with the kernel `func`, whose entry is named by its
/// attribute `weft.entry`. An op outside of the subset is an error.
llvm::Expected<std::string> printCuda(mlir::emitc::FuncOp func);

} // namespace weft

#endif // WEFT_COMPILER_EMITC_PRINTCUDA_H
