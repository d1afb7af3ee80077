//===- MaskFormula.cpp - A mask region as a formula -----------------------===//

#include "compiler/tile/MaskFormula.h"

#include "compiler/tile/Scalars.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace weft::tile {

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

int64_t LinearSum::coefficientOf(Value value) const {
  for (auto [term, coefficient] : terms)
    if (term == value)
      return coefficient;
  return 0;
}

LinearSum LinearSum::without(Value value) const {
  LinearSum result = *this;
  llvm::erase_if(result.terms,
                 [&](const auto &term) { return term.first == value; });
  return result;
}

namespace {

/// Constants up to 2^62: their negation and a few sums of them stay in i64.
bool isSmall(int64_t value) {
  constexpr int64_t limit = int64_t(1) << 62;
  return value >= -limit && value <= limit;
}

/// a + factor * b, or nothing where a coefficient becomes too large.
std::optional<LinearSum> addScaled(const LinearSum &a, const LinearSum &b,
                                   int64_t factor) {
  LinearSum result = a;
  int64_t scaled;
  if (llvm::MulOverflow(b.constant, factor, scaled) ||
      llvm::AddOverflow(result.constant, scaled, result.constant))
    return std::nullopt;
  for (auto [value, coefficient] : b.terms) {
    if (llvm::MulOverflow(coefficient, factor, scaled))
      return std::nullopt;
    auto *term = llvm::find_if(
        result.terms, [&](const auto &known) { return known.first == value; });
    if (term == result.terms.end())
      result.terms.push_back({value, scaled});
    else if (llvm::AddOverflow(term->second, scaled, term->second))
      return std::nullopt;
  }
  llvm::erase_if(result.terms,
                 [](const auto &term) { return term.second == 0; });
  if (!isSmall(result.constant) ||
      llvm::any_of(result.terms,
                   [](const auto &term) { return !isSmall(term.second); }))
    return std::nullopt;
  return result;
}

std::optional<LinearSum> takeApart(Operation *op,
                                   function_ref<bool(Value)> isUniform) {
  auto read = [&](Value value) { return readSum(value, isUniform); };
  if (auto add = dyn_cast_or_null<arith::AddIOp>(op))
    return addScaled(read(add.getLhs()), read(add.getRhs()), 1);
  if (auto sub = dyn_cast_or_null<arith::SubIOp>(op))
    return addScaled(read(sub.getLhs()), read(sub.getRhs()), -1);
  if (auto mul = dyn_cast_or_null<arith::MulIOp>(op)) {
    LinearSum a = read(mul.getLhs()), b = read(mul.getRhs());
    if (b.isConstant())
      return addScaled({}, a, b.constant);
    if (a.isConstant())
      return addScaled({}, b, a.constant);
  }
  return std::nullopt;
}

} // namespace

LinearSum readSum(Value value, function_ref<bool(Value)> isUniform) {
  if (std::optional<int64_t> constant = Scalars::constantOf(value);
      constant && isSmall(*constant))
    return {*constant, {}};
  if (!isUniform(value))
    if (std::optional<LinearSum> sum =
            takeApart(value.getDefiningOp(), isUniform))
      return *sum;
  return {0, {{value, 1}}};
}

//===----------------------------------------------------------------------===//
// Formulas
//===----------------------------------------------------------------------===//

namespace {

/// Reads conditions in negation normal form. A chain of exclusive ors doubles
/// the tree with each link, so its size is bounded; past that all is Unknown.
class Reader {
public:
  explicit Reader(const llvm::DenseSet<Value> &dependent)
      : dependent(dependent) {}

