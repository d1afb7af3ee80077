//===- PlanRunner.cpp - Runs the ops of a plan.func -----------------------===//

#include "runtime/reference/PlanRunner.h"

#include "dialects/tile/Tile.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace weft;
using namespace weft::reference;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

/// Of every buffer in the arena.
static constexpr int64_t arenaAlignment = 256;

static Error error(const Twine &message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}
static Error error(mlir::Operation *op, const Twine &message) {
  return error(describeOp(op) + " " + message);
}

static RowDomains rowDomain(plan::Domain domain) {
  switch (domain) {
  case plan::Domain::valid:
  case plan::Domain::all:
    return ValidRows;
  case plan::Domain::gap:
    return GapRows;
  case plan::Domain::tail:
    return TailRows;
  }
  return NoRows;
}

PlanRunner::PlanRunner(const Bodies &bodies, const Problem &problem,
                       const ReferenceOptions &options)
    : bodies(bodies), problem(problem), options(options),
      q(Side::read(problem.q, problem.batch, "q")),
      kv(Side::read(problem.kv, problem.batch, "kv")), random(options.seed),
      sizes(problem, options.smCount) {}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

Expected<plan::FuncOp>
PlanRunner::choose(llvm::ArrayRef<plan::FuncOp> variants) {
  for (plan::FuncOp variant : variants) {
    if (variant.getBody().empty())
      continue;
    bool holds = true;
    for (mlir::Operation &op : variant.getBody().front()) {
      if (auto guard = llvm::dyn_cast<plan::GuardOp>(op)) {
        Expected<int64_t> condition = sizes.get(guard.getCondition());
        if (!condition)
          return condition.takeError();
        holds = *condition;
        break;
      }
      if (!PlanSizes::knows(op))
        break;
      if (Error e = sizes.evaluate(op))
        return e;
    }
    if (holds)
      return variant;
  }
  return error("the guard of no plan.func of the module holds; the last one "
               "has none");
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

/// The tensor of a call, by the name it has in plans.
static const TensorView *tensorOf(const Problem &problem,
                                  llvm::StringRef name) {
  for (auto [role, view] :
       {std::pair("query", &problem.query), std::pair("key", &problem.key),
        std::pair("value", &problem.value), std::pair("out", &problem.out),
        std::pair("lse", &problem.lse), std::pair("d_out", &problem.dOut),
        std::pair("d_query", &problem.dQuery),
        std::pair("d_key", &problem.dKey),
        std::pair("d_value", &problem.dValue)})
    if (name == role)
      return view;
  return nullptr;
}

const Side *PlanRunner::sideOf(plan::BufferType type) {
  if (type.getRowSpace() == plan::RowSpace::none)
    return nullptr;
  const Side *side = type.getRowSpace() == plan::RowSpace::q ? &q : &kv;
  int64_t tile = type.getRounded();
  if (!tile)
    return side;
  auto [entry, isNew] = roundedSides.try_emplace({side, tile});
  if (isNew)
    entry->second = side->rounded(tile);
  return &entry->second;
}

Buffer &PlanRunner::addBuffer(llvm::StringRef name, Buffer::Kind kind,
                              plan::BufferType type) {
  Buffer &buffer = buffers.emplace_back();
  buffer.name = name.str();
  buffer.kind = kind;
  buffer.element = type.getElementType().isF32()         ? Element::F32
                   : type.getElementType().isBF16()      ? Element::BF16
                   : type.getElementType().isInteger(32) ? Element::I32
                                                         : Element::F16;
  buffer.side = sideOf(type);
  buffer.heads = type.getHeadSpace() == plan::HeadSpace::heads_q    ? q.heads
                 : type.getHeadSpace() == plan::HeadSpace::heads_kv ? kv.heads
                                                                    : 1;
  buffer.columns = type.getColumns();
  if (kind != Buffer::Kind::Input)
    buffer.defined.assign(size_t(buffer.size()), 0);
  return buffer;
}

void PlanRunner::poisonResult(Buffer &buffer) {
  int64_t bytes = buffer.columns * memoryBytes(buffer.element);
  for (int64_t head = 0; head < buffer.heads; ++head)
    for (int64_t row = 0; row < buffer.rows(); ++row)
      std::memset(buffer.address(head, row), *options.poison, size_t(bytes));
}

Error PlanRunner::arguments(plan::FuncOp plan) {
  for (mlir::BlockArgument argument : plan.getArguments()) {
    auto type = llvm::dyn_cast<plan::BufferType>(argument.getType());
    auto name = plan.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(),
                                                        plan::kNameAttr);
    const TensorView *view =
        name ? tensorOf(problem, name.getValue()) : nullptr;
    if (!type || !view || type.getRowSpace() == plan::RowSpace::none)
      return error("argument " + Twine(argument.getArgNumber()) + " of @" +
                   plan.getSymName() + " is no tensor of a call; its " +
                   plan::kNameAttr +
                   " names one of query, key, value, out, lse, d_out, d_query, "
                   "d_key, d_value");
    if (!type.getElementType().isF32() && !type.getElementType().isF16() &&
        !type.getElementType().isBF16())
      return error("\"" + name.getValue() +
                   "\" has elements that are not f32, "
                   "f16 or bf16");
    if (type.isRounded())
      return error("\"" + name.getValue() +
                   "\" has rounded rows, which only workspace has");
    bool result = type.getValid().isUndefined();
    Buffer &buffer = addBuffer(
        name, result ? Buffer::Kind::Result : Buffer::Kind::Input, type);
    buffer.view = *view;
    // A scalar dO; LSE has no columns and its column stride says nothing.
    if (buffer.view.columnStride == 0 && buffer.name == "d_out")
      buffer.layout = Buffer::Layout::Uniform;
    if (!view->data && buffer.size() > 0)
      return error("\"" + buffer.name + "\" is null and has " +
                   Twine(buffer.size()) + " elements");
    if (result && options.poison)
      poisonResult(buffer);
    give(argument, &buffer);
  }
  return Error::success();
}

