//===- KernelWriter.h - Writes one kernel as EmitC --------------*- C++ -*-===//
//
// Walks a warp.func op by op and writes the emitc.func beside it. One file per
// kind of op holds its members; what they share is here: values by what stands
// for them, arguments made when first used, things computed once.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_COMPILER_EMITC_KERNELWRITER_H
#define WEFT_COMPILER_EMITC_KERNELWRITER_H

#include "compiler/emitc/ProductsUnderWay.h"
#include "compiler/emitc/RegisterArrays.h"
#include "dialects/attn/Attn.h"

#include "mlir/Dialect/EmitC/IR/EmitC.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

#include <map>
#include <set>

namespace weft {

/// Marks a call without side effects, which the printer may put into an
/// expression.
inline constexpr llvm::StringLiteral kPureAttr = "weft.pure";
inline constexpr llvm::StringLiteral kEntryAttr = "weft.entry";
inline constexpr llvm::StringLiteral kThreadsAttr = "weft.threads";
/// CTAs that share a multiprocessor, where they are more than one.
inline constexpr llvm::StringLiteral kCtasPerSmAttr = "weft.ctas_per_sm";
inline constexpr llvm::StringLiteral kSharedBytesAttr = "weft.shared_bytes";
inline constexpr llvm::StringLiteral kHeadersAttr = "weft.headers";
inline constexpr llvm::StringLiteral kArgAttr = "weft.arg";
/// Texts of functions that the kernel calls and no header has.
inline constexpr llvm::StringLiteral kFunctionsAttr = "weft.functions";

class KernelWriter {
public:
  explicit KernelWriter(warp::FuncOp kernel);

  /// Writes the emitc.func in front of the kernel. Errors are emitted at the op
  /// that cannot be written.
  mlir::FailureOr<mlir::emitc::FuncOp> write();

private:
  using Value = mlir::Value;

  //===--- Ops, one file per kind -----------------------------------------===//

  mlir::LogicalResult writeBlock(mlir::Block &block, bool hasTerminator = true);
  mlir::LogicalResult writeOp(mlir::Operation *op);

  // Control.cpp
  mlir::LogicalResult writeFor(mlir::Operation *op);
  mlir::LogicalResult writeIf(mlir::Operation *op);
  struct Assignment {
    Value target; ///< a value of the source, of any kind that can be carried
    Value source;
  };
  mlir::LogicalResult assignAll(llvm::ArrayRef<Assignment> assignments);
  mlir::LogicalResult declareCarried(Value value, llvm::StringRef name,
                                     bool isSlot = false);
  void takeCarried(Value value, Value from);

  // Scalars.cpp
  mlir::FailureOr<mlir::SmallVector<Value>>
  writeScalarOp(mlir::Operation *op, mlir::ValueRange operands);
  mlir::FailureOr<Value> literalOf(mlir::Operation *op, mlir::TypedAttr value);

  // Elementwise.cpp
  mlir::LogicalResult writeElementwise(mlir::Operation *op);
  mlir::LogicalResult writeMap(warp::MapOp op);
  mlir::LogicalResult writePack(warp::PackOp op);
  mlir::LogicalResult writeReduce(warp::ReduceOp op);
  mlir::LogicalResult writeCombine(warp::CombineOp op);
  /// One element of a result.
  struct Produced {
    Value value;
    Value unrounded; ///< if it is a rounded f32: that one
  };
  mlir::LogicalResult forElements(
      mlir::ValueRange results, mlir::RankedTensorType domain,
      llvm::function_ref<mlir::FailureOr<mlir::SmallVector<Produced>>(Value)>
          make);
  /// Element `e` of `tile`, seen as an element of a tile like `domain`.
  mlir::FailureOr<Value> element(Value tile, Value e,
                                 mlir::RankedTensorType domain);
  Value rowOf(mlir::RankedTensorType domain, Value e);
  Value columnOf(mlir::RankedTensorType domain, Value e);
  mlir::LogicalResult copyTile(Value array, Value tile);
  void copyArray(Value target, Value source);

