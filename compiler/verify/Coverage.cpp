//===- Coverage.cpp - Whether a body writes every row ---------------------===//

#include "compiler/verify/Coverage.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace weft;

/// Both hold.
static Disjunction both(const Disjunction &a, const Disjunction &b) {
  Disjunction result;
  for (const Conjunction &one : a)
    for (const Conjunction &other : b) {
      result.push_back(one);
      llvm::append_range(result.back(), other);
    }
  return result;
}

Coverage::Coverage(LinearForms &forms, ArrayRef<AccessOnPath> accesses)
    : forms(forms) {
  for (const AccessOnPath &access : accesses) {
    stores.push_back(access.op);
    for (Operation *op = stores.back(); op; op = op->getParentOp())
      around.insert(op);
  }
  buffer = stores.front().getBuffer().getType();
  ofSequences = stores.front().getRows() != nullptr;
}

std::optional<LinearForms::Assignment> Coverage::findUnwritten(Block &body) {
  Disjunction written;
  for (tile::RowAccess store : stores) {
    Candidate candidate = candidateOf(store);
    Conjunction isPoint = forms.factsOf(LinearForms::Tile);
    llvm::append_range(isPoint, forms.factsOf(LinearForms::Head));
    llvm::append_range(
        written, both({place(isPoint, candidate)}, writesOf(body, candidate)));
  }
  AffineExpr row = forms.variable(LinearForms::Row);
  AffineExpr head = forms.variable(LinearForms::BufferHead);
  AffineExpr rows =
      ofSequences ? forms.rowsIn(buffer) : forms.rowsHeld(buffer.getRowSpace());
  AffineExpr heads = forms.heads(buffer.getHeadSpace());
  return findOutside({{row}, {rows - row - 1}, {head}, {heads - head - 1}},
                     written);
}