void PlanRunner::give(mlir::Value value, Buffer *buffer) {
  owners[buffer] = value;
  bufferOf[value] = buffer;
}

Expected<Buffer *> PlanRunner::owned(mlir::Value value, bool consume) {
  Buffer *buffer = bufferOf.lookup(value);
  if (!buffer)
    return error("uses a buffer that nothing has made");
  if (owners.lookup(buffer) != value)
    return error("uses " + buffer->describe() +
                 ", which an earlier op has consumed; a buffer has one owner");
  if (consume)
    owners[buffer] = mlir::Value();
  return buffer;
}

//===----------------------------------------------------------------------===//
// Workspace
//===----------------------------------------------------------------------===//

Expected<PlanRunner::Place> PlanRunner::place(plan::ReserveOp op) {
  Expected<int64_t> bytes = sizes.get(op.getBytes());
  if (!bytes)
    return bytes.takeError();
  int64_t offset = arenaEnd;
  if (op.getOffset()) {
    Expected<int64_t> given = sizes.get(op.getOffset());
    if (!given)
      return given.takeError();
    offset = *given;
  }
  int64_t end;
  if (*bytes < 0 || offset < 0 || offset % arenaAlignment != 0 ||
      llvm::AddOverflow(offset, *bytes, end) || end > INT64_MAX / 2)
    return error(op, "reserves " + Twine(*bytes) + " bytes at offset " +
                         Twine(offset) + "; offsets are multiples of " +
                         Twine(arenaAlignment) + ", both at least 0");
  arenaEnd = std::max(arenaEnd, int64_t(llvm::alignTo(end, arenaAlignment)));
  arenaBytes = std::max(arenaBytes, end);
  return Place{offset, *bytes};
}

Expected<int64_t> PlanRunner::workspaceBytes(plan::FuncOp plan) {
  for (mlir::Operation &op : plan.getBody().front()) {
    if (PlanSizes::knows(op)) {
      if (Error e = sizes.evaluate(op))
        return e;
    } else if (auto reserve = llvm::dyn_cast<plan::ReserveOp>(op)) {
      Expected<Place> placed = place(reserve);
      if (!placed)
        return placed.takeError();
    }
  }
  int64_t bytes = arenaBytes;
  arenaEnd = arenaBytes = 0;
  return bytes;
}

