//===- Body.h - What the bodies of all kernels are built from ---*- C++ -*-===//

#ifndef WEFT_COMPILER_TILE_BODIES_BODY_H
#define WEFT_COMPILER_TILE_BODIES_BODY_H

#include "compiler/tile/Scalars.h"
#include "dialects/attn/Attn.h"
#include "dialects/tile/Tile.h"

#include "mlir/IR/Builders.h"

namespace weft::tile {

/// What a kernel is specialised on, read off an attn op.
struct ProblemFacts {
  mlir::Operation *op = nullptr; ///< attn.forward or attn.backward
  mlir::Type dtype;
  int64_t headDim = 0, headDimV = 0, headRatio = 1, align = 16;
  attn::SideAttr q, kv;
  mlir::ArrayAttr parameters;
  bool scalarDOut = false;
  /// Null where the op has none.
  mlir::Region *mask = nullptr, *score = nullptr, *derivative = nullptr;

  /// An op that is no attn problem, or a score change in a backward without
  /// its derivative, is an error.
  static mlir::FailureOr<ProblemFacts> of(mlir::Operation *op);
};

/// The `tile.func` of one kernel while it is written: its arguments by name,
/// its point of the grid, and the small pieces that bodies share. Tiles have
/// [rows, columns] with columns rounded up to 16.
class Body {
public:
  /// Checks the kernel's contract and schedule against what its kind needs;
  /// an error is reported on the kernel.
  static mlir::LogicalResult check(plan::KernelOp kernel,
                                   const ProblemFacts &problem);

  /// The function, behind the kernel, with arguments for its contract and all
  /// scalars of the problem, and the grid's point.
  Body(plan::KernelOp kernel, const ProblemFacts &problem);

  /// Ends the function: the return, and no argument that is not used.
  FuncOp finish();

  mlir::OpBuilder builder;
  mlir::Location loc;
  Scalars scalars;
  const ProblemFacts &problem;
  int64_t rows;    ///< of a point's tile
  int64_t columns; ///< of a loop step's tile

  mlir::Value sequence, tile, head;
  mlir::Value first; ///< first row of the point's tile

  bool has(llvm::StringRef operand) const { return operands.count(operand); }
  mlir::Value buffer(llvm::StringRef name) const;
  mlir::Value scalar(llvm::StringRef name) const;

  mlir::Value length(plan::RowSpace side);
  /// `count` rows from `from` on, of the point's sequence.
  mlir::Value rowsAt(plan::RowSpace side, mlir::Value from, int64_t count);

  /// A tile of the named operand, [count] where it has one column.
  mlir::Value load(llvm::StringRef name, mlir::Value rows, mlir::Value head,
                   double pad = 0.0);
  /// Rounds an f32 tile to the operand's type and stores it.
  void store(mlir::Value value, llvm::StringRef name, mlir::Value rows,
             mlir::Value head);
  /// Adds an f32 tile to the operand, which other points may add to as well.
  void add(mlir::Value value, llvm::StringRef name, mlir::Value rows,
           mlir::Value head);

  /// scf.for from `first` to `last`; `turn` gets the index and the carried
  /// values and returns the next ones. Returns the last ones.
  using Turn = llvm::function_ref<llvm::SmallVector<mlir::Value>(
      mlir::Value, mlir::ValueRange)>;
  llvm::SmallVector<mlir::Value> loop(mlir::Value first, mlir::Value last,
                                      mlir::ValueRange start, Turn turn);
  /// The same over the query heads of key head `headKv`.
  llvm::SmallVector<mlir::Value>
  loopOverGroup(mlir::Value headKv, mlir::ValueRange start, Turn turn);

  mlir::RankedTensorType tileType(llvm::ArrayRef<int64_t> shape) const;
  /// Columns of a tile of rows with `dim` elements.
  static int64_t padded(int64_t dim) { return (dim + 15) / 16 * 16; }
  /// An f32 tile with one value.
  mlir::Value filled(llvm::ArrayRef<int64_t> shape, double value);
  mlir::Value splat(mlir::Value scalar, llvm::ArrayRef<int64_t> shape);
  /// The f32 tile, each element times an f32 scalar.
  mlir::Value times(mlir::Value value, mlir::Value factor);
  mlir::Value times(mlir::Value value, double factor);
  mlir::Value multiply(mlir::Value a, mlir::Value b);
  mlir::Value subtract(mlir::Value a, mlir::Value b);
  /// A vector as a tile of `like`'s shape, one value per row (dim = 1) or per
  /// column (dim = 0).
  mlir::Value expand(mlir::Value vector, int64_t dim, mlir::Value like);
  /// Rounded to the problem's type, or widened to f32.
  mlir::Value round(mlir::Value value);
  mlir::Value widen(mlir::Value value);
  /// acc + a b, a b^T, a^T b.
  mlir::Value dot(mlir::Value a, mlir::Value b, mlir::Value acc);
  mlir::Value dotTransposed(mlir::Value a, mlir::Value b);
  mlir::Value transposedDot(mlir::Value a, mlir::Value b);

private:
  FuncOp func;
  llvm::StringMap<mlir::Value> operands;
};

llvm::ArrayRef<int64_t> shapeOf(mlir::Value tile);

/// One function per kernel kind, in the file of its name.
void buildForward(Body &body);
void buildDelta(Body &body);
/// dqkv, dkdv, dk and dv: what of the three the contract asks for.
void buildKeyGradients(Body &body);
void buildQueryGradient(Body &body);
void buildReduce(Body &body);
void buildConvert(Body &body);
void buildFill(Body &body, plan::KernelOp kernel);

inline constexpr double log2E = 1.4426950408889634;
inline constexpr double ln2 = 0.6931471805599453;

} // namespace weft::tile

#endif // WEFT_COMPILER_TILE_BODIES_BODY_H
