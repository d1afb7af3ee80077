//===- TileOps.cpp - Handlers of the tile dialect's ops -------------------===//

#include "runtime/reference/Code.h"
#include "runtime/reference/TileMath.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

#include <algorithm>

using namespace weft::reference;
using llvm::Error;
using llvm::Expected;
namespace tile = weft::tile;

static Value &operand(const Instruction &in, Frame &frame, unsigned index) {
  return frame.slots[in.operands[index].slot];
}
static Value &result(const Instruction &in, Frame &frame, unsigned index = 0) {
  return frame.slots[in.results[index]];
}

//===----------------------------------------------------------------------===//
// Scalars and rows
//===----------------------------------------------------------------------===//

static Error point(const Instruction &in, Frame &frame) {
  result(in, frame, 0).i = frame.point.sequence;
  result(in, frame, 1).i = frame.point.tile;
  result(in, frame, 2).i = frame.point.head;
  return Error::success();
}

static Error length(const Instruction &in, Frame &frame) {
  const Side &side = in.flag ? *frame.launch.kv : *frame.launch.q;
  int64_t sequence = operand(in, frame, 0).i;
  if (sequence < 0 || sequence >= int64_t(side.sequences.size()))
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "asks for the length of sequence " +
                                       llvm::Twine(sequence) + "; there are " +
                                       llvm::Twine(side.sequences.size()));
  result(in, frame).i = side.sequences[size_t(sequence)].used;
  return Error::success();
}

static Error rows(const Instruction &in, Frame &frame) {
  result(in, frame).rows = {operand(in, frame, 0).i, operand(in, frame, 1).i};
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static Error load(const Instruction &in, Frame &frame) {
  Rows rows = operand(in, frame, 0).rows;
  rows.clipped = !in.flag;
  TileRef out = frame.launch.pool->take(in.shape.bytes());
  if (Error e = frame.launch.operands[size_t(in.number)].load(
          rows, operand(in, frame, 1).i, in.real, in.shape, out.as<float>()))
    return e;
  result(in, frame).tile = std::move(out);
  return Error::success();
}

/// The rows a tile goes to. The flag says that they are not clipped.
static Rows rowsOf(const Instruction &in, Frame &frame) {
  Rows rows = operand(in, frame, 1).rows;
  rows.clipped = !in.flag;
  return rows;
}

static Error store(const Instruction &in, Frame &frame) {
  TileRef value = take(in.operands[0], frame);
  return frame.launch.operands[size_t(in.number)].store(
      rowsOf(in, frame), operand(in, frame, 2).i, in.shape, value.as<float>(),
      frame.point.index);
}

static Error add(const Instruction &in, Frame &frame) {
  TileRef value = take(in.operands[0], frame);
  return frame.launch.operands[size_t(in.number)].add(
      rowsOf(in, frame), operand(in, frame, 2).i, in.shape, value.as<float>());
}

static int32_t countAt(const char *counter) {
  int32_t count;
  std::memcpy(&count, counter, 4);
  return count;
}
static void setCount(char *counter, int64_t count) {
  auto narrow = int32_t(count);
  std::memcpy(counter, &narrow, 4);
}

static Error ticket(const Instruction &in, Frame &frame) {
  LaunchState &launch = frame.launch;
  Expected<char *> counter = launch.operands[size_t(in.counter)].tickets();
  if (!counter)
    return counter.takeError();
  int64_t number = countAt(*counter), points = int64_t(launch.numbered.size());
  if (number < 0 || number >= points)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "takes ticket " + llvm::Twine(number) +
                                       " of " + llvm::Twine(points) +
                                       "; the counter did not begin as 0");
  setCount(*counter, number + 1 == points ? 0 : number + 1);
  frame.point = launch.numbered[size_t(number)];
  return point(in, frame);
}

/// The counter of a turn, whose turn it is checked to be one of `count`.
static Expected<char *> counterOf(const Instruction &in, Frame &frame,
                                  Rows rows, int64_t head, int64_t turn,
                                  int64_t count) {
  if (turn < 0 || turn >= count)
    return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                   "takes turn " + llvm::Twine(turn) + " of " +
                                       llvm::Twine(count));
  return frame.launch.operands[size_t(in.counter)].counter(rows, head);
}

/// operands: tile, rows, head, turn, count.
static Error orderedAdd(const Instruction &in, Frame &frame) {
  Rows rows = operand(in, frame, 1).rows;
  int64_t head = operand(in, frame, 2).i, turn = operand(in, frame, 3).i,
          count = operand(in, frame, 4).i;
  Expected<char *> counter = counterOf(in, frame, rows, head, turn, count);
  if (!counter)
    return counter.takeError();
  if (countAt(*counter) != turn) {
    frame.waiting = ("turn " + llvm::Twine(turn) + " of the tile at row " +
                     llvm::Twine(rows.first) + ", head " + llvm::Twine(head) +
                     ", where it is turn " + llvm::Twine(countAt(*counter)))
                        .str();
    return Error::success();
  }
  setCount(*counter, turn + 1 == count ? 0 : turn + 1);
  TileRef value = take(in.operands[0], frame);
  return frame.launch.operands[size_t(in.number)].add(
      rows, head, in.shape, value.as<float>(), Operand::Access::Ordered);
}