Error PlanRunner::reserve(plan::ReserveOp op) {
  Expected<Place> placed = place(op);
  if (!placed)
    return placed.takeError();
  plan::BufferType type = op.getResult().getType();
  if (!type.getElementType().isF32() && !type.getElementType().isInteger(32))
    return unsupported(op, "workspace is f32, or i32 for counters");
  Buffer &buffer = addBuffer(op.getName(), Buffer::Kind::Workspace, type);
  if (placed->bytes != buffer.size() * 4)
    return error(op, "reserves " + Twine(placed->bytes) + " bytes, but " +
                         buffer.describe() + " has " + Twine(buffer.size()) +
                         " elements of 4 bytes");
  for (auto [other, theirs] : live)
    if (placed->offset < theirs.offset + theirs.bytes &&
        theirs.offset < placed->offset + placed->bytes)
      return error(op, "takes memory of " + other->describe() +
                           ", which is not released");
  live[&buffer] = *placed;
  buffer.layout = Buffer::Layout::Packed;
  buffer.view.data = arena + placed->offset;
  give(op.getResult(), &buffer);
  return Error::success();
}

Error PlanRunner::memset(plan::MemsetOp op) {
  Expected<Buffer *> buffer = owned(op.getBuffer(), /*consume=*/true);
  if (!buffer)
    return error(op, llvm::toString(buffer.takeError()));
  if ((*buffer)->kind != Buffer::Kind::Workspace)
    return error(op, "fills " + (*buffer)->describe() +
                         " whole, which only workspace is");
  for (int64_t head = 0; head < (*buffer)->heads; ++head)
    for (int64_t row = 0; row < (*buffer)->rows(); ++row)
      (*buffer)->fillRow(head, row, float(op.getValue().convertToDouble()));
  give(op.getResult(), *buffer);
  return Error::success();
}

Error PlanRunner::fill(plan::FillOp op) {
  Expected<Buffer *> buffer = owned(op.getBuffer(), /*consume=*/true);
  if (!buffer)
    return error(op, llvm::toString(buffer.takeError()));
  if ((*buffer)->kind == Buffer::Kind::Input)
    return error(op, "fills " + (*buffer)->describe());
  RowDomains domains = NoRows;
  for (const llvm::APInt &domain :
       op.getDomains().getAsValueRange<mlir::IntegerAttr>())
    domains |= rowDomain(plan::Domain(domain.getZExtValue()));
  for (int64_t row = 0; row < (*buffer)->rows(); ++row)
    if ((*buffer)->domainsOf(row) & domains)
      for (int64_t head = 0; head < (*buffer)->heads; ++head)
        (*buffer)->fillRow(head, row, float(op.getValue().convertToDouble()));
  give(op.getResult(), *buffer);
  return Error::success();
}

