//===- SizeAlgebra.cpp - What holds of formulas for all sizes -------------===//

#include "compiler/plan/SizeAlgebra.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace weft;

using Polynomial = SizeAlgebra::Polynomial;

Polynomial SizeAlgebra::constant(int64_t value) {
  return value ? Polynomial{{{}, value}} : Polynomial{};
}

Polynomial SizeAlgebra::atom(Atom atom) {
  auto found = llvm::find(atoms, atom);
  unsigned index = found - atoms.begin();
  if (found == atoms.end())
    atoms.push_back(std::move(atom));
  return {{{index}, 1}};
}

Polynomial SizeAlgebra::size(plan::Size size) {
  return atom({.kind = Atom::Size, .number = int64_t(size)});
}

/// A coefficient left 64 bits: something of which nothing is known, and which
/// equals nothing else.
Polynomial SizeAlgebra::fail() {
  return atom({.kind = Atom::Opaque, .number = int64_t(atoms.size())});
}

Polynomial SizeAlgebra::add(const Polynomial &a, const Polynomial &b,
                            int64_t factor) {
  Polynomial sum = a;
  for (const auto &[product, coefficient] : b) {
    int64_t scaled, total;
    if (llvm::MulOverflow(coefficient, factor, scaled) ||
        llvm::AddOverflow(sum[product], scaled, total))
      return fail();
    if (total)
      sum[product] = total;
    else
      sum.erase(product);
  }
  return sum;
}

Polynomial SizeAlgebra::multiply(const Polynomial &a, const Polynomial &b) {
  Polynomial result;
  for (const auto &[product, coefficient] : a) {
    Polynomial part;
    for (const auto &[otherProduct, otherCoefficient] : b) {
      Product merged = product;
      llvm::append_range(merged, otherProduct);
      llvm::sort(merged);
      int64_t scaled;
      if (llvm::MulOverflow(coefficient, otherCoefficient, scaled))
        return fail();
      part[merged] = scaled;
    }
    result = add(result, part);
  }
  return result;
}

/// The quotient where every coefficient divides.
static std::optional<Polynomial> divide(const Polynomial &a, int64_t divisor) {
  Polynomial quotient = a;
  for (auto &term : quotient) {
    if (term.second % divisor)
      return std::nullopt;
    term.second /= divisor;
  }
  return quotient;
}

Polynomial SizeAlgebra::ceilDiv(const Polynomial &a, int64_t divisor) {
  if (std::optional<Polynomial> quotient = divide(a, divisor))
    return *quotient;
  return atom({.kind = Atom::CeilDiv, .number = divisor, .lhs = a});
}

/// As ceil((a - (divisor - 1)) / divisor), so that there is one form.
Polynomial SizeAlgebra::floorDiv(const Polynomial &a, int64_t divisor) {
  if (std::optional<Polynomial> quotient = divide(a, divisor))
    return *quotient;
  return ceilDiv(add(a, constant(divisor - 1), -1), divisor);
}

Polynomial SizeAlgebra::choice(Atom::Kind kind, const Polynomial &a,
                               const Polynomial &b) {
  if (a == b)
    return a;
  // One order of the operands, so that equal choices are equal atoms.
  return b < a ? atom({.kind = kind, .lhs = b, .rhs = a})
               : atom({.kind = kind, .lhs = a, .rhs = b});
}

Polynomial SizeAlgebra::max(const Polynomial &a, const Polynomial &b) {
  return choice(Atom::Max, a, b);
}

Polynomial SizeAlgebra::alignUp(const Polynomial &a, int64_t divisor) {
  return multiply(ceilDiv(a, divisor), constant(divisor));
}

Polynomial SizeAlgebra::normalize(Value value) {
  if (auto found = known.find(value); found != known.end())
    return found->second;
  auto binary = [&](Operation *op) {
    // In braces: operands in order, and with them the names of atoms.
    return std::pair<Polynomial, Polynomial>{normalize(op->getOperand(0)),
                                             normalize(op->getOperand(1))};
  };
  Polynomial result;
  APInt number;
  Operation *op = value.getDefiningOp();
  if (matchPattern(value, m_ConstantInt(&number)) &&
      number.getSignificantBits() <= 64) {
    result = constant(number.getSExtValue());
  } else if (auto size = dyn_cast_or_null<plan::SizeOp>(op)) {
    result = this->size(size.getSize());
  } else if (isa_and_nonnull<arith::AddIOp>(op)) {
    auto [a, b] = binary(op);
    result = add(a, b);
  } else if (isa_and_nonnull<arith::SubIOp>(op)) {
    auto [a, b] = binary(op);
    result = add(a, b, -1);
  } else if (isa_and_nonnull<arith::MulIOp>(op)) {
    auto [a, b] = binary(op);
    result = multiply(a, b);
  } else if (isa_and_nonnull<arith::MaxSIOp, arith::MinSIOp>(op)) {
    auto [a, b] = binary(op);
    result = choice(isa<arith::MaxSIOp>(op) ? Atom::Max : Atom::Min, a, b);
  } else if (isa_and_nonnull<arith::CeilDivSIOp>(op) &&
             matchPattern(op->getOperand(1), m_ConstantInt(&number)) &&
             number.isStrictlyPositive()) {
    result = ceilDiv(normalize(op->getOperand(0)), number.getSExtValue());
  } else if (isa_and_nonnull<arith::FloorDivSIOp>(op) &&
             matchPattern(op->getOperand(1), m_ConstantInt(&number)) &&
             number.isStrictlyPositive()) {
    result = floorDiv(normalize(op->getOperand(0)), number.getSExtValue());
  } else {
    result = atom({.kind = Atom::Opaque, .number = -1, .value = value});
  }
  known[value] = result;
  return result;
}