  // Rows.cpp
  mlir::LogicalResult writePoint(warp::PointOp op);
  /// The results of a point: sequence, tile, head and whether it exists.
  void writePointOf(Value cta, mlir::ValueRange results);
  mlir::LogicalResult writeRows(tile::RowsOp op);
  Value lengthOf(plan::RowSpace space, Value sequence);
  Value startsOf(plan::RowSpace space);
  Value usedOf(plan::RowSpace space);
  attn::SideAttr sideOf(plan::RowSpace space) const;
  mlir::LogicalResult checkSides();
  /// Slots of the grid, all sequences' tiles, and of a sequence of a batch.
  struct Slots {
    Value tiles, slots; ///< u32
  };
  /// `anew`: from sizes that are read again here, so that nothing of them has
  /// to live on where this is written twice.
  Slots writeSlots(bool anew = false);
  /// The sequence and tile (of the source) of a slot; whether it exists.
  /// `paired`: long and short tiles of a sequence take turns; `byWarp`: lanes
  /// look for the sequence together.
  Value writeSlot(Value slot, const Slots &slots, Value sequence, Value tile,
                  bool paired = false, bool byWarp = false);
  Value headsTogether(Value heads);
  Value rowsHeld(plan::RowSpace space);
  Value heads(plan::HeadSpace space);

  /// Rows of a buffer as a kernel sees them.
  struct Rows {
    Value pointer;   ///< element 0 of the first row
    Value rowStride; ///< in elements
    Value left;      ///< i32: how many of the rows exist; null: all
  };
  Rows rowsOf(Value buffer, Value rows, Value head);
  Value basePointer(Value buffer, Value sequence, Value head);
  Value rowsOfTiles(tile::BufferType type);
  Value tilesOfSequence(tile::BufferType type);
  Value startInTiles(tile::BufferType type, Value sequence);

  // Turns.cpp
  mlir::LogicalResult writeTicket(warp::TicketOp op);
  mlir::LogicalResult writeOrderedAdd(warp::OrderedAddOp op);
  mlir::LogicalResult writeLastArrival(tile::LastArrivalOp op);
  mlir::FailureOr<Value> counterOf(tile::TurnOp op);

  // Fill.cpp
  mlir::LogicalResult writeFill(warp::FillOp op);

  // GlobalTiles.cpp
  struct LanePart;
  LanePart laneOf(Value buffer, const Rows &rows,
                  mlir::RankedTensorType domain);
  std::pair<Value, Value> placeOf(const LanePart &part, Value e);
  mlir::LogicalResult writeLoad(warp::LoadOp op);
  mlir::LogicalResult writeStore(mlir::Operation *op, Value value, Value buffer,
                                 Value rows, Value head, bool unclipped,
                                 bool isAdd);
  mlir::LogicalResult writeStoreThrough(warp::StoreOp op);

  // Fragments.cpp
  struct LaneFragments;
  mlir::FailureOr<LaneFragments> fragmentsOf(mlir::Operation *op, Value buffer,
                                             Value rows, Value head,
                                             bool unclipped,
                                             mlir::RankedTensorType domain);
  mlir::LogicalResult writeLoadFragments(warp::LoadOp op);
  Value stagedPart(Value tile);
  mlir::LogicalResult writeStage(warp::StageOp op);
  mlir::LogicalResult writeAddStaged(warp::AddStagedOp op);
  mlir::LogicalResult writeStoreFragments(warp::StoreOp op);

  // SharedTiles.cpp, Products.cpp
  mlir::LogicalResult writeRing(warp::RingOp op);
  mlir::LogicalResult writePut(warp::PutOp op);
  mlir::LogicalResult writeGet(warp::GetOp op);
  mlir::LogicalResult writeMma(warp::MmaOp op);

  // Roles.cpp
  mlir::LogicalResult writeRoleRing(warp::RingOp op);
  mlir::LogicalResult writeRoles(warp::RolesOp op);
  mlir::LogicalResult writePoints(warp::PointsOp op);
  mlir::LogicalResult writeSend(warp::SendOp op);
  mlir::LogicalResult writeSendVector(warp::SendOp op);
  mlir::LogicalResult writeSendPiece(warp::SendOp op);
  mlir::LogicalResult writeAlloc(warp::AllocOp op);
  mlir::LogicalResult writeReceive(warp::ReceiveOp op);
  mlir::LogicalResult writeConsumed(warp::ConsumedOp op);
  mlir::LogicalResult writeHeld(warp::HeldOp op);
  mlir::LogicalResult writeDeposit(warp::DepositOp op);
  mlir::LogicalResult writeRead(warp::ReadOp op);
  mlir::LogicalResult writeTurn(mlir::Operation *op);
  mlir::LogicalResult writeClearRows(warp::ClearRowsOp op);
  struct RoleRing;
  mlir::LogicalResult writeProducer(mlir::Region &source);
  void declareCursors(mlir::Region &role,
                      const llvm::DenseSet<mlir::Operation *> &without);
  void declareCursor(RoleRing &ring);
  Value declareCursor(const llvm::Twine &called);
  void advanceCursor(const RoleRing &ring, mlir::Operation *op, int64_t stages);
  /// How many slots before `next` the newest tile of a ring is, at `op`.
  int64_t slotsToNewest(const RoleRing &ring, mlir::Operation *op) const;
  /// This warpgroup among the consumers.
  Value warpgroup();
  Value addressOfVariable(Value variable);
  Value tensorMapArgument(Value buffer, int64_t rows);