  Formula read(Value condition, bool negated) {
    if (budget == 0)
      return {};
    --budget;
    if (std::optional<int64_t> constant = Scalars::constantOf(condition))
      return Formula::constant((*constant != 0) != negated);
    if (!dependent.contains(condition))
      return {Formula::Kind::Uniform, condition, negated, {}, {}};
    Operation *op = condition.getDefiningOp();
    if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
      return readComparison(compare, negated);
    if (auto both = dyn_cast_or_null<arith::AndIOp>(op))
      return join(!negated, read(both.getLhs(), negated),
                  read(both.getRhs(), negated));
    if (auto either = dyn_cast_or_null<arith::OrIOp>(op))
      return join(negated, read(either.getLhs(), negated),
                  read(either.getRhs(), negated));
    if (auto differ = dyn_cast_or_null<arith::XOrIOp>(op))
      return readExclusive(differ.getLhs(), differ.getRhs(), negated);
    if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
      Value choice = select.getCondition();
      return join(
          false,
          join(true, read(choice, false), read(select.getTrueValue(), negated)),
          join(true, read(choice, true),
               read(select.getFalseValue(), negated)));
    }
    return {};
  }

private:
  /// `a and b` or `a or b`, with constants folded and equal kinds flattened.
  static Formula join(bool conjunction, Formula a, Formula b) {
    Formula::Kind neutral =
        conjunction ? Formula::Kind::True : Formula::Kind::False;
    Formula::Kind absorbing =
        conjunction ? Formula::Kind::False : Formula::Kind::True;
    if (a.kind == neutral || b.kind == absorbing)
      return b;
    if (b.kind == neutral || a.kind == absorbing)
      return a;
    Formula result;
    result.kind = conjunction ? Formula::Kind::And : Formula::Kind::Or;
    for (Formula *part : {&a, &b}) {
      if (part->kind == result.kind)
        result.parts.insert(result.parts.end(), part->parts.begin(),
                            part->parts.end());
      else
        result.parts.push_back(std::move(*part));
    }
    return result;
  }

  Formula readExclusive(Value a, Value b, bool negated) {
    if (std::optional<int64_t> constant = Scalars::constantOf(b))
      return read(a, negated != (*constant != 0));
    if (std::optional<int64_t> constant = Scalars::constantOf(a))
      return read(b, negated != (*constant != 0));
    return join(false, join(true, read(a, false), read(b, !negated)),
                join(true, read(a, true), read(b, negated)));
  }

  LinearSum sumOf(Value value) const {
    return readSum(value,
                   [&](Value part) { return !dependent.contains(part); });
  }

  /// a + offset <= b.
  Formula atMost(Value a, Value b, int64_t offset) {
    std::optional<LinearSum> sum = addScaled(sumOf(a), sumOf(b), -1);
    if (sum)
      sum = addScaled(*sum, {offset, {}}, 1);
    if (!sum)
      return {};
    if (sum->isConstant())
      return Formula::constant(sum->constant <= 0);
    return {Formula::Kind::AtMostZero, {}, false, *sum, {}};
  }

  Formula readComparison(arith::CmpIOp compare, bool negated) {
    if (!compare.getLhs().getType().isInteger(64))
      return {};
    Value a = compare.getLhs(), b = compare.getRhs();
    arith::CmpIPredicate predicate = compare.getPredicate();
    if (negated)
      predicate = arith::invertPredicate(predicate);
    switch (predicate) {
    case arith::CmpIPredicate::sle:
      return atMost(a, b, 0);
    case arith::CmpIPredicate::slt:
      return atMost(a, b, 1);
    case arith::CmpIPredicate::sge:
      return atMost(b, a, 0);
    case arith::CmpIPredicate::sgt:
      return atMost(b, a, 1);
    case arith::CmpIPredicate::eq:
      return join(true, atMost(a, b, 0), atMost(b, a, 0));
    case arith::CmpIPredicate::ne:
      return join(false, atMost(a, b, 1), atMost(b, a, 1));
    default: // unsigned: a negative value would be a large one
      return {};
    }
  }

  const llvm::DenseSet<Value> &dependent;
  int budget = 256;
};

} // namespace

Formula readFormula(Value condition, const llvm::DenseSet<Value> &dependent) {
  return Reader(dependent).read(condition, false);
}

} // namespace weft::tile
