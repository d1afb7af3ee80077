//===- LinearForms.cpp - Scalars of a body as linear expressions ----------===//

#include "compiler/verify/LinearForms.h"

#include "dialects/warp/Warp.h"

#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace weft;
using weft::plan::HeadSpace;
using weft::plan::RowSpace;

/// a >= b, a > b, a == b.
static Constraint atLeast(AffineExpr a, AffineExpr b) { return {a - b}; }
static Constraint above(AffineExpr a, AffineExpr b) { return {a - b - 1}; }
static Constraint equal(AffineExpr a, AffineExpr b) { return {a - b, true}; }

LinearForms::LinearForms(tile::GridAttr grid, std::optional<int64_t> headRatio)
    : context(grid.getContext()), grid(grid) {
  for (unsigned index = 0; index < numNamed; ++index)
    variables.push_back({true, {}});
  auto fact = [&](Variable about, Constraint constraint) {
    variables[about].facts.push_back(constraint);
  };
  for (Variable size :
       {LengthQ, LengthKv, HeadsQ, HeadsKv, RowsQ, RowsKv, Tile, Head})
    fact(size, {variable(size)});
  if (headRatio)
    fact(HeadsQ, equal(variable(HeadsQ), variable(HeadsKv) * *headRatio));
  fact(RowsHeld, atLeast(variable(RowsHeld), variable(RowsQ)));
  fact(RowsHeld, atLeast(variable(RowsHeld), variable(RowsKv)));

  AffineExpr rows = grid.getKind() == tile::GridKind::held ? variable(RowsHeld)
                    : grid.getKind() == tile::GridKind::q  ? variable(LengthQ)
                                                           : variable(LengthKv);
  fact(Tile, above(rows, variable(Tile) * grid.getRows()));
  fact(Head, above(heads(grid.getHeads()), variable(Head)));
}

AffineExpr LinearForms::variable(unsigned variable) const {
  return getAffineDimExpr(variable, context);
}
AffineExpr LinearForms::length(RowSpace space) const {
  return variable(space == RowSpace::q ? LengthQ : LengthKv);
}
AffineExpr LinearForms::rowsIn(tile::BufferType buffer) const {
  AffineExpr used = length(buffer.getRowSpace());
  int64_t rounded = buffer.getRounded();
  return rounded ? used.ceilDiv(rounded) * rounded : used;
}
AffineExpr LinearForms::rowsHeld(RowSpace space) const {
  return variable(space == RowSpace::q ? RowsQ : RowsKv);
}
AffineExpr LinearForms::heads(HeadSpace space) const {
  return variable(space == HeadSpace::heads_q ? HeadsQ : HeadsKv);
}

void LinearForms::bindPoint(Value sequence, Value tile, Value head) {
  // Rows held belong to no sequence.
  if (grid.getKind() != tile::GridKind::held)
    sequences.insert(sequence);
  forms[tile] = variable(Tile);
  forms[head] = variable(Head);
}

unsigned LinearForms::add(bool isExact, Conjunction facts) {
  variables.push_back({isExact, std::move(facts)});
  return variables.size() - 1;
}

AffineExpr LinearForms::unknown(Conjunction (*bounds)(AffineExpr, AffineExpr,
                                                      AffineExpr),
                                AffineExpr a, AffineExpr b) {
  AffineExpr self = variable(variables.size());
  return variable(add(false, bounds ? bounds(self, a, b) : Conjunction()));
}

bool LinearForms::isAlwaysNegative(AffineExpr expr) {
  auto [known, isNew] = alwaysNegative.try_emplace(expr);
  if (isNew)
    known->second = !solve({Constraint{expr}});
  return known->second;
}

AffineExpr LinearForms::of(Value value) {
  if (auto known = forms.find(value); known != forms.end())
    return known->second;
  AffineExpr form = compute(value);
  forms[value] = form;
  return form;
}