Error PlanRunner::release(plan::ReleaseOp op) {
  Expected<Buffer *> buffer = owned(op.getBuffer(), /*consume=*/true);
  if (!buffer)
    return error(op, llvm::toString(buffer.takeError()));
  if (!live.erase(*buffer))
    return error(op, "releases " + (*buffer)->describe() +
                         ", which the plan did not reserve");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The operands of a launch meet the types of the body's arguments.
static Error checkArgument(const BufferArgument &argument,
                           const Operand &operand, plan::BufferType type) {
  const Buffer &buffer = *operand.buffer;
  auto letter = [](auto space, auto q, auto kv) {
    return space == q ? 'q' : space == kv ? 'k' : '\0';
  };
  if (argument.name != operand.name)
    return error("the contract names \"" + operand.name +
                 "\" where the body has \"" + argument.name + "\"");
  bool fits = argument.element == buffer.element &&
              argument.columns == buffer.columns &&
              argument.rowSpace == letter(type.getRowSpace(), plan::RowSpace::q,
                                          plan::RowSpace::kv) &&
              argument.headSpace == letter(type.getHeadSpace(),
                                           plan::HeadSpace::heads_q,
                                           plan::HeadSpace::heads_kv) &&
              argument.rounded == type.getRounded();
  if (!fits || argument.layout != buffer.layout)
    return error(buffer.describe() +
                 " does not have the element type, spaces, "
                 "columns, layout and rounding that the body's "
                 "argument \"" +
                 argument.name + "\" says");
  return Error::success();
}

static Operand::Access accessOf(plan::Access access) {
  switch (access) {
  case plan::Access::in:
    return Operand::Access::In;
  case plan::Access::out:
    return Operand::Access::Out;
  case plan::Access::acc:
    return Operand::Access::Acc;
  case plan::Access::ordered:
    return Operand::Access::Ordered;
  case plan::Access::counter:
    return Operand::Access::Counter;
  }
  llvm_unreachable("all accesses are handled");
}

Error PlanRunner::launch(plan::LaunchOp op) {
  ++launches;
  auto module = op->getParentOfType<mlir::ModuleOp>();
  auto kernel =
      module.lookupSymbol<plan::KernelOp>(op.getKernelAttr().getAttr());
  std::string where = ("launch " + Twine(launches) + ", @" + op.getKernel() +
                       ", of @" + op->getParentOfType<plan::FuncOp>().getName())
                          .str();
  auto body = bodies.find(op.getKernel());
  if (!kernel || body == bodies.end())
    return error(where + ": there is no tile.func @" + op.getKernel() +
                 plan::KernelOp::bodySuffix() + "; run plan-to-tile first");
  const Code &code = *body->second;
  mlir::OperandRange values = op->getOperands().drop_front();
  if (code.buffers.size() != values.size())
    return error(where + ": the body takes " + Twine(code.buffers.size()) +
                 " buffers, the contract has " + Twine(values.size()));

  LaunchState state;
  state.q = &q;
  state.kv = &kv;
  state.gridRows = code.grid.rows;
  state.scale = float(problem.scale);
  state.softcap = float(problem.softcap);
  state.windowLeft = kernelDistance(problem.windowLeft);
  state.windowRight = kernelDistance(problem.windowRight);
  state.pool = &pool;
  llvm::SmallVector<Buffer *, 4> consumed;
  for (auto [index, value] : llvm::enumerate(values)) {
    plan::OperandAttr contract = kernel.getOperandContract(index);
    Operand &operand = state.operands.emplace_back();
    operand.name = contract.getName().str();
    operand.access = accessOf(contract.getAccess());
    for (plan::Domain domain : contract.getDomains())
      operand.domains |= rowDomain(domain);
    if (contract.getValue())
      operand.value = float(contract.getValue().getValueAsDouble());
    bool writes = operand.access != Operand::Access::In;
    Expected<Buffer *> buffer = owned(value, writes);
    if (!buffer)
      return error(where + ": " + llvm::toString(buffer.takeError()));
    operand.buffer = *buffer;
    if (writes) {
      if ((*buffer)->kind == Buffer::Kind::Input)
        return error(where + ": writes " + (*buffer)->describe());
      consumed.push_back(*buffer);
    }
    if (Error e = checkArgument(code.buffers[index], operand,
                                llvm::cast<plan::BufferType>(value.getType())))
      return error(where + ": " + llvm::toString(std::move(e)));
  }
  for (auto [result, buffer] : llvm::zip_equal(op.getResults(), consumed))
    give(result, buffer);

  Expected<int64_t> ctas = sizes.get(op.getGrid());
  if (!ctas)
    return ctas.takeError();
  Expected<std::vector<Point>> points = pointsOf(code.grid, q, kv);
  if (!points)
    return points.takeError();
  // Malformed offsets may give more points than there are CTAs.
  const Side &walked = code.grid.kind == Grid::Kind::Kv ? kv : q;
  bool tooFew = code.persistent ? *ctas < 1 && !points->empty()
                                : *ctas < int64_t(points->size());
  if (tooFew && (walked.wellFormed || code.grid.kind == Grid::Kind::Held))
    return error(where + ": a grid of " + Twine(*ctas) + " CTAs for " +
                 Twine(points->size()) + " points");
  if (Error e = runLaunch(code, state, *points, options.residentCtas, random))
    return error(where + ": " + llvm::toString(std::move(e)));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

Error PlanRunner::checkReturned(const Buffer &buffer, plan::BufferType type) {
  for (int64_t row = 0; row < buffer.rows(); ++row) {
    RowDomains domains = buffer.domainsOf(row);
    plan::StateAttr state = domains & ValidRows ? type.getValid()
                            : domains & GapRows ? type.getGap()
                                                : type.getTail();
    for (int64_t head = 0; head < buffer.heads; ++head) {
      if (std::optional<int64_t> column = buffer.firstUndefined(head, row))
        return error("returns undefined memory: nothing has written " +
                     buffer.describe(head, row, *column));
      if (!state.getValue())
        continue;
      const char *at = buffer.address(head, row);
      for (int64_t c = 0; c < buffer.columns; ++c) {
        float value =
            readElement(buffer.element, at + c * memoryBytes(buffer.element));
        if (!state.isFilledWith(value))
          return error("returns " + buffer.describe(head, row, c) + " with " +
                       Twine(std::to_string(value)) + " where its type says " +
                       std::to_string(state.getValue().getValueAsDouble()));
      }
    }
  }
  return Error::success();
}

Error PlanRunner::finish(plan::ReturnOp op) {
  for (mlir::Value value : op.getResults()) {
    Expected<Buffer *> buffer = owned(value, /*consume=*/true);
    if (!buffer)
      return error(op, llvm::toString(buffer.takeError()));
    if ((*buffer)->kind != Buffer::Kind::Result)
      return error(op, "returns " + (*buffer)->describe());
    if (Error e = checkReturned(*(*buffer),
                                llvm::cast<plan::BufferType>(value.getType())))
      return e;
  }
  for (Buffer &buffer : buffers)
    if (buffer.kind == Buffer::Kind::Result && owners[&buffer])
      return error("does not return " + buffer.describe());
  for (auto [buffer, placed] : live)
    return error("does not release " + buffer->describe());
  return Error::success();
}

Error PlanRunner::step(mlir::Operation &op) {
  if (PlanSizes::knows(op))
    return sizes.evaluate(op);
  return llvm::TypeSwitch<mlir::Operation *, Error>(&op)
      .Case([](plan::GuardOp) { return Error::success(); })
      .Case([&](plan::ReserveOp op) { return reserve(op); })
      .Case([&](plan::MemsetOp op) { return memset(op); })
      .Case([&](plan::FillOp op) { return fill(op); })
      .Case([&](plan::LaunchOp op) { return launch(op); })
      .Case([&](plan::ReleaseOp op) { return release(op); })
      .Case([&](plan::ReturnOp op) { return finish(op); })
      .Default([](mlir::Operation *op) {
        return unsupported(op, "a plan knows no such op");
      });
}

Error PlanRunner::run(plan::FuncOp plan) {
  Expected<int64_t> bytes = workspaceBytes(plan);
  if (!bytes)
    return bytes.takeError();
  if (problem.workspace) {
    if (problem.workspaceBytes < *bytes)
      return error(
          "@" + plan.getSymName() + " needs " + Twine(*bytes) +
          " bytes of workspace; given: " + Twine(problem.workspaceBytes));
    if (reinterpret_cast<uintptr_t>(problem.workspace) % alignof(float) != 0)
      return error("the workspace is not aligned");
    arena = static_cast<char *>(problem.workspace);
  } else {
    ownArena = std::make_unique<char[]>(size_t(std::max<int64_t>(*bytes, 1)));
    arena = ownArena.get();
  }
  if (options.poison)
    std::memset(arena, *options.poison, size_t(*bytes));
  if (Error e = arguments(plan))
    return e;
  for (mlir::Operation &op : plan.getBody().front())
    if (Error e = step(op))
      return e;
  return Error::success();
}
