//===- Assumptions.h - What the proofs take for granted ---------*- C++ -*-===//
//
// The closed list: a proof that rests on anything else is a defect.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_VERIFY_ASSUMPTIONS_H
#define WEFT_COMPILER_VERIFY_ASSUMPTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace weft {

struct Assumption {
  llvm::StringLiteral name; ///< one word
  llvm::StringLiteral what;
  llvm::StringLiteral why; ///< who sees to it
};

/// All of them, in the order in which they are told.
llvm::ArrayRef<Assumption> proofAssumptions();

} // namespace weft

#endif // WEFT_COMPILER_VERIFY_ASSUMPTIONS_H
