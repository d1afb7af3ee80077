//===- Oracle.h - The fp64 formula and the number rule ----------*- C++ -*-===//
//
// An independent implementation of attention in double precision, straight
// from the formulas: it shares nothing with the compiler or the executors.
//
// Every element of a result may differ from it by 3 u (R + |ref|) + 1e-6, u
// being one rounding of the input type and R the size that rounding P, dS and O
// to it can reach. With t the derivative of the score change (1 without one):
//   A_ij = |scale| sum_d |q_id k_jd|          e_ij = 2^-22 A_ij / u
//   g_i  = sqrt(sum_d (dO_id O_id)^2)
//   W_ij = P_ij (t |dP_ij - delta_i| (1 + e_ij) + 2^-22 / u t sum_d |dO v|)
//   R_O  = sqrt(sum_j (P (1+e) V)^2)          R_dV = sqrt(sum_i (P (1+e) dO)^2)
//   R_dQ = |scale| sqrt(sum_j (W K)^2 + (g_i sum_j t P K)^2)
//   R_dK = |scale| sqrt(sum_i (W Q)^2 + (t P g_i Q)^2)
// In f16, P and W of these sums count as at least 2^-14. dK and dV sum over the
// head group. With softcap, W has two more terms: the rounding of tanh reaches
// its derivative. LSE: |x - ref| <= 2^-20 (1 + max_j A_ij).
//
// Where the formula has no term (no key, no query, a row of a gap or tail), the
// value is exact and so is the comparison.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_CASES_ORACLE_H
#define WEFT_RUNTIME_CASES_ORACLE_H

#include "runtime/cases/CaseMemory.h"

namespace weft::cases {

/// What one result must be, in logical order: (row * heads + head) * columns +
/// column. A `bound` of 0 asks for the exact value.
struct TensorReference {
  std::vector<double> value, bound;
};

struct Reference {
  std::array<TensorReference, numTensors> tensors; ///< of results only

  const TensorReference &operator[](TensorId id) const {
    return tensors[size_t(id)];
  }
  TensorReference &operator[](TensorId id) { return tensors[size_t(id)]; }
};

/// The results of `call` (forward, and backward if the case has one) for the
/// inputs in `memory`. `o_lse: random` takes O and LSE from there too. Runs on
/// `threads` threads, 0 for as many as there are cores.
Reference computeReference(const CaseFile &file, const ResolvedCall &call,
                           const CaseMemory &memory, unsigned threads = 0);

/// The keys that row i of a sequence sees: [first, last).
struct KeyRange {
  int64_t first = 0, last = 0;
};
KeyRange keysOf(const CaseFile &file, int64_t i, int64_t queries, int64_t keys);

} // namespace weft::cases

#endif // WEFT_RUNTIME_CASES_ORACLE_H
