//===- LinearForms.h - Scalars of a body as linear expressions --*- C++ -*-===//
//
// What a body computes of rows and heads, as expressions in integer variables:
// the used lengths of the point's sequence, numbers of heads, the point itself,
// the turns of its loops. Where a value is not linear in these it becomes a
// variable of its own, of which only bounds are known; expressions with such
// variables are not exact: they say what may be, not what is.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_VERIFY_LINEARFORMS_H
#define WEFT_COMPILER_VERIFY_LINEARFORMS_H

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace weft {

/// `expr` is at least 0, or equals 0.
struct Constraint {
  mlir::AffineExpr expr;
  bool isEquality = false;
};
/// All of them hold.
using Conjunction = std::vector<Constraint>;
/// One of them holds.
using Disjunction = std::vector<Conjunction>;

class LinearForms {
public:
  /// Variables that every body has. Others follow as they are met.
  enum Variable : unsigned {
    LengthQ,    ///< used length of the point's sequence
    LengthKv,   ///
    HeadsQ,     ///
    HeadsKv,    ///
    RowsQ,      ///< rows held
    RowsKv,     ///
    RowsHeld,   ///< of the larger side
    Row,        ///< of an element asked for: within its sequence, or held
    BufferHead, ///< of that element
    Turn,       ///< at the counter of a tile
    Tile,       ///< the point's
    Head,       ///
    numNamed
  };

  /// For a body over `grid`. Without `headRatio` nothing is known of HeadsQ
  /// beside HeadsKv.
  LinearForms(tile::GridAttr grid, std::optional<int64_t> headRatio);

  /// Names the values of the grid's point. A body may have several.
  void bindPoint(mlir::Value sequence, mlir::Value tile, mlir::Value head);
  bool isSequence(mlir::Value value) const { return sequences.count(value); }

  mlir::AffineExpr variable(unsigned variable) const;
  mlir::AffineExpr length(plan::RowSpace space) const;
  /// Rows that the point's sequence has in `buffer`: used ones, or if the
  /// buffer is rounded all of the tiles that hold such.
  mlir::AffineExpr rowsIn(tile::BufferType buffer) const;
  mlir::AffineExpr rowsHeld(plan::RowSpace space) const;
  mlir::AffineExpr heads(plan::HeadSpace space) const;
  tile::GridAttr getGrid() const { return grid; }
  unsigned getNumVariables() const { return variables.size(); }

  /// The form of an i64 value.
  mlir::AffineExpr of(mlir::Value value);
  /// When an i1 value is `truth`; nothing if that is no condition on forms.
  std::optional<Disjunction> whenIs(mlir::Value condition, bool truth);

  /// Whether all variables of the expression are exact.
  bool isExact(mlir::AffineExpr expr) const;
  bool isExact(const Disjunction &condition) const;

  /// What is known of one variable.
  const Conjunction &factsOf(unsigned variable) const {
    return variables[variable].facts;
  }
  /// Of the turns of a loop: from, to, step. Exact if its bounds are.
  unsigned turnOf(mlir::scf::ForOp loop);

  /// Values of the variables under which all of `conditions` and all that is
  /// known hold, small ones if there are smallest; nothing if there are none.
  using Assignment = llvm::SmallVector<std::pair<unsigned, int64_t>>;
  std::optional<Assignment> solve(const Conjunction &conditions) const;
  /// Whether `expr` is below 0 whatever the variables are. Remembers the
  /// answer.
  bool isAlwaysNegative(mlir::AffineExpr expr);
  /// The same of two points of the grid that are not one: `one` holds of the
  /// first, `other` of the second, with one element (Row, BufferHead). Gives
  /// the first point.
  std::optional<Assignment> solveForTwoPoints(const Conjunction &one,
                                              const Conjunction &other) const;
  /// The same of two runs, of one point or of two: `between` says how they
  /// differ, in what the first has and what `ofSecond` says that the second
  /// has.
  std::optional<Assignment> solveForTwoRuns(const Conjunction &one,
                                            const Conjunction &other,
                                            const Conjunction &between) const;
  mlir::AffineExpr ofSecond(mlir::AffineExpr expr) const;

  /// "n_q = 0, n_k = 1", of those variables that a reader knows.
  static std::string describe(const Assignment &assignment);

private:
  struct Known {
    bool isExact;
    Conjunction facts;
  };

  unsigned add(bool isExact, Conjunction facts);
  /// The conditions and all that is known of the variables in them.
  Conjunction withFacts(Conjunction conditions) const;
  std::optional<Assignment> solveClosed(const Conjunction &conditions) const;
  mlir::AffineExpr compute(mlir::Value value);
  mlir::AffineExpr unknown(Conjunction (*bounds)(mlir::AffineExpr self,
                                                 mlir::AffineExpr a,
                                                 mlir::AffineExpr b) = nullptr,
                           mlir::AffineExpr a = {}, mlir::AffineExpr b = {});
  mlir::AffineExpr constant(int64_t value) const {
    return mlir::getAffineConstantExpr(value, context);
  }
  mlir::MLIRContext *context;
  tile::GridAttr grid;
  std::vector<Known> variables;
  llvm::DenseMap<mlir::Value, mlir::AffineExpr> forms;
  llvm::DenseSet<mlir::Value> sequences;
  llvm::DenseMap<mlir::Operation *, unsigned> turns;
  llvm::DenseMap<mlir::AffineExpr, bool> alwaysNegative;
};

} // namespace weft

#endif // WEFT_COMPILER_VERIFY_LINEARFORMS_H
