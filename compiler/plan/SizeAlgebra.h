//===- SizeAlgebra.h - What holds of formulas for all sizes -----*- C++ -*-===//
//
// Offsets and byte counts are i64 arithmetic on sizes. To compare two of them
// for all sizes, both are brought to a normal form: a polynomial whose terms
// are products of atoms. An atom is a size, or an operation that is not
// polynomial (division, max, min) on polynomials, or a value nothing is known
// of. Sizes are at least 0.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_PLAN_SIZEALGEBRA_H
#define WEFT_COMPILER_PLAN_SIZEALGEBRA_H

#include "dialects/plan/Plan.h"

#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace weft {

class SizeAlgebra {
public:
  /// Sorted atoms that are multiplied; empty for the constant term.
  using Product = std::vector<unsigned>;
  /// Coefficients, none of them 0.
  using Polynomial = std::map<Product, int64_t>;

  /// The normal form of an i64 value.
  Polynomial normalize(mlir::Value value);

  static Polynomial constant(int64_t value);
  Polynomial size(plan::Size size);
  Polynomial add(const Polynomial &a, const Polynomial &b, int64_t factor = 1);
  Polynomial multiply(const Polynomial &a, const Polynomial &b);
  /// ceil(a / divisor), of a positive divisor.
  Polynomial ceilDiv(const Polynomial &a, int64_t divisor);
  /// floor(a / divisor), likewise.
  Polynomial floorDiv(const Polynomial &a, int64_t divisor);
  Polynomial max(const Polynomial &a, const Polynomial &b);
  /// ceil(a / divisor) * divisor.
  Polynomial alignUp(const Polynomial &a, int64_t divisor);

  /// Whether `a` is at least 0 for all sizes. False if it cannot be shown.
  bool isNonNegative(const Polynomial &a) { return isNonNegative(a, 8); }
  /// Whether `a` is a multiple of `divisor` for all sizes, likewise.
  bool isMultipleOf(const Polynomial &a, int64_t divisor);

  /// Readable, for messages: "4*rows_q*heads_q + 256".
  std::string str(const Polynomial &a) const;

private:
  struct Atom {
    enum Kind { Size, CeilDiv, Max, Min, Opaque } kind;
    int64_t number = 0;            ///< Size: which; CeilDiv: divisor
    Polynomial lhs = {}, rhs = {}; ///< operands
    mlir::Value value = {};        ///< Opaque
    bool operator==(const Atom &) const = default;
  };

  Polynomial atom(Atom atom);
  /// `kind` is Max or Min.
  Polynomial choice(Atom::Kind kind, const Polynomial &a, const Polynomial &b);
  Polynomial fail();
  bool isNonNegative(const Polynomial &a, int depth);

  std::vector<Atom> atoms;
  llvm::DenseMap<mlir::Value, Polynomial> known;
};

} // namespace weft

#endif // WEFT_COMPILER_PLAN_SIZEALGEBRA_H