  // WarpgroupProducts.cpp
  mlir::LogicalResult writeIssue(warp::IssueOp op);
  mlir::LogicalResult writeAwait(warp::AwaitOp op);
  mlir::LogicalResult writeSettled(warp::SettledOp op);
  mlir::LogicalResult writeAny(warp::AnyOp op);
  struct ProductShape {
    int64_t n, k;
    bool bf16;
    int64_t aRows; ///< of the tile that a is in; 0: it is in registers
    bool transposed, fromZero;
  };
  std::string productFunction(const ProductShape &shape);
  void settle(Value array);

  //===--- What stands for a value ----------------------------------------===//

  /// The emitc value of a scalar, a shared tile or a ring (their addresses).
  Value scalar(Value value) const { return scalars.lookup(value); }
  /// The array of a tile that has one, declared where it is first needed.
  Value arrayOf(Value tile);

  struct RowRange {
    plan::RowSpace space;
    Value sequence; ///< of the source
    Value first;    ///< i64 in the sequence
    Value row;      ///< i64: what the row stride is multiplied with
    Value left;     ///< i32
  };

  //===--- Writing --------------------------------------------------------===//

  mlir::Type i32() { return builder.getI32Type(); }
  mlir::Type i64() { return builder.getI64Type(); }
  mlir::Type i1() { return builder.getI1Type(); }
  mlir::Type f32() { return builder.getF32Type(); }
  mlir::Type u16() { return builder.getIntegerType(16, false); }
  mlir::Type u32() { return builder.getIntegerType(32, false); }
  mlir::Type opaque(llvm::StringRef name);
  mlir::Type pointerTo(mlir::Type type, bool isConst);
  /// How an element of a tile or buffer is kept.
  mlir::Type storageType(mlir::Type element);

  Value literal(llvm::StringRef text, mlir::Type type);
  Value literal(int64_t value, mlir::Type type);
  void matchLiterals(Value &a, Value &b);
  Value add(Value a, Value b);
  Value subtract(Value a, Value b);
  Value multiply(Value a, Value b);
  Value divide(Value a, Value b);
  Value remainder(Value a, Value b);
  Value compare(mlir::emitc::CmpPredicate predicate, Value a, Value b);
  Value both(Value a, Value b);
  Value cast(Value a, mlir::Type type);
  /// A call without side effects of a primitive of "weft/`header`.cuh".
  Value pure(llvm::StringRef header, llvm::StringRef callee, mlir::Type result,
             mlir::ValueRange operands,
             llvm::ArrayRef<int64_t> templateArgs = {});
  void call(llvm::StringRef header, llvm::StringRef callee,
            mlir::ValueRange operands,
            llvm::ArrayRef<int64_t> templateArgs = {});
  Value name(Value value, const llvm::Twine &name);
  Value anchored(Value value, llvm::StringRef called = "");
  std::string hintFor(Value value) const;
  bool isInLoop() const;
  /// A step with a scope of its own for names; in a loop also with thread and
  /// lane computed anew, so that nothing of it lives on.
  mlir::LogicalResult step(const llvm::Twine &what,
                           llvm::function_ref<mlir::LogicalResult()> body);
  mlir::Operation *comment(const llvm::Twine &text);

  Value declareArray(mlir::Type element, int64_t size, const llvm::Twine &name);
  Value declareVariable(mlir::Type type, const llvm::Twine &name);
  Value at(Value array, Value index);  ///< the lvalue
  Value get(Value array, Value index); ///< its content
  void set(Value array, Value index, Value value);
  Value addressOf(Value array, Value index);
  /// An unrolled loop over [0, count) in steps of `step`.
  void unrolled(int64_t count, int64_t step, const llvm::Twine &name,
                llvm::function_ref<void(Value)> body);
  void ifThen(Value condition, llvm::function_ref<void()> body);

