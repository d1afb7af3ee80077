//===- MaskFormula.h - A mask region as a formula ---------------*- C++ -*-===//
//
// What tile skipping needs to know of a mask region: a tree of `and` and `or`
// over comparisons "sum <= 0" of sums that are linear in values of the region.
// Nothing here knows a mask by name.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_TILE_MASKFORMULA_H
#define WEFT_COMPILER_TILE_MASKFORMULA_H

#include "mlir/IR/Region.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace weft::tile {

/// constant + sum of coefficient * value; the values are i64 values of a
/// region, each at most once, none with coefficient 0.
struct LinearSum {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<mlir::Value, int64_t>, 4> terms;

  bool isConstant() const { return terms.empty(); }
  int64_t coefficientOf(mlir::Value value) const;
  /// The sum without the term of `value`.
  LinearSum without(mlir::Value value) const;
};

/// The value as a sum: additions, subtractions and products with a constant are
/// taken apart as far as they depend on i or j, every other value is a term.
LinearSum readSum(mlir::Value value,
                  llvm::function_ref<bool(mlir::Value)> isUniform);

struct Formula {
  enum class Kind {
    True,
    False,
    /// Nothing is known: may hold, need not.
    Unknown,
    /// An i1 that is the same for all pairs of a tile, or its opposite.
    Uniform,
    /// `sum` <= 0.
    AtMostZero,
    And,
    Or,
  };
  Kind kind = Kind::Unknown;
  mlir::Value condition;      ///< Uniform
  bool negated = false;       ///< Uniform
  LinearSum sum;              ///< AtMostZero
  std::vector<Formula> parts; ///< And, Or

  static Formula constant(bool value) {
    return {value ? Kind::True : Kind::False, {}, false, {}, {}};
  }
};

/// The condition that a mask region yields. `dependent` are its values that
/// depend on i or j. An op that has no rule makes the part above it Unknown.
Formula readFormula(mlir::Value condition,
                    const llvm::DenseSet<mlir::Value> &dependent);

} // namespace weft::tile

#endif // WEFT_COMPILER_TILE_MASKFORMULA_H
