//===- Compile.cpp - A tile function as a flat list of instructions -------===//

#include "runtime/reference/Code.h"

#include "dialects/tile/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace weft::reference;
using llvm::Error;
using llvm::Expected;
namespace tile = weft::tile;
namespace plan = weft::plan;
namespace scf = mlir::scf;

/// More elements than any schedule's tile has; malformed IR asks for more.
static constexpr int64_t maxTileElements = int64_t(1) << 22;

std::string weft::reference::describeOp(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  mlir::OpPrintingFlags flags;
  flags.skipRegions().useLocalScope();
  stream << '`';
  op->print(stream, flags);
  stream << '`';
  if (!llvm::isa<mlir::UnknownLoc>(op->getLoc()))
    stream << " at " << op->getLoc();
  return text;
}

Error weft::reference::unsupported(mlir::Operation *op,
                                   const llvm::Twine &why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "the reference executor cannot run " +
                                     describeOp(op) + ": " + why);
}

//===----------------------------------------------------------------------===//
// Handlers of control flow
//===----------------------------------------------------------------------===//

/// Copies operands to results, all at once.
static Error moveValues(const Instruction &in, Frame &frame) {
  llvm::SmallVector<Value, 8> values;
  for (const Use &use : in.operands)
    values.push_back(use.last ? std::move(frame.slots[use.slot])
                              : frame.slots[use.slot]);
  for (auto [index, slot] : llvm::enumerate(in.results))
    frame.slots[slot] = std::move(values[index]);
  return Error::success();
}

static Error dropTiles(const Instruction &in, Frame &frame) {
  for (const Use &use : in.operands)
    frame.slots[use.slot].tile = TileRef();
  return Error::success();
}

static Error jump(const Instruction &in, Frame &frame) {
  frame.next = in.target;
  return Error::success();
}

/// operands: condition.
static Error jumpUnless(const Instruction &in, Frame &frame) {
  if (!frame.slots[in.operands[0].slot].i)
    frame.next = in.target;
  return Error::success();
}

static Error checkStep(const Instruction &in, Frame &frame) {
  int64_t step = frame.slots[in.operands[0].slot].i;
  if (step > 0)
    return Error::success();
  return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                 "has step " + llvm::Twine(step) +
                                     "; a step is above 0");
}

/// operands: induction variable, upper bound.
static Error leaveLoop(const Instruction &in, Frame &frame) {
  if (frame.slots[in.operands[0].slot].i >= frame.slots[in.operands[1].slot].i)
    frame.next = in.target;
  return Error::success();
}

