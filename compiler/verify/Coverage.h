//===- Coverage.h - Whether a body writes every row -------------*- C++ -*-===//
//
// For each row and head of an operand some point of the grid, some turn of its
// loops has to write it. Which one is read off the stores: of a store to rows
// from 64 * tile on, row r is written by tile floor(r / 64), if at all. What is
// left to ask is whether rows exist that no store's candidate writes: a few
// systems of linear constraints, each of which must have no solution. Where a
// point writes rows over again, another turn than the candidate may have to;
// such a body can be refused although it is right, never the other way round.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_VERIFY_COVERAGE_H
#define WEFT_COMPILER_VERIFY_COVERAGE_H

#include "compiler/verify/Footprint.h"

namespace weft {

/// The rows and heads of one operand that a body writes on every path, over all
/// points of its grid. Columns need no proof: every store has all of its
/// buffer's (the verifiers of the ops see to that).
class Coverage {
public:
  /// `stores` are those of one operand, at least one.
  Coverage(LinearForms &forms, llvm::ArrayRef<AccessOnPath> stores);
  /// The same of turns at the counters of one operand: elements are then
  /// counters, with the turns from 0 to `count`.
  Coverage(LinearForms &forms, llvm::ArrayRef<TurnOnPath> turns,
           mlir::AffineExpr count);

  /// A row and head of the operand that some lengths and heads leave unwritten,
  /// rows counted within a sequence; or, for fills, among all rows held.
  std::optional<LinearForms::Assignment> findUnwritten(mlir::Block &body);

  /// An element that `read` reads, behind `arrival`, and that no point which
  /// arrives at the same counter writes. Of the stores all are passed before
  /// that arrival, by every point.
  std::optional<LinearForms::Assignment> findUnseen(tile::RowAccess read,
                                                    tile::TurnOp arrival);

  /// A branch or loop around stores that could not be followed, and so does not
  /// count; null if there is none.
  mlir::Operation *getUnfollowed() const { return unfollowed; }

private:
  /// The point and the turns that would write an element, by variable.
  using Candidate = llvm::DenseMap<unsigned, mlir::AffineExpr>;
  void addStore(mlir::Operation *store);
  Candidate candidateOf(mlir::Operation *store);
  /// What a store, or a turn, is on.
  Conjunction elementsAt(mlir::Operation *store);
  Conjunction place(const Conjunction &conditions,
                    const Candidate &candidate) const;
  Disjunction place(const Disjunction &conditions,
                    const Candidate &candidate) const;

  /// When the candidate writes the element.
  Disjunction writesOf(mlir::Block &block, const Candidate &candidate);
  Disjunction writesOf(mlir::Operation &op, const Candidate &candidate);
  Disjunction writesOf(mlir::scf::IfOp branch, const Candidate &candidate);
  Disjunction writesOf(mlir::scf::ForOp loop, const Candidate &candidate);

  std::optional<LinearForms::Assignment>
  findOutside(const Conjunction &inside,
              llvm::ArrayRef<Conjunction> written) const;

  LinearForms &forms;
  tile::BufferType buffer;
  bool ofSequences;
  /// Of turns: how many each counter has.
  mlir::AffineExpr count;
  llvm::SmallVector<mlir::Operation *> stores;
  /// The stores and the ops around them: the only ones to look at.
  llvm::DenseSet<mlir::Operation *> around;
  mlir::Operation *unfollowed = nullptr;
};

} // namespace weft

#endif // WEFT_COMPILER_VERIFY_COVERAGE_H
