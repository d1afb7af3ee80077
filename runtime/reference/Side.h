//===- Side.h - The sequences and row domains of one side -------*- C++ -*-===//
//
// Offsets and lengths as every kernel sees them: clamped where they are read,
// so that malformed ones reach no row outside the tensors.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_REFERENCE_SIDE_H
#define WEFT_RUNTIME_REFERENCE_SIDE_H

#include "runtime/spec/Problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace weft::reference {

/// Sets of rows, as bits.
using RowDomains = uint8_t;
inline constexpr RowDomains NoRows = 0, ValidRows = 1, GapRows = 2,
                            TailRows = 4;

struct Side {
  struct Sequence {
    int64_t start = 0; ///< first row held
    int64_t used = 0;  ///< rows
  };

  std::string name; ///< "q" or "kv"
  int64_t heads = 0;
  int64_t rows = 0;   ///< held
  int64_t seqlen = 0; ///< batch layouts: rows from one sequence to the next
  bool thd = false;
  std::vector<Sequence> sequences;
  /// False where offsets decrease, leave the rows held, or give a sequence more
  /// rows than its slot has: then sequences may overlap.
  bool wellFormed = true;
  /// The domains of every row held. Of malformed offsets every row is a gap row
  /// too, since a fill then writes them all.
  std::vector<RowDomains> domains;

  /// Reads the lists of `side` (host memory).
  static Side read(const SideSizes &side, int64_t batch, std::string name);

  /// The side as a buffer with rows rounded up to `tile` has it: sequences with
  /// tiles to themselves, all rows of which are used.
  Side rounded(int64_t tile) const;

  /// "row 12 of the q side (row 2 of sequence 1)", or "(a gap row)".
  std::string describeRow(int64_t row) const;

private:
  /// Rows of sequences are valid ones.
  void markSequences();
};

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_SIDE_H
