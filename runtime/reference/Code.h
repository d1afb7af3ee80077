//===- Code.h - A tile function as a flat list of instructions --*- C++ -*-===//
//
// A body is compiled once: every value has a slot, loops and branches are
// jumps, and each instruction is a function with its operands' slots. Running a
// point is a walk along the list that can stop and go on at any memory op.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_REFERENCE_CODE_H
#define WEFT_RUNTIME_REFERENCE_CODE_H

#include "runtime/reference/Memory.h"
#include "runtime/reference/Tile.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace mlir {
class Operation;
} // namespace mlir

namespace weft::tile {
class FuncOp;
} // namespace weft::tile

namespace weft::reference {

/// What a slot holds: an i64 or i1 (`i`), an f32 (`f`), rows, or a tile.
struct Value {
  int64_t i = 0;
  float f = 0;
  Rows rows;
  TileRef tile;
};

/// The grid of a body, as in the tile dialect.
struct Grid {
  enum class Kind { Q, Kv, Held } kind = Kind::Q;
  int64_t rows = 0;
  bool headsOfQ = true; ///< else heads_kv
  bool oneHead = false;
  bool tickets = false; ///< CTAs take points in the order of their numbers
};

/// One point of a grid.
struct Point {
  int64_t index = 0; ///< in the enumeration of the grid
  int64_t sequence = 0, tile = 0, head = 0;
};

struct Instruction;

/// One launch under way: what the points of its grid share.
struct LaunchState {
  std::vector<Operand> operands;
  const Side *q = nullptr, *kv = nullptr;
  int64_t gridRows = 0;
  /// Run-time scalars.
  float scale = 0, softcap = 0;
  int64_t windowLeft = 0, windowRight = 0;
  TilePool *pool = nullptr;
  /// With tickets: the points by their numbers.
  std::vector<Point> numbered;
};

/// The state of one point's run.
struct Frame {
  LaunchState &launch;
  Point point;
  size_t next = 0; ///< index of the next instruction
  std::vector<Value> slots;
  std::string waiting = {}; ///< what for, if the last instruction has to
};

/// Runs one instruction; `frame.next` already names the one behind it.
using Handler = llvm::Error (*)(const Instruction &, Frame &);

struct Use {
  uint32_t slot = 0;
  bool last = false; ///< the slot is not read again: its tile may be reused
};

struct Instruction {
  Handler run = nullptr;
  mlir::Operation *op = nullptr; ///< for messages
  llvm::SmallVector<Use, 4> operands;
  llvm::SmallVector<uint32_t, 2> results;
  Shape shape;         ///< of the first result, or of the tile written
  Shape from;          ///< of the first operand
  int64_t number = 0;  ///< an integer constant, a buffer's operand, a dim
  int64_t counter = 0; ///< a counter's operand
  float real = 0;      ///< a float constant, a pad
  size_t target = 0;   ///< of a jump
  bool flag = false;   ///< `transposed`, `unclipped`; row space kv
  bool memory = false; ///< reads or writes global memory
  std::shared_ptr<const std::vector<char>> data; ///< of a tile constant
};

enum class Scalar { Scale, Softcap, WindowLeft, WindowRight };

/// An argument of a body, by its type in the tile dialect.
struct BufferArgument {
  std::string name;
  Element element = Element::F32;
  char rowSpace = 0;  ///< 'q', 'k' or 0 for none
  char headSpace = 0; ///< 'q', 'k' or 0 for one
  int64_t columns = 1;
  Buffer::Layout layout = Buffer::Layout::Strided;
  int64_t rounded = 0; ///< rows are rounded up to a multiple of it; 0: not
};
struct ScalarArgument {
  uint32_t slot = 0;
  Scalar scalar = Scalar::Scale;
};

/// A compiled `tile.func`.
struct Code {
  std::string name;
  Grid grid;
  bool persistent = false; ///< a CTA takes point after point
  std::vector<BufferArgument> buffers;
  std::vector<ScalarArgument> scalars;
  uint32_t slots = 0;
  std::vector<Instruction> instructions;
};

/// Compiles a verified `tile.func`; an op or a type that the interpreter does
/// not know is an error. The code refers to the function's ops.
llvm::Expected<std::unique_ptr<Code>> compile(tile::FuncOp func);

/// Handlers of elementwise ops and constants (Elementwise.cpp): sets `run` and
/// what else the op needs, or returns false for an op that is not one.
llvm::Expected<bool> compileElementwise(mlir::Operation &op,
                                        Instruction &instruction);

/// Handlers of the tile dialect's ops (TileOps.cpp), in the same way.
llvm::Expected<bool> compileTileOp(mlir::Operation &op,
                                   Instruction &instruction);

/// The tile of an operand, taken out of its slot where this is its last use.
inline TileRef take(const Use &use, Frame &frame) {
  Value &value = frame.slots[use.slot];
  return use.last ? std::move(value.tile) : value.tile;
}

/// A tile of `bytes` bytes to write to: `tile` itself if nobody else holds it.
inline TileRef reuse(TileRef &tile, size_t bytes, Frame &frame) {
  if (tile.isOnlyHolder() && tile.bytes() == bytes)
    return tile;
  return frame.launch.pool->take(bytes);
}

/// A tile with the content of `tile` that only the caller holds.
inline TileRef own(TileRef tile, Frame &frame) {
  if (tile.isOnlyHolder())
    return tile;
  TileRef copy = frame.launch.pool->take(tile.bytes());
  std::memcpy(copy.as<char>(), tile.as<char>(), tile.bytes());
  return copy;
}

/// An error in what an op says of itself, with the op.
llvm::Error unsupported(mlir::Operation *op, const llvm::Twine &why);
/// "`op` at loc(...)".
std::string describeOp(mlir::Operation *op);

} // namespace weft::reference

#endif // WEFT_RUNTIME_REFERENCE_CODE_H