AffineExpr LinearForms::compute(Value value) {
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number)) &&
      number.getSignificantBits() <= 64)
    return constant(number.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op) {
    auto argument = cast<BlockArgument>(value);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (loop && argument == loop.getInductionVar())
      return variable(turnOf(loop));
    return unknown();
  }
  if (auto length = dyn_cast<tile::LengthOp>(op))
    return isSequence(length.getSequence())
               ? this->length(length.getRowSpace())
               : unknown([](AffineExpr self, AffineExpr, AffineExpr) {
                   return Conjunction{{self}};
                 });
  if (auto choice = dyn_cast<arith::SelectOp>(op);
      choice && choice.getType().isInteger(64)) {
    // Between the two, if it is known which of them is the smaller one.
    AffineExpr small = of(choice.getTrueValue());
    AffineExpr large = of(choice.getFalseValue());
    if (!isAlwaysNegative(small - large - 1))
      std::swap(small, large);
    if (!isAlwaysNegative(small - large - 1))
      return unknown();
    return unknown(
        [](AffineExpr self, AffineExpr small, AffineExpr large) {
          return Conjunction{atLeast(self, small), atLeast(large, self)};
        },
        small, large);
  }
  if (op->getNumOperands() != 2 || !op->getOperand(0).getType().isInteger(64))
    return unknown();
  AffineExpr a = of(op->getOperand(0)), b = of(op->getOperand(1));
  auto divisor = dyn_cast<AffineConstantExpr>(b);
  bool isConstant = divisor && divisor.getValue() > 0;
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op))
    return a - b;
  if (isa<arith::MulIOp>(op) && (divisor || isa<AffineConstantExpr>(a)))
    return a * b;
  if (isa<arith::FloorDivSIOp>(op) && isConstant)
    return a.floorDiv(divisor.getValue());
  if (isa<arith::CeilDivSIOp>(op) && isConstant)
    return a.ceilDiv(divisor.getValue());
  // These round towards 0.
  if (isa<arith::DivSIOp>(op) && isConstant && isAlwaysNegative(-a - 1))
    return a.floorDiv(divisor.getValue());
  if (isa<arith::RemSIOp>(op) && isConstant && isAlwaysNegative(-a - 1))
    return a % divisor.getValue();
  if (isa<arith::MaxSIOp>(op))
    return unknown(
        [](AffineExpr self, AffineExpr a, AffineExpr b) {
          return Conjunction{atLeast(self, a), atLeast(self, b)};
        },
        a, b);
  if (isa<arith::MinSIOp>(op))
    return unknown(
        [](AffineExpr self, AffineExpr a, AffineExpr b) {
          return Conjunction{atLeast(a, self), atLeast(b, self)};
        },
        a, b);
  return unknown();
}

unsigned LinearForms::turnOf(scf::ForOp loop) {
  if (auto known = turns.find(loop); known != turns.end())
    return known->second;
  AffineExpr first = of(loop.getLowerBound()), last = of(loop.getUpperBound());
  auto step = dyn_cast<AffineConstantExpr>(of(loop.getStep()));
  bool counts = step && step.getValue() > 0;
  unsigned turn = add(counts && isExact(first) && isExact(last), Conjunction());
  AffineExpr self = variable(turn);
  Conjunction &facts = variables[turn].facts;
  facts.push_back(above(last, self));
  facts.push_back(atLeast(self, first));
  if (counts && step.getValue() > 1)
    facts.push_back(equal((self - first) % step.getValue(), constant(0)));
  return turns[loop] = turn;
}

