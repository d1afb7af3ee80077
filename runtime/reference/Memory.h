//===- Memory.h - Buffers that know what of them is defined -----*- C++ -*-===//
//
// Host memory as the kernels reach it: every access is checked against what has
// been written, and within a launch against the contract of its kernel.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_REFERENCE_MEMORY_H
#define WEFT_RUNTIME_REFERENCE_MEMORY_H

#include "runtime/reference/Side.h"
#include "runtime/reference/Tile.h"

#include "llvm/Support/Error.h"

#include <optional>
#include <string>
#include <vector>

namespace weft::reference {

/// Rows [first, ..) of a sequence.
struct Rows {
  int64_t sequence = 0;
  int64_t first = 0;
  bool clipped = true; ///< at the sequence's end; else at that of the rows held
};

/// A tensor of the call or a workspace buffer.
struct Buffer {
  enum class Kind { Input, Result, Workspace };
  /// How elements are addressed, as in the tile dialect.
  enum class Layout { Strided, Packed, Uniform };

  std::string name;
  Kind kind = Kind::Input;
  Layout layout = Layout::Strided;
  Element element = Element::F32;
  const Side *side = nullptr; ///< null: no rows, one row of `columns` elements
  int64_t heads = 1;
  int64_t columns = 1;
  TensorView view; ///< `data` alone where packed or uniform
  /// One flag an element, [head][row][column]; empty for inputs, which are
  /// defined on their valid rows.
  std::vector<uint8_t> defined;

  int64_t rows() const { return side ? side->rows : 1; }
  int64_t size() const { return heads * rows() * columns; }
  int64_t index(int64_t head, int64_t row) const {
    return (head * rows() + row) * columns;
  }
  RowDomains domainsOf(int64_t row) const {
    return side ? side->domains[size_t(row)] : ValidRows;
  }
  char *address(int64_t head, int64_t row) const;
  bool isDefined(int64_t head, int64_t row, int64_t column) const {
    return kind == Kind::Input ? domainsOf(row) & ValidRows
                               : defined[size_t(index(head, row) + column)];
  }

  /// The first element of a row that nothing has written, if any.
  std::optional<int64_t> firstUndefined(int64_t head, int64_t row) const;

  /// Writes one value to every element of a row and marks it defined.
  void fillRow(int64_t head, int64_t row, float value);

  /// `workspace buffer "delta"`, with an element of it if given.
  std::string describe() const;
  std::string describe(int64_t head, int64_t row, int64_t column) const;
};

/// What a kernel's contract allows on one operand, and what one launch has done
/// to it. The methods are the memory ops of the tile dialect.
class Operand {
public:
  enum class Access { In, Out, Acc, Ordered, Counter };

  std::string name; ///< in the contract
  Access access = Access::In;
  RowDomains domains = NoRows;
  std::optional<float> value; ///< of all stores of an `out`, if declared
  Buffer *buffer = nullptr;

  /// Called before the first access of a launch.
  void begin();

  /// `tile.load`; `out` is [rows of shape, columns of shape].
  llvm::Error load(Rows rows, int64_t head, float pad, const Shape &shape,
                   float *out) const;
  /// `tile.store` and `tile.add` by point `point` of the launch.
  llvm::Error store(Rows rows, int64_t head, const Shape &shape,
                    const float *in, int64_t point);
  llvm::Error add(Rows rows, int64_t head, const Shape &shape, const float *in,
                  Access as = Access::Acc);
  /// The counter of tickets, or of the tile that begins at `rows`: memory of an
  /// i32 with a defined value.
  llvm::Expected<char *> tickets() const;
  llvm::Expected<char *> counter(Rows rows, int64_t head) const;
  /// `tile.fill` over the held rows [first, first + count).
  llvm::Error fill(int64_t first, int64_t count, int64_t head, float value,
                   int64_t point);

  /// Called after the last point: an `out` has written all it promised, and a
  /// counter is 0 again.
  llvm::Error finish() const;

private:
  /// Checks a head and the rows of a sequence; gives the rows that exist.
  llvm::Expected<int64_t> existing(Rows rows, int64_t head,
                                   int64_t count) const;
  /// What an access of rows does and what of a contract allows it.
  struct AccessText {
    const char *does, *only; ///< "reads", "read only"
  };
  /// Visits the rows of a tile that exist: the row of the buffer, and where it
  /// begins in the tile. Gives how many there are.
  llvm::Expected<int64_t>
  forRows(Rows rows, int64_t head, const Shape &shape, AccessText access,
          llvm::function_ref<llvm::Error(int64_t row, int64_t at)> visit) const;
  llvm::Error checkWritable(Access wanted, const char *what) const;
  /// Whether an element of an `out` was written in this launch: then a point
  /// may read it back.
  bool wasWritten(int64_t head, int64_t row) const;
  llvm::Error claim(int64_t head, int64_t row, int64_t point);

  /// The point that wrote each element in this launch, plus 1; 0: none.
  std::vector<uint32_t> writers;
};

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_MEMORY_H
