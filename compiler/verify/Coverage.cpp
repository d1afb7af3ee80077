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
  for (const AccessOnPath &access : accesses)
    addStore(access.op);
  tile::RowAccess first = accesses.front().op;
  buffer = first.getBuffer().getType();
  ofSequences = first.getRows() != nullptr;
}

Coverage::Coverage(LinearForms &forms, ArrayRef<TurnOnPath> turns,
                   AffineExpr count)
    : forms(forms), ofSequences(true), count(count) {
  for (const TurnOnPath &turn : turns)
    addStore(turn.op);
  tile::TurnOp first = turns.front().op;
  buffer = first.getCounter().getType();
}

void Coverage::addStore(Operation *store) {
  stores.push_back(store);
  for (Operation *op = store; op; op = op->getParentOp())
    around.insert(op);
}

Conjunction Coverage::elementsAt(Operation *store) {
  if (!count)
    return elementsOf(cast<tile::RowAccess>(store), forms);
  Conjunction elements = counterOf(cast<tile::TurnOp>(store), forms);
  elements.push_back({forms.of(cast<tile::TurnOp>(store).getTurn()) -
                          forms.variable(LinearForms::Turn),
                      /*isEquality=*/true});
  return elements;
}

std::optional<LinearForms::Assignment> Coverage::findUnwritten(Block &body) {
  Disjunction written;
  for (Operation *store : stores) {
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
  Conjunction inside{{row}, {rows - row - 1}, {head}, {heads - head - 1}};
  if (count) {
    AffineExpr turn = forms.variable(LinearForms::Turn);
    inside.push_back({row % buffer.getRounded(), /*isEquality=*/true});
    inside.push_back({turn});
    inside.push_back({count - turn - 1});
  }
  return findOutside(inside, written);
}

std::optional<LinearForms::Assignment>
Coverage::findUnseen(tile::RowAccess read, tile::TurnOp arrival) {
  AffineExpr first =
      forms.of(arrival.getRows().getDefiningOp<tile::RowsOp>().getFirst());
  AffineExpr head = forms.of(arrival.getCounterHead());
  Conjunction inside = elementsOf(read, forms);
  // The reader is a point of the grid.
  inside.push_back({forms.variable(LinearForms::Tile)});
  inside.push_back({forms.variable(LinearForms::Head)});
  Disjunction written;
  for (Operation *store : stores) {
    Candidate candidate = candidateOf(store);
    Conjunction isPoint = forms.factsOf(LinearForms::Tile);
    llvm::append_range(isPoint, forms.factsOf(LinearForms::Head));
    llvm::append_range(isPoint, elementsAt(store));
    isPoint.push_back({first, /*isEquality=*/true});
    isPoint.push_back({head, /*isEquality=*/true});
    Disjunction exact{isPoint};
    if (!forms.isExact(exact))
      continue;
    // The writer arrives where the reader does.
    Conjunction writes = place(isPoint, candidate);
    writes[writes.size() - 2].expr = writes[writes.size() - 2].expr - first;
    writes.back().expr = writes.back().expr - head;
    written.push_back(std::move(writes));
  }
  return findOutside(inside, written);
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

Coverage::Candidate Coverage::candidateOf(Operation *store) {
  SmallVector<unsigned> free{LinearForms::Tile, LinearForms::Head};
  SmallVector<scf::ForOp> loops;
  for (Operation *op = store->getParentOp(); op; op = op->getParentOp())
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      loops.push_back(loop);
      free.push_back(forms.turnOf(loop));
    }
  Candidate candidate;
  AffineExpr row = forms.variable(LinearForms::Row);
  AffineExpr bufferHead = forms.variable(LinearForms::BufferHead);
  if (!count) {
    auto access = cast<tile::RowAccess>(store);
    solveFor(free, firstRowOf(access, forms), row, forms, candidate);
    solveFor(free, forms.of(access.getHead()), bufferHead, forms, candidate);
  } else {
    auto turn = cast<tile::TurnOp>(store);
    AffineExpr first =
        forms.of(turn.getRows().getDefiningOp<tile::RowsOp>().getFirst());
    AffineExpr head = forms.of(turn.getCounterHead());
    AffineExpr number = forms.of(turn.getTurn());
    AffineExpr wanted = forms.variable(LinearForms::Turn);
    solveFor(free, first, row, forms, candidate);
    // Of heads in groups, the group and the place in it give the head.
    auto group = dyn_cast<AffineBinaryOpExpr>(head);
    if (group && group.getKind() == AffineExprKind::FloorDiv)
      solveFor(free,
               simplifyAffineExpr(head * group.getRHS() + number,
                                  forms.getNumVariables(), 0),
               bufferHead * group.getRHS() + wanted, forms, candidate);
    solveFor(free, head, bufferHead, forms, candidate);
    solveFor(free, number, wanted, forms, candidate);
  }
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
  if (llvm::is_contained(stores, &op)) {
    Disjunction elements{elementsAt(&op)};
    if (forms.isExact(elements))
      return place(elements, candidate);
    unfollowed = &op;
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
  bool isYesKnown = yes && forms.isExact(*yes);
  bool isNoKnown = no && forms.isExact(*no);
  if (!isYesKnown || !(isNoKnown || other.empty())) {
    unfollowed = branch;
    return both(written, other);
  }
  written = both(written, place(*yes, candidate));
  if (isNoKnown)
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
