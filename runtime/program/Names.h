//===- Names.h - Enumerators of a launch program by name --------*- C++ -*-===//

#ifndef WEFT_RUNTIME_PROGRAM_NAMES_H
#define WEFT_RUNTIME_PROGRAM_NAMES_H

#include "runtime/program/Program_generated.h"

#include "llvm/ADT/StringRef.h"

#include <optional>

namespace weft::program {

/// `to<Enum>(name)`: the enumerator of that name, or none.
#define WEFT_BY_NAME(Enum)                                                     \
  inline std::optional<Enum> to##Enum(llvm::StringRef name) {                  \
    for (Enum value : EnumValues##Enum())                                      \
      if (name == EnumName##Enum(value))                                       \
        return value;                                                          \
    return std::nullopt;                                                       \
  }
WEFT_BY_NAME(SizeKind)
WEFT_BY_NAME(TensorRole)
WEFT_BY_NAME(StrideKind)
WEFT_BY_NAME(OffsetsRole)
WEFT_BY_NAME(ScalarRole)
#undef WEFT_BY_NAME

} // namespace weft::program

#endif // WEFT_RUNTIME_PROGRAM_NAMES_H