std::optional<Disjunction> LinearForms::whenIs(Value condition, bool truth) {
  Operation *op = condition.getDefiningOp();
  APInt number;
  if (matchPattern(condition, m_ConstantInt(&number)))
    return number.isZero() == truth ? Disjunction() : Disjunction{{}};
  // Of those that arrive at a tile one is the last, and it does not matter
  // which (Turns.h): say the first. Of the others nothing is said.
  if (auto arrival = dyn_cast_or_null<tile::TurnOp>(op)) {
    if (!truth)
      return std::nullopt;
    return Disjunction{{equal(of(arrival.getTurn()), constant(0))}};
  }
  // Of the grid's points all exist.
  if (isa_and_nonnull<warp::PointOp, warp::TicketOp>(op))
    return truth ? Disjunction{{}} : Disjunction();
  // An arrival stands alone or says nothing.
  if (isa_and_nonnull<arith::XOrIOp, arith::AndIOp, arith::OrIOp>(op) &&
      llvm::any_of(op->getOperands(), [](Value operand) {
        return isa_and_nonnull<tile::TurnOp>(operand.getDefiningOp());
      }))
    return std::nullopt;
  if (auto both = dyn_cast_or_null<arith::XOrIOp>(op)) {
    for (auto [one, other] : {std::pair(both.getLhs(), both.getRhs()),
                              std::pair(both.getRhs(), both.getLhs())})
      if (matchPattern(other, m_One()))
        return whenIs(one, !truth);
    return std::nullopt;
  }
  if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
    auto a = whenIs(op->getOperand(0), truth);
    auto b = whenIs(op->getOperand(1), truth);
    if (!a || !b)
      return std::nullopt;
    if (isa<arith::OrIOp>(op) == truth) {
      llvm::append_range(*a, *b);
      return a;
    }
    Disjunction both;
    for (const Conjunction &one : *a)
      for (const Conjunction &other : *b) {
        both.push_back(one);
        llvm::append_range(both.back(), other);
      }
    return both;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare || !compare.getLhs().getType().isInteger(64))
    return std::nullopt;
  arith::CmpIPredicate predicate =
      truth ? compare.getPredicate()
            : arith::invertPredicate(compare.getPredicate());
  AffineExpr a = of(compare.getLhs()), b = of(compare.getRhs());
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return Disjunction{{equal(a, b)}};
  case arith::CmpIPredicate::ne:
    return Disjunction{{above(a, b)}, {above(b, a)}};
  case arith::CmpIPredicate::slt:
    return Disjunction{{above(b, a)}};
  case arith::CmpIPredicate::sle:
    return Disjunction{{atLeast(b, a)}};
  case arith::CmpIPredicate::sgt:
    return Disjunction{{above(a, b)}};
  case arith::CmpIPredicate::sge:
    return Disjunction{{atLeast(a, b)}};
  default: // unsigned
    return std::nullopt;
  }
}

bool LinearForms::isExact(AffineExpr expr) const {
  bool exact = true;
  expr.walk([&](AffineExpr part) {
    if (auto dim = dyn_cast<AffineDimExpr>(part))
      exact &= variables[dim.getPosition()].isExact;
  });
  return exact;
}

bool LinearForms::isExact(const Disjunction &condition) const {
  return llvm::all_of(condition, [&](const Conjunction &conjunction) {
    return llvm::all_of(conjunction, [&](const Constraint &constraint) {
      return isExact(constraint.expr);
    });
  });
}

/// The conditions over `order`, as a polyhedron.
static FlatLinearValueConstraints polyhedron(MLIRContext *context,
                                             const Conjunction &conditions,
                                             ArrayRef<unsigned> order) {
  unsigned largest = 0;
  for (unsigned variable : order)
    largest = std::max(largest, variable + 1);
  SmallVector<AffineExpr> places(largest, getAffineConstantExpr(0, context));
  for (auto [place, variable] : llvm::enumerate(order))
    places[variable] = getAffineDimExpr(place, context);
  SmallVector<AffineExpr> exprs;
  SmallVector<bool> equalities;
  for (const Constraint &constraint : conditions) {
    exprs.push_back(constraint.expr.replaceDims(places));
    equalities.push_back(constraint.isEquality);
  }
  // An integer set has at least one constraint.
  if (exprs.empty()) {
    exprs.push_back(getAffineConstantExpr(0, context));
    equalities.push_back(true);
  }
  return FlatLinearValueConstraints(
      IntegerSet::get(order.size(), 0, exprs, equalities));
}

