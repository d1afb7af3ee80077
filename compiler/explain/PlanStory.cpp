//===- PlanStory.cpp - What a plan does to its buffers, step by step ------===//

#include "compiler/explain/PlanStory.h"

#include "compiler/explain/Formulas.h"
#include "dialects/attn/Attn.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;
using namespace weft;
using namespace weft::plan;

std::string Amount::str() const {
  std::string text = formula;
  if (value && formula != llvm::itostr(*value))
    text += " = " + grouped(*value);
  return text;
}

std::string weft::domainNames(llvm::ArrayRef<Domain> domains) {
  return llvm::join(
      llvm::map_range(
          domains, [](Domain domain) { return stringifyDomain(domain).str(); }),
      ", ");
}

static std::string numberText(double value) {
  if (value == 0)
    return "0";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  return llvm::formatv("{0}", value).str();
}

static std::string stateText(StateAttr state) {
  if (state.getValue())
    return "filled(" + numberText(state.getValue().getValueAsDouble()) + ")";
  return stringifyStateKind(state.getKind()).str();
}

static std::string shapeText(BufferType type) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << type.getElementType() << " [";
  if (type.getRowSpace() != RowSpace::none)
    stream << "rows_" << stringifyRowSpace(type.getRowSpace())
           << (type.isRounded() ? " " + roundingText(type.getRounded()) : "")
           << ", ";
  if (type.getHeadSpace() != HeadSpace::none)
    stream << stringifyHeadSpace(type.getHeadSpace()) << ", ";
  stream << type.getColumns() << "]";
  return text;
}

namespace {

constexpr llvm::StringLiteral kByCaller = "written by the caller";
constexpr llvm::StringLiteral kNoRows =
    "no such rows: the layout has no padding";

/// Reads one plan.
class Reader {
public:
  Reader(FuncOp func, const std::optional<program::SizeValues> &sizes)
      : func(func), sizes(sizes) {}
  PlanStory read();

private:
  void addArguments();
  BufferStory &addBuffer(Value value, llvm::StringRef name,
                         BufferStory::Owner owner);
  void visit(Operation &op);
  void visitLaunch(LaunchOp launch);
  void visitReturn(ReturnOp op);
  StepStory &addStep(StepStory::Kind kind, const llvm::Twine &name);
  /// Notes what all buffers hold now.
  void closeStep();

  int step() const { return int(story.steps.size()); }
  size_t indexOf(Value value) { return bufferOf.lookup(value); }
  BufferStory &of(Value value) { return story.buffers[indexOf(value)]; }
  /// `from` became `to` by what `owner` did.
  void pass(Value from, Value to, const llvm::Twine &owner) {
    size_t index = indexOf(from);
    bufferOf[to] = index;
    latest[index] = to;
    owners[index] = owner.str();
  }
  void initialise(Value buffer, llvm::ArrayRef<Domain> domains,
                  const std::string &how) {
    for (DomainStory &domain : of(buffer).domains)
      if (llvm::is_contained(domains, domain.domain))
        domain.initialiser = how;
  }
  Amount amount(Value value) {
    return {formulaText(value),
            sizes ? formulaValue(value, *sizes) : std::nullopt};
  }
  Amount bytesOf(BufferType type);
  bool hasRows(BufferType type, Domain domain);

  FuncOp func;
  const std::optional<program::SizeValues> &sizes;
  PlanStory story;
  llvm::DenseMap<Value, size_t> bufferOf;
  std::vector<Value> latest; ///< by buffer; null once released
  std::vector<std::string> owners;
  size_t closed = 0; ///< arrival, and steps that are through
};

} // namespace

/// Of elements alone: a tensor of the caller may lie in any strides.
Amount Reader::bytesOf(BufferType type) {
  int64_t perRow = type.getColumns() *
                   int64_t(type.getElementType().getIntOrFloatBitWidth() / 8);
  std::string formula;
  std::optional<int64_t> value = perRow;
  auto times = [&](llvm::StringRef name, program::SizeKind kind) {
    formula += (name + " * ").str();
    int64_t product = 0;
    value =
        value && sizes && !llvm::MulOverflow(*value, (*sizes)[kind], product)
            ? std::optional(product)
            : std::nullopt;
  };
  if (type.getRowSpace() == RowSpace::q)
    times("rows_q", program::SizeKind::rows_q);
  if (type.getRowSpace() == RowSpace::kv)
    times("rows_kv", program::SizeKind::rows_kv);
  if (type.getHeadSpace() == HeadSpace::heads_q)
    times("heads_q", program::SizeKind::heads_q);
  if (type.getHeadSpace() == HeadSpace::heads_kv)
    times("heads_kv", program::SizeKind::heads_kv);
  return {formula + llvm::itostr(perRow), value};
}