/// Sets are not subtracted with PresburgerRelation: that of LLVM 22 takes a
/// variable within narrow bounds (rows of half a tile) for a division.
std::optional<LinearForms::Assignment>
Coverage::findOutside(const Conjunction &inside,
                      ArrayRef<Conjunction> written) const {
  auto witness = forms.solve(inside);
  if (!witness || written.empty())
    return witness;
  // Outside of one of them: some constraint of it fails.
  for (const Constraint &constraint : written.front()) {
    SmallVector<AffineExpr> fails{-constraint.expr - 1};
    if (constraint.isEquality)
      fails.push_back(constraint.expr - 1);
    for (AffineExpr expr : fails) {
      Conjunction outside = inside;
      outside.push_back({expr});
      if (auto found = findOutside(outside, written.drop_front()))
        return found;
    }
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Solves `form` = `value` for the variables `among`, one by one from the
/// largest factor down: each takes what goes into the rest whole.
static void solveFor(ArrayRef<unsigned> among, AffineExpr form,
                     AffineExpr value, LinearForms &forms,
                     llvm::DenseMap<unsigned, AffineExpr> &solution) {
  // The first of those that are divided to the same.
  if (auto division = dyn_cast<AffineBinaryOpExpr>(form);
      division && division.getKind() == AffineExprKind::FloorDiv)
    return solveFor(among, division.getLHS(), value * division.getRHS(), forms,
                    solution);
  SmallVector<std::pair<int64_t, unsigned>> factors;
  AffineExpr rest = form;
  for (unsigned variable : among) {
    AffineExpr self = forms.variable(variable);
    auto factor = dyn_cast<AffineConstantExpr>(simplifyAffineExpr(
        form.replace(self, self + 1) - form, forms.getNumVariables(), 0));
    if (!factor || factor.getValue() <= 0)
      continue;
    factors.emplace_back(factor.getValue(), variable);
    rest = rest.replace(self, self - self);
  }
  // Of two with one factor the point comes first: it is the one with most room.
  llvm::stable_sort(factors, [](auto a, auto b) { return a.first > b.first; });
  AffineExpr left = value - rest;
  for (auto [factor, variable] : factors) {
    if (solution.try_emplace(variable, left.floorDiv(factor)).second)
      left = left % factor;
  }
}

Coverage::Candidate Coverage::candidateOf(tile::RowAccess store) {
  SmallVector<unsigned> free{LinearForms::Tile, LinearForms::Head};
  SmallVector<scf::ForOp> loops;
  for (Operation *op = store->getParentOp(); op; op = op->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      loops.push_back(loop);
      free.push_back(forms.turnOf(loop));
    }
  Candidate candidate;
  solveFor(free, firstRowOf(store, forms), forms.variable(LinearForms::Row),
           forms, candidate);
  solveFor(free, forms.of(store.getHead()),
           forms.variable(LinearForms::BufferHead), forms, candidate);
  // Where the element does not say: the first.
  AffineExpr zero = getAffineConstantExpr(0, store->getContext());
  candidate.try_emplace(LinearForms::Tile, zero);
  candidate.try_emplace(LinearForms::Head, zero);
  for (scf::ForOp loop : llvm::reverse(loops)) {
    Conjunction first =
        place(Conjunction{{forms.of(loop.getLowerBound())}}, candidate);
    candidate.try_emplace(forms.turnOf(loop), first.front().expr);
  }
  return candidate;
}

Conjunction Coverage::place(const Conjunction &conditions,
                            const Candidate &candidate) const {
  llvm::DenseMap<AffineExpr, AffineExpr> replacements;
  for (auto [variable, expr] : candidate)
    replacements[forms.variable(variable)] = expr;
  Conjunction placed;
  for (const Constraint &constraint : conditions)
    placed.push_back(
        {constraint.expr.replace(replacements), constraint.isEquality});
  return placed;
}

Disjunction Coverage::place(const Disjunction &conditions,
                            const Candidate &candidate) const {
  Disjunction placed;
  for (const Conjunction &conjunction : conditions)
    placed.push_back(place(conjunction, candidate));
  return placed;
}

//===----------------------------------------------------------------------===//
// What is written
//===----------------------------------------------------------------------===//

Disjunction Coverage::writesOf(Block &block, const Candidate &candidate) {
  Disjunction written;
  for (Operation &op : block)
    if (around.contains(&op))
      llvm::append_range(written, writesOf(op, candidate));
  return written;
}

Disjunction Coverage::writesOf(Operation &op, const Candidate &candidate) {
  if (auto store = dyn_cast<tile::RowAccess>(op)) {
    Disjunction elements{elementsOf(store, forms)};
    if (forms.isExact(elements))
      return place(elements, candidate);
    unfollowed = store;
    return {};
  }
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return writesOf(branch, candidate);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return writesOf(loop, candidate);
  // Each role runs, for each point.
  Disjunction written;
  for (Region &region : op.getRegions())
    llvm::append_range(written, writesOf(region.front(), candidate));
  return written;
}

Disjunction Coverage::writesOf(scf::IfOp branch, const Candidate &candidate) {
  Disjunction written = writesOf(*branch.thenBlock(), candidate), other;
  if (branch.elseBlock())
    other = writesOf(*branch.elseBlock(), candidate);
  auto yes = forms.whenIs(branch.getCondition(), true);
  auto no = forms.whenIs(branch.getCondition(), false);
  if (!yes || !no || !forms.isExact(*yes) || !forms.isExact(*no)) {
    unfollowed = branch;
    return both(written, other);
  }
  written = both(written, place(*yes, candidate));
  llvm::append_range(written, both(other, place(*no, candidate)));
  return written;
}

Disjunction Coverage::writesOf(scf::ForOp loop, const Candidate &candidate) {
  unsigned turn = forms.turnOf(loop);
  if (!forms.isExact(forms.variable(turn))) {
    unfollowed = loop;
    return {};
  }
  // A candidate of a store elsewhere has no turn of this loop.
  if (!candidate.contains(turn))
    return {};
  return both({place(forms.factsOf(turn), candidate)},
              writesOf(*loop.getBody(), candidate));
}