bool SizeAlgebra::isNonNegative(const Polynomial &a, int depth) {
  // Not a linear program: what plans write needs the signs of the terms and a
  // choice at each max or min.
  const Product *branch = nullptr;
  bool signsSuffice = true;
  for (const auto &[product, coefficient] : a) {
    bool atomsNonNegative = llvm::all_of(product, [&](unsigned index) {
      const Atom &atom = atoms[index];
      switch (atom.kind) {
      case Atom::Size:
        return true;
      case Atom::CeilDiv:
        // Above -divisor it is rounded up to 0.
        return depth > 0 &&
               isNonNegative(add(Polynomial(atom.lhs),
                                 constant(int64_t(atom.number) - 1)),
                             depth - 1);
      case Atom::Max:
      case Atom::Min:
      case Atom::Opaque:
        return false;
      }
      return false;
    });
    if (coefficient < 0 || !atomsNonNegative)
      signsSuffice = false;
    if (product.size() == 1 && (atoms[product[0]].kind == Atom::Max ||
                                atoms[product[0]].kind == Atom::Min))
      branch = &product;
  }
  if (signsSuffice)
    return true;
  if (!branch || depth == 0)
    return false;
  int64_t coefficient = a.at(*branch);
  Atom chosen = atoms[(*branch)[0]];
  Polynomial rest = a;
  rest.erase(*branch);
  bool lhs = isNonNegative(add(rest, chosen.lhs, coefficient), depth - 1);
  bool rhs = isNonNegative(add(rest, chosen.rhs, coefficient), depth - 1);
  // A max is at least each of its operands and equals one of them.
  bool eitherSuffices = (chosen.kind == Atom::Max) == (coefficient > 0);
  return eitherSuffices ? lhs || rhs : lhs && rhs;
}

bool SizeAlgebra::isMultipleOf(const Polynomial &a, int64_t divisor) {
  return llvm::all_of(a, [&](const auto &term) {
    if (term.second % divisor == 0)
      return true;
    return llvm::any_of(term.first, [&](unsigned index) {
      Atom atom = atoms[index];
      return (atom.kind == Atom::Max || atom.kind == Atom::Min) &&
             isMultipleOf(atom.lhs, divisor) && isMultipleOf(atom.rhs, divisor);
    });
  });
}

std::string SizeAlgebra::str(const Polynomial &a) const {
  if (a.empty())
    return "0";
  std::string text;
  llvm::raw_string_ostream os(text);
  bool first = true;
  for (const auto &[product, coefficient] : a) {
    // Negated through unsigned: the smallest coefficient has no opposite.
    uint64_t magnitude = coefficient < 0 ? -uint64_t(coefficient) : coefficient;
    if (first)
      os << (coefficient < 0 ? "-" : "");
    else
      os << (coefficient < 0 ? " - " : " + ");
    first = false;
    llvm::ListSeparator times(" * ");
    if (magnitude != 1 || product.empty())
      os << times << magnitude;
    for (unsigned index : product) {
      const Atom &atom = atoms[index];
      os << times;
      switch (atom.kind) {
      case Atom::Size:
        os << plan::stringifySize(plan::Size(atom.number));
        break;
      case Atom::CeilDiv: {
        Polynomial dividend = atom.lhs;
        auto floor = dividend.find({});
        bool isFloor =
            floor != dividend.end() && floor->second == 1 - atom.number;
        if (isFloor)
          dividend.erase(floor);
        os << (isFloor ? "floor((" : "ceil((") << str(dividend) << ") / "
           << atom.number << ")";
        break;
      }
      case Atom::Max:
      case Atom::Min:
        os << (atom.kind == Atom::Max ? "max(" : "min(") << str(atom.lhs)
           << ", " << str(atom.rhs) << ")";
        break;
      case Atom::Opaque:
        os << "?";
        break;
      }
    }
  }
  return text;
}