/// The variables of the conditions, in order.
static SmallVector<unsigned> variablesOf(const Conjunction &conditions) {
  SmallVector<unsigned> used;
  for (const Constraint &constraint : conditions)
    constraint.expr.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        used.push_back(dim.getPosition());
    });
  llvm::sort(used);
  used.erase(llvm::unique(used), used.end());
  return used;
}

Conjunction LinearForms::withFacts(Conjunction conditions) const {
  // Variables hang on others through what is known of them.
  llvm::SmallDenseSet<unsigned> known;
  for (size_t next = 0; next < conditions.size(); ++next) {
    AffineExpr expr = conditions[next].expr;
    expr.walk([&](AffineExpr part) {
      auto dim = dyn_cast<AffineDimExpr>(part);
      if (dim && known.insert(dim.getPosition()).second)
        llvm::append_range(conditions, factsOf(dim.getPosition()));
    });
  }
  return conditions;
}

std::optional<LinearForms::Assignment>
LinearForms::solve(const Conjunction &conditions) const {
  return solveClosed(withFacts(conditions));
}

/// What belongs to a point and not to an element, with a name of its own.
AffineExpr LinearForms::ofSecond(AffineExpr expr) const {
  SmallVector<AffineExpr> renamed;
  for (unsigned index = 0; index < variables.size(); ++index)
    renamed.push_back(
        variable(index < Tile ? index : index + variables.size()));
  return expr.replaceDims(renamed);
}

std::optional<LinearForms::Assignment>
LinearForms::solveForTwoRuns(const Conjunction &one, const Conjunction &other,
                             const Conjunction &between) const {
  // Each is of a point of the grid.
  auto closed = [&](Conjunction conditions) {
    conditions.push_back({variable(Tile)});
    conditions.push_back({variable(Head)});
    return withFacts(std::move(conditions));
  };
  Conjunction both = closed(one);
  for (const Constraint &constraint : closed(other))
    both.push_back({ofSecond(constraint.expr), constraint.isEquality});
  llvm::append_range(both, between);
  return solveClosed(both);
}

std::optional<LinearForms::Assignment>
LinearForms::solveForTwoPoints(const Conjunction &one,
                               const Conjunction &other) const {
  AffineExpr tile = variable(Tile), head = variable(Head);
  AffineExpr otherTile = ofSecond(tile), otherHead = ofSecond(head);
  std::vector<Conjunction> apart{
      {above(tile, otherTile)},
      {equal(tile, otherTile), above(head, otherHead)},
      {above(otherTile, tile)},
      {equal(tile, otherTile), above(otherHead, head)}};
  // Of two that do the same it does not matter which is which.
  if (&one == &other)
    apart.resize(2);
  for (const Conjunction &conditions : apart)
    if (auto witness = solveForTwoRuns(one, other, conditions))
      return witness;
  return std::nullopt;
}

std::optional<LinearForms::Assignment>
LinearForms::solveClosed(const Conjunction &conditions) const {
  SmallVector<unsigned> order = variablesOf(conditions);
  FlatLinearValueConstraints set = polyhedron(context, conditions, order);
  if (set.isIntegerEmpty())
    return std::nullopt;
  SmallVector<llvm::DynamicAPInt, 8> values;
  if (auto smallest = set.findIntegerLexMin(); smallest.isBounded())
    values = *smallest;
  else
    values = *set.findIntegerSample();
  Assignment assignment;
  for (auto [place, variable] : llvm::enumerate(order))
    assignment.push_back({variable, int64_t(values[place])});
  return assignment;
}

std::string LinearForms::describe(const Assignment &assignment) {
  static constexpr StringRef names[] = {
      "n_q",       "n_k", "heads_q", "heads_kv", "rows_q", "rows_kv",
      "rows held", "row", "head",    "turn",     "tile",   "head of the point"};
  static_assert(std::size(names) == numNamed);
  std::string text;
  llvm::raw_string_ostream stream(text);
  for (auto [variable, value] : assignment)
    if (variable < numNamed)
      stream << (text.empty() ? "" : ", ") << names[variable] << " = " << value;
  return text;
}
