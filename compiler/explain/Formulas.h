//===- Formulas.h - Arithmetic on sizes, as people read it ------*- C++ -*-===//

#ifndef WEFT_COMPILER_EXPLAIN_FORMULAS_H
#define WEFT_COMPILER_EXPLAIN_FORMULAS_H

#include "runtime/program/Formula.h"

#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace weft {

/// An i64 or i1 over the sizes of a call: "(ceil(rows_q / 64) + batch) *
/// heads_q".
std::string formulaText(mlir::Value value);

/// Its value; nothing if it overflows, or is not made of what plans use.
std::optional<int64_t> formulaValue(mlir::Value value,
                                    const program::SizeValues &sizes);

/// "12,345".
std::string grouped(int64_t number);

} // namespace weft

#endif // WEFT_COMPILER_EXPLAIN_FORMULAS_H