/// A side without padding has no row outside its sequences.
bool Reader::hasRows(BufferType type, Domain domain) {
  if (domain == Domain::valid || domain == Domain::all)
    return true;
  auto side = func->getParentOfType<ModuleOp>()->getAttrOfType<attn::SideAttr>(
      type.getRowSpace() == RowSpace::q ? "weft.q" : "weft.kv");
  if (!side)
    return true;
  if (side.getLayout() == attn::RowLayout::thd)
    return true;
  return domain == Domain::gap && side.getPadded();
}

BufferStory &Reader::addBuffer(Value value, llvm::StringRef name,
                               BufferStory::Owner owner) {
  auto type = cast<BufferType>(value.getType());
  BufferStory buffer;
  buffer.name = name.str();
  buffer.shape = shapeText(type);
  buffer.owner = owner;
  buffer.bytes = bytesOf(type);
  for (Domain domain : type.getDomains()) {
    DomainStory &told = buffer.domains.emplace_back();
    told.domain = domain;
    told.hasRows = hasRows(type, domain);
    // Nothing was known of it in the steps before.
    told.after.assign(closed, "undefined");
  }
  buffer.ownerAfter.assign(closed, "");
  bufferOf[value] = story.buffers.size();
  latest.push_back(value);
  owners.push_back("");
  story.buffers.push_back(std::move(buffer));
  return story.buffers.back();
}

void Reader::addArguments() {
  for (BlockArgument argument : func.getBody().getArguments()) {
    auto type = dyn_cast<BufferType>(argument.getType());
    if (!type)
      continue;
    std::string name = bufferName(argument).str();
    if (name == "?")
      name = "argument " + llvm::utostr(argument.getArgNumber());
    BufferStory &buffer = addBuffer(argument, name, BufferStory::Owner::Input);
    for (DomainStory &domain : buffer.domains)
      if (type.getState(domain.domain).isReadable())
        domain.initialiser = kByCaller;
    owners.back() = "the caller";
  }
}

StepStory &Reader::addStep(StepStory::Kind kind, const llvm::Twine &name) {
  StepStory &step = story.steps.emplace_back();
  step.kind = kind;
  step.name = name.str();
  return step;
}

void Reader::closeStep() {
  ++closed;
  for (auto [index, buffer] : llvm::enumerate(story.buffers)) {
    buffer.ownerAfter.push_back(owners[index]);
    for (DomainStory &domain : buffer.domains)
      domain.after.push_back(
          latest[index] ? stateText(cast<BufferType>(latest[index].getType())
                                        .getState(domain.domain))
                        : "");
  }
}

void Reader::visitLaunch(LaunchOp launch) {
  auto kernel = launch->getParentOfType<ModuleOp>().lookupSymbol<KernelOp>(
      launch.getKernel());
  std::string name = "@" + launch.getKernel().str();
  StepStory &told = addStep(StepStory::Kind::Launch, name);
  told.ctas = amount(launch.getGrid());
  told.early = launch.getEarly();
  std::string here = llvm::formatv("step {0}, {1}", step(), name);
  size_t ins = launch.getIns().size();
  for (auto [index, operand] :
       llvm::enumerate(launch->getOperands().drop_front())) {
    OperandAttr contract = kernel.getOperandContract(index);
    AccessStory &access = told.accesses.emplace_back();
    access.buffer = indexOf(operand);
    access.domains = contract.getDomains().vec();
    if (contract.getAccess() == Access::in)
      continue;
    pass(operand, launch.getResults()[index - ins], name);
    if (changesInPlace(contract.getAccess())) {
      access.kind = contract.getAccess() == Access::counter
                        ? AccessStory::Kind::Count
                        : AccessStory::Kind::Add;
      if (contract.getAccess() == Access::ordered)
        access.value = "in turn";
      continue;
    }
    access.kind = AccessStory::Kind::Write;
    std::string how = "written by " + here;
    if (FloatAttr value = contract.getValue()) {
      access.kind = AccessStory::Kind::Fill;
      access.value = numberText(value.getValueAsDouble());
      how = "filled with " + access.value + " by " + here;
    }
    initialise(operand, contract.getDomains(), how);
  }
}

