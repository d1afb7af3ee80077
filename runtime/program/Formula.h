//===- Formula.h - Sizes of one call, computed from formulas ----*- C++ -*-===//
//
// Grids, buffer sizes, arena offsets and guards are formulas in the run-time
// sizes. They are evaluated once a call, in 64 bits; one that overflows is an
// error where it is used and harmless where it is not.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_PROGRAM_FORMULA_H
#define WEFT_RUNTIME_PROGRAM_FORMULA_H

#include "runtime/program/Program.h"
#include "runtime/spec/Problem.h"

#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>

namespace weft::program {

/// The values of the run-time sizes, by SizeKind.
struct SizeValues {
  std::array<int64_t, size_t(SizeKind::MAX) + 1> values{};

  int64_t &operator[](SizeKind kind) { return values[size_t(kind)]; }
  int64_t operator[](SizeKind kind) const { return values[size_t(kind)]; }

  /// The sizes of `problem` on a device of `smCount` multiprocessors.
  static SizeValues fromProblem(const Problem &problem, int64_t smCount);
};

using Exprs = flatbuffers::Vector<const Expr *>;

/// The values of every formula of a verified program.
class FormulaValues {
public:
  FormulaValues(const Program &program, const SizeValues &sizes);

  /// The value of formula `index`, or an error if it overflowed or divided by
  /// less than 1.
  llvm::Expected<int64_t> operator[](int32_t index) const;

private:
  llvm::SmallVector<std::optional<int64_t>, 64> values;
};

/// The value of one formula of a verified program.
llvm::Expected<int64_t> evaluate(const Program &program,
                                 const SizeValues &sizes, int32_t index);

/// The first variant whose guard holds, or an error if none does.
llvm::Expected<const Variant *> selectVariant(const Program &program,
                                              const FormulaValues &values);

/// Where the buffers of a variant lie in its arena, in bytes.
struct Arena {
  struct Buffer {
    int64_t offset = 0; ///< a multiple of `arenaAlignment`
    int64_t bytes = 0;
  };
  llvm::SmallVector<Buffer, 8> buffers;
  int64_t bytes = 0;
};

/// Checks that buffers are aligned and lie within the arena.
llvm::Expected<Arena> layOutArena(const Variant &variant,
                                  const FormulaValues &values);

/// Bytes of workspace a call of these sizes needs; 0: none.
llvm::Expected<int64_t> workspaceBytes(const Program &program,
                                       const SizeValues &sizes);

} // namespace weft::program

#endif // WEFT_RUNTIME_PROGRAM_FORMULA_H