  /// Begins a new stretch here.
  void beginHead();
  /// A value made once, at the beginning of this stretch.
  Value atHead(llvm::StringRef key, llvm::function_ref<Value()> make);
  Value thread();
  Value warpIndex();
  Value lane();
  /// First row of this warp in a tile of `rows` rows.
  Value warpRow(int64_t rows);

  /// A value that depends on `inputs` (of the source), made once in front of
  /// the loops that do not change it, and if it reads memory never outside of a
  /// condition.
  Value once(const std::string &key, mlir::ValueRange inputs,
             llvm::function_ref<Value()> make, bool readsMemory = true);

  //===--- Arguments ------------------------------------------------------===//

  Value argument(mlir::Type type, llvm::StringRef kind, int64_t operand,
                 llvm::StringRef which, const std::string &name);
  Value tensorArgument(Value buffer);
  Value strideArgument(Value buffer, llvm::StringRef which);
  Value offsetsArgument(llvm::StringRef which);
  Value sizeArgument(llvm::StringRef which);
  void sortArguments();
  unsigned operandOf(Value buffer) const;
  std::string nameOf(Value buffer) const;

  void eraseUnused();

  //===--- State ----------------------------------------------------------===//

  warp::FuncOp kernel;
  mlir::OpBuilder builder;
  mlir::Location loc;
  RegisterArrays registers;
  ProductsUnderWay underWay;
  int64_t warps, threads;
  int64_t sharedBytes = 0;
  mlir::emitc::FuncOp func;
  /// Values made once for a stretch of the kernel: its beginning, a loop's
  /// body, what follows a loop. Not once for all of it: cheap values that live
  /// across a loop cost registers in it.
  struct Head {
    mlir::Operation *end = nullptr; ///< they go in front of it
    std::map<std::string, Value> values;
  };
  Head head;
  llvm::SmallVector<mlir::Operation *> headEnds;

  llvm::DenseMap<Value, Value> scalars;
  llvm::DenseMap<Value, RowRange> ranges;
  llvm::SmallVector<Value> arrays; ///< by index into `registers`
  /// The variables of scalars that loops and conditions hand on.
  llvm::DenseMap<Value, Value> carried;

  /// The loops, conditions and steps around what is being written.
  struct Scope {
    mlir::Operation *source;  ///< null for a step
    mlir::Operation *written; ///< the first op that stands for it
  };
  llvm::SmallVector<Scope> scopes;

  /// While a consumer is written: its warp. The same for all lanes, it costs no
  /// register of theirs, and asking again goes through shared memory.
  Value ownWarp;

  /// Who runs what is being written.
  enum class Role { all, producer, consumer } role = Role::all;
  /// A ring between roles.
  struct RoleRing {
    std::string name;
    Value barriers;
    Value next; ///< cursor of the next slot to fill, or to wait for
    Value held; ///< that of the oldest tile held, if `next` is the ring's alone
    bool inPieces = false; ///< of vectors that come in one bulk copy
    Value fill; ///< of a ring that the consumers fill: the next slot to fill
    /// The op behind which `next` moves on; each one of the ring if null.
    mlir::Operation *moves = nullptr;
    /// The only op of the role that fills the ring or takes a tile of it.
    mlir::Operation *own = nullptr;
  };
  llvm::MapVector<Value, RoleRing> roleRings;
  int64_t roleBytes = 0;   ///< of their tiles
  bool hasVectors = false; ///< whether one of them has
  /// Sends that are another warp's, while a producer is written.
  llvm::DenseSet<mlir::Operation *> leftOut;
  /// Whether all lanes of the producer's warp run what copies tiles, so that
  /// each copy is left to one of them.
  bool isWholeWarp = false;
  /// By name: texts of functions that no header has.
  std::map<std::string, std::string> functions;

  std::multimap<std::string, Value> onceValues;
  std::set<std::string> headers;

  struct Argument {
    int rank; ///< tensors and strides, offsets, sizes, scalars
    int64_t operand;
    int which;
    mlir::BlockArgument value;
    mlir::DictionaryAttr attributes;
  };
  std::map<std::string, Argument> arguments;
};

/// Whether a kernel's operand lies as accumulators do.
bool liesInFragments(mlir::Value buffer);

/// Whether two neighbours of a tile share a word: tiles of 16 bits but vectors.
bool isPacked(mlir::RankedTensorType type);

/// Threads' elements of a register tile on `warps` warps.
int64_t elementsOf(mlir::RankedTensorType type, int64_t warps);

} // namespace weft

#endif // WEFT_COMPILER_EMITC_KERNELWRITER_H