/// operands: induction variable, step; leaves where the sum would overflow.
static Error advance(const Instruction &in, Frame &frame) {
  int64_t &variable = frame.slots[in.operands[0].slot].i;
  if (__builtin_add_overflow(variable, frame.slots[in.operands[1].slot].i,
                             &variable))
    frame.next = in.target;
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

static std::optional<Element> elementOf(mlir::Type type) {
  if (type.isF32())
    return Element::F32;
  if (type.isBF16())
    return Element::BF16;
  if (type.isF16())
    return Element::F16;
  if (type.isInteger(32))
    return Element::I32;
  if (type.isInteger(64))
    return Element::I64;
  if (type.isInteger(1))
    return Element::I1;
  return std::nullopt;
}

static std::optional<Shape> shapeOf(mlir::Type type) {
  Shape shape;
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  std::optional<Element> element =
      elementOf(tensor ? tensor.getElementType() : type);
  if (!element || *element == Element::I32)
    return std::nullopt;
  shape.element = *element;
  if (!tensor)
    return shape;
  shape.rank = int(tensor.getRank());
  if (!tensor.hasStaticShape() || shape.rank < 1 || shape.rank > 2)
    return std::nullopt;
  shape.rows = tensor.getDimSize(0);
  shape.columns = shape.rank == 2 ? tensor.getDimSize(1) : 1;
  if (shape.rows < 1 || shape.columns < 1 || shape.rows > maxTileElements ||
      shape.columns > maxTileElements / shape.rows)
    return std::nullopt;
  return shape;
}

static char letterOf(plan::RowSpace space) {
  return space == plan::RowSpace::q    ? 'q'
         : space == plan::RowSpace::kv ? 'k'
                                       : 0;
}
static char letterOf(plan::HeadSpace space) {
  return space == plan::HeadSpace::heads_q    ? 'q'
         : space == plan::HeadSpace::heads_kv ? 'k'
                                              : 0;
}

//===----------------------------------------------------------------------===//
// Compiler
//===----------------------------------------------------------------------===//

namespace {
class Compiler {
public:
  explicit Compiler(tile::FuncOp func)
      : func(func), code(std::make_unique<Code>()) {}

  Expected<std::unique_ptr<Code>> run();

private:
  Error arguments();
  Error block(mlir::Block &block);
  Error forLoop(scf::ForOp loop);
  Error branch(scf::IfOp branch);
  Error flat(mlir::Operation &op);
  Error statement(mlir::Operation &op) {
    if (auto loop = llvm::dyn_cast<scf::ForOp>(op))
      return forLoop(loop);
    if (auto condition = llvm::dyn_cast<scf::IfOp>(op))
      return branch(condition);
    return flat(op);
  }

  uint32_t slot(mlir::Value value) {
    auto [entry, added] = slots.try_emplace(value, code->slots);
    code->slots += added;
    return entry->second;
  }
  /// A use of an operand of `op`. Its tile may be taken if this is the last.
  Use use(mlir::Operation *op, mlir::Value value) {
    return {slot(value), taken.contains({op, value})};
  }
  Instruction &emit(Handler run, mlir::Operation *op) {
    Instruction &instruction = code->instructions.emplace_back();
    instruction.run = run;
    instruction.op = op;
    return instruction;
  }
  size_t here() const { return code->instructions.size(); }

  /// Finds the op of `block` behind which each of its tiles is dead.
  void findDeaths(mlir::Block &block);
  void noteDeath(mlir::Value value, mlir::Block &block);
  void dropDead(mlir::Operation *op);

  tile::FuncOp func;
  std::unique_ptr<Code> code;
  llvm::DenseMap<mlir::Value, uint32_t> slots;
  /// Operands that die in the op itself, and values to drop behind it.
  llvm::DenseSet<std::pair<mlir::Operation *, mlir::Value>> taken;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value, 2>> dropped;
};
} // namespace

void Compiler::noteDeath(mlir::Value value, mlir::Block &block) {
  if (!llvm::isa<mlir::TensorType>(value.getType()))
    return;
  mlir::Operation *last = nullptr;
  for (mlir::OpOperand &use : value.getUses()) {
    mlir::Operation *user = block.findAncestorOpInBlock(*use.getOwner());
    if (user && (!last || last->isBeforeInBlock(user)))
      last = user;
  }
  if (!last) {
    // Never read: dead behind the op that makes it. A block argument stays
    // until it is written again.
    if (mlir::Operation *made = value.getDefiningOp())
      dropped[made].push_back(value);
    return;
  }
  // An op that uses it once, itself, takes it; else it is dropped behind it.
  unsigned uses = 0;
  bool itself = false;
  for (mlir::OpOperand &use : value.getUses())
    if (block.findAncestorOpInBlock(*use.getOwner()) == last) {
      ++uses;
      itself |= use.getOwner() == last;
    }
  if (uses == 1 && itself)
    taken.insert({last, value});
  else if (!last->hasTrait<mlir::OpTrait::IsTerminator>())
    dropped[last].push_back(value);
}

void Compiler::findDeaths(mlir::Block &block) {
  for (mlir::BlockArgument argument : block.getArguments())
    noteDeath(argument, block);
  for (mlir::Operation &op : block)
    for (mlir::Value result : op.getResults())
      noteDeath(result, block);
}

void Compiler::dropDead(mlir::Operation *op) {
  auto entry = dropped.find(op);
  if (entry == dropped.end())
    return;
  Instruction &drop = emit(dropTiles, op);
  for (mlir::Value value : entry->second)
    drop.operands.push_back({slot(value), true});
}

Error Compiler::forLoop(scf::ForOp loop) {
  if (!loop.getInductionVar().getType().isInteger(64) || loop.getUnsignedCmp())
    return unsupported(loop, "loops run on signed i64");
  // The results share the slots of the loop's values.
  for (auto [argument, result] :
       llvm::zip_equal(loop.getRegionIterArgs(), loop.getResults()))
    slots[result] = slot(argument);
  Instruction &step = emit(checkStep, loop);
  step.operands.push_back({slot(loop.getStep()), false});
  Instruction &start = emit(moveValues, loop);
  start.operands.push_back({slot(loop.getLowerBound()), false});
  start.results.push_back(slot(loop.getInductionVar()));
  for (auto [init, argument] :
       llvm::zip_equal(loop.getInitArgs(), loop.getRegionIterArgs())) {
    start.operands.push_back(use(loop, init));
    start.results.push_back(slot(argument));
  }
  size_t test = here();
  Instruction &leave = emit(leaveLoop, loop);
  leave.operands = {{slot(loop.getInductionVar()), false},
                    {slot(loop.getUpperBound()), false}};
  if (Error e = block(*loop.getBody()))
    return e;
  mlir::Operation *terminator = loop.getBody()->getTerminator();
  Instruction &next = emit(moveValues, terminator);
  for (auto [value, argument] :
       llvm::zip_equal(terminator->getOperands(), loop.getRegionIterArgs())) {
    next.operands.push_back(use(terminator, value));
    next.results.push_back(slot(argument));
  }
  Instruction &more = emit(advance, loop);
  more.operands = {{slot(loop.getInductionVar()), false},
                   {slot(loop.getStep()), false}};
  size_t advanced = here() - 1;
  emit(jump, loop).target = test;
  code->instructions[test].target = here();
  code->instructions[advanced].target = here();
  return Error::success();
}

Error Compiler::branch(scf::IfOp branch) {
  auto side = [&](mlir::Region &region) -> Error {
    if (region.empty())
      return Error::success();
    if (Error e = block(region.front()))
      return e;
    mlir::Operation *terminator = region.front().getTerminator();
    if (terminator->getNumOperands() == 0)
      return Error::success();
    Instruction &results = emit(moveValues, terminator);
    for (auto [value, result] :
         llvm::zip_equal(terminator->getOperands(), branch.getResults())) {
      results.operands.push_back(use(terminator, value));
      results.results.push_back(slot(result));
    }
    return Error::success();
  };
  size_t test = here();
  emit(jumpUnless, branch)
      .operands.push_back({slot(branch.getCondition()), false});
  if (Error e = side(branch.getThenRegion()))
    return e;
  size_t leave = here();
  emit(jump, branch);
  code->instructions[test].target = here();
  if (Error e = side(branch.getElseRegion()))
    return e;
  code->instructions[leave].target = here();
  return Error::success();
}

Error Compiler::flat(mlir::Operation &op) {
  Instruction instruction;
  instruction.op = &op;
  bool first = true;
  for (mlir::Value value : op.getOperands()) {
    if (llvm::isa<tile::BufferType>(value.getType()))
      continue;
    std::optional<Shape> shape = shapeOf(value.getType());
    if (!shape && !llvm::isa<tile::RowsType>(value.getType()))
      return unsupported(&op, "operands are i64, i1, f32, or tiles of one or "
                              "two dimensions of i64, i1, f32, f16, bf16");
    if (first && shape)
      instruction.from = *shape;
    first = false;
    instruction.operands.push_back(use(&op, value));
  }
  instruction.shape = instruction.from;
  for (mlir::OpResult result : op.getResults()) {
    std::optional<Shape> shape = shapeOf(result.getType());
    if (!shape && !llvm::isa<tile::RowsType>(result.getType()))
      return unsupported(&op, "results are i64, i1, f32, or tiles of one or "
                              "two dimensions of i64, i1, f32, f16, bf16");
    if (result.getResultNumber() == 0 && shape)
      instruction.shape = *shape;
    instruction.results.push_back(slot(result));
  }
  Expected<bool> known = compileTileOp(op, instruction);
  if (known && !*known)
    known = compileElementwise(op, instruction);
  if (!known)
    return known.takeError();
  if (!*known)
    return unsupported(&op, "it knows no such op");
  code->instructions.push_back(std::move(instruction));
  return Error::success();
}

Error Compiler::block(mlir::Block &block) {
  findDeaths(block);
  for (mlir::Operation &op : block) {
    // Whoever owns the block moves what it yields.
    if (llvm::isa<scf::YieldOp, tile::ReturnOp>(op))
      break;
    if (Error e = statement(op))
      return e;
    dropDead(&op);
  }
  return Error::success();
}

Error Compiler::arguments() {
  tile::FuncOp func = this->func;
  for (mlir::BlockArgument argument : func.getArguments()) {
    auto name = func.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(),
                                                        plan::kNameAttr);
    if (!name)
      return unsupported(func, "argument " +
                                   llvm::Twine(argument.getArgNumber()) +
                                   " has no " + plan::kNameAttr);
    if (auto type = llvm::dyn_cast<tile::BufferType>(argument.getType())) {
      std::optional<Element> element = elementOf(type.getElementType());
      bool fits = element && (isFloat(*element) || type.isCounter());
      if (!fits || !code->scalars.empty())
        return unsupported(func,
                           "buffers come first and hold f32, f16, bf16 or "
                           "counters; look at \"" +
                               name.getValue() + "\"");
      code->buffers.push_back(
          {name.str(), *element, letterOf(type.getRowSpace()),
           letterOf(type.getHeadSpace()), type.getColumns(),
           llvm::is_contained(
               {tile::BufferLayout::packed, tile::BufferLayout::fragments},
               type.getLayout())
               ? Buffer::Layout::Packed
           : type.getLayout() == tile::BufferLayout::uniform
               ? Buffer::Layout::Uniform
               : Buffer::Layout::Strided,
           type.getRounded()});
      continue;
    }
    bool real = argument.getType().isF32();
    std::optional<Scalar> scalar;
    if (real && name == "scale")
      scalar = Scalar::Scale;
    else if (real && name == "softcap")
      scalar = Scalar::Softcap;
    else if (argument.getType().isInteger(64) && name == "window_left")
      scalar = Scalar::WindowLeft;
    else if (argument.getType().isInteger(64) && name == "window_right")
      scalar = Scalar::WindowRight;
    if (!scalar)
      return unsupported(func, "scalars are scale and softcap (f32), "
                               "window_left and window_right (i64), not \"" +
                                   name.getValue() + "\"");
    code->scalars.push_back({slot(argument), *scalar});
  }
  return Error::success();
}