/// operands: rows, head, turn, count.
static Error lastArrival(const Instruction &in, Frame &frame) {
  int64_t count = operand(in, frame, 3).i;
  Expected<char *> counter =
      counterOf(in, frame, operand(in, frame, 0).rows, operand(in, frame, 1).i,
                operand(in, frame, 2).i, count);
  if (!counter)
    return counter.takeError();
  int64_t arrived = int64_t(countAt(*counter)) + 1;
  bool isLast = arrived == count;
  setCount(*counter, isLast ? 0 : arrived);
  result(in, frame).i = isLast;
  return Error::success();
}

static Error fill(const Instruction &in, Frame &frame) {
  return frame.launch.operands[size_t(in.number)].fill(
      operand(in, frame, 0).i, frame.launch.gridRows, operand(in, frame, 1).i,
      in.real, frame.point.index);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

static Error dot(const Instruction &in, Frame &frame) {
  TileRef a = take(in.operands[0], frame), b = take(in.operands[1], frame);
  TileRef acc = own(take(in.operands[2], frame), frame);
  bool turnsA = in.number, turnsB = in.flag;
  int64_t m = in.shape.rows, n = in.shape.columns;
  int64_t k = turnsA ? in.from.rows : in.from.columns;
  auto turn = [&](TileRef &tile, int64_t rows, int64_t columns) {
    TileRef turned = frame.launch.pool->take(tile.bytes());
    transpose(tile.as<float>(), turned.as<float>(), rows, columns);
    tile = std::move(turned);
  };
  if (turnsA)
    turn(a, k, m);
  if (turnsB)
    turn(b, n, k);
  multiplyAdd(a.as<float>(), b.as<float>(), acc.as<float>(), m, n, k);
  result(in, frame).tile = std::move(acc);
  return Error::success();
}

template <void (*function)(const float *, float *, int64_t, int64_t)>
static Error reduce(const Instruction &in, Frame &frame) {
  TileRef value = take(in.operands[0], frame);
  TileRef out = frame.launch.pool->take(in.shape.bytes());
  function(value.as<float>(), out.as<float>(), in.from.rows, in.from.columns);
  roundAll(in.shape.element, out.as<float>(), in.shape.size());
  result(in, frame).tile = std::move(out);
  return Error::success();
}

static Error any(const Instruction &in, Frame &frame) {
  TileRef value = take(in.operands[0], frame);
  const uint8_t *first = value.as<uint8_t>();
  result(in, frame).i =
      std::any_of(first, first + in.from.size(),
                  [](uint8_t element) { return element != 0; });
  return Error::success();
}

template <typename T> static Error expand(const Instruction &in, Frame &frame) {
  TileRef value = take(in.operands[0], frame);
  TileRef out = frame.launch.pool->take(in.shape.bytes());
  const T *from = value.as<T>();
  T *to = out.as<T>();
  for (int64_t r = 0; r < in.shape.rows; ++r, to += in.shape.columns)
    if (in.number == 1)
      std::fill(to, to + in.shape.columns, from[r]);
    else
      std::copy(from, from + in.shape.columns, to);
  result(in, frame).tile = std::move(out);
  return Error::success();
}

template <typename T> static Error splat(const Instruction &in, Frame &frame) {
  const Value &scalar = operand(in, frame, 0);
  TileRef out = frame.launch.pool->take(in.shape.bytes());
  T value;
  if constexpr (std::is_same_v<T, float>)
    value = scalar.f;
  else
    value = T(scalar.i);
  std::fill(out.as<T>(), out.as<T>() + in.shape.size(), value);
  result(in, frame).tile = std::move(out);
  return Error::success();
}

static Error coordinates(const Instruction &in, Frame &frame) {
  TileRef out = frame.launch.pool->take(in.shape.bytes());
  uint64_t first = uint64_t(operand(in, frame, 0).i);
  int64_t *to = out.as<int64_t>();
  for (int64_t r = 0; r < in.shape.rows; ++r)
    for (int64_t c = 0; c < in.shape.columns; ++c)
      *to++ = int64_t(first + uint64_t(in.number == 0 ? r : c));
  result(in, frame).tile = std::move(out);
  return Error::success();
}

static Error softmax(const Instruction &in, Frame &frame) {
  TileRef scores = own(take(in.operands[0], frame), frame);
  TileRef max = own(take(in.operands[1], frame), frame);
  TileRef sum = own(take(in.operands[2], frame), frame);
  TileRef rescale = frame.launch.pool->take(max.bytes());
  softmaxStep(scores.as<float>(), max.as<float>(), sum.as<float>(),
              rescale.as<float>(), in.shape.rows, in.shape.columns);
  result(in, frame, 0).tile = std::move(scores);
  result(in, frame, 1).tile = std::move(max);
  result(in, frame, 2).tile = std::move(sum);
  result(in, frame, 3).tile = std::move(rescale);
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// The handler for the element type of a tile.
#define WEFT_BY_ELEMENT(handler, element)                                      \
  (isFloat(element)          ? handler<float>                                  \
   : element == Element::I64 ? handler<int64_t>                                \
                             : handler<uint8_t>)

/// A buffer is an argument of the body; gives its number.
static Expected<int64_t> bufferOf(mlir::Operation &op, mlir::Value buffer) {
  auto argument = llvm::dyn_cast<mlir::BlockArgument>(buffer);
  if (!argument || !llvm::isa<tile::FuncOp>(argument.getOwner()->getParentOp()))
    return unsupported(&op, "a buffer must be an argument of the body");
  return argument.getArgNumber();
}

static Expected<bool> memoryOp(mlir::Operation &op, mlir::Value buffer,
                               Handler handler, Instruction &instruction) {
  Expected<int64_t> number = bufferOf(op, buffer);
  if (!number)
    return number.takeError();
  instruction.number = *number;
  instruction.run = handler;
  instruction.memory = true;
  return true;
}

/// The same of an op that takes a number or a turn.
static Expected<bool> counting(mlir::Operation &op, mlir::Value counter,
                               Handler handler, Instruction &instruction) {
  Expected<int64_t> number = bufferOf(op, counter);
  if (!number)
    return number.takeError();
  instruction.counter = *number;
  instruction.run = handler;
  instruction.memory = true;
  return true;
}

/// softmax_step's shapes beyond what its traits check.
static Error checkSoftmax(tile::SoftmaxStepOp op) {
  auto scores = llvm::cast<mlir::RankedTensorType>(op.getScores().getType());
  auto max = llvm::cast<mlir::RankedTensorType>(op.getMax().getType());
  if (scores.getRank() != 2 || max.getRank() != 1 ||
      scores.getDimSize(0) != max.getDimSize(0) ||
      !scores.getElementType().isF32() || !max.getElementType().isF32())
    return unsupported(op, "scores are an f32 tile of two dimensions, with one "
                           "f32 maximum and sum per row");
  return Error::success();
}

Expected<bool> weft::reference::compileTileOp(mlir::Operation &op,
                                              Instruction &instruction) {
  auto simple = [&](Handler handler) {
    instruction.run = handler;
    return true;
  };
  return llvm::TypeSwitch<mlir::Operation *, Expected<bool>>(&op)
      .Case([&](tile::PointOp) { return simple(point); })
      .Case([&](tile::LengthOp op) -> Expected<bool> {
        if (op.getRowSpace() == plan::RowSpace::none)
          return unsupported(op, "only q and kv have sequences");
        instruction.flag = op.getRowSpace() == plan::RowSpace::kv;
        return simple(length);
      })
      .Case([&](tile::RowsOp) { return simple(rows); })
      .Case([&](tile::LoadOp op) {
        instruction.flag = op.getUnclipped();
        instruction.real = float(op.getPad().convertToDouble());
        return memoryOp(*op, op.getBuffer(), load, instruction);
      })
      .Case([&](tile::StoreOp op) {
        instruction.flag = op.getUnclipped();
        return memoryOp(*op, op.getBuffer(), store, instruction);
      })
      .Case([&](tile::AddOp op) {
        instruction.flag = op.getUnclipped();
        return memoryOp(*op, op.getBuffer(), add, instruction);
      })
      .Case([&](tile::TicketOp op) {
        return counting(*op, op.getCounter(), ticket, instruction);
      })
      .Case([&](tile::OrderedAddOp op) -> Expected<bool> {
        Expected<bool> done =
            counting(*op, op.getCounter(), orderedAdd, instruction);
        return done ? memoryOp(*op, op.getBuffer(), orderedAdd, instruction)
                    : std::move(done);
      })
      .Case([&](tile::LastArrivalOp op) {
        return counting(*op, op.getCounter(), lastArrival, instruction);
      })
      .Case([&](tile::FillOp op) {
        instruction.real = float(op.getValue().convertToDouble());
        return memoryOp(*op, op.getBuffer(), fill, instruction);
      })
      .Case([&](tile::DotOp op) {
        instruction.flag = op.getTransposed();
        instruction.number = op.getATransposed();
        return simple(dot);
      })
      .Case([&](tile::ReduceOp op) -> Expected<bool> {
        if (!isFloat(instruction.shape.element))
          return unsupported(op, "only floats are reduced");
        return simple(op.getKind() == tile::ReduceKind::max ? reduce<rowMax>
                                                            : reduce<rowSum>);
      })
      .Case([&](tile::AnyOp) { return simple(any); })
      .Case([&](tile::ExpandOp op) {
        instruction.number = op.getDim();
        return simple(WEFT_BY_ELEMENT(expand, instruction.shape.element));
      })
      .Case([&](tile::CoordinatesOp op) {
        instruction.number = op.getDim();
        return simple(coordinates);
      })
      .Case([&](tile::SoftmaxStepOp op) -> Expected<bool> {
        if (Error e = checkSoftmax(op))
          return e;
        return simple(softmax);
      })
      .Case([&](mlir::tensor::SplatOp) {
        return simple(WEFT_BY_ELEMENT(splat, instruction.shape.element));
      })
      .Default([](mlir::Operation *) { return false; });
}
