//===- Overlap.cpp - Do two strided views share a byte? -------------------===//
//
// Both questions become: are there integers 0 <= x_k <= m_k with
// sum c_k x_k in [lo, hi], all c_k > 0? Terms are decided from the largest
// coefficient down, the last two in closed form. Views that nest (any
// permutation of dimensions, padded or interleaved) leave one or two choices
// per term, so the work is a handful of steps whatever the extents.
//
//===----------------------------------------------------------------------===//

#include "runtime/spec/Overlap.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace weft;

namespace {
using Wide = __int128;

struct Term {
  Wide coefficient;
  Wide limit; ///< x is within [0, limit]
};

/// The sum and its terms stay below 2^66, products below 2^127.
class Reach {
public:
  void add(Wide coefficient, Wide limit) {
    if (coefficient == 0 || limit == 0)
      return;
    for (Term &term : terms)
      if (term.coefficient == coefficient) {
        // x + y runs over all of [0, limit_x + limit_y].
        term.limit += limit;
        return;
      }
    terms.push_back({coefficient, limit});
  }

  Overlap decide(Wide lo, Wide hi) {
    llvm::sort(terms, [](const Term &a, const Term &b) {
      return a.coefficient > b.coefficient;
    });
    budget = 1 << 20;
    return decideFrom(terms, lo, hi);
  }

private:
  Overlap decideFrom(llvm::ArrayRef<Term> rest, Wide lo, Wide hi);
  static bool decideTwo(Term a, Term b, Wide lo, Wide hi);

  llvm::SmallVector<Term, 6> terms;
  int budget = 0;
};
} // namespace

static Wide floorDiv(Wide a, Wide b) {
  Wide q = a / b;
  return a % b < 0 ? q - 1 : q;
}
static Wide ceilDiv(Wide a, Wide b) { return -floorDiv(-a, b); }

/// sum over 0 <= t < n of floor((a t + c) / m), modulo 2^128; a, c >= 0, m > 0.
static unsigned __int128 floorSum(Wide n, Wide m, Wide a, Wide c) {
  using U = unsigned __int128;
  U sum = 0;
  while (n > 0) {
    U pairs = n % 2 == 0 ? U(n / 2) * U(n - 1) : U(n) * U((n - 1) / 2);
    sum += pairs * U(a / m) + U(n) * U(c / m);
    a %= m;
    c %= m;
    Wide top = a * n + c;
    if (top < m)
      break;
    // Count lattice points by rows instead of by columns.
    n = top / m;
    c = top % m;
    std::swap(m, a);
  }
  return sum;
}

bool Reach::decideTwo(Term a, Term b, Wide lo, Wide hi) {
  Wide first =
      std::max<Wide>(0, ceilDiv(lo - b.coefficient * b.limit, a.coefficient));
  Wide last = std::min(a.limit, floorDiv(hi, a.coefficient));
  if (first > last)
    return false;
  if (hi - lo + 1 >= b.coefficient)
    return true;
  // For x in [first, last] the y with b y in [lo - a x, hi - a x] lie within
  // [0, limit] by the choice of first and last; count them over all x.
  Wide low = lo - 1 - a.coefficient * last, high = hi - a.coefficient * last;
  Wide shift = ceilDiv(-low, b.coefficient) * b.coefficient;
  Wide n = last - first + 1;
  return floorSum(n, b.coefficient, a.coefficient, high + shift) !=
         floorSum(n, b.coefficient, a.coefficient, low + shift);
}

Overlap Reach::decideFrom(llvm::ArrayRef<Term> rest, Wide lo, Wide hi) {
  if (lo <= 0 && 0 <= hi)
    return Overlap::Yes;
  if (hi < 0 || rest.empty())
    return Overlap::No;
  if (rest.size() == 2)
    return decideTwo(rest[0], rest[1], lo, hi) ? Overlap::Yes : Overlap::No;
  Term term = rest.front();
  rest = rest.drop_front();
  Wide restMax = 0;
  for (const Term &other : rest)
    restMax += other.coefficient * other.limit;
  Wide first = std::max<Wide>(0, ceilDiv(lo - restMax, term.coefficient));
  Wide last = std::min(term.limit, floorDiv(hi, term.coefficient));
  for (Wide x = first; x <= last; ++x) {
    if (--budget < 0)
      return Overlap::Unknown;
    Wide part = term.coefficient * x;
    if (Overlap answer = decideFrom(rest, lo - part, hi - part);
        answer != Overlap::No)
      return answer;
  }
  return Overlap::No;
}

bool ByteSet::empty() const {
  return run == 0 ||
         llvm::any_of(dims, [](const Dim &dim) { return dim.extent == 0; });
}

std::optional<int64_t> ByteSet::span() const {
  if (empty())
    return 0;
  // Each step is bounded before it is used, so nothing overflows 128 bits.
  constexpr Wide limit = Wide(1) << 62;
  Wide span = run;
  for (const Dim &dim : dims) {
    span += Wide(dim.extent - 1) * dim.stride;
    if (span > limit)
      return std::nullopt;
  }
  return int64_t(span);
}

Overlap weft::overlap(const ByteSet &a, const ByteSet &b) {
  if (a.empty() || b.empty())
    return Overlap::No;
  // Point p of a and q of b share a byte iff -run_a < p - q < run_b. With
  // y = extent - 1 - i for b's indices all coefficients are positive.
  Wide offset = Wide(a.base) - Wide(b.base);
  Reach reach;
  for (const ByteSet::Dim &dim : a.dims)
    reach.add(dim.stride, dim.extent - 1);
  for (const ByteSet::Dim &dim : b.dims) {
    reach.add(dim.stride, dim.extent - 1);
    offset -= Wide(dim.stride) * (dim.extent - 1);
  }
  return reach.decide(-(a.run - 1) - offset, (b.run - 1) - offset);
}

/// Whether each step, from the shortest on, leads past all that lies within it:
/// then no two points share a byte. The usual case, and a cheap answer.
static bool nests(const ByteSet &set) {
  llvm::SmallVector<ByteSet::Dim, 3> dims = set.dims;
  llvm::sort(dims, [](const ByteSet::Dim &a, const ByteSet::Dim &b) {
    return a.stride < b.stride;
  });
  Wide within = set.run;
  for (const ByteSet::Dim &dim : dims) {
    if (dim.extent < 2)
      continue;
    if (dim.stride < within)
      return false;
    within += Wide(dim.extent - 1) * dim.stride;
  }
  return true;
}

Overlap weft::overlapsItself(const ByteSet &set) {
  if (set.empty() || nests(set))
    return Overlap::No;
  // Two points differ first in dimension k, by at least one step there and by
  // anything in the dimensions after it.
  Overlap result = Overlap::No;
  for (size_t k = 0; k < set.dims.size(); ++k) {
    const ByteSet::Dim &lead = set.dims[k];
    if (lead.extent < 2)
      continue;
    Wide offset = lead.stride;
    Reach reach;
    reach.add(lead.stride, lead.extent - 2);
    for (const ByteSet::Dim &dim : llvm::drop_begin(set.dims, k + 1)) {
      reach.add(dim.stride, 2 * Wide(dim.extent - 1));
      offset -= Wide(dim.stride) * (dim.extent - 1);
    }
    Overlap answer =
        reach.decide(-(set.run - 1) - offset, (set.run - 1) - offset);
    if (answer == Overlap::Yes)
      return answer;
    if (answer == Overlap::Unknown)
      result = answer;
  }
  return result;
}