Expected<std::unique_ptr<Code>> Compiler::run() {
  code->name = func.getSymName().str();
  tile::GridAttr grid = func.getGrid();
  code->grid.kind = grid.getKind() == tile::GridKind::q    ? Grid::Kind::Q
                    : grid.getKind() == tile::GridKind::kv ? Grid::Kind::Kv
                                                           : Grid::Kind::Held;
  code->grid.rows = grid.getRows();
  code->persistent = func.getSchedule().getPersistent();
  code->grid.headsOfQ = grid.getHeads() == plan::HeadSpace::heads_q;
  auto takesTickets = [](mlir::Operation &op) {
    return llvm::isa<tile::TicketOp>(op);
  };
  code->grid.tickets = !func.getBody().empty() &&
                       llvm::any_of(func.getBody().front(), takesTickets);
  code->grid.oneHead = grid.getHeads() == plan::HeadSpace::none;
  if (code->grid.rows < 1)
    return unsupported(func, "a grid's tiles have at least 1 row");
  if (func.getBody().empty())
    return unsupported(func, "it has no body");
  if (Error e = arguments())
    return e;
  if (Error e = block(func.getBody().front()))
    return e;
  return std::move(code);
}

Expected<std::unique_ptr<Code>> weft::reference::compile(tile::FuncOp func) {
  return Compiler(func).run();
}