void Reader::visitReturn(ReturnOp op) {
  StepStory &told = addStep(StepStory::Kind::Return, "");
  for (Value result : op.getResults()) {
    BufferStory &buffer = of(result);
    buffer.owner = BufferStory::Owner::Result;
    // A result that arrives filled on a domain has no rows there.
    for (DomainStory &domain : buffer.domains)
      if (domain.initialiser == kByCaller) {
        domain.hasRows = false;
        domain.initialiser = kNoRows;
      }
    owners[indexOf(result)] = "the caller";
    told.accesses.push_back({AccessStory::Kind::Read, indexOf(result), {}, ""});
  }
}

void Reader::visit(Operation &op) {
  auto fill = [&](StepStory::Kind kind, Value from, Value to, double number,
                  llvm::ArrayRef<Domain> domains, llvm::StringRef what) {
    StepStory &told = addStep(kind, of(from).name);
    std::string value = numberText(number);
    told.accesses.push_back(
        {AccessStory::Kind::Fill, indexOf(from), domains.vec(), value});
    initialise(
        from, domains,
        llvm::formatv("filled with {0} by step {1}, {2}", value, step(), what));
    pass(from, to, what);
  };
  llvm::TypeSwitch<Operation *>(&op)
      .Case<GuardOp>([&](GuardOp op) {
        story.guard = formulaText(op.getCondition());
        if (sizes)
          if (std::optional<int64_t> holds =
                  formulaValue(op.getCondition(), *sizes))
            story.guardHolds = *holds != 0;
      })
      .Case<ReserveOp>([&](ReserveOp reserve) {
        BufferStory &buffer = addBuffer(reserve.getResult(), reserve.getName(),
                                        BufferStory::Owner::Workspace);
        buffer.bytes = amount(reserve.getBytes());
        if (reserve.getOffset())
          buffer.offset = amount(reserve.getOffset());
        addStep(StepStory::Kind::Reserve, reserve.getName());
        buffer.reserved = step();
        owners.back() = "the plan";
      })
      .Case<MemsetOp>([&](MemsetOp memset) {
        fill(StepStory::Kind::Memset, memset.getBuffer(), memset.getResult(),
             memset.getValue().convertToDouble(),
             memset.getBuffer().getType().getDomains(), "memset");
      })
      .Case<FillOp>([&](FillOp op) {
        llvm::SmallVector<Domain> domains;
        for (const APInt &index :
             op.getDomains().getAsValueRange<IntegerAttr>())
          domains.push_back(static_cast<Domain>(index.getZExtValue()));
        fill(StepStory::Kind::Fill, op.getBuffer(), op.getResult(),
             op.getValue().convertToDouble(), domains, "fill");
      })
      .Case<LaunchOp>([&](LaunchOp launch) { visitLaunch(launch); })
      .Case<ReleaseOp>([&](ReleaseOp release) {
        BufferStory &buffer = of(release.getBuffer());
        addStep(StepStory::Kind::Release, buffer.name);
        buffer.released = step();
        latest[indexOf(release.getBuffer())] = Value();
        owners[indexOf(release.getBuffer())] = "";
      })
      .Case<ReturnOp>([&](ReturnOp op) { visitReturn(op); })
      .Default([](Operation *) {});
}

PlanStory Reader::read() {
  story.name = func.getSymName().str();
  addArguments();
  // What was there on arrival; the steps follow.
  closeStep();
  for (Operation &op : func.getBody().front()) {
    int before = step();
    visit(op);
    if (step() != before)
      closeStep();
  }
  std::optional<int64_t> arena = 0;
  for (const BufferStory &buffer : story.buffers) {
    if (buffer.owner != BufferStory::Owner::Workspace)
      continue;
    int64_t end = 0;
    bool known =
        arena && buffer.offset && buffer.offset->value && buffer.bytes.value &&
        !llvm::AddOverflow(*buffer.offset->value, *buffer.bytes.value, end);
    arena = known ? std::optional(std::max(*arena, end)) : std::nullopt;
  }
  story.arenaBytes = arena;
  return std::move(story);
}

PlanStory weft::storyOf(FuncOp func,
                        const std::optional<program::SizeValues> &sizes) {
  return Reader(func, sizes).read();
}
